//! The pages, each with its handlers.

pub(crate) mod error;
mod invitation;
mod labels;
mod language;
mod locations;
mod password;
mod people;
mod round;
mod sessions;
mod sign_in;
mod tokens;

use actix_web::{
    Error, FromRequest, Handler, HttpResponse, Resource,
    guard::{Any, Get, Head},
    web::{self, Data},
};
use futures_util::StreamExt as _;
use patrol_application::Failure;
use patrol_domain::{
    list::{Listing, Part},
    location::Location,
};
use patrol_http::{JsonError, PageError, SiteResource};

use crate::{
    assets, guard,
    office::record,
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
        at("/people/{id}/invite").post(people::invite),
        at("/people/{id}/sign-out").post(people::sign_out),
        at("/people/{id}/remove-sign-in").post(people::remove_sign_in),
        at("/invitation/{code}").get(invitation::form).post(invitation::accept),
        at("/locations").get(locations::list),
        at("/locations/new").get(record::new::<Location>).post(record::create::<Location>),
        at("/locations/{id}/edit").get(record::edit::<Location>).post(record::save::<Location>),
        at("/locations/{id}/delete").get(record::ask::<Location>).post(record::delete::<Location>),
        at("/locations/{id}/labels").get(labels::show),
        at("/locations/{id}").get(record::show::<Location>),
        at("/rounds/new").get(round::new).post(round::create),
        at("/rounds/{id}/edit").get(round::edit).post(round::save),
        at("/rounds/{id}/following").get(round::edit_following).post(round::save_following),
        at("/rounds/{id}/copy").get(round::copy_form).post(round::copy),
        at("/rounds/{id}/delete").get(round::ask).post(round::delete),
        at("/rounds/{id}/media/{medium}").get(round::medium).json(),
        at("/rounds/{id}").get(round::show),
        at("/password").get(password::form).post(password::change),
        at("/sessions").get(sessions::list),
        at("/sessions/end-others").post(sessions::end_others),
        at("/sessions/{id}/end").post(sessions::end),
        at("/guard/codes").post(guard::codes::read).json(),
        at("/guard/session").get(guard::session::show).json(),
        at("/site.css").get(assets::style),
        at("/site.js").get(assets::script),
        at("/icon.svg").get(assets::icon),
        at("/guard").get(guard::shell),
        at("/guard/manifest.webmanifest").get(guard::manifest),
        at("/guard/worker.js").get(guard::worker),
        at("/guard/{picture}.png").get(guard::picture),
        at("/guard/files/{version}/{name:.*}").get(guard::file),
        at("/guard/{path:.*}").get(guard::shell),
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

/// The items of a list, and the number of all.
///
/// # Errors
/// When the list cannot be read.
pub(crate) async fn listed<T>(
    listing: Result<Listing<T>, Failure>,
) -> Result<(Vec<T>, u64), Error> {
    let mut listing = listing.map_err(PageError::of)?;
    let (mut items, mut total) = (Vec::new(), 0);
    while let Some(part) = listing.next().await {
        match part.map_err(PageError::of)? {
            Part::Rows(rows) => items.extend(rows),
            Part::Total(count) => total = count,
        }
    }
    Ok((items, total))
}
