//! The choices of a language and of a time zone.

use patrol_domain::schedule::TimeZone;
use serde::Deserialize;

use super::HandlerResult;
use crate::{
    cookies::Kind,
    form::{Anyone, Form},
    view::{own_path, redirect},
};

#[derive(Deserialize)]
pub(crate) struct Choice {
    /// The tag of the language.
    #[serde(default)]
    language: String,
    /// The page to return to.
    #[serde(default)]
    back: String,
}

/// POST /language. An unknown language changes nothing.
pub(crate) async fn choose(form: Form<Anyone, Choice>) -> HandlerResult {
    let Form { sender: Anyone(visit), fields: Choice { language, back } } = form;
    if visit.site.languages.named(&language).is_some() {
        visit.set_cookie(Kind::Language, language);
    }
    Ok(redirect(&visit, own_path(&back).unwrap_or("/")))
}

#[derive(Deserialize)]
pub(crate) struct ZoneChoice {
    /// The IANA name.
    #[serde(default)]
    zone: String,
    /// The page to return to.
    #[serde(default)]
    back: String,
}

/// POST /time-zone. An unknown zone changes nothing.
pub(crate) async fn choose_zone(form: Form<Anyone, ZoneChoice>) -> HandlerResult {
    let Form { sender: Anyone(visit), fields: ZoneChoice { zone, back } } = form;
    if TimeZone::named(&zone).is_some() {
        visit.set_cookie(Kind::Zone, zone);
    }
    Ok(redirect(&visit, own_path(&back).unwrap_or("/")))
}
