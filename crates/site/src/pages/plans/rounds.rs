//! The rounds of a plan: those that a schedule will have, and what a change does to those that exist.

use actix_web::{Error, web};
use askama::Template;
use patrol_application::{Failure, PreviewDraft};
use patrol_domain::{
    Target,
    schedule::Occurrence,
    scheduled_task::{DryRunResult, ExecutionTimes, ScheduledTask, ScheduledTaskDraft},
};
use patrol_http::PageError;
use patrol_record::read_schedule;
use serde_json::{Value, json};

use crate::{
    office::{
        body::read_body,
        form_page::Refused,
        table::{Cell, Column, Table},
    },
    texts::{Text, Texts},
    times::Times,
    visit::SignedIn,
};

/// The occurrences of a preview.
const PREVIEW: i64 = 20;

/// The most rounds that the question before a plan is saved names in each group.
const NAMED: usize = 1_000;

/// The next occurrences of a schedule of the API.
///
/// # Errors
/// The inner one says what is wrong with the schedule.
pub(super) async fn preview<'a>(
    signed_in: &'a SignedIn,
    schedule: &Value,
) -> Result<Result<Table<'a>, Refused>, Error> {
    let visit = &signed_in.visit;
    let t = &visit.language().texts;
    let draft = read_body(t, &json!({ "schedule": schedule }), |fields| PreviewDraft {
        schedule: fields.object("schedule", read_schedule),
        from: None,
        limit: Some(PREVIEW),
    });
    let draft = match draft {
        Ok(draft) => draft,
        Err(faults) => return Ok(Err(Refused::with(t, faults))),
    };
    let permit = visit.page.begin_expansion(signed_in.session.user.id).await?;
    let (schedules, actor) = (visit.site.api.schedules.clone(), signed_in.actor);
    // On a thread for blocking work: a hostile rule must not hold up other requests.
    let work = move || {
        let _permit = permit;
        schedules.preview(actor, &draft)
    };
    match web::block(work).await.map_err(PageError::internal)? {
        Ok(preview) => Ok(Ok(table(t, &visit.times(), &preview.occurrences))),
        Err(failure @ Failure::Refused(_)) => Ok(Err(Refused::of(t, failure))),
        Err(failure) => Err(PageError::of(failure)),
    }
}

fn table<'a>(t: &'a Texts, times: &Times<'_>, occurrences: &[Occurrence]) -> Table<'a> {
    let row = |occurrence: &Occurrence| {
        let Occurrence { start, local_start, utc_offset, .. } = occurrence;
        let is_moved = start != local_start;
        vec![
            times.local_start(occurrence).into(),
            Cell::text(utc_offset),
            is_moved.then(|| t.plan_moved.with(&times.local(*start))).into(),
        ]
    };
    let columns = [&t.plan_local_start, &t.plan_offset, &t.plan_remark].map(Column::new);
    let rows = occurrences.iter().map(row);
    Table::new(t, [&t.plan_next_rounds, &t.plan_no_rounds], columns, rows)
}

/// What a change of a plan would do.
#[derive(Template)]
#[template(path = "plans/dry_run.html")]
struct DryRunView<'a> {
    t: &'a Texts,
    times: Times<'a>,
    /// Rounds with the same fate, with what is said of them.
    groups: [(&'a Text, Vec<ExecutionTimes>); 4],
}

/// What replacing a plan would do to its rounds; `None` when the plan stays the same.
///
/// # Errors
/// Why the plan would not be replaced.
pub(super) async fn dry_run(
    signed_in: &SignedIn,
    at: Target<ScheduledTask>,
    draft: ScheduledTaskDraft,
) -> Result<Option<String>, Refused> {
    let (visit, actor) = (&signed_in.visit, signed_in.actor);
    let (t, api) = (&visit.language().texts, &visit.site.api);
    let permit = visit.page.begin_expansion(signed_in.session.user.id).await?;
    let plan = api.scheduled_tasks.dry_run(actor, at, draft).await;
    let plan = plan.map_err(|failure| Refused::of(t, failure))?;
    if !plan.is_changed {
        return Ok(None);
    }
    let plan = api.rounds.plan_dry_run(actor, plan).await.map_err(PageError::of)?;
    // On a thread for blocking work, as a preview.
    let work = move || (plan.occurrences(), plan, permit);
    let (occurrences, plan, _permit) = web::block(work).await.map_err(PageError::internal)?;
    let result = api.rounds.dry_run(actor, &plan, &occurrences).await;
    let DryRunResult { created, changed, deleted, kept } = result.map_err(PageError::of)?;
    let times = visit.times();
    let groups = [
        (&t.plan_created, created),
        (&t.plan_changed, changed),
        (&t.plan_deleted, deleted),
        (&t.plan_kept, kept),
    ];
    Ok(Some(DryRunView { t, times, groups }.render().map_err(PageError::internal)?))
}
