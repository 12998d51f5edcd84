//! Which role may do what: every use case is called with every role.
//!
//! The file of a feature holds its use cases, the roles that may execute them, and the calls.

mod access;
mod check_list_action;
mod event;
mod figures;
mod graphic_plan;
mod image;
mod media;
mod photo;
mod point_history;
mod ports;
mod record;
mod report;
mod round;
mod schedule;
mod series;
mod sign_in;
mod task_execution;
mod user;

use std::collections::BTreeSet;

use futures_util::future::BoxFuture;
use patrol_application::{Actor, Failure};
use patrol_domain::{
    Refusal,
    access::{Caller, Role},
    ids::{UserId, Uuid},
};

use crate::ACTOR;

/// The callers, in the order of the columns of [`Feature::permissions`].
const ROLES: [Role; 3] = [Role::Admin, Role::Manager, Role::Employee];

/// The caller's own id.
const OWN: u128 = 1;
/// Another user, who is an employee.
const OTHER: u128 = 2;
/// Another user, who is an administrator.
const ADMIN: u128 = 3;

fn uuid(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

/// The use cases of a feature that take an actor.
struct Feature {
    name: &'static str,
    /// The texts of its files in `src`.
    sources: &'static [&'static str],
    /// `PERMISSIONS` of its module: each use case, its arguments, and which of the roles
    /// administrator, manager and employee may execute it.
    permissions: &'static [(&'static str, [bool; 3])],
    /// `call` of its module: it calls a use case of `permissions`. All calls of the store fail,
    /// except reads of users and of tokens.
    call: fn(Actor, &'static str) -> BoxFuture<'static, Result<(), Failure>>,
}

/// The feature with this module. Its source is `src/FEATURE.rs` by default; a feature with several
/// files lists what follows `src/FEATURE` in their paths.
macro_rules! feature {
    ($feature:ident) => {
        feature!($feature: ".rs")
    };
    ($feature:ident: $($end:literal),+) => {
        Feature {
            name: stringify!($feature),
            sources: &[$(include_str!(concat!("../../../src/", stringify!($feature), $end))),+],
            permissions: $feature::PERMISSIONS,
            call: |actor, what| Box::pin($feature::call(actor, what)),
        }
    };
}

const FEATURES: &[Feature] = &[
    feature!(access),
    feature!(check_list_action),
    feature!(event),
    feature!(figures),
    feature!(graphic_plan),
    feature!(image: "/mod.rs"),
    feature!(media),
    feature!(photo),
    feature!(point_history),
    feature!(record),
    feature!(report),
    feature!(round),
    feature!(schedule),
    feature!(series),
    feature!(sign_in: "/mod.rs", "/invitation.rs", "/people.rs", "/session.rs"),
    feature!(task_execution),
    feature!(user),
];

/// Features that have use cases of commands and jobs only, and their sources.
const WITHOUT_AN_ACTOR: [(&str, &str); 1] =
    [("data_set", include_str!("../../../src/data_set.rs"))];

/// Use cases of people who are not signed in yet, or who prove who they are by a secret.
const WITHOUT_A_CALLER: [&str; 6] =
    ["sign_in", "session", "sign_out", "change_password", "invitation", "accept_invitation"];

#[tokio::test]
async fn every_use_case_checks_the_permission_of_every_role() {
    let denied = Err(Failure::Refused(Refusal::Denied));
    for Feature { name, permissions, call, .. } in FEATURES {
        for (what, permitted) in *permissions {
            for (role, permitted) in ROLES.into_iter().zip(*permitted) {
                let actor = Caller { user: UserId(uuid(OWN)), role, token: None }.into();
                let answer = call(actor, what).await;
                assert_eq!(answer != denied, permitted, "{name} {what} as {role:?}: {answer:?}");
            }
            assert_ne!(call(ACTOR, what).await, denied, "{name} {what} by the program");
        }
    }
}

#[test]
fn every_use_case_takes_a_caller_has_a_span_and_is_in_the_table() {
    let sources = FEATURES
        .iter()
        .flat_map(|feature| feature.sources.iter().map(|source| (feature.name, *source)))
        .chain(WITHOUT_AN_ACTOR);
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
    let table: BTreeSet<_> = FEATURES
        .iter()
        .flat_map(|feature| feature.permissions.iter().map(|(what, _)| (feature.name, word(what))))
        .collect();
    assert_eq!(of_users, table);
}
