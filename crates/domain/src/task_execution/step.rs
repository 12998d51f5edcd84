//! Steps of an execution, and their actions.

use super::{progress::State, status::Status};
use crate::shared::{
    ids::{ActionId, MediaId, PointId, SeriesId, StepId},
    named::named,
};

named! {
    /// What an action asks for.
    ActionType {
        /// Yes or no.
        Boolean = "BOOLEAN", 0;
        /// A picture, a video or a sound.
        Media = "MEDIA", 1;
        /// A reading.
        Number = "NUMBER", 2;
        /// A remark.
        Text = "TEXT", 3;
    }
}

/// A step of an execution: something to do at a point.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// Its id.
    pub id: StepId,
    /// What it is known by in all executions of its series.
    pub series_id: Option<SeriesId>,
    /// Where it is done. The point may have been deleted since.
    pub point_id: Option<PointId>,
    /// What it is called.
    pub name: String,
    /// Its place among the steps, as planned.
    pub order: i32,
    /// Its place among the steps, as done.
    pub actual_order: Option<i32>,
    /// How far it has come.
    pub state: State,
    /// Its actions, by their order.
    pub actions: Vec<Action>,
}

impl Step {
    /// The worst status of its actions (decisions 5). `over` tells whether the execution is
    /// COMPLETED.
    #[must_use]
    pub fn status(&self, over: bool) -> Option<Status> {
        self.actions.iter().filter_map(|action| action.status(over)).max()
    }
}

/// An action of a step: one thing to check and report.
#[derive(Clone, PartialEq, Debug)]
pub struct Action {
    /// Its id.
    pub id: ActionId,
    /// What it is known by in all executions of its series.
    pub series_id: Option<SeriesId>,
    /// What it is called.
    pub name: String,
    /// What it asks for.
    pub kind: ActionType,
    /// Its place among the actions.
    pub order: i32,
    /// Whether it has to be reported and right.
    pub required: bool,
    /// The least reading that is right; only NUMBER has one.
    pub min_value: Option<f64>,
    /// The greatest reading that is right; only NUMBER has one.
    pub max_value: Option<f64>,
    /// What was reported, of the action's own type; none while the action is PENDING.
    pub outcome: Option<Outcome>,
}

/// What was reported for an action.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// Yes or no.
    Boolean(bool),
    /// Pictures, videos or sounds; at least one.
    Media(Vec<MediaId>),
    /// A reading.
    Number(f64),
    /// A remark.
    Text(String),
}

impl Action {
    /// COMPLETED once it is reported, PENDING before (decisions 5).
    #[must_use]
    pub const fn state(&self) -> State {
        if self.outcome.is_some() { State::Completed } else { State::Pending }
    }

    /// None until reported; a failed result is ERROR on a required action, WARNING on an optional
    /// one; a required action without a result is ERROR once its execution is `over`
    /// (decisions 5).
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

    /// A reading outside the bounds that there are, or a no.
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
