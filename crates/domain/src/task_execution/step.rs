//! Steps of an execution, and their actions.

use super::{progress::State, status::Status};
use crate::shared::{
    ids::{ActionId, MediaId, PointId, SeriesId, StepId},
    named::named,
    timestamp::Timestamp,
};

named! {
    /// The type of result that an action asks for.
    ActionType {
        /// Yes or no.
        Boolean = "BOOLEAN", 0;
        /// Photos, videos or sound recordings.
        Media = "MEDIA", 1;
        /// A measured value.
        Number = "NUMBER", 2;
        /// A free text.
        Text = "TEXT", 3;
    }
}

/// A step of an execution, usually performed at a point.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// Unique among the steps of all executions. PUT keeps the step when the body contains its id.
    pub id: StepId,
    /// The same for this step in all executions of the series; `None` outside a series.
    pub series_id: Option<SeriesId>,
    /// The point of the step. The point may have been deleted.
    pub point_id: Option<PointId>,
    /// 1 to 255 characters by default.
    pub name: String,
    /// The planned position. Equal positions are allowed.
    pub order: i32,
    /// The position in which the step was actually performed.
    pub actual_order: Option<i32>,
    /// The time of the first accepted entry of the step, notes aside. Only reports change it.
    pub started_at: Option<Timestamp>,
    /// The time of the entry that completed the step. Only reports change it.
    pub ended_at: Option<Timestamp>,
    /// PENDING for a new step. The states of the actions do not change it.
    pub state: State,
    /// Sorted by `order`; at most 200 by default.
    pub actions: Vec<Action>,
}

impl Step {
    /// The worst status of the actions. `is_completed` is the state of the execution.
    #[must_use]
    pub fn status(&self, is_completed: bool) -> Option<Status> {
        self.actions.iter().filter_map(|action| action.status(is_completed)).max()
    }
}

/// An action of a step: one required or optional result.
#[derive(Clone, PartialEq, Debug)]
pub struct Action {
    /// Unique among the actions of all executions. PUT keeps the action when the body contains its
    /// id.
    pub id: ActionId,
    /// The same for this action in all executions of the series; `None` outside a series.
    pub series_id: Option<SeriesId>,
    /// 1 to 255 characters by default.
    pub name: String,
    /// The type of the result.
    pub kind: ActionType,
    /// The planned position. Equal positions are allowed.
    pub order: i32,
    /// Whether a failed result is an ERROR, and a missing result too once the execution is
    /// COMPLETED. A failed result of an optional action is a WARNING.
    pub required: bool,
    /// The smallest reading that passes; only NUMBER has one.
    pub min_value: Option<f64>,
    /// The greatest reading that passes; only NUMBER has one.
    pub max_value: Option<f64>,
    /// The result, of type `kind`; `None` while the action is PENDING.
    pub outcome: Option<Outcome>,
}

/// What an action asks for, before it is part of an execution: an action of a check-list or of a step of a
/// scheduled task.
#[derive(Clone, PartialEq, Debug)]
pub struct ActionPlan<I> {
    /// Unique among the actions of all check-lists, or of all tasks; never changes.
    pub id: I,
    /// 1 to 255 characters by default.
    pub name: String,
    /// The type of the result.
    pub kind: ActionType,
    /// The planned position. Equal positions are allowed.
    pub order: i32,
    /// As in [`Action`].
    pub required: bool,
    /// The smallest reading that passes; only NUMBER has one.
    pub min_value: Option<f64>,
    /// The greatest reading that passes; only NUMBER has one.
    pub max_value: Option<f64>,
}

impl<I> ActionPlan<I> {
    /// The action of an execution, without a result. `behind` is added to its order.
    pub(crate) fn make(&self, id: ActionId, series: SeriesId, behind: i64) -> Action {
        let Self { id: _, name, kind, order, required, min_value, max_value } = self;
        Action {
            id,
            series_id: Some(series),
            name: name.clone(),
            kind: *kind,
            order: i32::try_from(i64::from(*order) + behind).unwrap_or(i32::MAX),
            required: *required,
            min_value: *min_value,
            max_value: *max_value,
            outcome: None,
        }
    }
}

/// The result of an action.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// Yes or no.
    Boolean(bool),
    /// Photos, videos or sound recordings; at least one.
    Media(Vec<MediaId>),
    /// A measured value.
    Number(f64),
    /// A free text.
    Text(String),
}

impl Action {
    /// COMPLETED when there is a result, PENDING otherwise.
    #[must_use]
    pub const fn state(&self) -> State {
        if self.outcome.is_some() { State::Completed } else { State::Pending }
    }

    /// A result that passes is SUCCESS. A result that fails is ERROR if the action is required, else
    /// WARNING. Without a result there is no status, except ERROR for a required action of a
    /// COMPLETED execution. `is_completed` is the state of the execution.
    #[must_use]
    pub fn status(&self, is_completed: bool) -> Option<Status> {
        let failure = if self.required { Status::Error } else { Status::Warning };
        match &self.outcome {
            Some(outcome) if self.fails(outcome) => Some(failure),
            Some(_) => Some(Status::Success),
            None if is_completed && self.required => Some(Status::Error),
            None => None,
        }
    }

    /// `false` fails, and so does a reading below `min_value` or above `max_value`.
    fn fails(&self, outcome: &Outcome) -> bool {
        match outcome {
            Outcome::Boolean(passes) => !passes,
            Outcome::Number(reading) => {
                self.min_value.is_some_and(|min| *reading < min)
                    || self.max_value.is_some_and(|max| *reading > max)
            }
            Outcome::Text(_) | Outcome::Media(_) => false,
        }
    }
}
