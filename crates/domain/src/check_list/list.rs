//! The list of check-lists: its filters and its sort properties.

use super::CheckList;
use crate::list::{Listed, sort_properties};

/// The list of check-lists, each with its actions.
#[derive(Debug, Clone, Copy)]
pub struct CheckListList;

impl Listed for CheckListList {
    type Filter = CheckListFilter;
    type Sort = CheckListSort;
    type Item = CheckList;

    fn bytes(item: &CheckList) -> usize {
        size_of_val(item) + item.heap_bytes()
    }
}

/// Properties by which check-lists can be filtered, with the tests that each accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckListFilter {
    /// The id: [`crate::list::Test::Ids`].
    Id,
    /// The name: [`crate::list::Test::Contains`], [`crate::list::Test::Text`].
    Name,
}

sort_properties! {
    /// Properties by which check-lists can be sorted.
    CheckListSort {
        Id = "id";
        Name = "name";
    }
}
