//! The JSON form of figures.

use patrol_domain::figures::{Figures, FiguresReport, FiguresRow};
use patrol_record::json::write;
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

/// The figures of a period.
#[derive(Serialize, ToSchema)]
#[schema(as = Figures)]
pub(super) struct FiguresRecord<'a> {
    /// The groups with rounds, by key; null is last.
    #[schema(value_type = Vec<RowRecord<'a>>)]
    data: Rows<'a>,
    /// All groups together; key and name are null.
    total: RowRecord<'a>,
}

impl<'a> FiguresRecord<'a> {
    pub(super) fn new(report: &'a FiguresReport) -> Self {
        let FiguresReport { rows, total } = report;
        Self { data: Rows(rows), total: RowRecord::of(None, None, total) }
    }
}

struct Rows<'a>(&'a [FiguresRow]);

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(self.0.iter().map(RowRecord::new))
    }
}

/// The figures of a group of published rounds.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FiguresRow)]
pub(super) struct RowRecord<'a> {
    /// A day (`2025-01-31`), a week of ISO 8601 (`2025-W01`), a month (`2025-01`) or an id; null for all
    /// rounds, and for those without a performer or a scheduled task.
    key: Option<String>,
    /// The name of the location, the performer or the scheduled task; null when it is deleted, and for
    /// other groups.
    name: Option<&'a str>,
    planned: i64,
    completed: i64,
    /// COMPLETED rounds that started and ended on time.
    on_time: i64,
    late: i64,
    missed: i64,
    in_progress: i64,
    steps: i64,
    /// Steps in state COMPLETED.
    executed_steps: i64,
    /// Actions whose status is ERROR.
    error_count: i64,
    /// Actions whose status is WARNING.
    warning_count: i64,
    /// Entries of reports with a verdict.
    flag_count: i64,
    /// The mean of endedAt - startedAt of the COMPLETED rounds, not rounded; null without any.
    #[serde(serialize_with = "write::number_or_null")]
    average_minutes: Option<f64>,
}

impl<'a> RowRecord<'a> {
    pub(super) fn new(row: &'a FiguresRow) -> Self {
        let FiguresRow { key, name, figures } = row;
        Self::of(key.map(|key| key.to_string()), name.as_deref(), figures)
    }

    fn of(key: Option<String>, name: Option<&'a str>, figures: &Figures) -> Self {
        Self {
            key,
            name,
            planned: figures.planned,
            completed: figures.completed,
            on_time: figures.on_time,
            late: figures.late,
            missed: figures.missed,
            in_progress: figures.in_progress,
            steps: figures.steps,
            executed_steps: figures.executed_steps,
            error_count: figures.error_count,
            warning_count: figures.warning_count,
            flag_count: figures.flag_count,
            average_minutes: figures.average_minutes(),
        }
    }
}
