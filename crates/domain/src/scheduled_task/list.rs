//! The list of scheduled tasks: its filters and its sort properties.

use super::ScheduledTask;
use crate::list::{Listed, Query, sort_properties};

/// The list of scheduled tasks. An item is a task without its steps.
#[derive(Debug, Clone, Copy)]
pub struct ScheduledTaskList;

/// A query of the list of scheduled tasks.
pub type ScheduledTaskQuery = Query<ScheduledTaskList>;

impl Listed for ScheduledTaskList {
    type Filter = ScheduledTaskFilter;
    type Sort = ScheduledTaskSort;
    type Item = ScheduledTask;

    fn bytes(item: &ScheduledTask) -> usize {
        size_of_val(item) + item.heap_bytes()
    }
}

/// Properties by which scheduled tasks can be filtered, with the tests that each accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScheduledTaskFilter {
    /// The task: [`crate::list::Test::Ids`].
    Id,
    /// Name: [`crate::list::Test::Contains`], [`crate::list::Test::Text`].
    Name,
    /// Location; may be null: [`crate::list::Test::Ids`].
    Location,
    /// The assignees, as a set: [`crate::list::Test::Ids`].
    User,
    /// The tags, as a set: [`crate::list::Test::Tags`].
    Tags,
    /// Priority: [`crate::list::Test::Codes`].
    Priority,
    /// Enabled: [`crate::list::Test::Flag`].
    Enabled,
}

sort_properties! {
    /// Properties by which scheduled tasks can be sorted: every stored scalar field of the item.
    ScheduledTaskSort {
        Id = "id";
        Name = "name";
        Description = "description";
        LocationId = "locationId";
        Priority = "priority";
        OrderStepsRequired = "orderStepsRequired";
        StrictTimeRequired = "strictTimeRequired";
        Deadlined = "deadlined";
        Published = "published";
        Enabled = "enabled";
        SeriesId = "seriesId";
    }
}
