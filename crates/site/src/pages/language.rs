//! The choice of a language.

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
