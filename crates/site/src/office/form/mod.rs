//! Forms of records. A form is declared once as [`Part`]s; its fields are members of the API's record,
//! named by their paths. What a reader types becomes JSON, which the same code reads as the bodies of
//! the API.

mod entered;
mod member;
mod parts;
mod show;
pub(crate) mod summary;
#[cfg(test)]
mod tests;

pub(crate) use self::{
    entered::{Entered, VERSION, ZONE},
    member::{changed, element, elements, elements_mut, keep_order, member, place, set, strings},
    parts::{Kind, Label, Part, Rows, Sources},
    show::FormView,
};
