//! The office: what the pages have in common with which a dispatcher plans, watches and counts rounds.
//!
//! A list is a [`list::Address`] and a [`table::Table`]. A record is an [`record::OfficeRecord`]: its form
//! is declared once ([`form::Part`]), and its fields are the members of the API.

pub(crate) mod body;
pub(crate) mod chart;
pub(crate) mod content;
pub(crate) mod faults;
pub(crate) mod form;
pub(crate) mod form_page;
pub(crate) mod list;
pub(crate) mod map;
pub(crate) mod priority;
pub(crate) mod question;
pub(crate) mod record;
pub(crate) mod record_list;
pub(crate) mod record_pages;
pub(crate) mod state;
pub(crate) mod table;
pub(crate) mod tiles;
