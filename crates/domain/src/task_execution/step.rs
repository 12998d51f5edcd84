//! Steps of an execution, and their actions.

use super::{progress::State, status::Status};
use crate::shared::{
    ids::{ActionId, MediaId, PointId, SeriesId, StepId},
    named::named,
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
        /// A remark in words.
        Text = "TEXT", 3;
    }
}

/// A step of an execution: something to do at a point.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// Unique among steps; kept by PUT when the body names it.
    pub id: StepId,
    /// The same for this step in all executions of the series; `None` outside a series.
    pub series_id: Option<SeriesId>,
    /// The point of the step, which may have been deleted since.
    pub point_id: Option<PointId>,
    /// 1 to 255 characters by default.
    pub name: String,
    /// The planned position. Equal positions are allowed.
    pub order: i32,
    /// The position in which it was actually performed.
    pub actual_order: Option<i32>,
    /// PENDING for a new step; not derived from the actions.
    pub state: State,
    /// Sorted by `order`; at most 200 by default.
    pub actions: Vec<Action>,
}

impl Step {
    /// The worst status of its actions. `over` is true when the execution is COMPLETED.
    #[must_use]
    pub fn status(&self, over: bool) -> Option<Status> {
        self.actions.iter().filter_map(|action| action.status(over)).max()
    }
}

/// An action of a step: one thing to check, with its result.
#[derive(Clone, PartialEq, Debug)]
pub struct Action {
    /// Unique among actions; kept by PUT when the body names it.
    pub id: ActionId,
    /// The same for this action in all executions of the series; `None` outside a series.
    pub series_id: Option<SeriesId>,
    /// 1 to 255 characters by default.
    pub name: String,
    /// The type of the result.
    pub kind: ActionType,
    /// The planned position. Equal positions are allowed.
    pub order: i32,
    /// Whether a missing or failed result is an ERROR; a failed optional one is a WARNING.
    pub required: bool,
    /// The smallest reading that passes; only NUMBER has one.
    pub min_value: Option<f64>,
    /// The greatest reading that passes; only NUMBER has one.
    pub max_value: Option<f64>,
    /// The result, of the type in `kind`; `None` while the action is PENDING.
    pub outcome: Option<Outcome>,
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
    /// A remark in words.
    Text(String),
}

impl Action {
    /// COMPLETED when there is a result, PENDING otherwise.
    #[must_use]
    pub const fn state(&self) -> State {
        if self.outcome.is_some() { State::Completed } else { State::Pending }
    }

    /// `None` without a result, except that a missing result of a required action is ERROR once the
    /// execution is `over`. A failed result is ERROR on a required action, WARNING on an optional
    /// one.
    #[must_use]
    pub fn status(&self, over: bool) -> Option<Status> {
        let failure = if self.required { Status::Error } else { Status::Warning };
        match &self.outcome {
            Some(outcome) if self.fails(outcome) => Some(failure),
            Some(_) => Some(Status::Success),
            None if over && self.required => Some(Status::Error),
            None => None,
        }
    }

    /// A reading outside the bounds fails, and so does `false`.
    fn fails(&self, outcome: &Outcome) -> bool {
        match outcome {
            Outcome::Boolean(yes) => !yes,
            Outcome::Number(reading) => {
                self.min_value.is_some_and(|min| *reading < min)
                    || self.max_value.is_some_and(|max| *reading > max)
            }
            Outcome::Text(_) | Outcome::Media(_) => false,
        }
    }
}
