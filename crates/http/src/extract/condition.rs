//! Conditional requests (RFC 9110 13.1): `If-Match` and `If-None-Match`.

use std::{fmt::Display, future::Future, io::Write};

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue, IF_MATCH, IF_NONE_MATCH};
use patrol_application::Failure;
use patrol_domain::{Version, ids::MediaId};

/// A version that no record has: versions count from 1.
const NEVER: Version = Version(0);

/// The strong entity tag of a version.
pub(crate) fn etag(version: Version) -> HeaderValue {
    tag(version.0)
}

/// The strong entity tag of a photo, which never changes under its id.
pub(crate) fn photo_etag(photo: MediaId) -> HeaderValue {
    tag(photo)
}

/// `opaque` between quotes: a number or an id.
fn tag(opaque: impl Display) -> HeaderValue {
    // 36 characters at most, and the quotes.
    let mut text = [0_u8; 40];
    let mut rest = text.as_mut_slice();
    let written = write!(rest, "\"{opaque}\"").map(|()| rest.len());
    let length = written.map_or(0, |left| text.len() - left);
    text.get(..length).and_then(|tag| HeaderValue::from_bytes(tag).ok()).unwrap_or_else(|| {
        // Digits and hyphens between quotes are always a header value.
        HeaderValue::from_static("\"\"")
    })
}

/// The conditions of a request.
#[derive(Clone, Copy)]
pub(crate) struct Conditions<'a>(&'a HeaderMap);

/// What `If-Match` asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Match {
    /// Nothing, or that there is any version at all, which every change asks for anyway.
    Any,
    /// One of these; with none of them, nothing matches.
    OneOf(Vec<Version>),
}

impl<'a> Conditions<'a> {
    /// The conditions in these headers.
    pub(crate) const fn of(headers: &'a HeaderMap) -> Self {
        Self(headers)
    }

    /// The version that a change is meant for; none when any will do. `current` reads the version
    /// of today, and is asked only when `If-Match` names several. Weak and foreign tags match
    /// nothing.
    ///
    /// # Errors
    /// Those of `current`.
    pub(crate) async fn expected<F>(
        self,
        current: impl FnOnce() -> F,
    ) -> Result<Option<Version>, Failure>
    where
        F: Future<Output = Result<Version, Failure>>,
    {
        let Match::OneOf(versions) = self.if_match() else { return Ok(None) };
        match versions.as_slice() {
            [] => Ok(Some(NEVER)),
            [version] => Ok(Some(*version)),
            several => {
                let current = current().await?;
                Ok(Some(if several.contains(&current) { current } else { NEVER }))
            }
        }
    }

    /// Whether the client has what this entity tag stands for already, so that 304 is the answer to
    /// its GET.
    pub(crate) fn has(self, tag: &HeaderValue) -> bool {
        tags(self.0, &IF_NONE_MATCH).any(|known| {
            let opaque = known.strip_prefix("W/").unwrap_or(known);
            known == "*" || opaque.as_bytes() == tag.as_bytes()
        })
    }

    fn if_match(self) -> Match {
        if !self.0.contains_key(IF_MATCH) || tags(self.0, &IF_MATCH).any(|tag| tag == "*") {
            return Match::Any;
        }
        Match::OneOf(tags(self.0, &IF_MATCH).filter_map(read).collect())
    }
}

/// The members of a list of entity tags. Tags of versions hold no comma; one of a foreign tag
/// leaves pieces that match nothing.
fn tags<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'a str> {
    headers
        .get_all(name)
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .filter(|tag| !tag.is_empty())
}

/// The version of a strong tag; none when no version has this tag.
fn read(tag: &str) -> Option<Version> {
    let digits = tag.strip_prefix('"')?.strip_suffix('"')?;
    let canonical = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    if canonical { digits.parse().ok().map(Version) } else { None }
}

#[cfg(test)]
mod tests {
    use patrol_domain::ids::{Uuid, parse};
    use proptest::prelude::*;

    use super::*;

    fn headers(name: HeaderName, values: &[&[u8]]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(name.clone(), HeaderValue::from_bytes(value).unwrap());
        }
        headers
    }

    fn expected(values: &[&str], current: i64) -> Option<Version> {
        let values: Vec<_> = values.iter().map(|value| value.as_bytes()).collect();
        let headers = headers(IF_MATCH, &values);
        let current = || std::future::ready(Ok(Version(current)));
        let expected = Box::pin(Conditions::of(&headers).expected(current));
        futures_util::FutureExt::now_or_never(expected).unwrap().unwrap()
    }

    #[test]
    fn a_version_has_a_strong_tag() {
        assert_eq!(etag(Version(1)), "\"1\"");
        assert_eq!(etag(Version(i64::MAX)), "\"9223372036854775807\"");
        assert_eq!(etag(Version(i64::MIN)), "\"-9223372036854775808\"");
    }

    #[test]
    fn a_photo_has_the_tag_of_its_id() {
        let photo = MediaId(parse("0190A000-0000-7000-8000-00000000000F").unwrap());
        let tag = photo_etag(photo);
        assert_eq!(tag, "\"0190a000-0000-7000-8000-00000000000f\"");
        let given = headers(IF_NONE_MATCH, &[b"\"1\", W/\"0190a000-0000-7000-8000-00000000000f\""]);
        assert!(Conditions::of(&given).has(&tag));
        assert!(!Conditions::of(&given).has(&photo_etag(MediaId(Uuid::nil()))));
    }

    #[test]
    fn if_match_names_the_version_that_is_meant() {
        assert_eq!(expected(&[], 7), None);
        assert_eq!(expected(&["*"], 7), None);
        assert_eq!(expected(&["\"3\""], 7), Some(Version(3)));
        assert_eq!(expected(&["\"3\", \"7\""], 7), Some(Version(7)));
        assert_eq!(expected(&["\"3\"", "\"7\""], 7), Some(Version(7)));
        assert_eq!(expected(&["\"3\", \"4\""], 7), Some(NEVER));
    }

    #[test]
    fn what_is_no_strong_tag_of_a_version_matches_nothing() {
        for value in ["W/\"7\"", "\"07\"", "7", "\"\"", "\"a\"", "\"-7\"", "\"7", "\"+7\"", ""] {
            assert_eq!(expected(&[value], 7), Some(NEVER), "{value}");
        }
        assert_eq!(expected(&["\"99999999999999999999\""], 7), Some(NEVER));
        assert_eq!(expected(&["W/\"7\", \"7\""], 7), Some(Version(7)));
    }

    #[test]
    fn a_client_that_has_the_version_need_not_get_it() {
        for (values, has) in [
            (vec![], false),
            (vec!["\"7\""], true),
            (vec!["W/\"7\""], true),
            (vec!["*"], true),
            (vec!["\"3\", \"7\""], true),
            (vec!["\"3\"", "\"7\""], true),
            (vec!["\"3\""], false),
            (vec!["\"07\""], false),
            (vec!["7"], false),
        ] {
            let bytes: Vec<_> = values.iter().map(|value| value.as_bytes()).collect();
            let headers = headers(IF_NONE_MATCH, &bytes);
            assert_eq!(Conditions::of(&headers).has(&etag(Version(7))), has, "{values:?}");
        }
    }

    proptest! {
        #[test]
        fn no_value_is_too_strange(value in proptest::collection::vec(0x20_u8..=0xff, 0..100)) {
            if HeaderValue::from_bytes(&value).is_ok() {
                let given = headers(IF_NONE_MATCH, &[&value]);
                Conditions::of(&given).has(&etag(Version(1)));
                let given = headers(IF_MATCH, &[&value]);
                Conditions::of(&given).if_match();
            }
        }

        #[test]
        fn a_tag_is_read_as_it_was_written(version in 1_i64..) {
            let tag = etag(Version(version));
            prop_assert_eq!(read(tag.to_str().unwrap()), Some(Version(version)));
        }
    }
}
