//! The pages, each with its handlers.

mod board;
mod check_lists;
mod choices;
#[cfg(debug_assertions)]
mod components;
pub(crate) mod error;
mod figures;
mod graphic_plans;
mod import;
mod invitation;
mod labels;
mod language;
mod live;
mod locations;
mod names;
mod password;
mod people;
mod person;
mod plans;
mod points;
mod round;
mod sessions;
mod sign_in;
mod steps;
mod tokens;

use actix_web::{
    Error, FromRequest, Handler, HttpResponse, Resource,
    guard::{Any, Get, Head},
    web::{self, Data},
};
use futures_util::StreamExt as _;
use patrol_application::Failure;
use patrol_domain::{
    check_list::CheckList,
    list::{Listing, Part},
    location::Location,
    point::Point,
    scheduled_task::ScheduledTask as Plan,
};
use patrol_http::{JsonError, PageError, SiteResource};

use crate::{
    assets, guard,
    office::record_pages as record,
    shared::Shared,
    view::redirect,
    visit::{SignedIn, Visit},
};

/// What a handler answers.
pub(crate) type HandlerResult = Result<HttpResponse, Error>;

/// All resources.
pub(crate) fn resources(site: &Data<Shared>) -> Vec<SiteResource> {
    let at = |pattern| Page { pattern, resource: web::resource(pattern), allow: "", is_page: true };
    let pages = vec![
        at("/").get(start),
        at("/sign-in").get(sign_in::form).post(sign_in::sign_in),
        at("/sign-out").post(sign_in::sign_out),
        at("/language").post(language::choose),
        at("/time-zone").post(language::choose_zone),
        at("/tokens").get(tokens::list).post(tokens::generate),
        at("/tokens/{id}/revoke").get(tokens::ask).post(tokens::revoke),
        at("/people").get(people::list),
        at("/people/new").get(person::new).post(person::create),
        at("/people/{id}/edit").get(person::edit).post(person::save),
        at("/people/{id}/photo").get(person::photo_form).post(person::set_photo),
        at("/people/{id}/photo/image").get(person::photo),
        at("/people/{id}/photo/remove").post(person::remove_photo),
        at("/people/{id}/delete").get(person::ask).post(person::delete),
        at("/people/{id}/invite").get(people::after_form).post(people::invite),
        at("/people/{id}/sign-out").post(people::sign_out),
        at("/people/{id}/remove-sign-in").post(people::remove_sign_in),
        at("/people/{id}").get(person::show),
        at("/invitation/{code}").get(invitation::form).post(invitation::accept),
        at("/import").get(import::form).post(import::check),
        at("/import/records").get(import::after_form).post(import::import),
        at("/locations").get(locations::list),
        at("/locations/new").get(record::new::<Location>).post(record::create::<Location>),
        at("/locations/{id}/edit").get(record::edit::<Location>).post(record::save::<Location>),
        at("/locations/{id}/delete").get(record::ask::<Location>).post(record::delete::<Location>),
        at("/locations/{id}/labels").get(labels::show),
        at("/locations/{id}").get(record::show::<Location>),
        at("/figures").get(figures::show),
        at("/figures/csv").get(figures::csv),
        at("/rounds").get(board::show),
        at("/rounds/live").get(live::follow),
        at("/rounds/new").get(round::new).post(round::create),
        at("/rounds/{id}/edit").get(round::edit).post(round::save),
        at("/rounds/{id}/following").get(round::edit_following).post(round::save_following),
        at("/rounds/{id}/copy").get(round::copy_form).post(round::copy),
        at("/rounds/{id}/delete").get(round::ask).post(round::delete),
        at("/rounds/{id}/media/{medium}").get(round::medium).json(),
        at("/rounds/{id}").get(round::show),
        at("/plans").get(plans::list),
        at("/plans/new").get(record::new::<Plan>).post(record::create::<Plan>),
        at("/plans/{id}/edit").get(record::edit::<Plan>).post(record::save::<Plan>),
        at("/plans/{id}/delete").get(record::ask::<Plan>).post(record::delete::<Plan>),
        at("/plans/{id}").get(record::show::<Plan>),
        at("/points/new").get(record::new::<Point>).post(record::create::<Point>),
        at("/points/{id}/edit").get(record::edit::<Point>).post(record::save::<Point>),
        at("/points/{id}/delete").get(record::ask::<Point>).post(record::delete::<Point>),
        at("/points/{id}").get(record::show::<Point>),
        at("/graphic-plans/new").get(graphic_plans::new).post(graphic_plans::create),
        at("/graphic-plans/{id}/image").get(graphic_plans::image),
        at("/graphic-plans/{id}/place").get(graphic_plans::place_form).post(graphic_plans::place),
        at("/graphic-plans/{id}/delete").get(graphic_plans::ask).post(graphic_plans::delete),
        at("/graphic-plans/{id}").get(graphic_plans::show),
        at("/check-lists").get(check_lists::list),
        at("/check-lists/new").get(record::new::<CheckList>).post(record::create::<CheckList>),
        at("/check-lists/{id}/edit").get(record::edit::<CheckList>).post(record::save::<CheckList>),
        at("/check-lists/{id}/delete")
            .get(record::ask::<CheckList>)
            .post(record::delete::<CheckList>),
        at("/check-lists/{id}").get(record::show::<CheckList>),
        at("/password").get(password::form).post(password::change),
        at("/sessions").get(sessions::list),
        at("/sessions/end-others").post(sessions::end_others),
        at("/sessions/{id}/end").post(sessions::end),
        at("/guard/codes").post(guard::codes::read).json(),
        at("/guard/session").get(guard::session::show).json(),
        at("/site.css").get(assets::handler("text/css; charset=utf-8", assets::STYLE)),
        at("/site.js").get(assets::handler("text/javascript; charset=utf-8", assets::SCRIPT)),
        at("/live.js").get(assets::handler("text/javascript; charset=utf-8", assets::LIVE)),
        at("/icon.svg").get(assets::handler("image/svg+xml", assets::ICON)),
        at("/guard").get(guard::shell),
        at("/guard/manifest.webmanifest").get(guard::manifest),
        at("/guard/worker.js").get(guard::worker),
        at("/guard/{picture}.png").get(guard::picture),
        at("/guard/files/{version}/{name:.*}").get(guard::file),
        at("/guard/{path:.*}").get(guard::shell),
        #[cfg(debug_assertions)]
        at("/docs/components").get(components::show),
    ];
    pages.into_iter().map(|page| page.finish(site)).collect()
}

/// A resource under construction.
struct Page {
    pattern: &'static str,
    resource: Resource,
    /// The methods of the resource.
    allow: &'static str,
    /// Whether errors are pages, not the JSON of the API.
    is_page: bool,
}

impl Page {
    fn get<H, Args>(mut self, handler: H) -> Self
    where
        H: Handler<Args, Output = HandlerResult>,
        Args: FromRequest + 'static,
    {
        let route = web::route().guard(Any(Get()).or(Head())).to(handler);
        self.resource = self.resource.route(route);
        self.allow = "GET, HEAD";
        self
    }

    fn post<H, Args>(mut self, handler: H) -> Self
    where
        H: Handler<Args, Output = HandlerResult>,
        Args: FromRequest + 'static,
    {
        self.resource = self.resource.route(web::post().to(handler));
        self.allow = if self.allow.is_empty() { "POST" } else { "GET, HEAD, POST" };
        self
    }

    /// Errors have the body of the API.
    fn json(self) -> Self {
        Self { is_page: false, ..self }
    }

    fn finish(self, site: &Data<Shared>) -> SiteResource {
        let Self { pattern, resource, allow, is_page } = self;
        let other = move || async move {
            HandlerResult::Err(if is_page {
                PageError::method_not_allowed(allow).into()
            } else {
                JsonError::MethodNotAllowed(allow).into()
            })
        };
        let resource = resource.app_data(Data::clone(site)).default_service(web::to(other));
        SiteResource { pattern, resource, is_page }
    }
}

/// `/`: to the page that the user begins with, or without a session to the sign-in.
async fn start(visit: Visit) -> HandlerResult {
    Ok(match SignedIn::of(visit).await? {
        Ok(signed_in) => redirect(&signed_in.visit, signed_in.start()),
        Err(visit) => redirect(&visit, "/sign-in"),
    })
}

/// What was found; `None` when it was deleted.
///
/// # Errors
/// When it could not be looked for.
pub(crate) fn if_found<T>(found: Result<T, Failure>) -> Result<Option<T>, Error> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Failure::NotFound) => Ok(None),
        Err(failure) => Err(PageError::of(failure)),
    }
}

/// The items of a list, and the number of all.
///
/// # Errors
/// When the list cannot be read.
pub(crate) async fn listed<T>(
    listing: Result<Listing<T>, Failure>,
) -> Result<(Vec<T>, u64), Error> {
    listed_as(listing, |item| item).await
}

/// The same, of each item only what `shown` keeps of it.
pub(crate) async fn listed_as<T, S>(
    listing: Result<Listing<T>, Failure>,
    shown: impl Fn(T) -> S,
) -> Result<(Vec<S>, u64), Error> {
    let mut listing = listing.map_err(PageError::of)?;
    let (mut items, mut total) = (Vec::new(), 0);
    while let Some(part) = listing.next().await {
        match part.map_err(PageError::of)? {
            Part::Rows(rows) => items.extend(rows.into_iter().map(&shown)),
            Part::Total(count) => total = count,
        }
    }
    Ok((items, total))
}
