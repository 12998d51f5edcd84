//! [`DataSets`](patrol_domain::data_set::DataSets), and the readiness of a store.

use std::collections::HashSet;

use patrol_domain::{
    Fault, Reference, Rule, StoreError, Target,
    data_set::{ImportError, MAX_REFUSED_LINES, NewUser, Record, RefusedLine},
    event::Origin,
    point::Point,
    report::{EntryOutcome, RefusalCode},
    scheduled_task::ScheduledTask,
    task_execution::{Step, TaskExecution},
    user::User,
};

use crate::{
    Adapter, Ports,
    occurrence::{leaving_out, made},
    records::found,
    report::{ACCEPTED, of_report, unnumbered},
    round::hour,
    sample::{
        MANY, by, check_list, check_list_id, execution, execution_id, exported, import, location,
        location_id, of_execution, of_task, of_user, plan, plan_id, point, point_id, task, task_id,
        time, user, user_id, whole_execution, whole_point, whole_task, whole_user, world,
    },
};

/// Imports `records`, of which the last is refused; returns its faults.
async fn refusal(ports: &Ports, records: Vec<Record>) -> Vec<(String, Rule)> {
    let last = u64::try_from(records.len()).expect("a line");
    match import(ports, records).await {
        Err(ImportError::Refused { mut lines, unread: None }) => {
            let RefusedLine { line, faults, missing } = lines.pop().expect("a line");
            assert_eq!((line, lines.len()), (last, 0));
            let broken = faults.iter().filter(|fault| fault.rule == Rule::Reference);
            assert_eq!(broken.count(), missing.len());
            let of = |Fault { identifier, rule }| (identifier, rule);
            faults.into_iter().map(of).collect()
        }
        other => panic!("{other:?} instead of a refusal"),
    }
}

/// A version stands for one content permanently: an id that is imported again gets new versions.
pub async fn an_id_that_is_imported_again_has_other_versions<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let mut versions = HashSet::new();
    let mut records = world();
    for at in [time(0), time(1)] {
        records.push(of_execution(execution(1)));
        let source = records.drain(..).zip(1..).map(|(record, line)| Ok((line, record)));
        let source = Box::new(source.collect::<Vec<_>>().into_iter());
        ports.data_sets.import(source, Origin::of_program(at)).await.unwrap();
        let found = ports.task_executions.get(execution_id(1)).await.unwrap().unwrap();
        assert!(versions.insert(found.version));
        ports.task_executions.delete(Target::any_version(execution_id(1)), by()).await.unwrap();
    }
}

fn all(identifiers: &[&str], rule: &Rule) -> Vec<(String, Rule)> {
    identifiers.iter().map(|identifier| ((*identifier).to_owned(), rule.clone())).collect()
}

fn of_point(point: Point) -> Record {
    Record::Point(Box::new(point))
}

/// A record of every kind with all its members.
fn whole() -> Vec<Record> {
    let mut records = world();
    records.extend([
        of_user(whole_user(11)),
        of_point(whole_point(11, 2)),
        Record::CheckList(check_list(1, &[2, 1, 3])),
        Record::CheckList(check_list(2, &[])),
        of_task(whole_task(11)),
        of_execution(whole_execution(2)),
        of_execution(execution(1)),
        leaving_out(12, [7, 1]),
        made(3, 12, 2),
        // Its task was deleted.
        made(4, 99, 2),
        of_report(1, 3, EntryOutcome::Refused(RefusalCode::State)),
        of_report(1, 1, ACCEPTED),
        of_report(1, 2, ACCEPTED),
        of_report(2, 4, EntryOutcome::Refused(RefusalCode::Value)),
    ]);
    records
}

/// A new store is empty; a store with one record of any kind is not.
pub async fn a_store_with_any_record_is_not_empty<A: Adapter>(adapter: &A) {
    for record in [
        of_user(user(1)),
        Record::Location(location(1)),
        Record::CheckList(check_list(1, &[])),
        of_task(task(1)),
    ] {
        let ports = adapter.fresh().await;
        assert_eq!(ports.data_sets.is_empty().await, Ok(true));
        import(&ports, vec![record.clone()]).await.unwrap();
        assert_eq!(ports.data_sets.is_empty().await, Ok(false), "{record:?}");
    }
}

/// Every record is exported as it was imported, without password hashes.
pub async fn what_was_imported_is_exported<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let mut records = whole();
    let with_password = User { linked: true, ..user(12) };
    let password_hash = Some("$argon2id$secret".to_owned());
    records.push(NewUser { user: with_password.clone(), password_hash }.into());
    let count = u64::try_from(records.len()).expect("a count");
    assert_eq!(import(&ports, records.clone()).await.map(|done| done.records()), Ok(count));
    records.pop();
    records.push(of_user(with_password));
    let exported = exported(&ports).await;
    assert_eq!(exported.len(), records.len());
    let unnumbered = unnumbered(exported.clone());
    for record in &records {
        assert!(unnumbered.contains(record), "{record:?}");
    }
    // Importing the export gives the same store.
    let other = adapter.fresh().await;
    import(&other, exported.clone()).await.unwrap();
    assert_eq!(self::exported(&other).await, exported);
}

/// A record comes after those it refers to.
pub async fn an_export_defines_before_it_refers<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    import(&ports, whole()).await.unwrap();
    let mut known = Vec::new();
    for record in exported(&ports).await {
        for (_, reference) in record.references() {
            let known = known.contains(&(reference.kind, reference.id));
            assert!(known, "{reference:?} of {record:?}");
        }
        let Reference { kind, id, parent: _ } = record.reference();
        known.push((kind, id));
    }
}

/// `Source` with the first line that cannot be read; no line is stored.
pub async fn an_import_keeps_no_line_when_one_cannot_be_read<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let mut lines: Vec<_> = (1..).zip(world()).map(Ok).collect();
    lines.push(Err("line 21: name: must not be null".to_owned()));
    lines.push(Err("line 22".to_owned()));
    let result =
        ports.data_sets.import(Box::new(lines.into_iter()), Origin::of_program(time(0))).await;
    let cause = "line 21: name: must not be null".to_owned();
    assert_eq!(result, Err(ImportError::Source(cause)));
    assert_eq!(ports.data_sets.is_empty().await, Ok(true));
}

/// Records that a defect keeps from being read are not taken for the end of the source.
pub async fn an_import_whose_source_panics_keeps_no_line<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let lines = (1..).zip(world()).map(Ok).chain((0..1).map(|_| panic!("this panic is meant")));
    let broken = ports.data_sets.import(Box::new(lines), Origin::of_program(time(0))).await;
    let cause = "the reading of the records broke off".to_owned();
    assert_eq!(broken, Err(ImportError::Store(StoreError::Internal(cause))));
    assert_eq!(ports.data_sets.is_empty().await, Ok(true));
}

/// A dry run reports the same as an import, and stores nothing.
pub async fn a_dry_run_of_import_stores_nothing<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let dry_run = |records: Vec<Record>| {
        let lines = (1..).zip(records).map(Ok);
        ports.data_sets.dry_run_import(Box::new(lines), Origin::of_program(time(0)))
    };
    let records = whole();
    let count = u64::try_from(records.len()).expect("a count");
    assert_eq!(dry_run(records.clone()).await.map(|done| done.records()), Ok(count));
    assert_eq!(ports.data_sets.is_empty().await, Ok(true));
    import(&ports, records.clone()).await.unwrap();
    let again = dry_run(records).await;
    assert!(matches!(again, Err(ImportError::Refused { .. })), "{again:?}");
}

/// Up to 20 lines that cannot be stored are reported, then the line that cannot be read.
pub async fn refused_lines_are_collected<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    import(&ports, world()).await.unwrap();
    let lost =
        |number| of_execution(TaskExecution { location_id: location_id(99), ..execution(number) });
    let records = [lost(1), of_execution(execution(2)), Record::Location(location(1)), lost(3)];
    let mut lines: Vec<_> = (1..).zip(records).map(Ok).collect();
    lines.push(Err("line 5: no".to_owned()));
    let result =
        ports.data_sets.import(Box::new(lines.into_iter()), Origin::of_program(time(0))).await;
    let Err(ImportError::Refused { lines, unread }) = result else { panic!("{result:?}") };
    assert_eq!(lines.iter().map(|refused| refused.line).collect::<Vec<_>>(), [1, 3, 4]);
    let unknown = ("locationId".to_owned(), location_id(99).into());
    assert_eq!(lines[0].missing, [unknown]);
    assert_eq!(unread.as_deref(), Some("line 5: no"));
    assert!(ports.task_executions.get(execution_id(2)).await.unwrap().is_none());
    let many = import(&ports, (10..50).map(lost).collect()).await;
    let Err(ImportError::Refused { lines, unread: None }) = many else { panic!("{many:?}") };
    assert_eq!(lines.len(), MAX_REFUSED_LINES);
}

/// When one line is refused, no line is stored, neither earlier ones nor part of the refused one.
pub async fn an_import_keeps_no_line_when_one_is_refused<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    for bad in [
        of_execution(TaskExecution { location_id: location_id(99), ..execution(1) }),
        Record::Location(location(1)),
    ] {
        let mut records = world();
        records.push(bad);
        refusal(&ports, records).await;
        assert_eq!(ports.data_sets.is_empty().await, Ok(true));
    }
}

/// `Refused` names every reference of the line to a missing record, with its place.
pub async fn missing_references_are_all_named<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let user = User {
        location_ids: vec![location_id(1), location_id(98), location_id(99)],
        ..whole_user(11)
    };
    let execution = TaskExecution {
        scheduled_task_id: Some(task_id(99)),
        location_id: location_id(99),
        ..execution(1)
    };
    let mut task = ScheduledTask { location_id: Some(location_id(99)), ..whole_task(11) };
    task.steps[2].check_list_id = Some(check_list_id(99));
    let mut point = whole_point(11, 1);
    point.graphic_plans[1].plan = plan_id(99);
    let cases: [(Record, &[&str]); 7] = [
        (of_user(user), &["locationIds[1]", "locationIds[2]"]),
        (Record::GraphicPlan(plan(11, 99)), &["locationId"]),
        (of_point(point.clone()), &["graphicPlans[1].id"]),
        (
            of_point(Point { location_id: location_id(99), ..point }),
            &["locationId", "graphicPlans[0].id", "graphicPlans[1].id"],
        ),
        // The scheduled task of an execution need not exist.
        (of_execution(execution), &["locationId"]),
        (of_task(task), &["locationId", "steps[2].checkListId"]),
        (of_report(99, 1, ACCEPTED), &["taskExecutionId"]),
    ];
    for (record, identifiers) in cases {
        let mut records = world();
        records.push(record);
        assert_eq!(refusal(&ports, records).await, all(identifiers, &Rule::Reference));
    }
}

/// The users of an execution and its scheduled task may have been deleted, and so may the assignees of a
/// scheduled task.
pub async fn an_execution_may_name_users_who_are_gone<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let gone = TaskExecution {
        scheduled_task_id: Some(task_id(99)),
        performer_id: Some(user_id(99)),
        assignee_ids: vec![user_id(98), user_id(1)],
        ..whole_execution(1)
    };
    let mut records = world();
    records.push(of_execution(gone.clone()));
    let task = ScheduledTask { assignee_ids: vec![user_id(98)], ..whole_task(11) };
    records.push(of_task(task.clone()));
    import(&ports, records).await.expect("an import");
    assert_eq!(found::<ScheduledTask>(&ports, task.id).await, Some(task));
    let found = ports.task_executions.get(gone.id).await.expect("a read").expect("the execution");
    assert_eq!(found.record, gone);
}

/// A record may refer to one that was in the store before.
pub async fn references_may_be_in_the_store_already<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    import(&ports, world()).await.unwrap();
    let records = vec![
        of_execution(whole_execution(1)),
        of_user(whole_user(11)),
        of_point(whole_point(11, 2)),
    ];
    assert_eq!(import(&ports, records).await.map(|done| done.records()), Ok(3));
}

/// A point cannot refer to a graphic plan of another location.
pub async fn a_plan_of_another_location_is_no_reference<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let mut point = whole_point(11, 2);
    point.graphic_plans[0].plan = plan_id(1);
    let mut records = world();
    records.push(of_point(point));
    assert_eq!(refusal(&ports, records).await, all(&["graphicPlans[0].id"], &Rule::Reference));
}

/// The point of a step may have been deleted.
pub async fn a_step_may_name_a_point_that_is_gone<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let mut execution = whole_execution(1);
    let mut step: Step = execution.steps[0].clone();
    step.point_id = Some(point_id(99));
    execution.steps.push(step);
    let mut records = world();
    records.push(of_execution(execution.clone()));
    import(&ports, records).await.unwrap();
    let found = ports.task_executions.get(execution_id(1)).await.unwrap();
    assert_eq!(found.map(|found| found.record), Some(execution));
}

/// `Refused` names every value that another record already has, in the file or in the store.
pub async fn taken_values_are_all_named<A: Adapter>(adapter: &A) {
    let cases: [(Record, &[&str]); 14] = [
        (of_user(whole_user(11)), &["id", "employeeNo", "email"]),
        (of_user(User { id: user_id(12), ..whole_user(11) }), &["employeeNo", "email"]),
        (Record::Location(location(MANY)), &["id"]),
        (Record::GraphicPlan(plan(MANY, 1)), &["id"]),
        (of_point(whole_point(11, 2)), &["id", "rfidCode", "qrCode"]),
        (of_point(Point { id: point_id(12), ..whole_point(11, 2) }), &["rfidCode", "qrCode"]),
        (Record::CheckList(check_list(1, &[])), &["id"]),
        (Record::CheckList(check_list(1, &[9, 3])), &["id", "actions[1].id"]),
        (Record::CheckList(check_list(9, &[8, 3, 9, 1])), &["actions[1].id", "actions[3].id"]),
        (of_task(task(MANY)), &["id"]),
        (of_execution(whole_execution(2)), &["id"]),
        (of_report(2, 1, ACCEPTED), &["id"]),
        (made(9, 12, 2), &["occurrenceAt"]),
        (made(4, 99, 2), &["id", "occurrenceAt"]),
    ];
    for (record, identifiers) in cases {
        let in_file = adapter.fresh().await;
        let mut records = whole();
        records.push(record.clone());
        assert_eq!(refusal(&in_file, records).await, all(identifiers, &Rule::Unique));
        let in_store = adapter.fresh().await;
        import(&in_store, whole()).await.unwrap();
        assert_eq!(refusal(&in_store, vec![record]).await, all(identifiers, &Rule::Unique));
    }
    let ports = adapter.fresh().await;
    let user = User { location_ids: vec![location_id(99)], ..whole_user(11) };
    let mut records = whole();
    records.push(of_user(user));
    let mut faults = all(&["id", "employeeNo", "email"], &Rule::Unique);
    faults.extend(all(&["locationIds[0]"], &Rule::Reference));
    assert_eq!(refusal(&ports, records).await, faults);
}

/// Codes of points are compared with case; points without codes do not clash.
pub async fn codes_are_taken_to_the_letter<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let with = |number, code: Option<&str>| {
        let code = code.map(str::to_owned);
        of_point(Point { qr_code: code.clone(), rfid_code: code, ..point(number, 1) })
    };
    let mut records = world();
    records.extend([
        with(11, Some("a")),
        with(12, Some("A")),
        with(13, None),
        with(14, None),
        with(15, Some("a ")),
    ]);
    import(&ports, records).await.unwrap();
}

/// Employee numbers and emails are compared without case; users without them do not clash.
pub async fn names_of_users_are_taken_in_any_case<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let with = |number, text: &str| {
        let text = Some(text.to_owned());
        of_user(User { employee_no: text.clone(), email: text, ..user(number) })
    };
    import(&ports, vec![with(1, "Ё@x.example"), of_user(user(2)), of_user(user(3))]).await.unwrap();
    let faults = refusal(&ports, vec![with(4, "ё@X.example")]).await;
    assert_eq!(faults, all(&["employeeNo", "email"], &Rule::Unique));
}

/// A number clashes with the email of another user, and an email with the number, in the file and
/// in the store. One user may have the same text as both.
pub async fn a_number_is_taken_by_an_email_and_the_other_way_round<A: Adapter>(adapter: &A) {
    let text = |text: &str| Some(text.to_owned());
    let both = User { employee_no: text("a@b.c"), email: text("A@b.c"), ..user(11) };
    let number = of_user(User { employee_no: text("ANNA.12@example.com"), ..user(13) });
    let email = of_user(User { email: text("A@B.c"), ..user(14) });
    let stored = || {
        let mut records = world();
        records.extend([of_user(both.clone()), of_user(whole_user(12))]);
        records
    };
    for (record, identifier) in [(number, "employeeNo"), (email, "email")] {
        let in_file = adapter.fresh().await;
        let mut records = stored();
        records.push(record.clone());
        assert_eq!(refusal(&in_file, records).await, all(&[identifier], &Rule::Unique));
        let in_store = adapter.fresh().await;
        import(&in_store, stored()).await.unwrap();
        assert_eq!(refusal(&in_store, vec![record]).await, all(&[identifier], &Rule::Unique));
    }
}

/// More records than any adapter's batch are exported completely, each once.
pub async fn an_import_of_many_records_is_exported_whole<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    let mut records = world();
    records.extend((1..=1_500).map(|number| made(number, 1, number)));
    records.extend((11..=700).map(|number| of_user(user(number))));
    // Most in one round, and the others between them.
    let round = |number| if number % 7 == 0 { 1 + number / 7 } else { 900 };
    let reports = (1..=1_500).rev().map(|number| of_report(round(number), number, ACCEPTED));
    records.extend(reports.clone());
    import(&ports, records.clone()).await.unwrap();
    let exported = exported(&ports).await;
    assert_eq!(exported.len(), records.len());
    let of_one = |records: Vec<Record>| {
        let one = records.into_iter().filter_map(|record| match record {
            Record::Report(report) if report.execution_id == execution_id(900) => Some(report),
            _ => None,
        });
        one.map(|report| report.entry.id).collect::<Vec<_>>()
    };
    assert_eq!(of_one(exported.clone()), of_one(reports.collect()));
    let numbers = exported.into_iter().filter_map(|record| match record {
        Record::TaskExecution(new) => Some((new.execution.id, new.occurrence_at)),
        _ => None,
    });
    let mut numbers: Vec<_> = numbers.collect();
    numbers.sort_unstable();
    let expected = (1..=1_500).map(|number| (execution_id(number), Some(hour(number))));
    assert_eq!(numbers, expected.collect::<Vec<_>>());
}

/// A store that works is ready.
pub async fn a_store_can_be_asked_whether_it_is_ready<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    assert_eq!(ports.readiness.ping().await, Ok(()));
}
