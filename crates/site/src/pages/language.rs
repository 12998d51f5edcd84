//! The choices of a language and of a time zone.

use actix_web::HttpResponse;
use patrol_domain::schedule::TimeZone;

use super::HandlerResult;
use crate::{
    cookies::Kind,
    form::{Anyone, Form},
    texts::Language,
    view::{own_path, redirect},
};

/// POST /language. An unknown language changes nothing.
pub(crate) async fn choose(form: Form<Anyone>) -> HandlerResult {
    let language = form.fields.value("language");
    let is_known = Language::named(language).is_some();
    Ok(chosen(&form, Kind::Language, language, is_known))
}

/// POST /time-zone. An unknown zone changes nothing.
pub(crate) async fn choose_zone(form: Form<Anyone>) -> HandlerResult {
    let zone = form.fields.value("zone");
    Ok(chosen(&form, Kind::Zone, zone, TimeZone::named(zone).is_some()))
}

/// Keeps a choice if it is known, and returns to the page on which it was made.
fn chosen(form: &Form<Anyone>, kind: Kind, value: &str, is_known: bool) -> HttpResponse {
    let Form { sender: Anyone(visit), fields } = form;
    if is_known {
        visit.set_cookie(kind, value.to_owned());
    }
    redirect(visit, own_path(fields.value("back")).unwrap_or("/"))
}
