//! The content of an execution in PUT, a series update and the data set: checks it and merges it
//! into an execution. The plan of a scheduled task is content without times.

mod check;
mod ids;
mod merge;

pub(crate) use check::check_period;
pub(crate) use ids::{AllowedIds, KnownAction, KnownIds};
pub(crate) use merge::new_steps;

use super::{Action, ActionType, Priority, Step, TaskExecution};
use crate::shared::{
    existing::References,
    ids::{CheckListId, LocationId, PointId, UserId, Uuid},
    patch::Patch,
    rules::Limits,
    timestamp::Timestamp,
};

/// Content before [`ContentDraft::check`]: with the right JSON types, but not checked against the
/// field rules. An absent member and null mean the same, except for the bounds of an action.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs)] // named as in docs/api
pub struct ContentDraft {
    pub assignee_ids: Option<Vec<UserId>>,
    pub location_id: Option<LocationId>,
    pub name: Option<String>,
    pub description: Option<String>,
    pub start_at: Option<Timestamp>,
    pub end_at: Option<Timestamp>,
    pub priority: Option<String>,
    pub order_steps_required: Option<bool>,
    pub strict_time_required: Option<bool>,
    pub deadlined: Option<bool>,
    pub tags: Option<Vec<String>>,
    pub steps: Option<Vec<StepDraft>>,
}

/// A step of a [`ContentDraft`].
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs)] // named as in docs/api
pub struct StepDraft {
    /// The id in PUT and the data set, the series id in a series update; `None` for a new step.
    pub key: Option<Uuid>,
    pub point_id: Option<PointId>,
    pub name: Option<String>,
    pub order: Option<i64>,
    /// Only in the plan of a scheduled task.
    pub check_list_id: Option<CheckListId>,
    pub actions: Vec<ActionDraft>,
}

/// An action of a [`StepDraft`].
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs)] // named as in docs/api
pub struct ActionDraft {
    /// The id in PUT and the data set, the series id in a series update; `None` for a new action.
    pub key: Option<Uuid>,
    pub name: Option<String>,
    pub kind: Option<String>,
    pub order: Option<i64>,
    pub required: bool,
    /// Absent keeps the bound of the matched action, null removes it.
    pub min_value: Patch<f64>,
    /// Like `min_value`: absent keeps the bound, null removes it.
    pub max_value: Patch<f64>,
}

/// Content of an execution that meets the field rules.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Content {
    /// A new execution with the members of the body. It has the nil id and no steps.
    pub(crate) execution: TaskExecution,
    pub(crate) steps: Vec<StepContent>,
}

/// The checked members of a body, without its steps. `None` for a member that is absent or null.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Given {
    pub(crate) assignee_ids: Option<Vec<UserId>>,
    pub(crate) location_id: Option<LocationId>,
    pub(crate) name: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) priority: Option<Priority>,
    pub(crate) order_steps_required: Option<bool>,
    pub(crate) strict_time_required: Option<bool>,
    pub(crate) deadlined: Option<bool>,
    pub(crate) tags: Option<Vec<String>>,
}

/// The members that a body has to have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Required {
    pub(crate) location: bool,
    pub(crate) name: bool,
    pub(crate) start: bool,
    pub(crate) end: bool,
    pub(crate) steps: bool,
}

impl Required {
    /// The members that PUT of an execution requires.
    pub(crate) const ALL: Self =
        Self { location: true, name: true, start: true, end: true, steps: true };

    /// The members that bodies of a scheduled task require.
    pub(crate) const PLAN: Self =
        Self { location: true, name: true, start: false, end: false, steps: false };

    /// The members of a scheduled task of the data set: tasks of earlier versions had no location.
    pub(crate) const IMPORTED_PLAN: Self = Self { location: false, ..Self::PLAN };
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct StepContent {
    /// The position in the body, from 0.
    pub(crate) position: usize,
    pub(crate) key: Option<Uuid>,
    pub(crate) point_id: Option<PointId>,
    pub(crate) name: String,
    pub(crate) order: i32,
    pub(crate) check_list_id: Option<CheckListId>,
    pub(crate) actions: Vec<ActionContent>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ActionContent {
    /// The position in the body, from 0.
    pub(crate) position: usize,
    pub(crate) key: Option<Uuid>,
    pub(crate) name: String,
    pub(crate) kind: ActionType,
    pub(crate) order: i32,
    pub(crate) required: bool,
    pub(crate) min_value: Patch<f64>,
    pub(crate) max_value: Patch<f64>,
}

/// How the steps and actions of a body are matched with those of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MatchedBy {
    /// PUT: by `id`.
    Id,
    /// Series update: by `seriesId`.
    SeriesId,
}

impl MatchedBy {
    /// The member of the body with the key.
    const fn member(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::SeriesId => "seriesId",
        }
    }

    /// The key of a step of the execution.
    pub(crate) fn step_key(self, step: &Step) -> Option<Uuid> {
        match self {
            Self::Id => Some(step.id.0),
            Self::SeriesId => step.series_id.map(Uuid::from),
        }
    }

    /// The key of an action of the execution.
    pub(crate) fn action_key(self, action: &Action) -> Option<Uuid> {
        match self {
            Self::Id => Some(action.id.0),
            Self::SeriesId => action.series_id.map(Uuid::from),
        }
    }
}

impl ContentDraft {
    /// The records that the content refers to. A list longer than its bound is a fault, so only its
    /// first elements are included.
    #[must_use]
    pub fn references(&self, limits: &Limits) -> References {
        let steps = || self.steps.iter().flatten().take(limits.steps);
        References::default()
            .with(self.assignee_ids.iter().flatten().copied().take(limits.assignees))
            .with(self.location_id)
            .with(steps().filter_map(|step| step.point_id))
            .with(steps().filter_map(|step| step.check_list_id))
    }
}
