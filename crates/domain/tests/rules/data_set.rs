//! Executions of the data set.

use patrol_domain::{
    Refusal, Rule,
    data_set::{ActionReport, Constraint, ExecutionRecordDraft, OccurrenceKey, Record, StepReport},
    ids::{ScheduledTaskId, SeriesId, TaskExecutionId, UserId, Uuid},
    schedule::LocalDateTime,
    task_execution::{
        ActionDraft, ContentDraft, Outcome, Progress, State, StepDraft, TaskExecution,
    },
};

use crate::sample::{at, faults, id, rules};

/// A COMPLETED execution of two steps in the wrong order, with an action of each type.
fn draft() -> ExecutionRecordDraft {
    let action = |number, kind: &str| ActionDraft {
        key: Some(id(number)),
        name: Some(kind.to_lowercase()),
        kind: Some(kind.into()),
        required: true,
        ..ActionDraft::default()
    };
    let step = |number, order, actions| StepDraft {
        key: Some(id(number)),
        name: Some(format!("Step {number}")),
        order: Some(order),
        actions,
        ..StepDraft::default()
    };
    let reported = || ActionReport { state: Some("COMPLETED".into()), ..Default::default() };
    ExecutionRecordDraft {
        id: Some(TaskExecutionId(id(1))),
        scheduled_task_id: Some(ScheduledTaskId(id(2))),
        series_id: Some(SeriesId(id(3))),
        occurrence_at: None,
        performer_id: Some(UserId(id(4))),
        state: Some("COMPLETED".into()),
        published: true,
        edited: false,
        started_at: Some(at(0)),
        ended_at: Some(at(10)),
        content: ContentDraft {
            assignee_ids: Some(vec![UserId(id(4)), UserId(id(5))]),
            location_id: Some(id(6).into()),
            name: Some("Round".into()),
            start_at: Some(at(0)),
            end_at: Some(at(60)),
            steps: Some(vec![
                step(20, 1, vec![action(21, "TEXT"), action(22, "MEDIA")]),
                step(10, 0, vec![action(11, "NUMBER"), action(12, "BOOLEAN")]),
            ]),
            ..ContentDraft::default()
        },
        reports: vec![
            StepReport {
                state: Some("COMPLETED".into()),
                actual_order: Some(7),
                series_id: Some(SeriesId(id(8))),
                actions: vec![
                    ActionReport { text_value: Some("ok".into()), ..reported() },
                    ActionReport { media_ids: vec![id(9).into()], ..reported() },
                ],
            },
            StepReport {
                actions: vec![
                    ActionReport { number_value: Some(1.5), ..reported() },
                    ActionReport { boolean_value: Some(false), ..reported() },
                ],
                ..Default::default()
            },
        ],
    }
}

fn check(draft: &ExecutionRecordDraft) -> Result<TaskExecution, Refusal> {
    draft.check(&rules()).map(|new| new.execution)
}

#[test]
fn results_stay_with_their_actions_when_steps_are_sorted() {
    let execution = check(&draft()).unwrap();
    assert_eq!(execution.progress, Progress::Completed { started_at: at(0), ended_at: at(10) });
    let outcomes: Vec<_> = execution
        .steps
        .iter()
        .flat_map(|step| &step.actions)
        .map(|action| (action.name.as_str(), action.outcome.clone().unwrap()))
        .collect();
    assert_eq!(
        outcomes,
        [
            ("number", Outcome::Number(1.5)),
            ("boolean", Outcome::Boolean(false)),
            ("text", Outcome::Text("ok".into())),
            ("media", Outcome::Media(vec![id(9).into()])),
        ]
    );
    let last = &execution.steps[1];
    assert_eq!((last.state, last.actual_order), (State::Completed, Some(7)));
    assert_eq!(last.series_id, Some(SeriesId(id(8))));
    assert_eq!(execution.steps[0].state, State::Pending);
}

#[test]
fn the_greatest_uuid_stands_for_deleted_executions() {
    let draft = ExecutionRecordDraft { id: Some(TaskExecutionId(Uuid::max())), ..draft() };
    assert_eq!(faults(check(&draft)), [("id".to_owned(), Rule::Unique)]);
}

#[test]
fn each_state_requires_its_own_times() {
    let found = |state: Option<&str>, started: bool, ended: bool| {
        let mut draft = draft();
        draft.state = state.map(Into::into);
        draft.started_at = started.then(|| at(0));
        draft.ended_at = ended.then(|| at(10));
        check(&draft).err().map(|_| faults(check(&draft)))
    };
    let fault = |name: &str, rule| (name.to_owned(), rule);
    assert_eq!(found(None, false, false), None);
    assert_eq!(found(Some("IN_PROGRESS"), true, false), None);
    assert_eq!(
        found(Some("PENDING"), true, true),
        Some(vec![fault("startedAt", Rule::Null), fault("endedAt", Rule::Null)])
    );
    assert_eq!(
        found(Some("IN_PROGRESS"), false, true),
        Some(vec![fault("startedAt", Rule::NotNull), fault("endedAt", Rule::Null)])
    );
    assert_eq!(found(Some("COMPLETED"), true, false), Some(vec![fault("endedAt", Rule::NotNull)]));
    let mut backwards = draft();
    backwards.ended_at = Some(at(-1));
    assert_eq!(faults(check(&backwards)), [fault("endedAt", Rule::Period)]);
}

#[test]
fn a_completed_action_has_a_result_of_its_type_and_a_pending_one_none() {
    let mut draft = draft();
    let actions = &mut draft.reports[0].actions;
    // TEXT: PENDING, but with a text and a number. MEDIA: COMPLETED without a value.
    actions[0].state = None;
    actions[0].number_value = Some(1.0);
    actions[1].media_ids.clear();
    draft.reports[1].actions[0].state = Some("IN_PROGRESS".into());
    let found = faults(check(&draft));
    let wanted = [
        ("steps[1].actions[0].state", Rule::Enum(&["PENDING", "COMPLETED"])),
        ("steps[1].actions[0].numberValue", Rule::Null),
        ("steps[0].actions[0].numberValue", Rule::Null),
        ("steps[0].actions[0].textValue", Rule::Null),
        ("steps[0].actions[1].mediaIds", Rule::NotNull),
    ];
    assert_eq!(found, wanted.map(|(at, rule)| (at.to_owned(), rule)));
}

#[test]
fn ids_are_required_and_unique() {
    let mut draft = draft();
    draft.id = None;
    let steps = draft.content.steps.as_mut().unwrap();
    steps[1].key = steps[0].key;
    assert_eq!(
        faults(check(&draft)),
        [("id".to_owned(), Rule::NotNull), ("steps[1].id".to_owned(), Rule::Unique)]
    );
    let mut draft = self::draft();
    draft.content.steps.as_mut().unwrap()[0].actions[1].key = None;
    assert_eq!(faults(check(&draft)), [("steps[0].actions[1].id".to_owned(), Rule::NotNull)]);
}

/// A series update matches by series id, so it would merge two steps with the same series id.
#[test]
fn series_ids_are_unique_in_an_execution() {
    let mut draft = draft();
    let series = Some(SeriesId(id(8)));
    draft.reports[1].series_id = series;
    draft.reports[0].actions[1].series_id = series;
    draft.reports[1].actions[0].series_id = series;
    assert_eq!(
        faults(check(&draft)),
        [
            ("steps[0].seriesId".to_owned(), Rule::Unique),
            ("steps[0].actions[1].seriesId".to_owned(), Rule::Unique),
        ]
    );
}

#[test]
fn the_references_of_an_execution_do_not_include_tasks_points_and_users() {
    let record = Record::from(check(&draft()).unwrap());
    let paths: Vec<_> = record.references().into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["locationId"]);
}

/// The store compares the occurrence with those of other executions.
#[test]
fn an_execution_of_a_schedule_names_its_occurrence() {
    let start = LocalDateTime::parse("2026-12-01T22:00:00").unwrap();
    let of_schedule = ExecutionRecordDraft { occurrence_at: Some(start), edited: true, ..draft() };
    let new = of_schedule.check(&rules()).unwrap();
    assert!(new.execution.edited);
    let occurrence = OccurrenceKey { task: ScheduledTaskId(id(2)), start };
    let constraints = Record::from(new).constraints();
    let names: Vec<_> = constraints.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(names, ["id", "occurrenceAt", "locationId"]);
    assert_eq!(constraints[1].1, Constraint::NewOccurrence(occurrence));
    assert_eq!(constraints[1].1.rule(), Rule::Unique);
    let by_hand = Record::from(check(&draft()).unwrap()).constraints();
    assert_eq!(by_hand.len(), 2);
}

#[test]
fn only_an_execution_of_an_occurrence_needs_a_task() {
    for task in [None, Some(ScheduledTaskId(Uuid::nil()))] {
        let mut without = ExecutionRecordDraft { scheduled_task_id: task, ..draft() };
        assert_eq!(check(&without).unwrap().scheduled_task_id, None);
        without.occurrence_at = LocalDateTime::parse("2026-03-01T23:00:00");
        let fault = ("scheduledTaskId".to_owned(), Rule::NotNull);
        assert_eq!(faults(check(&without)), [fault]);
    }
}
