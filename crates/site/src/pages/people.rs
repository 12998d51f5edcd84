//! People: who may sign in.

use actix_web::{http::StatusCode, web::Path};
use askama::Template;
use patrol_application::Failure;
use patrol_domain::{
    Refusal,
    ids::{UserId, parse},
    list::{Condition, Query as ListQuery, Test},
    shared::text::fold,
    user::{User, UserFilter, UserSort, UserStatus},
};
use patrol_http::PageError;
use serde::Deserialize;

use super::{HandlerResult, if_found, listed};
use crate::{
    form::Form,
    office::{
        list::{self, Address, Sorts},
        record::id_in,
        table::{Cell, Column, Table},
    },
    texts::{Text, Texts},
    view::{self, Frame, redirect, yes_or_no},
    visit::{Administrator, Planner, SignedIn},
};

/// The properties by which people can be sorted.
const SORTS: &Sorts<UserSort> = &[
    ("name", UserSort::FirstName),
    ("role", UserSort::Role),
    ("employeeNo", UserSort::EmployeeNo),
    ("status", UserSort::Status),
];

#[derive(Template)]
#[template(path = "people.html")]
struct Page<'a> {
    frame: Frame<'a>,
    address: &'a Address,
    table: Table<'a>,
    /// The link of a new invitation, and for whom it is.
    invitation: Option<Link>,
}

/// What an administrator does about the sign-in of a person.
#[derive(Template)]
#[template(path = "person_actions.html")]
pub(super) struct Actions<'a> {
    t: &'a Texts,
    token: &'a str,
    wanted: &'a Wanted,
    id: UserId,
    name: String,
}

struct Link {
    url: String,
    about: String,
}

/// What is shown of the list. The forms of its rows send it back.
#[derive(Deserialize, Default)]
pub(crate) struct Wanted {
    #[serde(default)]
    search: String,
    #[serde(default)]
    offset: u64,
    #[serde(default)]
    sort: String,
    /// What was done before, and whose sign-in it was.
    done: Option<Done>,
    person: Option<String>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
enum Done {
    SignedOut,
    Removed,
}

impl Wanted {
    /// The list with this person.
    pub(super) fn only(user: &User) -> Self {
        Self { search: user.full_name(), ..Self::default() }
    }
}

/// The buttons of an administrator for the sign-in of a person. They lead to the list that is wanted.
pub(super) fn actions<'a>(frame: &'a Frame<'_>, wanted: &'a Wanted, user: &User) -> Actions<'a> {
    Actions { t: frame.t, token: &frame.token, wanted, id: user.id, name: user.full_name() }
}

/// GET /people
pub(crate) async fn list(Planner(signed_in): Planner) -> HandlerResult {
    let wanted: Wanted = signed_in.visit.parameters()?;
    let t = &signed_in.visit.language().texts;
    let done = match wanted.done.zip(wanted.person.as_deref().and_then(parse)) {
        Some((done, id)) => {
            let text = match done {
                Done::SignedOut => &t.signed_out_done,
                Done::Removed => &t.removed_done,
            };
            let users = &signed_in.visit.site.api.users;
            let user = if_found(users.get(signed_in.actor, UserId(id)).await)?;
            user.map(|user| text.with(&user.record.full_name()))
        }
        None => None,
    };
    let frame = Frame::of_user(&signed_in, &t.people).done(done);
    page(&signed_in, StatusCode::OK, frame, wanted, None).await
}

/// POST /people/{id}/invite
pub(crate) async fn invite(id: Path<String>, form: Form<Administrator, Wanted>) -> HandlerResult {
    let Form { sender: Administrator(signed_in), fields: wanted } = form;
    let api = &signed_in.visit.site.api;
    let id = id_in(&id)?;
    let user = api.users.get(signed_in.actor, id).await.map_err(PageError::of)?.record;
    let t = &signed_in.visit.language().texts;
    let frame = Frame::of_user(&signed_in, &t.people);
    if user.email.is_none() && user.employee_no.is_none() {
        let frame = frame.refused(t.invite_without_name.with(&user.full_name()));
        return page(&signed_in, StatusCode::UNPROCESSABLE_ENTITY, frame, wanted, None).await;
    }
    match signed_in.visit.site.services.sign_in.invite(signed_in.actor, id).await {
        Ok(code) => {
            let url = format!("{}/invitation/{}", signed_in.visit.site.settings.public_url, code.0);
            let about = t.invitation_about.with(&user.full_name());
            page(&signed_in, StatusCode::OK, frame, wanted, Some(Link { url, about })).await
        }
        Err(Failure::Refused(Refusal::State(_))) => {
            let frame = frame.refused(t.invite_inactive.with(&user.full_name()));
            page(&signed_in, StatusCode::UNPROCESSABLE_ENTITY, frame, wanted, None).await
        }
        Err(failure) => Err(PageError::of(failure)),
    }
}

/// GET /people/{id}/invite: the address of the page with the link, once its language was changed.
pub(crate) async fn after_form(Administrator(signed_in): Administrator) -> HandlerResult {
    Ok(redirect(&signed_in.visit, "/people"))
}

/// POST /people/{id}/sign-out
pub(crate) async fn sign_out(id: Path<String>, form: Form<Administrator, Wanted>) -> HandlerResult {
    let Form { sender: Administrator(signed_in), fields: wanted } = form;
    let id = id_in(&id)?;
    let ended = signed_in.visit.site.services.sign_in.sign_out_user(signed_in.actor, id).await;
    ended.map_err(PageError::of)?;
    Ok(redirect(&signed_in.visit, &back(&wanted, "signed-out", id)))
}

/// POST /people/{id}/remove-sign-in
pub(crate) async fn remove_sign_in(
    id: Path<String>,
    form: Form<Administrator, Wanted>,
) -> HandlerResult {
    let Form { sender: Administrator(signed_in), fields: wanted } = form;
    let id = id_in(&id)?;
    let removed = signed_in.visit.site.services.sign_in.remove_sign_in(signed_in.actor, id).await;
    removed.map_err(PageError::of)?;
    Ok(redirect(&signed_in.visit, &back(&wanted, "removed", id)))
}

/// The address of the same list, which says what was done about this person.
fn back(wanted: &Wanted, done: &str, person: UserId) -> String {
    let (offset, person) = (wanted.offset.to_string(), person.to_string());
    let all = [
        ("search", wanted.search.as_str()),
        ("sort", &wanted.sort),
        ("offset", &offset),
        ("done", done),
        ("person", &person),
    ];
    let is_given = |(name, value): &(&str, &str)| *name != "sort" || !value.is_empty();
    let parameters: Vec<_> = all.into_iter().filter(is_given).collect();
    let parameters = serde_urlencoded::to_string(parameters).unwrap_or_default();
    format!("/people?{parameters}")
}

async fn page(
    signed_in: &SignedIn,
    status: StatusCode,
    frame: Frame<'_>,
    wanted: Wanted,
    invitation: Option<Link>,
) -> HandlerResult {
    let parameters = [
        ("search", wanted.search.clone()),
        ("sort", wanted.sort.clone()),
        ("offset", wanted.offset.to_string()),
    ];
    let address = parameters.map(|(name, value)| (name.to_owned(), value)).to_vec();
    let address = Address::new("/people", address);
    let api = &signed_in.visit.site.api;
    let term = fold(address.value("search"));
    let contains = |filter| Condition::Is(filter, Test::Contains(term.clone()));
    let condition = if term.is_empty() {
        Condition::All(Vec::new())
    } else {
        Condition::Any(
            [UserFilter::Name, UserFilter::EmployeeNo, UserFilter::Email].map(contains).into(),
        )
    };
    // The names of people are searched as they are shown.
    let query = list::query(&signed_in.visit, &address, SORTS, vec![condition]);
    let query = ListQuery { search: None, ..query };
    let (users, total) = listed(api.users.list(signed_in.actor, query)).await?;
    let t = frame.t;
    let mut columns = vec![
        Column::new(&t.person_name).sorted_by(&address, "name"),
        Column::new(&t.role).sorted_by(&address, "role"),
        Column::new(&t.employee_number).sorted_by(&address, "employeeNo"),
        Column::new(&t.person_status).sorted_by(&address, "status"),
        Column::new(&t.may_sign_in),
    ];
    let facts = |user: &User| {
        vec![
            Cell::link(format!("/people/{}", user.id.0), user.full_name()),
            Cell::text(view::role(t, user.role)),
            user.employee_no.clone().into(),
            Cell::text(status_of(t, user.status)),
            may_sign_in(t, user),
        ]
    };
    let mut rows: Vec<_> = users.iter().map(facts).collect();
    columns.push(Column::new(&t.last_sign_in));
    let ids: Vec<_> = users.iter().map(|user: &User| user.id).collect();
    let seen = signed_in.visit.site.services.sign_in.last_sign_ins(signed_in.actor, &ids).await;
    for (row, seen) in rows.iter_mut().zip(seen.map_err(PageError::of)?) {
        let seen = frame.times.optional(seen);
        row.push(seen.map_or_else(|| Cell::text(&t.no_sign_in), Cell::Time));
    }
    if signed_in.is_admin() {
        columns.push(Column::new(&t.sign_in));
        for (row, user) in rows.iter_mut().zip(&users) {
            let actions = actions(&frame, &wanted, user).render().map_err(PageError::internal)?;
            row.push(Cell::Html(actions));
        }
    }
    let table = Table::new(t, [&t.people, &t.none_found], columns, rows).page_of(&address, total);
    let frame = frame.returns_to("/people", signed_in.visit.request.method());
    let page = Page { frame, address: &address, table, invitation };
    view::page(&signed_in.visit, status, &page)
}

/// Whether a person may sign in.
pub(super) fn may_sign_in(t: &Texts, user: &User) -> Cell {
    Cell::text(yes_or_no(t, user.linked && user.status == UserStatus::Active))
}

/// What people call a status.
pub(super) const fn status_of(t: &Texts, status: UserStatus) -> &Text {
    match status {
        UserStatus::Active => &t.person_active,
        UserStatus::Inactive => &t.person_inactive,
    }
}
