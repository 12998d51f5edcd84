//! The language of error messages (RFC 9110, section 12.5.4).

use std::cmp::Reverse;

use actix_web::http::header::{
    ACCEPT_LANGUAGE, AcceptLanguage, CONTENT_LANGUAGE, HeaderMap, HeaderValue, Quality, VARY,
    from_comma_delimited,
};

/// A language with messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Language {
    /// The default.
    English,
    /// Chosen by `Accept-Language`.
    Russian,
}

impl Language {
    /// The language tag for `Content-Language`.
    const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Russian => "ru",
        }
    }

    /// Says in the headers of an answer that its messages are in this language.
    pub(crate) fn mark(self, headers: &mut HeaderMap) {
        headers.insert(CONTENT_LANGUAGE, HeaderValue::from_static(self.tag()));
        headers.insert(VARY, HeaderValue::from_static("Accept-Language"));
    }

    /// The language with the highest quality, the first of equal ones. English when the client
    /// accepts neither. Malformed ranges are ignored.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let values = headers.get_all(ACCEPT_LANGUAGE).filter(|value| value.to_str().is_ok());
        let ranges = AcceptLanguage(from_comma_delimited(values).unwrap_or_default());
        // The quality and the position of the best range with this primary language; `None` means
        // `*`.
        let best = |language: Option<&str>| {
            let accepted = ranges.iter().enumerate().filter(|(_, range)| match range.item.item() {
                Some(tag) => {
                    language.is_some_and(|name| tag.primary_language().eq_ignore_ascii_case(name))
                }
                None => language.is_none(),
            });
            accepted.map(|(position, range)| (range.quality, Reverse(position))).max()
        };
        let rank = |language: Self| {
            let rank = best(Some(language.tag())).or_else(|| best(None))?;
            (rank.0 > Quality::ZERO).then_some((rank, language))
        };
        // When a `*` accepts both equally, `max_by_key` returns the last one: English.
        let ranked = [Self::Russian, Self::English].into_iter().filter_map(rank);
        ranked.max_by_key(|(rank, _)| *rank).map_or(Self::English, |(_, language)| language)
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;
    use proptest::prelude::*;

    use super::*;

    fn chosen(value: &[u8]) -> Language {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_bytes(value).unwrap());
        Language::of(&headers)
    }

    #[test]
    fn the_highest_quality_decides() {
        for (value, language) in [
            ("ru", Language::Russian),
            ("RU-ru", Language::Russian),
            ("en", Language::English),
            ("de", Language::English),
            ("", Language::English),
            ("ru, en", Language::Russian),
            ("en, ru", Language::English),
            ("ru;q=0.5, en;q=0.8", Language::English),
            ("ru;q=0.8, en;q=0.5", Language::Russian),
            ("en;q=0.7, ru ; Q=0.701", Language::Russian),
            ("de, ru;q=0.1", Language::Russian),
            ("ru;q=0", Language::English),
            ("en;q=0, *", Language::Russian),
            ("*;q=0.5, ru;q=0.4", Language::English),
            ("*;q=0.4, ru;q=0.5", Language::Russian),
            ("*", Language::English),
            ("en;q=0, ru;q=0", Language::English),
            ("ru;q=2", Language::English),
            ("ru;q=0.1234", Language::English),
            ("ru;level=1", Language::English),
            ("rus", Language::English),
        ] {
            assert_eq!(chosen(value.as_bytes()), language, "{value}");
        }
    }

    #[test]
    fn without_the_header_messages_are_english() {
        assert_eq!(Language::of(&HeaderMap::new()), Language::English);
    }

    /// Ranges for English or Russian with their quality in thousandths, and malformed ranges.
    fn ranges() -> impl Strategy<Value = Vec<(&'static str, u16)>> {
        let tag = prop::sample::select(vec!["en", "en-GB", "ru", "RU", "*", "de", "\u{e9}", ";"]);
        prop::collection::vec((tag, 0_u16..=1000), 0..6)
    }

    proptest! {
        #[test]
        fn no_other_range_beats_the_highest_quality(ranges in ranges()) {
            let written = ranges.iter().map(|(tag, quality)| {
                format!("{tag};q={}.{:03}", quality / 1000, quality % 1000)
            });
            let quality = |language: &str| {
                let of = |wanted: &dyn Fn(&str) -> bool| {
                    let fitting = ranges.iter().filter(|(tag, _)| wanted(tag));
                    fitting.map(|(_, quality)| *quality).max()
                };
                let named = of(&|tag| tag.to_lowercase().starts_with(language));
                named.or_else(|| of(&|tag| tag == "*")).unwrap_or(0)
            };
            let mut headers = HeaderMap::new();
            for value in written {
                headers.append(ACCEPT_LANGUAGE, HeaderValue::from_str(&value).unwrap());
            }
            let (english, russian) = (quality("en"), quality("ru"));
            match Language::of(&headers) {
                Language::English => prop_assert!(english >= russian),
                Language::Russian => prop_assert!(russian >= english && russian > 0),
            }
        }

        #[test]
        fn a_malformed_header_means_english(value in proptest::collection::vec(0x20_u8..=0xff, 0..200)) {
            let names_russian = value.windows(2).any(|pair| pair.eq_ignore_ascii_case(b"ru"));
            prop_assume!(!names_russian && !value.contains(&b'*'));
            if let Ok(value) = HeaderValue::from_bytes(&value) {
                let mut headers = HeaderMap::new();
                headers.insert(ACCEPT_LANGUAGE, value);
                prop_assert_eq!(Language::of(&headers), Language::English);
            }
        }
    }
}
