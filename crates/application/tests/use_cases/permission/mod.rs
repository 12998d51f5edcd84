//! Which role may do what: every use case is called with every role.

mod calls;

use std::collections::BTreeSet;

use patrol_application::Failure;
use patrol_domain::{
    Refusal,
    access::{Caller, Role},
    ids::UserId,
};

use self::calls::{call, uuid};
use crate::ACTOR;

/// The callers, in the order of the columns below.
const ROLES: [Role; 3] = [Role::Admin, Role::Manager, Role::Employee];

/// The caller's own id.
const OWN: u128 = 1;
/// Another user, who is an employee.
const OTHER: u128 = 2;
/// Another user, who is an administrator.
const ADMIN: u128 = 3;

/// Each use case, its arguments, and which of the roles administrator, manager and employee may
/// execute it.
const PERMISSIONS: &[(&str, &str, [bool; 3])] = &[
    ("task_execution", "get", [true, true, true]),
    ("task_execution", "list", [true, true, true]),
    ("task_execution", "create", [true, true, false]),
    ("task_execution", "replace", [true, true, false]),
    ("task_execution", "patch", [true, true, false]),
    ("task_execution", "delete", [true, true, false]),
    ("task_execution", "copy", [true, true, false]),
    ("scheduled_task", "list", [true, true, true]),
    ("scheduled_task", "get", [true, true, true]),
    ("scheduled_task", "create", [true, true, false]),
    ("scheduled_task", "replace", [true, true, false]),
    ("scheduled_task", "rehearse", [true, true, false]),
    ("scheduled_task", "delete", [true, true, false]),
    ("round", "outlook", [true, true, false]),
    ("round", "foresee", [true, true, false]),
    ("series", "plan", [true, true, false]),
    ("series", "split", [true, true, false]),
    ("series", "rehearse", [true, true, false]),
    ("location", "list", [true, true, true]),
    ("location", "get", [true, true, true]),
    ("location", "create", [true, true, false]),
    ("location", "replace", [true, true, false]),
    ("location", "delete", [true, true, false]),
    ("graphic_plan", "check_location", [true, true, true]),
    ("graphic_plan", "list", [true, true, true]),
    ("graphic_plan", "get", [true, true, true]),
    ("graphic_plan", "create", [true, true, false]),
    ("graphic_plan", "delete", [true, true, false]),
    ("graphic_plan", "image", [true, true, true]),
    ("graphic_plan", "current_image", [true, true, true]),
    ("point", "get", [true, true, true]),
    ("point", "list", [true, true, true]),
    ("point", "history", [true, true, true]),
    ("point", "create", [true, true, false]),
    ("point", "replace", [true, true, false]),
    ("point", "delete", [true, true, false]),
    ("check_list", "get", [true, true, true]),
    ("check_list", "list", [true, true, true]),
    ("check_list", "create", [true, true, false]),
    ("check_list", "replace", [true, true, false]),
    ("check_list", "delete", [true, true, false]),
    ("check_list", "add_action", [true, true, false]),
    ("check_list", "get_action", [true, true, true]),
    ("check_list", "edit_action", [true, true, false]),
    ("check_list", "delete_action", [true, true, false]),
    ("schedule", "preview", [true, true, true]),
    ("event", "page", [true, true, false]),
    ("event", "of_record", [true, true, true]),
    ("event", "page_of", [true, true, true]),
    ("event", "newest", [true, true, true]),
    ("user", "get", [true, true, true]),
    ("user", "list", [true, true, true]),
    ("user", "create", [true, true, false]),
    ("user", "create ADMIN", [true, false, false]),
    ("user", "delete", [true, false, false]),
    ("user", "patch own phone", [true, true, true]),
    ("user", "patch own name", [true, true, false]),
    ("user", "patch other phone", [true, true, false]),
    ("user", "patch to ADMIN", [true, false, false]),
    ("user", "patch_batch", [true, true, false]),
    ("user", "patch_batch to ADMIN", [true, false, false]),
    ("user", "rehearse_batch", [true, true, false]),
    ("user", "rehearse_batch to ADMIN", [true, false, false]),
    ("photo", "current", [true, true, true]),
    ("photo", "get", [true, true, true]),
    ("photo", "permit_change own", [true, true, true]),
    ("photo", "replace own", [true, true, true]),
    ("photo", "replace other", [true, true, false]),
    ("photo", "replace administrator", [true, false, false]),
    ("photo", "delete own", [true, true, true]),
    ("photo", "delete other", [true, true, false]),
    ("photo", "delete administrator", [true, false, false]),
    ("access", "issue own", [true, true, true]),
    ("access", "issue other", [true, false, false]),
    ("access", "list own", [true, true, true]),
    ("access", "list other", [true, false, false]),
    ("access", "list_all", [true, false, false]),
    ("access", "get own", [true, true, true]),
    ("access", "get other", [true, false, false]),
    ("access", "revoke own", [true, true, true]),
    ("access", "revoke other", [true, false, false]),
    ("sign_in", "sessions", [true, true, true]),
    ("sign_in", "end_session", [true, true, true]),
    ("sign_in", "end_other_sessions", [true, true, true]),
    ("sign_in", "invite", [true, false, false]),
    ("sign_in", "sign_out_user", [true, false, false]),
    ("sign_in", "remove_sign_in", [true, false, false]),
    ("sign_in", "last_sign_ins", [true, false, false]),
];

/// Use cases of people who are not signed in yet, or who prove who they are by a secret.
const WITHOUT_A_CALLER: [&str; 6] =
    ["sign_in", "session", "sign_out", "change_password", "invitation", "accept_invitation"];

#[tokio::test]
async fn every_use_case_checks_the_permission_of_every_role() {
    let denied = Err(Failure::Refused(Refusal::Denied));
    for (feature, what, permitted) in PERMISSIONS {
        for (role, permitted) in ROLES.into_iter().zip(*permitted) {
            let actor = Caller { user: UserId(uuid(OWN)), role, token: None }.into();
            let answer = call(actor, feature, what).await;
            assert_eq!(answer != denied, permitted, "{feature} {what} as {role:?}: {answer:?}");
        }
        assert_ne!(call(ACTOR, feature, what).await, denied, "{feature} {what} by the program");
    }
}

#[test]
fn every_use_case_takes_a_caller_has_a_span_and_is_in_the_table() {
    let sources = [
        ("access", include_str!("../../../src/access.rs")),
        ("check_list", include_str!("../../../src/check_list.rs")),
        ("data_set", include_str!("../../../src/data_set.rs")),
        ("event", include_str!("../../../src/event.rs")),
        ("graphic_plan", include_str!("../../../src/graphic_plan.rs")),
        ("image", include_str!("../../../src/image.rs")),
        ("location", include_str!("../../../src/location.rs")),
        ("photo", include_str!("../../../src/photo.rs")),
        ("point", include_str!("../../../src/point.rs")),
        ("round", include_str!("../../../src/round.rs")),
        ("schedule", include_str!("../../../src/schedule.rs")),
        ("scheduled_task", include_str!("../../../src/scheduled_task.rs")),
        ("series", include_str!("../../../src/series.rs")),
        ("sign_in", include_str!("../../../src/sign_in/mod.rs")),
        ("sign_in", include_str!("../../../src/sign_in/invitation.rs")),
        ("sign_in", include_str!("../../../src/sign_in/people.rs")),
        ("sign_in", include_str!("../../../src/sign_in/session.rs")),
        ("task_execution", include_str!("../../../src/task_execution.rs")),
        ("user", include_str!("../../../src/user.rs")),
    ];
    let mut of_users = BTreeSet::new();
    for (feature, source) in sources {
        let functions: Vec<_> = source.split("\n    pub ").collect();
        for pair in functions.windows(2) {
            let (documentation, function) = (pair[0], pair[1]);
            let Some((before, parameters)) = function.split_once("&self") else { continue };
            let Some(name) = before.split("fn ").nth(1).and_then(|rest| rest.split('(').next())
            else {
                continue;
            };
            let parameters = parameters.trim_start_matches([',', ' ', '\n']);
            let record = if feature == "access" { "token" } else { feature };
            let span = format!("name = \"{record}.{name}\", skip_all)]");
            let last = documentation.rsplit("\n    }\n").next().unwrap();
            assert!(last.contains(&span) || name == "monitored", "{feature}::{name} has no span");
            if parameters.starts_with("actor: Actor") {
                of_users.insert((feature, name));
            } else {
                let is_of_program = ["_: Operator", "operator: Operator"]
                    .iter()
                    .any(|parameter| parameters.starts_with(parameter));
                let is_without = feature == "sign_in" && WITHOUT_A_CALLER.contains(&name);
                assert!(
                    is_of_program || is_without || name == "monitored",
                    "{feature}::{name} has no caller"
                );
            }
        }
    }
    let word = |what: &'static str| what.split(' ').next().unwrap();
    let table: BTreeSet<_> =
        PERMISSIONS.iter().map(|(feature, what, _)| (*feature, word(what))).collect();
    assert_eq!(of_users, table);
}
