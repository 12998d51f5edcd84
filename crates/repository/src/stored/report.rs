//! The row of an entry of a report, and the list of entries.

use diesel::{dsl, dsl::SqlTypeOf, pg::Pg, prelude::*, sqlite::Sqlite};
use patrol_domain::{
    Named, Resource, StoreError,
    location::Position,
    report::{
        Entry, EntryOutcome, Report, ReportFilter, ReportList, ReportPosition, ReportSort, Verdict,
        VerdictCode,
    },
};

use crate::stored::{
    list::{Column, ListTable, SortKey, Text},
    row::Row,
    schema::reports,
    sql::{Id, Ids, Texts, Time, id, time},
};

/// The columns of an entry, without `flagged`, which is only written.
#[derive(Insertable, AsChangeset, Queryable, Selectable)]
#[diesel(table_name = reports, check_for_backend(Sqlite, Pg))]
#[diesel(treat_none_as_default_value = false, treat_none_as_null = true)]
pub struct ReportRow {
    id: Id,
    execution_id: Id,
    kind: i16,
    at: Time,
    received_at: Time,
    user_id: Option<Id>,
    performer_id: Option<Id>,
    step_id: Option<Id>,
    action_id: Option<Id>,
    latitude: Option<f64>,
    longitude: Option<f64>,
    accuracy: Option<f64>,
    technology: Option<i16>,
    code: Option<String>,
    boolean_value: Option<bool>,
    number_value: Option<f64>,
    text_value: Option<String>,
    media_ids: Ids,
    accepted: Option<i64>,
    refusal: Option<i16>,
    verdicts: Texts,
}

impl ReportRow {
    /// The columns of `report`.
    #[must_use]
    pub fn of(report: &Report) -> Self {
        let Report { execution_id, entry, user_id, received_at, outcome } = report;
        let Entry {
            id: entry_id,
            kind,
            at,
            position,
            performer_id,
            step_id,
            action_id,
            technology,
            code,
            boolean_value,
            number_value,
            text_value,
            media_ids,
        } = entry;
        let (accepted, refusal) = match outcome {
            EntryOutcome::Accepted { number, verdicts: _ } => (Some(*number), None),
            EntryOutcome::Refused(code) => (None, Some(code.code())),
        };
        Self {
            id: id(*entry_id),
            execution_id: id(*execution_id),
            kind: kind.code(),
            at: time(*at),
            received_at: time(*received_at),
            user_id: user_id.map(id),
            performer_id: performer_id.map(id),
            step_id: step_id.map(id),
            action_id: action_id.map(id),
            latitude: position.map(|device| device.position.latitude),
            longitude: position.map(|device| device.position.longitude),
            accuracy: position.map(|device| device.accuracy),
            technology: technology.map(Named::code),
            code: code.clone(),
            boolean_value: *boolean_value,
            number_value: *number_value,
            text_value: text_value.clone(),
            media_ids: Ids::new(media_ids),
            accepted,
            refusal,
            verdicts: Texts(Ok(report.verdicts().iter().map(stored_verdict).collect())),
        }
    }

    /// The same columns with this number among the accepted entries of the round, if the entry was
    /// accepted.
    #[must_use]
    pub fn numbered(self, number: i64) -> Self {
        Self { accepted: self.accepted.map(|_| number), ..self }
    }

    /// The columns to write.
    #[must_use]
    pub fn written(self) -> (Self, dsl::Eq<reports::flagged, bool>) {
        let has_verdicts = self.verdicts.0.as_ref().is_ok_and(|verdicts| !verdicts.is_empty());
        (self, reports::flagged.eq(has_verdicts))
    }

    /// Decodes the entry.
    ///
    /// # Errors
    /// `Corrupt` when a column cannot be read.
    pub fn report(self) -> Result<Report, StoreError> {
        let row = Row::new("reports", self.id);
        let position = row.position(self.latitude, self.longitude)?.map(|position: Position| {
            ReportPosition { position, accuracy: self.accuracy.unwrap_or_default() }
        });
        let outcome = match (self.accepted, self.refusal) {
            (Some(number), None) => {
                let texts = row.texts("verdicts", self.verdicts)?;
                let verdicts = texts.iter().map(|text| verdict(text)).collect::<Option<_>>();
                let verdicts = verdicts.ok_or_else(|| row.corrupt("verdicts", "unknown"))?;
                EntryOutcome::Accepted { number, verdicts }
            }
            (None, Some(code)) => EntryOutcome::Refused(row.named("refusal", code)?),
            _ => return Err(row.corrupt("refusal", "accepted and refused, or neither")),
        };
        Ok(Report {
            execution_id: row.id("execution_id", self.execution_id)?,
            entry: Entry {
                id: row.id("id", self.id)?,
                kind: row.named("kind", self.kind)?,
                at: row.time("at", self.at)?,
                position,
                performer_id: self.performer_id.map(|id| row.id("performer_id", id)).transpose()?,
                step_id: self.step_id.map(|id| row.id("step_id", id)).transpose()?,
                action_id: self.action_id.map(|id| row.id("action_id", id)).transpose()?,
                technology: self
                    .technology
                    .map(|code| row.named("technology", code))
                    .transpose()?,
                code: self.code,
                boolean_value: self.boolean_value,
                number_value: self.number_value,
                text_value: self.text_value,
                media_ids: row.ids("media_ids", self.media_ids)?,
            },
            user_id: self.user_id.map(|id| row.id("user_id", id)).transpose()?,
            received_at: row.time("received_at", self.received_at)?,
            outcome,
        })
    }
}

/// A verdict as one text: its code, and its arguments after blanks. Arguments are whole numbers.
fn stored_verdict(verdict: &Verdict) -> String {
    let Verdict { code, args } = verdict;
    args.iter().fold(code.name().to_owned(), |text, arg| text + " " + arg)
}

fn verdict(text: &str) -> Option<Verdict> {
    let mut words = text.split(' ');
    let code = VerdictCode::from_name(words.next()?)?;
    Some(Verdict { code, args: words.map(str::to_owned).collect() })
}

/// The entries of a round that were accepted last come first.
#[dsl::auto_type(no_type_alias)]
pub fn accepted_last(execution: Id) -> _ {
    reports::table
        .filter(reports::execution_id.eq(execution))
        .filter(reports::accepted.is_not_null())
        .order(reports::accepted.desc())
        .limit(1_i64)
}

/// The accepted entries of some rounds, in the order in which those of a round were accepted.
#[dsl::auto_type(no_type_alias)]
pub fn accepted_in(executions: Vec<Id>) -> _ {
    reports::table
        .filter(reports::execution_id.eq_any(executions))
        .filter(reports::accepted.is_not_null())
        .order((reports::execution_id, reports::accepted))
}

impl ListTable for ReportList {
    const KEY: &'static str = "reports.row";
    const SEARCH: &'static [&'static str] = &[];
    const FROM: &'static str = "reports";
    const COLUMNS: Text = Text::same(
        "id, execution_id, kind, at, received_at, user_id, performer_id, step_id, action_id, \
        latitude, longitude, accuracy, technology, code, boolean_value, number_value, text_value, \
        media_ids, accepted, refusal, verdicts",
    );
    const TIES: &'static [&'static str] = &["row"];
    const KIND: Resource = Resource::Report;

    type SqlType = SqlTypeOf<<ReportRow as Selectable<Pg>>::SelectExpression>;
    type Row = ReportRow;

    fn column(filter: ReportFilter) -> Column {
        match filter {
            ReportFilter::Id => Column::Plain("id"),
            ReportFilter::Execution => Column::Plain("execution_id"),
            ReportFilter::Type => Column::Plain("kind"),
            ReportFilter::Step => Column::Plain("step_id"),
            ReportFilter::Outcome => Column::Plain("CASE WHEN accepted IS NULL THEN 1 ELSE 0 END"),
            ReportFilter::Flagged => Column::Plain("flagged"),
        }
    }

    fn item(read: ReportRow) -> Result<Report, StoreError> {
        read.report()
    }

    fn sort(sort: ReportSort) -> SortKey {
        match sort {
            ReportSort::Id => SortKey::of("id"),
            ReportSort::At => SortKey::of("at"),
            ReportSort::ReceivedAt => SortKey::of("received_at"),
        }
    }
}
