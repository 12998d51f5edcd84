//! The choice of a language.

use serde::Deserialize;

use super::HandlerResult;
use crate::{
    cookies::Kind,
    form::{Anyone, Form},
    view::redirect,
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
    Ok(redirect(&visit, own_path(&back)))
}

/// The path, if it leads to a page of this site, else the start page.
fn own_path(path: &str) -> &str {
    let is_visible = path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    let is_path = path.starts_with('/') && !path.starts_with("//");
    if is_path && is_visible { path } else { "/" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_path_of_this_site_is_followed() {
        assert_eq!(own_path("/people?search=a%20b"), "/people?search=a%20b");
        for path in
            ["", "people", "//example.org", "/\\example.org", "https://example.org", "/a\nb"]
        {
            assert_eq!(own_path(path), "/", "{path}");
        }
    }
}
