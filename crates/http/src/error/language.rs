//! Which language an error message is in (RFC 9110 12.5.4).

use actix_web::http::header::{ACCEPT_LANGUAGE, HeaderMap};

/// A language that messages are written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Language {
    /// The default.
    English,
    /// Chosen by `Accept-Language`.
    Russian,
}

/// A quality value in thousandths.
type Quality = u16;

impl Language {
    const ALL: [Self; 2] = [Self::English, Self::Russian];

    /// The language tag, as `Content-Language` has it.
    pub(crate) const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Russian => "ru",
        }
    }

    /// The language that the client likes best; of two that it likes alike the one that it names
    /// first. English when it accepts neither.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let mut best = (Self::English, 0);
        let mut named: [Option<(usize, Quality)>; 2] = [None, None];
        let mut rest = None;
        let ranges = headers
            .get_all(ACCEPT_LANGUAGE)
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','));
        for (position, range) in ranges.enumerate() {
            let Some((tag, quality)) = read(range) else { continue };
            let primary = tag.split('-').next().unwrap_or_default();
            if tag == "*" {
                rest.get_or_insert((position, quality));
            }
            for (language, slot) in Self::ALL.iter().zip(&mut named) {
                let better = slot.is_none_or(|(_, known)| quality > known);
                if primary.eq_ignore_ascii_case(language.tag()) && better {
                    *slot = Some((position, quality));
                }
            }
        }
        let mut first = usize::MAX;
        for (language, slot) in Self::ALL.into_iter().zip(named) {
            let Some((position, quality)) = slot.or(rest) else { continue };
            if quality > best.1 || (quality == best.1 && quality > 0 && position < first) {
                best = (language, quality);
                first = position;
            }
        }
        best.0
    }
}

/// A language range with its quality; none when it is malformed.
fn read(range: &str) -> Option<(&str, Quality)> {
    let mut parts = range.split(';').map(str::trim);
    let tag = parts.next().filter(|tag| !tag.is_empty())?;
    let quality = match parts.next() {
        None => 1000,
        Some(weight) => {
            let (name, value) = weight.split_once('=')?;
            if !name.trim().eq_ignore_ascii_case("q") {
                return None;
            }
            quality(value.trim())?
        }
    };
    parts.next().is_none().then_some((tag, quality))
}

/// `0`, `1`, or one of them with up to three decimals; at most 1.
fn quality(text: &str) -> Option<Quality> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let whole: Quality = match whole {
        "0" => 0,
        "1" => 1000,
        _ => return None,
    };
    if decimals.len() > 3 || !decimals.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let thousandths = format!("{decimals:0<3}").parse::<Quality>().ok()?;
    whole.checked_add(thousandths).filter(|quality| *quality <= 1000)
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
    fn the_client_s_qualities_decide() {
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

    proptest! {
        #[test]
        fn no_value_is_too_strange(value in proptest::collection::vec(0x20_u8..=0xff, 0..200)) {
            if let Ok(value) = HeaderValue::from_bytes(&value) {
                let mut headers = HeaderMap::new();
                headers.insert(ACCEPT_LANGUAGE, value);
                Language::of(&headers);
            }
        }
    }
}
