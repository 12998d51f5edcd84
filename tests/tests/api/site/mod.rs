//! The web site, as a browser without JavaScript uses it.

mod api;
mod board;
mod codes;
mod figures;
mod forms;
mod guard;
mod headers;
mod import;
mod invitations;
mod labels;
mod lists;
mod live;
mod passwords;
mod people;
mod places;
mod plans;
mod roles;
mod round;
mod round_forms;
mod sessions;
mod sign_in;
mod throttle;
mod timing;
mod tokens;

use patrol_tests::{
    DataSet, Running, SiteClient, Store,
    company::{ADMIN, EMPLOYEE, FORMER, MANAGER, user},
    with,
};
use serde_json::{Value, json};

/// The password of every user who may sign in.
const PASSWORD: &str = "correct horse battery";

/// Users of every role with a password, except `GUARD`.
fn people() -> [Value; 4] {
    let named = |id, role, number, first: &str, status: &str| {
        with(
            user(id, role, number),
            json!({ "password": PASSWORD, "firstName": first, "status": status }),
        )
    };
    [
        named(ADMIN, "ADMIN", "A1", "Ada", "ACTIVE"),
        named(MANAGER, "MANAGER", "M1", "Max", "ACTIVE"),
        named(EMPLOYEE, "EMPLOYEE", "E1", "Eve", "ACTIVE"),
        named(FORMER, "EMPLOYEE", "E3", "Finn", "INACTIVE"),
    ]
}

/// A server whose users may sign in.
fn running() -> Running {
    Running::on(store())
}

fn store() -> Store {
    Store::with(&company())
}

fn company() -> DataSet {
    DataSet::new(people())
}

fn browser(running: &Running) -> SiteClient {
    SiteClient::new(running.server.address())
}

/// A browser in which the administrator is signed in.
fn admin(running: &Running) -> SiteClient {
    browser(running).signed_in("A1", PASSWORD)
}

/// The address of the first link with this text.
fn link(text: &str, name: &str) -> Option<String> {
    let (before, _) = text.split_once(&format!("\">{name}</a>"))?;
    let href = before.rsplit_once("href=\"")?.1.split('"').next()?;
    Some(plans::unescaped(href))
}

/// What a reader sees of a part of a page.
fn seen(part: &str) -> String {
    let texts = part.split('<').map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text));
    texts.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}
