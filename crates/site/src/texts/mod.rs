//! The texts of the pages, one file for each language.

use std::fmt;

use actix_web::http::header::{AcceptLanguage, Header, Preference};
use toml::{Table, Value};

/// The files of all languages, with their BCP 47 tags. The first is the default.
const FILES: [(&str, &str); 2] = [("en", include_str!("en.toml")), ("ru", include_str!("ru.toml"))];

/// The BCP 47 tags of all languages. The first is the default.
pub(crate) fn codes() -> impl Iterator<Item = &'static str> {
    FILES.into_iter().map(|(code, _)| code)
}

/// A text. `{}` in it stands for a value.
#[derive(Debug)]
pub(crate) struct Text(String);

impl Text {
    /// The text with this value.
    pub(crate) fn with(&self, value: &(impl fmt::Display + ?Sized)) -> String {
        self.0.replace("{}", &value.to_string())
    }

    /// What stands before and after the value.
    pub(crate) fn around(&self) -> (&str, &str) {
        self.0.split_once("{}").unwrap_or((&self.0, ""))
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
        out.write_str(&self.0)
    }
}

/// Declares the texts that every language has. They are read into an array, and are members only then: one
/// function that could fail at each of them takes the compiler minutes.
macro_rules! texts {
    ($($name:ident)*) => {
        /// The texts of one language.
        #[derive(Debug)]
        pub(crate) struct Texts {
            $(pub(crate) $name: Text,)*
        }

        impl Texts {
            /// Reads a file of texts, which has these and no others.
            fn read(file: &str) -> Result<Self, String> {
                let [$($name),*] = read(file, &NAMES)?;
                Ok(Self { $($name),* })
            }
        }

        const NAMES: [&str; [$(stringify!($name)),*].len()] = [$(stringify!($name)),*];
    };
}

// All texts of the English file.
include!(concat!(env!("OUT_DIR"), "/texts.rs"));

/// The texts with these names, in their order.
fn read<const N: usize>(file: &str, names: &[&str; N]) -> Result<[Text; N], String> {
    let mut table: Table = file.parse().map_err(|error| format!("{error}"))?;
    let mut texts = [const { Text(String::new()) }; N];
    for (text, name) in texts.iter_mut().zip(names) {
        match table.remove(*name) {
            Some(Value::String(found)) => *text = Text(found),
            _ => return Err(format!("{name} is missing")),
        }
    }
    table.keys().next().map_or(Ok(texts), |name| Err(format!("{name} is unknown")))
}

/// A language of the site.
#[derive(Debug)]
pub(crate) struct Language {
    /// The BCP 47 tag.
    pub(crate) code: &'static str,
    pub(crate) texts: Texts,
}

/// The texts of a language are incomplete.
#[derive(Debug)]
pub struct TextsError {
    language: &'static str,
    cause: String,
}

impl fmt::Display for TextsError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "the texts of the language {}: {}", self.language, self.cause)
    }
}

/// All languages, at least one.
#[derive(Debug)]
pub(crate) struct Languages {
    default: Language,
    others: Vec<Language>,
}

impl Languages {
    /// Reads the texts of all languages.
    ///
    /// # Errors
    /// When a text is missing or unknown.
    pub(crate) fn load() -> Result<Self, TextsError> {
        let load = |(code, file): (&'static str, &str)| match Texts::read(file) {
            Ok(texts) => Ok(Language { code, texts }),
            Err(cause) => Err(TextsError { language: code, cause }),
        };
        let [default, others @ ..] = FILES;
        Ok(Self {
            default: load(default)?,
            others: others.into_iter().map(load).collect::<Result<_, _>>()?,
        })
    }

    /// The language of those who prefer no other.
    pub(crate) const fn default(&self) -> &Language {
        &self.default
    }

    /// All languages; the default is the first.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Language> {
        std::iter::once(&self.default).chain(&self.others)
    }

    /// The language with this tag.
    pub(crate) fn named(&self, code: &str) -> Option<&Language> {
        self.all().find(|language| language.code == code)
    }

    /// The language that a browser prefers, or the default.
    pub(crate) fn preferred(&self, accept: &impl actix_web::HttpMessage) -> &Language {
        let ranked = AcceptLanguage::parse(accept).map(|accept| accept.ranked());
        let named = |preference: Preference<_>| match preference {
            Preference::Any => Some(&self.default),
            Preference::Specific(tag) => {
                let tag: &dyn fmt::Display = &tag;
                let tag = tag.to_string().to_ascii_lowercase();
                self.named(tag.split('-').next().unwrap_or_default())
            }
        };
        ranked.into_iter().flatten().find_map(named).unwrap_or(&self.default)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The names that one set has and the other has not.
    fn missing<'a>(names: &BTreeSet<&'a str>, among: &BTreeSet<&str>) -> Vec<&'a str> {
        names.iter().copied().filter(|name| !among.contains(name)).collect()
    }

    #[test]
    fn every_language_has_every_text_with_the_same_values() {
        let declared: BTreeSet<_> = NAMES.iter().copied().collect();
        let read = |file: &str| toml::from_str::<toml::Table>(file).unwrap();
        let english = read(FILES[0].1);
        for (code, file) in FILES {
            let table = read(file);
            let names: BTreeSet<_> = table.keys().map(String::as_str).collect();
            assert_eq!(missing(&declared, &names), [""; 0], "missing in {code}");
            assert_eq!(missing(&names, &declared), [""; 0], "unknown in {code}");
            for (name, text) in &table {
                let values = |text: &toml::Value| text.as_str().unwrap().matches("{}").count();
                assert_eq!(values(text), values(&english[name]), "{code}: {name}");
            }
        }
        assert!(Languages::load().is_ok());
    }

    #[test]
    fn the_language_of_the_browser_is_preferred() {
        let languages = Languages::load().unwrap();
        let code = |accept: &str| {
            let request = actix_web::test::TestRequest::default()
                .insert_header(("Accept-Language", accept))
                .to_request();
            languages.preferred(&request).code
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
