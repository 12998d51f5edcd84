//! Figures.

use std::sync::Arc;

use patrol_domain::{
    Clock, Faults, Path, Rule, Timestamp,
    figures::{
        FigureStore, Figures, FiguresQuery, FiguresReport, FiguresRow, Grouping, MAX_GROUPS,
    },
    ids::{LocationId, ScheduledTaskId, UserId},
    schedule::{LocalDate, TimeZone},
    task_execution::Punctuality,
};

use crate::{
    failure::Failure,
    permission::{Actor, Operation, permit},
};

/// The use case of figures.
#[derive(Clone)]
pub struct FiguresService {
    store: Arc<dyn FigureStore>,
    clock: Arc<dyn Clock>,
    punctuality: Punctuality,
    time_zone: TimeZone,
}

/// What figures are wanted of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FiguresRequest {
    /// Only rounds that are planned to start at this time or later,
    pub from: PeriodBound,
    /// and before this one.
    pub to: PeriodBound,
    /// `None` for one group of all rounds.
    pub grouping: Option<Grouping>,
    /// The zone of local dates, days, weeks and months; `None` for that of the service.
    pub time_zone: Option<TimeZone>,
    /// Only rounds of this location.
    pub location_id: Option<LocationId>,
    /// Only rounds with this performer.
    pub performer_id: Option<UserId>,
    /// Only rounds of this scheduled task.
    pub scheduled_task_id: Option<ScheduledTaskId>,
}

/// A bound of a period.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PeriodBound {
    /// A time.
    Time(Timestamp),
    /// The begin of a local day.
    Day(LocalDate),
}

impl PeriodBound {
    fn time(self, zone: &TimeZone) -> Option<Timestamp> {
        match self {
            Self::Time(time) => Some(time),
            Self::Day(day) => zone.start_of(day),
        }
    }
}

impl FiguresService {
    /// The use case over this store. `time_zone` is that of requests without one.
    #[must_use]
    pub fn new(
        store: Arc<dyn FigureStore>,
        clock: Arc<dyn Clock>,
        punctuality: Punctuality,
        time_zone: TimeZone,
    ) -> Self {
        Self { store, clock, punctuality, time_zone }
    }

    /// The figures of the published rounds of a period.
    ///
    /// # Errors
    /// `Denied`; `Refused` when the period ends before it starts, a bound is outside the years 1 to 9999,
    /// or there are more than [`MAX_GROUPS`] groups; `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "figures.report", skip_all)]
    pub async fn report(
        &self,
        actor: Actor,
        request: FiguresRequest,
    ) -> Result<FiguresReport, Failure> {
        permit(actor, Operation::ReadFigures)?;
        let FiguresRequest {
            from,
            to,
            grouping,
            time_zone,
            location_id,
            performer_id,
            scheduled_task_id,
        } = request;
        let time_zone = time_zone.unwrap_or_else(|| self.time_zone.clone());
        let now = self.clock.now();
        let mut faults = Faults::new();
        let mut time = |name, bound: PeriodBound| {
            bound.time(&time_zone).unwrap_or_else(|| {
                faults.push(&Path::Root.field(name), Rule::Period);
                now
            })
        };
        let (from, to) = (time("from", from), time("to", to));
        faults.into_result(())?;
        if from > to {
            return Err(Failure::fault(&Path::Root.field("to"), Rule::Period));
        }
        let query = FiguresQuery {
            from,
            to,
            grouping,
            time_zone,
            location_id,
            performer_id,
            scheduled_task_id,
            moment: self.punctuality.at(now),
        };
        let Some(mut rows) = self.store.figures(query).await? else {
            let rule = Rule::Length { min: 0, max: MAX_GROUPS };
            return Err(Failure::fault(&Path::Root.field("groupBy"), rule));
        };
        if grouping.is_none() && rows.is_empty() {
            rows.push(FiguresRow { key: None, name: None, figures: Figures::default() });
        }
        let mut total = Figures::default();
        rows.iter().for_each(|row| total.add(row.figures));
        Ok(FiguresReport { rows, total })
    }
}
