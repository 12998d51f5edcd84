//! Conditional requests (RFC 9110, section 13.1): `If-Match` and `If-None-Match`.

use std::future::Future;

use actix_web::{
    HttpRequest,
    http::header::{EntityTag, Header as _, IF_MATCH, IfMatch, IfNoneMatch},
};
use patrol_application::Failure;
use patrol_domain::{Version, ids::MediaId};

/// A version that does not exist: versions count from 1.
const NEVER: Version = Version(0);

/// The strong entity tag of a version.
pub(crate) fn etag(version: Version) -> EntityTag {
    EntityTag::new_strong(version.0.to_string())
}

/// The strong entity tag of a photo, whose content never changes under its id.
pub(crate) fn photo_etag(photo: MediaId) -> EntityTag {
    EntityTag::new_strong(photo.to_string())
}

/// The conditions of a request.
#[derive(Clone, Copy)]
pub(crate) struct Conditions<'a>(&'a HttpRequest);

impl<'a> Conditions<'a> {
    /// The conditions of this request.
    pub(crate) const fn of(request: &'a HttpRequest) -> Self {
        Self(request)
    }

    /// The expected version of a change; `None` when any version is accepted. `current` reads the
    /// current version; it is called only when `If-Match` has several tags. Weak and unknown tags
    /// match nothing.
    ///
    /// # Errors
    /// Those of `current`.
    pub(crate) async fn expected_version<F>(
        self,
        current: impl FnOnce() -> F,
    ) -> Result<Option<Version>, Failure>
    where
        F: Future<Output = Result<Version, Failure>>,
    {
        let Some(versions) = self.if_match() else { return Ok(None) };
        match versions.as_slice() {
            [] => Ok(Some(NEVER)),
            [version] => Ok(Some(*version)),
            several => {
                let current = current().await?;
                Ok(Some(if several.contains(&current) { current } else { NEVER }))
            }
        }
    }

    /// Whether `If-None-Match` contains this entity tag, so that a GET is answered with 304. A
    /// malformed header is ignored.
    pub(crate) fn none_match_contains(self, tag: &EntityTag) -> bool {
        match IfNoneMatch::parse(self.0) {
            Ok(IfNoneMatch::Any) => true,
            Ok(IfNoneMatch::Items(known)) => known.iter().any(|known| known.weak_eq(tag)),
            Err(_) => false,
        }
    }

    /// The versions in `If-Match`; no version matches an empty list. `None` without the header and for
    /// `*`: any version matches, and the record has to exist for every change anyway.
    fn if_match(self) -> Option<Vec<Version>> {
        if !self.0.headers().contains_key(IF_MATCH) {
            return None;
        }
        match IfMatch::parse(self.0) {
            Ok(IfMatch::Any) => None,
            Ok(IfMatch::Items(tags)) => Some(tags.iter().filter_map(version_of).collect()),
            Err(_) => Some(Vec::new()),
        }
    }
}

/// The version of this strong entity tag.
fn version_of(tag: &EntityTag) -> Option<Version> {
    let digits = tag.tag();
    let canonical = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    if canonical && !tag.weak { digits.parse().ok().map(Version) } else { None }
}

#[cfg(test)]
mod tests {
    use actix_web::{
        http::header::{HeaderName, HeaderValue, IF_NONE_MATCH},
        test::TestRequest,
    };
    use patrol_domain::ids::{Uuid, parse};
    use proptest::prelude::*;

    use super::*;

    fn request(name: HeaderName, values: &[&[u8]]) -> HttpRequest {
        let mut request = TestRequest::default();
        for value in values {
            let value = HeaderValue::from_bytes(value).unwrap();
            request = request.append_header((name.clone(), value));
        }
        request.to_http_request()
    }

    fn expected(values: &[&str], current: i64) -> Option<Version> {
        let values: Vec<_> = values.iter().map(|value| value.as_bytes()).collect();
        let request = request(IF_MATCH, &values);
        let current = || std::future::ready(Ok(Version(current)));
        let expected = Box::pin(Conditions::of(&request).expected_version(current));
        futures_util::FutureExt::now_or_never(expected).unwrap().unwrap()
    }

    #[test]
    fn a_version_has_a_strong_tag() {
        assert_eq!(etag(Version(1)).to_string(), "\"1\"");
        assert_eq!(etag(Version(i64::MAX)).to_string(), "\"9223372036854775807\"");
    }

    #[test]
    fn the_tag_of_a_photo_is_its_id() {
        let photo = MediaId(parse("0190A000-0000-7000-8000-00000000000F").unwrap());
        let tag = photo_etag(photo);
        assert_eq!(tag.to_string(), "\"0190a000-0000-7000-8000-00000000000f\"");
        let given = request(IF_NONE_MATCH, &[b"\"1\", W/\"0190a000-0000-7000-8000-00000000000f\""]);
        assert!(Conditions::of(&given).none_match_contains(&tag));
        assert!(!Conditions::of(&given).none_match_contains(&photo_etag(MediaId(Uuid::nil()))));
    }

    #[test]
    fn if_match_gives_the_expected_version() {
        assert_eq!(expected(&[], 7), None);
        assert_eq!(expected(&["*"], 7), None);
        assert_eq!(expected(&["\"3\""], 7), Some(Version(3)));
        assert_eq!(expected(&["\"3\", \"7\""], 7), Some(Version(7)));
        assert_eq!(expected(&["\"3\"", "\"7\""], 7), Some(Version(7)));
        assert_eq!(expected(&["\"3\", \"4\""], 7), Some(NEVER));
    }

    #[test]
    fn a_tag_that_is_not_a_strong_version_matches_nothing() {
        for value in ["W/\"7\"", "\"07\"", "7", "\"\"", "\"a\"", "\"-7\"", "\"7", "\"+7\"", ""] {
            assert_eq!(expected(&[value], 7), Some(NEVER), "{value}");
        }
        assert_eq!(expected(&["\"99999999999999999999\""], 7), Some(NEVER));
        assert_eq!(expected(&["W/\"7\", \"7\""], 7), Some(Version(7)));
    }

    #[test]
    fn if_none_match_recognises_the_current_tag() {
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
            let request = request(IF_NONE_MATCH, &bytes);
            assert_eq!(
                Conditions::of(&request).none_match_contains(&etag(Version(7))),
                has,
                "{values:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn a_malformed_header_matches_nothing(value in proptest::collection::vec(0x20_u8..=0xff, 0..100)) {
            prop_assume!(HeaderValue::from_bytes(&value).is_ok());
            prop_assume!(value.trim_ascii() != b"*" && !value.windows(3).any(|tag| tag == b"\"1\""));
            let given = request(IF_NONE_MATCH, &[&value]);
            prop_assert!(!Conditions::of(&given).none_match_contains(&etag(Version(1))));
            let given = request(IF_MATCH, &[&value]);
            let Some(versions) = Conditions::of(&given).if_match() else {
                return Err(TestCaseError::fail("any version matches"));
            };
            prop_assert!(!versions.contains(&Version(1)));
        }

        #[test]
        fn a_tag_is_parsed_back_to_its_version(version in 1_i64..) {
            let tag = etag(Version(version));
            prop_assert_eq!(version_of(&tag), Some(Version(version)));
            let given = request(IF_MATCH, &[tag.to_string().as_bytes()]);
            let one = Some(vec![Version(version)]);
            prop_assert_eq!(Conditions::of(&given).if_match(), one);
        }
    }
}
