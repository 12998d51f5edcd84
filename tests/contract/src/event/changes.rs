//! The changes that are events, and what their events show.

use patrol_domain::{
    Existing, New, Refusal, Target,
    access::{Digest, NewToken, Token},
    check_list::CheckListAction,
    data_set::Record,
    event::Origin,
    ids::{MediaId, TokenId, Uuid},
    point::Point,
    series::Split,
    task_execution::{Copies, TaskExecution},
    user::{BatchEdit, User},
};

use super::{after, filled, origin, renamed};
use crate::{
    Adapter, Ports,
    records::edit,
    sample::{
        by, check_list, check_list_action_id, check_list_id, execution_id, fill, id, location_id,
        plan, plan_id, point, point_id, time, user_id, whole_execution, whole_user,
    },
};

/// The type, the record and the changes of the only event after `position`; the new position.
async fn only(ports: &Ports, position: &mut i64) -> (String, Option<Uuid>, String) {
    let events = after(ports, *position).await;
    let [event] = events.as_slice() else { panic!("{events:#?}") };
    let Origin { at, actor, token, request, keyed: _ } = origin(5);
    assert_eq!(
        (event.at, event.actor, event.token, event.request),
        (at, actor, token, request),
        "{event:?}"
    );
    assert!(event.kind.starts_with(&format!("{}.", event.resource)), "{event:?}");
    assert!(event.position > *position);
    *position = event.position;
    (event.kind.clone(), event.resource_id, event.changes.clone())
}

/// Each change of an execution is an event that shows what changed.
pub async fn a_change_of_an_execution_is_an_event<A: Adapter>(adapter: &A) {
    let (ports, _) = filled(adapter).await;
    let (executions, first) = (&ports.task_executions, execution_id(1));
    executions.update(renamed(first, "Early"), by()).await.unwrap();
    let mut last = ports.events.newest().await.unwrap();
    executions.update(renamed(first, "Late"), origin(5)).await.unwrap();
    let changes = r#"[{"member":"name","before":"Early","after":"Late"}]"#.to_owned();
    let expected = ("taskExecution.updated".to_owned(), Some(first.0), changes);
    assert_eq!(only(&ports, &mut last).await, expected);

    let copy = execution_id(9);
    let copies = Box::new(move |old: &TaskExecution| TaskExecution { id: copy, ..old.clone() });
    executions
        .copy(
            Copies { must_exist: first, ids: vec![first], returned: first, make: copies },
            origin(5),
        )
        .await
        .unwrap()
        .unwrap();
    let (kind, record, changes) = only(&ports, &mut last).await;
    assert_eq!((kind.as_str(), record), ("taskExecution.created", Some(copy.0)));
    assert!(
        changes
            .starts_with(&format!("[{{\"member\":\"id\",\"before\":null,\"after\":\"{copy}\"}}"))
    );
    assert!(changes.contains("{\"member\":\"name\",\"before\":null,\"after\":\"Late\"}"));

    executions.delete(Target::any_version(copy), origin(5)).await.unwrap();
    let (kind, record, changes) = only(&ports, &mut last).await;
    assert_eq!((kind.as_str(), record), ("taskExecution.deleted", Some(copy.0)));
    assert!(changes.contains("{\"member\":\"name\",\"before\":\"Late\",\"after\":null}"));
}

/// A split of a series is an event of each changed execution.
pub async fn a_split_is_an_event_of_each_execution<A: Adapter>(adapter: &A) {
    let (ports, last) = filled(adapter).await;
    let split = Box::new(|from: &TaskExecution, _: &[TaskExecution], _: &Existing| {
        Ok(vec![TaskExecution { name: "Late".to_owned(), ..from.clone() }])
    });
    let of = execution_id(1);
    let from = Target::any_version(of);
    let split = Split { from, references: Default::default(), change: split, plan: None };
    ports.series.split(split, origin(5)).await.unwrap();
    let (kind, record, _) = only(&ports, &mut last.clone()).await;
    assert_eq!((kind.as_str(), record), ("taskExecution.updated", Some(of.0)));
}

/// Changes of users, alone and in a batch, and of their photos are events. The PIN is never shown.
pub async fn a_change_of_a_user_is_an_event_without_the_pin<A: Adapter>(adapter: &A) {
    let (ports, mut last) = filled(adapter).await;
    let first = user_id(1);
    let whole =
        edit(first, |old: &User| Ok(Some(User { photo_id: old.photo_id, ..whole_user(1) })));
    ports.users.update(whole, origin(5)).await.unwrap();
    let (kind, record, changes) = only(&ports, &mut last).await;
    assert_eq!((kind.as_str(), record), ("user.updated", Some(first.0)));
    let pin = r#"{"member":"employeePin","before":"***","after":"***"}"#;
    assert!(changes.contains(pin) && !changes.contains("0042"), "{changes}");

    let phone = |user: &User, phone: &str| User { phone: Some(phone.to_owned()), ..user.clone() };
    let change = Box::new(move |users: &[User], _: &Existing| {
        let changed = (1..).zip(users).map(|(at, user)| (at == 1).then(|| phone(user, "1")));
        Ok(changed.collect())
    });
    let ids = vec![user_id(2), user_id(3)];
    ports
        .users
        .update_batch(BatchEdit { ids, references: Default::default(), change }, origin(5))
        .await
        .unwrap()
        .unwrap();
    let changes = r#"[{"member":"phone","before":null,"after":"1"}]"#.to_owned();
    let expected = ("user.updated".to_owned(), Some(user_id(2).0), changes);
    assert_eq!(only(&ports, &mut last).await, expected);

    let photo: MediaId = id(30, 1);
    ports.image_owners.announce(photo, time(1)).await.unwrap();
    ports.user_photos.set(first, Some(photo), origin(5)).await.unwrap();
    let changes = format!("[{{\"member\":\"photoId\",\"before\":null,\"after\":\"{photo}\"}}]");
    let expected = ("user.updated".to_owned(), Some(first.0), changes);
    assert_eq!(only(&ports, &mut last).await, expected);
}

/// Changes of points are events.
pub async fn a_change_of_a_point_is_an_event<A: Adapter>(adapter: &A) {
    let (ports, mut last) = filled(adapter).await;
    let of = point_id(9);
    let make = Box::new(|_: &Existing| Ok(point(9, 1)));
    let new = New { references: Default::default(), make };
    ports.points.create(new, origin(5)).await.unwrap();
    let (kind, record, _) = only(&ports, &mut last).await;
    assert_eq!((kind.as_str(), record), ("point.created", Some(of.0)));
    let named = edit(of, |old: &Point| Ok(Some(Point { name: "Gate".to_owned(), ..old.clone() })));
    ports.points.update(named, origin(5)).await.unwrap();
    let (kind, record, changes) = only(&ports, &mut last).await;
    assert_eq!((kind.as_str(), record), ("point.updated", Some(of.0)));
    assert!(changes.ends_with(r#","after":"Gate"}]"#), "{changes}");
    ports.points.delete(Target::any_version(of), origin(5)).await.unwrap();
    let (kind, record, _) = only(&ports, &mut last).await;
    assert_eq!((kind.as_str(), record), ("point.deleted", Some(of.0)));
}

/// Changes of an action are events of its check-list, which show all its actions.
pub async fn a_change_of_an_action_is_an_event_of_its_check_list<A: Adapter>(adapter: &A) {
    let (ports, mut last) = filled(adapter).await;
    let named = edit(check_list_action_id(1), |old: &CheckListAction| {
        Ok(Some(CheckListAction { name: "Doors".to_owned(), ..old.clone() }))
    });
    ports.check_list_actions.update(named, origin(5)).await.unwrap();
    for removed in [false, true] {
        if removed {
            ports
                .check_list_actions
                .delete(Target::any_version(check_list_action_id(1)), origin(5))
                .await
                .unwrap();
        }
        let (kind, record, changes) = only(&ports, &mut last).await;
        assert_eq!((kind.as_str(), record), ("checkList.updated", Some(check_list_id(1).0)));
        let (before, after) = changes.split_once(r#","after":"#).unwrap();
        let (one, other) = (check_list_action_id(1), check_list_action_id(2));
        assert!(before.contains(&one.to_string()) && before.contains(&other.to_string()));
        assert_eq!(after.contains(&one.to_string()), !removed, "{after}");
        assert_eq!(before.contains("Doors"), removed, "{before}");
        assert!(after.contains(&other.to_string()), "{after}");
    }
}

/// A graphic plan that is created or deleted is an event of its location too, which shows the plans.
pub async fn a_change_of_a_plan_is_an_event_of_its_location_too<A: Adapter>(adapter: &A) {
    let (ports, mut last) = filled(adapter).await;
    let (first, of) = (plan_id(1), plan_id(9));
    let make = Box::new(|_: &Existing| Ok(plan(9, 1)));
    let new = New { references: Default::default(), make };
    ports.graphic_plans.create(new, origin(5)).await.unwrap();
    let (one, both) = (format!("[\"{first}\"]"), format!("[\"{first}\",\"{of}\"]"));
    for (kind, before, after_it) in [("created", &one, &both), ("deleted", &both, &one)] {
        if kind == "deleted" {
            ports.graphic_plans.delete(Target::any_version(of), origin(5)).await.unwrap();
        }
        let events = after(&ports, last).await;
        let [own, location] = events.as_slice() else { panic!("{events:#?}") };
        assert_eq!(
            (own.kind.as_str(), own.resource_id),
            (&*format!("graphicPlan.{kind}"), Some(of.0))
        );
        assert_eq!(
            (location.kind.as_str(), location.resource_id, location.request),
            ("location.updated", Some(location_id(1).0), own.request)
        );
        let changes =
            format!("[{{\"member\":\"graphicPlanIds\",\"before\":{before},\"after\":{after_it}}}]");
        assert_eq!(location.changes, changes);
        last = location.position;
    }
}

/// Issuing and revoking a token are events; its use is none.
pub async fn a_new_and_a_revoked_token_are_events<A: Adapter>(adapter: &A) {
    let (ports, mut last) = filled(adapter).await;
    let of: TokenId = id(20, 7);
    let token = Token {
        id: of,
        user_id: user_id(1),
        name: "planner".to_owned(),
        created_at: time(1),
        expires_at: None,
        last_used_at: None,
    };
    let new = NewToken { token, digest: Digest([7; 32]), max_tokens: 9 };
    ports.tokens.create(new, origin(5)).await.unwrap();
    let (kind, record, _) = only(&ports, &mut last).await;
    assert_eq!((kind.as_str(), record), ("token.created", Some(of.0)));
    ports.tokens.touch(vec![(of, time(8))]).await.unwrap();
    assert_eq!(after(&ports, last).await, []);
    ports.tokens.delete(Target::any_version(of), origin(5)).await.unwrap();
    let (kind, record, _) = only(&ports, &mut last).await;
    assert_eq!((kind.as_str(), record), ("token.deleted", Some(of.0)));
}

/// An import is one event with the number of records of each kind.
pub async fn an_import_is_one_event<A: Adapter>(adapter: &A) {
    let ports = adapter.fresh().await;
    fill(&ports, &[whole_execution(1)]).await;
    let events = after(&ports, 0).await;
    let [event] = events.as_slice() else { panic!("{events:#?}") };
    assert_eq!((event.kind.as_str(), event.resource.as_str()), ("dataSet.imported", "dataSet"));
    assert_eq!((event.resource_id, event.actor, event.token, event.request), Default::default());
    let counts = [
        ("location", 4),
        ("graphicPlan", 4),
        ("user", 4),
        ("point", 4),
        ("checkList", 1),
        ("scheduledTask", 4),
        ("taskExecution", 1),
    ];
    let counts = counts.map(|(kind, count)| {
        format!("{{\"member\":\"{kind}\",\"before\":null,\"after\":{count}}}")
    });
    assert_eq!(event.changes, format!("[{}]", counts.join(",")));
}

/// What changes nothing, is refused, dry_run or fails is no event.
pub async fn what_changes_nothing_is_no_event<A: Adapter>(adapter: &A) {
    let (ports, last) = filled(adapter).await;
    let (executions, first) = (&ports.task_executions, execution_id(1));
    executions.update(edit(first, |_| Ok(None)), by()).await.unwrap();
    let same = edit(first, |old: &TaskExecution| Ok(Some(old.clone())));
    executions.update(same, by()).await.unwrap();
    assert!(executions.update(edit(first, |_| Err(Refusal::Denied)), by()).await.is_err());
    assert!(executions.delete(Target::any_version(execution_id(77)), by()).await.is_err());
    let lines = || Box::new([Ok((1, Record::CheckList(check_list(3, &[9]))))].into_iter());
    ports.data_sets.dry_run_import(lines(), by()).await.unwrap();
    ports.data_sets.import(Box::new(std::iter::empty()), by()).await.unwrap();
    ports.user_photos.set(user_id(1), None, by()).await.unwrap();
    assert_eq!(after(&ports, last).await, []);
}
