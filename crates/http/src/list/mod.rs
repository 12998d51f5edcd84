//! Lists over HTTP: the query language and the streamed response, common to all lists.
//! `docs/api/lists.md` describes them.

mod answer;
pub(crate) mod bounds;
mod declaration;
mod document;
mod fault;
mod filter;
mod parse;
mod stream;
#[cfg(test)]
mod tests;

pub(crate) use answer::answer;
pub(crate) use declaration::{
    Filter, FilterPlace, Kind, ListDeclaration, OptionParameter, RowContext, Search, Setter,
};
pub(crate) use document::{AppliedFilter, FilteredMeta, Meta};
pub(crate) use fault::ParameterFault;
pub(crate) use filter::id;
pub(crate) use parse::{endpoint, parse_query};
