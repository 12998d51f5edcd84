//! The measurements, by subject.

pub(crate) mod counts;
pub(crate) mod pages;
pub(crate) mod reads;
pub(crate) mod start;
pub(crate) mod whole_list;
pub(crate) mod writes;
