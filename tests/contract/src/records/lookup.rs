//! What changes name and look up, and a store with some of it.

use patrol_domain::{
    Existing, Reference, References, UniqueValue,
    access::Role,
    data_set::Record,
    scheduled_task::{ScheduledTask, TaskPlan},
    user::{User, UserStatus},
};

use crate::{
    Ports,
    sample::{
        WORLD_LIST, check_list, check_list_action_id, check_list_id, import, location_id, of_task,
        of_user, plan_id, point_id, task_id, user, user_id, whole_point, whole_task, whole_user,
        world,
    },
};

/// A store with [`world`] and records that have unique values.
pub(crate) async fn fill_named(ports: &Ports) {
    let admin = |number| User { role: Role::Admin, ..user(number) };
    let inactive = User { status: UserStatus::Inactive, ..admin(24) };
    let mut records = world();
    records.extend([whole_user(21), admin(22), admin(23), inactive].map(of_user));
    records.push(Record::Point(Box::new(whole_point(21, 2))));
    records.push(Record::CheckList(check_list(21, &[21, 31])));
    records.push(of_task(planned()));
    import(ports, records).await.expect("an import");
}

/// A task two of whose steps have a check-list.
fn planned() -> ScheduledTask {
    let mut task = whole_task(21);
    task.steps[1].check_list_id = Some(check_list_id(21));
    task.steps[2].check_list_id = None;
    task
}

/// References of each kind, some of which exist, and the result of their lookup after
/// [`fill_named`].
pub(crate) fn named() -> (References, Existing) {
    let texts = |texts: &[&str]| texts.iter().copied().map(str::to_owned).collect::<Vec<_>>();
    let user_names = texts(&["№ 21", "№ 22", "anna.21@example.com", "anna.22@example.com"]);
    let references = References { active_admins: true, ..References::default() }
        .with([user_id(1), user_id(99), user_id(3)])
        .with([location_id(99), location_id(2)])
        .with([point_id(3), point_id(99)])
        .with([task_id(2), task_id(99)])
        .with([plan_id(2), plan_id(99), plan_id(3)])
        .with([check_list_id(21), check_list_id(99)])
        .with_actions([check_list_action_id(21), check_list_action_id(99)])
        .with_plan(Some(task_id(21)))
        .with_values(UniqueValue::UserName, user_names)
        .with_values(UniqueValue::QrCode, texts(&["qr-21", "QR-21", "rfid-21"]))
        .with_values(UniqueValue::RfidCode, texts(&["rfid-22", "rfid-21", ""]));
    let mut existing = Existing::from_iter([
        user_id(1).into(),
        user_id(3).into(),
        location_id(2).into(),
        point_id(3).into(),
        check_list_id(21).into(),
        task_id(2).into(),
        Reference::to_plan(plan_id(2), location_id(2)),
        Reference::to_plan(plan_id(3), location_id(3)),
    ]);
    for name in ["№ 21", "anna.21@example.com"] {
        existing.add_owner(UniqueValue::UserName, name.to_owned(), user_id(21).0);
    }
    existing.add_owner(UniqueValue::QrCode, "qr-21".to_owned(), point_id(21).0);
    existing.add_owner(UniqueValue::RfidCode, "rfid-21".to_owned(), point_id(21).0);
    existing.check_list_actions = [check_list_action_id(21)].into();
    let check_lists = [check_list(WORLD_LIST, &[]), check_list(21, &[21, 31])];
    let check_lists = check_lists.map(|list| (list.id, list)).into();
    existing.plan = Some(TaskPlan { task: planned(), check_lists });
    existing.active_admins = [user_id(22), user_id(23)].into();
    (references, existing)
}
