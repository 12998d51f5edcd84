//! Tables: dense rows of cells, which become cards on a phone.

use askama::{Template, filters::HtmlSafe};
use patrol_domain::{list::Direction, location::Position};

use super::{
    list::{Address, Pager},
    state::StateLabel,
};
use crate::{
    texts::{Text, Texts},
    times::Time,
};

/// A table with its heading row.
#[derive(Template)]
#[template(path = "office/table.html")]
pub(crate) struct Table<'a> {
    /// What it lists, for assistive technology.
    pub(crate) label: String,
    pub(crate) columns: Vec<Column>,
    /// The first cell of a row is its name.
    pub(crate) rows: Vec<Vec<Cell>>,
    /// What stands in the place of a table without rows.
    pub(crate) empty: String,
    pub(crate) pager: Option<Pager>,
    pub(crate) t: &'a Texts,
}

impl HtmlSafe for Table<'_> {}

impl<'a> Table<'a> {
    /// A table on one page. `empty`: what stands in its place without rows.
    pub(crate) fn new(
        t: &'a Texts,
        [label, empty]: [&Text; 2],
        columns: impl IntoIterator<Item = Column>,
        rows: impl IntoIterator<Item = Vec<Cell>>,
    ) -> Self {
        let (label, empty) = (label.to_string(), empty.to_string());
        let (columns, rows) = (columns.into_iter().collect(), rows.into_iter().collect());
        Self { label, columns, rows, empty, pager: None, t }
    }

    /// One page of a list with this many rows.
    pub(crate) fn page_of(mut self, address: &Address, total: u64) -> Self {
        self.pager = Some(address.pager(self.rows.len(), total));
        self
    }

    /// What a row is known by when the page is refreshed: the address of its record.
    fn key<'b>(&self, row: &'b [Cell]) -> Option<&'b str> {
        match row.first() {
            Some(Cell::Link { href, .. }) => Some(href),
            _ => None,
        }
    }

    /// The cells of a row with their columns.
    fn cells<'b>(&'b self, row: &'b [Cell]) -> impl Iterator<Item = (&'b Column, &'b Cell)> {
        self.columns.iter().zip(row)
    }
}

/// A column of a table.
pub(crate) struct Column {
    label: String,
    /// The link that sorts by the column.
    href: Option<String>,
    direction: Option<Direction>,
    is_number: bool,
}

impl Column {
    pub(crate) fn new(label: &Text) -> Self {
        Self { label: label.to_string(), href: None, direction: None, is_number: false }
    }

    /// A column of numbers, which stand at the right.
    pub(crate) fn of_numbers(label: &Text) -> Self {
        Self { is_number: true, ..Self::new(label) }
    }

    /// The column by which the list can be sorted, under this name in the address.
    pub(crate) fn sorted_by(self, address: &Address, name: &str) -> Self {
        let (href, direction) = address.sort_link(name);
        Self { href: Some(href), direction, ..self }
    }

    /// The value of `aria-sort`.
    fn aria_sort(&self) -> Option<&'static str> {
        self.direction.map(|direction| match direction {
            Direction::Ascending => "ascending",
            Direction::Descending => "descending",
        })
    }
}

/// A value on a page.
#[derive(Template, Clone)]
#[template(path = "office/cell.html")]
pub(crate) enum Cell {
    Empty,
    Text(String),
    Number(u64),
    Time(Time),
    Link {
        href: String,
        text: String,
    },
    /// How much of something is done.
    Progress {
        done: u64,
        all: u64,
        /// Both numbers, in words.
        text: String,
    },
    /// A state: an icon and a word.
    State(StateLabel),
    /// Several values in a row.
    Several(Vec<Cell>),
    /// HTML that a template of this crate has made.
    Html(String),
}

impl HtmlSafe for Cell {}

impl Cell {
    /// Whether nothing is shown.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Text(text) => text.is_empty(),
            Self::Several(cells) => cells.is_empty(),
            _ => false,
        }
    }

    pub(crate) fn text(text: impl ToString) -> Self {
        Self::Text(text.to_string())
    }

    pub(crate) fn link(href: impl Into<String>, text: impl ToString) -> Self {
        Self::Link { href: href.into(), text: text.to_string() }
    }

    /// A share, for example `12.5 %`.
    pub(crate) fn percent(share: Option<f64>) -> Self {
        share.map(|share| format!("{} %", (share * 1000.0).round() / 10.0)).into()
    }

    /// Coordinates, for example `51.5, -0.1`.
    pub(crate) fn position(at: Option<Position>) -> Self {
        at.map(|at| format!("{}, {}", at.latitude, at.longitude)).into()
    }

    /// The texts with commas between them.
    pub(crate) fn joined<T: AsRef<str>>(texts: &[T]) -> Self {
        let texts: Vec<_> = texts.iter().map(AsRef::as_ref).collect();
        Self::Text(texts.join(", "))
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Empty, Into::into)
    }
}

impl From<Time> for Cell {
    fn from(time: Time) -> Self {
        Self::Time(time)
    }
}

impl From<StateLabel> for Cell {
    fn from(state: StateLabel) -> Self {
        Self::State(state)
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}
