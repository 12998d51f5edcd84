//! The texts of the pages, one file for each language. The build makes constants of them, so that a language
//! without one of them does not compile.

use std::fmt;

use actix_web::http::header::{AcceptLanguage, Header, Preference};

// `Texts` has a member for each text; `LANGUAGES` are all languages, the default first.
include!(concat!(env!("OUT_DIR"), "/texts.rs"));

/// A text. `{}` in it stands for a value.
#[derive(Debug)]
pub(crate) struct Text(&'static str);

impl Text {
    /// The text with this value.
    pub(crate) fn with(&self, value: &(impl fmt::Display + ?Sized)) -> String {
        self.0.replace("{}", &value.to_string())
    }

    /// What stands before and after the value.
    pub(crate) fn around(&self) -> (&str, &str) {
        self.0.split_once("{}").unwrap_or((self.0, ""))
    }

    /// The text with these values, each in its place.
    pub(crate) fn with_each<V: fmt::Display>(&self, values: &[V]) -> String {
        let mut parts = self.0.split("{}");
        let mut text = parts.next().unwrap_or_default().to_owned();
        for (at, part) in parts.enumerate() {
            text.push_str(&values.get(at).map(ToString::to_string).unwrap_or_default());
            text.push_str(part);
        }
        text
    }
}

impl fmt::Display for Text {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.0)
    }
}

/// A language of the site.
#[derive(Debug)]
pub(crate) struct Language {
    /// The BCP 47 tag.
    pub(crate) code: &'static str,
    pub(crate) texts: Texts,
}

impl Language {
    /// The language of those who prefer no other.
    pub(crate) fn usual() -> &'static Self {
        let [usual, ..] = &LANGUAGES;
        usual
    }

    /// All languages; the usual one is the first.
    pub(crate) fn all() -> impl Iterator<Item = &'static Self> {
        LANGUAGES.iter()
    }

    /// The language with this tag.
    pub(crate) fn named(code: &str) -> Option<&'static Self> {
        Self::all().find(|language| language.code == code)
    }

    /// The language that a browser prefers, or the usual one.
    pub(crate) fn preferred(accept: &impl actix_web::HttpMessage) -> &'static Self {
        let ranked = AcceptLanguage::parse(accept).map(|accept| accept.ranked());
        let named = |preference: Preference<_>| match preference {
            Preference::Any => Some(Self::usual()),
            Preference::Specific(tag) => {
                let tag: &dyn fmt::Display = &tag;
                let tag = tag.to_string().to_ascii_lowercase();
                Self::named(tag.split('-').next().unwrap_or_default())
            }
        };
        ranked.into_iter().flatten().find_map(named).unwrap_or_else(Self::usual)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_of_the_browser_is_preferred() {
        let code = |accept: &str| {
            let request = actix_web::test::TestRequest::default()
                .insert_header(("Accept-Language", accept))
                .to_request();
            Language::preferred(&request).code
        };
        for (accept, expected) in [
            ("ru", "ru"),
            ("ru-RU,ru;q=0.9,en;q=0.8", "ru"),
            ("en;q=0.5,ru;q=0.9", "ru"),
            ("de,ru;q=0.3", "ru"),
            ("de", "en"),
            ("*", "en"),
            ("", "en"),
            ("\u{fffd};;q", "en"),
        ] {
            assert_eq!(code(accept), expected, "{accept}");
        }
    }
}
