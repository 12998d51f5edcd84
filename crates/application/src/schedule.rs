//! Schedules: a look at their occurrences.

use std::sync::Arc;

use patrol_domain::{
    Clock, Faults, Path, Refusal, Rule, Timestamp,
    schedule::{Occurrence, ScheduleDraft},
    shared::check,
};

use crate::{
    failure::Failure,
    permission::{Actor, Operation, permit},
};

/// The most occurrences of one preview.
pub const MAX_PREVIEW: i64 = 1_000;

/// The occurrences of a preview that names no number.
const DEFAULT_PREVIEW: i64 = 50;

/// The use cases of schedules that are not stored.
#[derive(Clone)]
pub struct ScheduleService {
    clock: Arc<dyn Clock>,
}

/// A question for the occurrences of a schedule: the JSON types are checked, the field rules are not.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PreviewDraft {
    /// Required.
    pub schedule: Option<ScheduleDraft>,
    /// Occurrences start at this time or later; now by default.
    pub from: Option<Timestamp>,
    /// The most occurrences: 1 to [`MAX_PREVIEW`], 50 by default.
    pub limit: Option<i64>,
}

/// The next occurrences of a schedule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Preview {
    /// In order of their start.
    pub occurrences: Vec<Occurrence>,
    /// Whether others follow.
    pub has_more: bool,
}

impl ScheduleService {
    /// Use cases with this clock.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock }
    }

    /// The occurrences of a schedule. It computes without waiting, for up to a tenth of a second with
    /// a hostile rule, so it should not run where requests of others wait.
    ///
    /// # Errors
    /// `Denied`, `Refused`.
    #[tracing::instrument(target = "patrol::trace", name = "schedule.preview", skip_all)]
    pub fn preview(&self, actor: Actor, draft: &PreviewDraft) -> Result<Preview, Failure> {
        permit(actor, Operation::Read)?;
        let PreviewDraft { schedule, from, limit } = draft;
        let mut faults = Faults::new();
        let path = Path::Root.field("schedule");
        let schedule = check::required(&mut faults, &path, schedule.as_ref())
            .and_then(|schedule| schedule.check(&mut faults, &path));
        let limit = limit.unwrap_or(DEFAULT_PREVIEW);
        if !(1..=MAX_PREVIEW).contains(&limit) {
            let range = Rule::Range { min: 1, max: MAX_PREVIEW };
            faults.push(&Path::Root.field("limit"), range);
        }
        let Some(schedule) = schedule.filter(|_| faults.is_empty()) else {
            return Err(Refusal::Invalid(faults.into_vec()).into());
        };
        let limit = usize::try_from(limit).unwrap_or_default();
        let mut next = schedule.occurrences(from.unwrap_or_else(|| self.clock.now()));
        let occurrences: Vec<_> = next.by_ref().take(limit).collect();
        Ok(Preview { occurrences, has_more: next.next().is_some() })
    }
}
