//! What a form is declared as.

use std::collections::HashMap;

use crate::texts::{Text, Texts};

/// The name of the buttons that add, move and remove rows.
pub(super) const ACTION: &str = "do";

/// A text of the language.
pub(crate) type Label = for<'a> fn(&'a Texts) -> &'a Text;

/// A part of a form.
#[derive(Clone, Copy)]
pub(crate) enum Part {
    Field(Field),
    /// Fields that belong together.
    Group {
        legend: Label,
        parts: &'static [Part],
    },
    /// A list of objects.
    Rows(Rows),
    /// A button that shows the form again, with what it asks for below it, and saves nothing.
    Button {
        /// The value of [`ACTION`].
        action: &'static str,
        label: Label,
    },
}

/// A list of objects, each with the same parts. Rows can be added, moved and removed.
#[derive(Clone, Copy)]
pub(crate) struct Rows {
    pub(crate) path: &'static str,
    pub(crate) legend: Label,
    /// The button that adds a row.
    pub(crate) add: Label,
    /// The member that names a row in its buttons; of a choice, its text.
    pub(crate) name: &'static str,
    pub(crate) parts: &'static [Part],
}

impl Rows {
    /// The field of a row that shows this member.
    pub(super) fn field(&self, path: &str) -> Option<&'static Field> {
        self.parts.iter().find_map(|part| match part {
            Part::Field(field) if field.path == path => Some(field),
            _ => None,
        })
    }
}

/// A field: one member of the record.
#[derive(Clone, Copy)]
pub(crate) struct Field {
    /// The path of the member, for example `schedule.timeZone`.
    pub(crate) path: &'static str,
    pub(crate) label: Label,
    pub(super) hint: Option<Label>,
    pub(super) kind: Kind,
    pub(super) is_required: bool,
}

/// How a member is entered.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// One line of text.
    Line,
    /// Several lines of text.
    Paragraph,
    /// A number.
    Number,
    /// A list of texts, one a line.
    Lines,
    /// A box to tick.
    Flag,
    /// An instant, entered in the time zone of the reader.
    Instant,
    /// A date and a time without a zone.
    LocalTime,
    /// A date.
    Date,
    /// One of these values; the first is that of a new record.
    Choice(&'static [(&'static str, Label)]),
    /// One of the values of this source, or none.
    One(&'static str),
    /// Any of the values of this source.
    Many(&'static str),
    /// Any of these values, each a box to tick.
    Boxes(&'static [(&'static str, Label)]),
    /// A text that is never shown; empty when it stays as it is.
    Secret,
    /// A file, which is no member of the record.
    File,
}

impl Part {
    /// A field that is not required, without a hint.
    pub(crate) const fn field(path: &'static str, label: Label, kind: Kind) -> Self {
        Self::Field(Field { path, label, hint: None, kind, is_required: false })
    }

    /// The field as a required one. Other parts stay as they are.
    pub(crate) const fn required(self) -> Self {
        match self {
            Self::Field(field) => Self::Field(Field { is_required: true, ..field }),
            other => other,
        }
    }

    /// The field with a hint. Other parts stay as they are.
    pub(crate) const fn hint(self, hint: Label) -> Self {
        match self {
            Self::Field(field) => Self::Field(Field { hint: Some(hint), ..field }),
            other => other,
        }
    }

    /// Whether an instant is entered in it.
    pub(crate) fn has_instant(&self) -> bool {
        match self {
            Self::Field(field) => matches!(field.kind, Kind::Instant),
            Self::Group { parts, .. } => parts.iter().any(Self::has_instant),
            Self::Rows(rows) => rows.parts.iter().any(Self::has_instant),
            Self::Button { .. } => false,
        }
    }
}

/// The values of the sources of a form, each with its text: records by id, for example.
#[derive(Default)]
pub(crate) struct Sources(HashMap<&'static str, Vec<(String, String)>>);

impl Sources {
    pub(crate) fn with(mut self, source: &'static str, values: Vec<(String, String)>) -> Self {
        self.0.insert(source, values);
        self
    }

    pub(super) fn of(&self, source: &str) -> &[(String, String)] {
        self.0.get(source).map_or(&[], Vec::as_slice)
    }
}
