//! Lists of records: a search above a table.

use actix_web::http::StatusCode;
use askama::Template;

use super::{
    list::{Address, SEARCH},
    table::{Cell, Column, Table},
};
use crate::{
    pages::HandlerResult,
    texts::{Text, Texts},
    view::{self, Frame},
    visit::SignedIn,
};

/// The table of a list that is a part of a page, with its search.
#[derive(Template)]
#[template(path = "office/searched.html")]
pub(crate) struct SearchedTable<'a> {
    pub(crate) t: &'a Texts,
    pub(crate) address: &'a Address,
    pub(crate) table: Table<'a>,
}

/// A list of records with a search.
pub(crate) struct RecordList<'a> {
    pub(crate) heading: &'a Text,
    /// The link to the form of a new record, and its text.
    pub(crate) new: (&'static str, &'a Text),
    /// What stands in the place of a list without records.
    pub(crate) empty: &'a Text,
    pub(crate) columns: Vec<Column>,
    /// What all records of the list have in common, if it has not all of them, and the address of all.
    pub(crate) only: Option<(String, String)>,
}

#[derive(Template)]
#[template(path = "office/list.html")]
struct ListPage<'a> {
    frame: Frame<'a>,
    new: (&'static str, &'a Text),
    address: &'a Address,
    only: Option<(String, String)>,
    table: Table<'a>,
}

impl<'a> RecordList<'a> {
    /// The page with these rows, of a list with this many.
    ///
    /// # Errors
    /// When the page cannot be written, which is a defect.
    pub(crate) fn page(
        self,
        signed_in: &'a SignedIn,
        address: &'a Address,
        rows: impl IntoIterator<Item = Vec<Cell>>,
        total: u64,
    ) -> HandlerResult {
        let t = &signed_in.visit.language().texts;
        let is_whole = address.value(SEARCH).is_empty() && self.only.is_none();
        let empty = if is_whole { self.empty } else { &t.none_found };
        let table = Table::new(t, [self.heading, empty], self.columns, rows);
        let table = table.page_of(address, total);
        let frame = Frame::of_user(signed_in, self.heading);
        let page = ListPage { frame, new: self.new, address, only: self.only, table };
        view::page(&signed_in.visit, StatusCode::OK, &page)
    }
}
