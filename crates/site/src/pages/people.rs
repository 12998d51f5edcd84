//! People: who may sign in.

use actix_web::{http::StatusCode, web::Path};
use askama::Template;
use patrol_application::Failure;
use patrol_domain::{
    Refusal,
    ids::{UserId, parse},
    list::{Condition, Direction, Page as Section, Query as ListQuery, Sort, Test},
    shared::text::fold,
    user::{User, UserFilter, UserSort, UserStatus},
};
use patrol_http::PageError;
use serde::Deserialize;

use super::{HandlerResult, listed};
use crate::{
    form::Form,
    times::Time,
    view::{self, Frame, redirect},
    visit::{Administrator, SignedIn},
};

/// The people on one page.
const PAGE: u32 = 50;

#[derive(Template)]
#[template(path = "people.html")]
struct Page<'a> {
    frame: Frame<'a>,
    search: String,
    /// The search as a part of an address.
    encoded: String,
    offset: u64,
    rows: Vec<Row>,
    previous: Option<u64>,
    next: Option<u64>,
    /// The link of a new invitation, and for whom it is.
    invitation: Option<Link>,
}

struct Row {
    id: UserId,
    name: String,
    role: String,
    may_sign_in: bool,
    last_sign_in: Option<Time>,
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
    /// What was done before.
    done: Option<Done>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
enum Done {
    SignedOut,
    Removed,
}

/// GET /people
pub(crate) async fn list(Administrator(signed_in): Administrator) -> HandlerResult {
    let wanted: Wanted = signed_in.visit.parameters()?;
    let t = &signed_in.visit.language().texts;
    let done = wanted.done.map(|done| match done {
        Done::SignedOut => &t.signed_out_done,
        Done::Removed => &t.removed_done,
    });
    let frame = Frame::of_user(&signed_in, &t.people).done(done);
    page(&signed_in, StatusCode::OK, frame, wanted, None).await
}

/// POST /people/{id}/invite
pub(crate) async fn invite(id: Path<String>, form: Form<Administrator, Wanted>) -> HandlerResult {
    let Form { sender: Administrator(signed_in), fields: wanted } = form;
    let services = &signed_in.visit.site.services;
    let id = user_id(&id)?;
    let user = services.users.get(signed_in.actor, id).await.map_err(PageError::of)?.record;
    let t = &signed_in.visit.language().texts;
    let frame = Frame::of_user(&signed_in, &t.people);
    match services.sign_in.invite(signed_in.actor, id).await {
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

/// POST /people/{id}/sign-out
pub(crate) async fn sign_out(id: Path<String>, form: Form<Administrator, Wanted>) -> HandlerResult {
    let Form { sender: Administrator(signed_in), fields: wanted } = form;
    let id = user_id(&id)?;
    let ended = signed_in.visit.site.services.sign_in.sign_out_user(signed_in.actor, id).await;
    ended.map_err(PageError::of)?;
    Ok(redirect(&signed_in.visit, &back(&wanted, "signed-out")))
}

/// POST /people/{id}/remove-sign-in
pub(crate) async fn remove_sign_in(
    id: Path<String>,
    form: Form<Administrator, Wanted>,
) -> HandlerResult {
    let Form { sender: Administrator(signed_in), fields: wanted } = form;
    let id = user_id(&id)?;
    let removed = signed_in.visit.site.services.sign_in.remove_sign_in(signed_in.actor, id).await;
    removed.map_err(PageError::of)?;
    Ok(redirect(&signed_in.visit, &back(&wanted, "removed")))
}

/// The address of the same list.
fn back(wanted: &Wanted, done: &str) -> String {
    let offset = wanted.offset.to_string();
    let parameters = [("search", wanted.search.as_str()), ("offset", &offset), ("done", done)];
    let parameters = serde_urlencoded::to_string(parameters).unwrap_or_default();
    format!("/people?{parameters}")
}

fn user_id(text: &str) -> Result<UserId, PageError> {
    parse(text).map(UserId).ok_or(PageError::new(StatusCode::NOT_FOUND))
}

async fn page(
    signed_in: &SignedIn,
    status: StatusCode,
    frame: Frame<'_>,
    wanted: Wanted,
    invitation: Option<Link>,
) -> HandlerResult {
    let Wanted { search, offset, done: _ } = wanted;
    let services = &signed_in.visit.site.services;
    let term = search.trim();
    let contains = |filter| Condition::Is(filter, Test::Contains(fold(term)));
    let condition = if term.is_empty() {
        Condition::All(Vec::new())
    } else {
        Condition::Any(
            [UserFilter::Name, UserFilter::EmployeeNo, UserFilter::Email].map(contains).into(),
        )
    };
    let query = ListQuery {
        condition,
        search: None,
        sort: vec![Sort { property: UserSort::LastName, direction: Direction::Ascending }],
        page: Section { limit: PAGE, offset },
        in_parts: false,
        now: services.clock.now(),
    };
    let (users, total) = listed(services.users.list(signed_in.actor, query)).await?;
    let ids: Vec<_> = users.iter().map(|user: &User| user.id).collect();
    let seen = services.sign_in.last_sign_ins(signed_in.actor, &ids).await;
    let seen = seen.map_err(PageError::of)?;
    let rows = users.iter().zip(seen).map(|(user, last)| Row {
        id: user.id,
        name: user.full_name(),
        role: view::role(frame.t, user.role).to_string(),
        may_sign_in: user.linked && user.status == UserStatus::Active,
        last_sign_in: frame.times.optional(last),
    });
    let rows = rows.collect();
    let previous = (offset > 0).then(|| offset.saturating_sub(PAGE.into()));
    let next = offset.checked_add(PAGE.into()).filter(|next| *next < total);
    let frame = frame.returns_to("/people", signed_in.visit.request.method());
    let encoded = serde_urlencoded::to_string([("search", &search)]).unwrap_or_default();
    let page = Page { frame, search, encoded, offset, rows, previous, next, invitation };
    view::page(&signed_in.visit, status, &page)
}
