//! The declared Content-Type and Content-Encoding of a body.

use actix_web::http::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue};

/// The Content-Type of JSON bodies.
pub(crate) const JSON: &str = "application/json";

/// The Content-Type of forms.
pub(crate) const FORM: &str = "multipart/form-data";

/// The only accepted Content-Encoding.
pub(crate) const IDENTITY: &str = "identity";

/// Whether the body is `application/json`, with any parameters.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    let essence = content_type(headers)
        .and_then(|value| value.as_bytes().split(|byte| *byte == b';').next())
        .map(<[u8]>::trim_ascii);
    essence.is_some_and(|essence| essence.eq_ignore_ascii_case(JSON.as_bytes()))
}

/// The boundary of a `multipart/form-data` body; `None` for other bodies.
pub(crate) fn boundary(headers: &HeaderMap) -> Option<String> {
    let value = content_type(headers)?.to_str().ok()?;
    multer::parse_boundary(value).ok().filter(|boundary| !boundary.is_empty())
}

/// The Content-Type, when there is exactly one.
fn content_type(headers: &HeaderMap) -> Option<&HeaderValue> {
    let mut types = headers.get_all(CONTENT_TYPE);
    types.next().filter(|_| types.next().is_none())
}

/// Whether the body is uncompressed. A compressed body is refused, because a few bytes could expand
/// to gigabytes.
pub(crate) fn is_uncompressed(headers: &HeaderMap) -> bool {
    headers
        .get_all(CONTENT_ENCODING)
        .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
        .map(<[u8]>::trim_ascii)
        .all(|coding| coding.is_empty() || coding.eq_ignore_ascii_case(IDENTITY.as_bytes()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn headers(lines: &[(&'static str, &[u8])]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            let name = actix_web::http::header::HeaderName::from_static(name);
            headers.append(name, HeaderValue::from_bytes(value).unwrap());
        }
        headers
    }

    fn is_json_type(lines: &[(&'static str, &[u8])]) -> bool {
        is_json(&headers(lines))
    }

    #[test]
    fn json_is_accepted_with_any_parameters() {
        for value in [
            "application/json",
            "Application/JSON",
            "application/json; charset=utf-8",
            "application/json ;charset=latin1;x=\"y;z\"",
            "application/json;",
        ] {
            assert!(is_json_type(&[("content-type", value.as_bytes())]), "{value}");
        }
    }

    #[test]
    fn other_content_types_are_not_json() {
        assert!(!is_json_type(&[]));
        for value in ["", "text/plain", "application/jsonx", "application/*", "json", "text/json"] {
            assert!(!is_json_type(&[("content-type", value.as_bytes())]), "{value}");
        }
        let json = ("content-type", b"application/json".as_slice());
        assert!(!is_json_type(&[json, json]));
    }

    #[test]
    fn only_identity_is_uncompressed() {
        let json = ("content-type", b"application/json".as_slice());
        for (coding, passes) in [
            ("identity", true),
            ("Identity, identity", true),
            ("", true),
            ("gzip", false),
            ("identity, br", false),
            ("deflate", false),
        ] {
            let coded = headers(&[json, ("content-encoding", coding.as_bytes())]);
            assert_eq!(is_uncompressed(&coded), passes, "{coding}");
        }
        assert!(is_uncompressed(&headers(&[json])));
        let codings = [("content-encoding", b"identity".as_slice()), ("content-encoding", b"gzip")];
        assert!(!is_uncompressed(&headers(&codings)));
    }

    #[test]
    fn a_form_has_a_boundary() {
        for (value, expected) in [
            ("multipart/form-data; boundary=X-1", Some("X-1")),
            ("Multipart/Form-Data;charset=utf-8;Boundary=\"a b\"", Some("a b")),
            ("multipart/form-data", None),
            ("multipart/form-data; boundary=\"\"", None),
            ("multipart/mixed; boundary=X", None),
            ("application/json; boundary=X", None),
            ("form-data; boundary=X", None),
            ("", None),
        ] {
            let form = ("content-type", value.as_bytes());
            assert_eq!(boundary(&headers(&[form])).as_deref(), expected, "{value}");
            assert_eq!(boundary(&headers(&[form, form])), None, "{value}");
        }
        assert_eq!(boundary(&HeaderMap::new()), None);
    }

    proptest! {
        #[test]
        fn a_malformed_value_is_neither_json_nor_uncompressed_nor_a_form(
            value in proptest::collection::vec(0x21_u8..=0xff, 1..100),
        ) {
            prop_assume!(HeaderValue::from_bytes(&value).is_ok());
            prop_assume!(!value.contains(&b'/') && value != b"identity");
            // A list of only commas names no coding.
            prop_assume!(value.iter().any(|byte| *byte != b','));
            let nonsense =
                headers(&[("content-type", value.as_slice()), ("content-encoding", value.as_slice())]);
            prop_assert!(!is_json(&nonsense) && !is_uncompressed(&nonsense));
            prop_assert_eq!(boundary(&nonsense), None);
        }

        #[test]
        fn parameters_do_not_change_that_a_body_is_json(
            value in proptest::collection::vec(0x20_u8..=0xff, 0..100),
        ) {
            let value = [b"application/json;", value.as_slice()].concat();
            prop_assume!(HeaderValue::from_bytes(&value).is_ok());
            prop_assert!(is_json_type(&[("content-type", value.as_slice())]));
        }
    }
}
