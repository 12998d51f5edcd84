//! A record as a line.

use std::io::{self, Write};

use patrol_domain::{
    Resource, Rule, Rules, access::PasswordHasher, data_set::Record, record_kinds,
};
use patrol_record::json::{
    document::{self, Json},
    fields::{self, Fields},
};
use serde::Serialize;

use crate::messages;

/// A kind of record that lines contain.
pub(crate) trait Line: Sized {
    /// The members of a line: their JSON types are checked, their rules are not.
    type Draft;
    /// The JSON of a record, without `kind`.
    type Form<'a>: Serialize
    where
        Self: 'a;

    /// Reads all members except `kind`.
    fn read(fields: &mut Fields<'_>) -> Self::Draft;

    /// The record of a line, or one message for each broken rule. The store checks the references.
    fn check(draft: Self::Draft, context: &Context<'_>) -> Result<Self, Vec<String>>;

    /// The JSON of the record.
    fn form(&self) -> Self::Form<'_>;
}

/// What the check of a line needs.
pub(crate) struct Context<'a> {
    pub(crate) rules: &'a Rules,
    pub(crate) passwords: &'a dyn PasswordHasher,
}

macro_rules! lines {
    ($($kind:ident: $type:ty;)+) => {
        /// The record of a line of this kind, or `None` for an unknown kind.
        fn read_kind(
            kind: &str,
            json: &Json<'_>,
            context: &Context<'_>,
        ) -> Option<Result<Record, Vec<String>>> {
            $(if kind == Resource::$kind.name() {
                return Some(read_line::<$type>(json, context).map(Record::from));
            })+
            None
        }

        /// A line to write.
        #[derive(Serialize)]
        #[serde(tag = "kind", rename_all = "camelCase")]
        enum Written<'a> {
            $($kind(<$type as Line>::Form<'a>),)+
        }

        impl<'a> From<&'a Record> for Written<'a> {
            fn from(record: &'a Record) -> Self {
                match record {
                    $(Record::$kind(record) => Self::$kind(<$type as Line>::form(record)),)+
                }
            }
        }
    };
}

record_kinds!(lines);

/// The record of a line, or one message for each fault. `nesting` is the allowed depth of its JSON.
pub(crate) fn record(
    line: &[u8],
    nesting: usize,
    context: &Context<'_>,
) -> Result<Record, Vec<String>> {
    if let Some(message) = messages::wrong_format(line.trim_ascii()) {
        return Err(vec![message.to_owned()]);
    }
    let json = document::parse(line, nesting)
        .map_err(|malformed| vec![format!("not a JSON object: {malformed}")])?;
    let kind = fields::object(&json, |fields| fields.text("kind"))
        .map_err(|faults| faults.iter().map(messages::type_fault).collect::<Vec<_>>())?;
    let Some(kind) = kind else {
        return Err(vec![messages::of_field("kind", &messages::rule(&Rule::NotNull))]);
    };
    read_kind(&kind, &json, context).unwrap_or_else(|| {
        let kinds: Vec<_> = Record::KINDS.iter().map(|kind| kind.name()).collect();
        Err(vec![messages::of_field("kind", &messages::one_of(&kinds))])
    })
}

/// Reads and checks a line. Members other than `kind` and those of the record are faults.
fn read_line<L: Line>(json: &Json<'_>, context: &Context<'_>) -> Result<L, Vec<String>> {
    let draft = fields::exact_object(json, |fields| {
        fields.text("kind");
        L::read(fields)
    });
    L::check(draft.map_err(messages::member_faults)?, context)
}

/// Writes a record as a line that an import can read. The line contains all members; lists keep their
/// order. `out` should be buffered, because each line takes many small writes.
///
/// # Errors
/// Those of `out`.
pub fn write_record(record: &Record, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &Written::from(record))?;
    out.write_all(b"\n")
}
