//! The credential of a request: `Authorization: Bearer TOKEN` or `Authorization: TOKEN`.

use actix_web::http::header::{AUTHORIZATION, HeaderMap};

/// The content of the Authorization header.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Credential<'a> {
    /// No header.
    Absent,
    /// A header without a token.
    Missing,
    /// A value that cannot be a token.
    Malformed,
    /// A token, valid or not.
    Token(&'a str),
}

impl<'a> Credential<'a> {
    /// Reads the header. Several headers are ambiguous and so malformed.
    pub(crate) fn of(headers: &'a HeaderMap) -> Self {
        let mut values = headers.get_all(AUTHORIZATION);
        let Some(value) = values.next() else { return Self::Absent };
        if values.next().is_some() {
            return Self::Malformed;
        }
        let Ok(value) = value.to_str() else { return Self::Malformed };
        let value = value.trim_matches([' ', '\t']);
        let (scheme, token) = value.split_once([' ', '\t']).unwrap_or(("", value));
        let token = token.trim_start_matches([' ', '\t']);
        let is_bearer = scheme.eq_ignore_ascii_case("bearer");
        if token.is_empty() || (scheme.is_empty() && token.eq_ignore_ascii_case("bearer")) {
            Self::Missing
        } else if (is_bearer || scheme.is_empty()) && !token.contains([' ', '\t']) {
            Self::Token(token)
        } else {
            Self::Malformed
        }
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;
    use proptest::prelude::*;

    use super::*;

    fn parsed(value: &str) -> String {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, HeaderValue::from_str(value).unwrap());
        match Credential::of(&headers) {
            Credential::Absent => "absent".to_owned(),
            Credential::Missing => "missing".to_owned(),
            Credential::Malformed => "malformed".to_owned(),
            Credential::Token(token) => format!("<{token}>"),
        }
    }

    #[test]
    fn the_scheme_is_optional_and_its_case_is_ignored() {
        for value in ["Bearer ptl_1", "bearer ptl_1", "BEARER   ptl_1", "ptl_1", " ptl_1 "] {
            assert_eq!(parsed(value), "<ptl_1>", "{value}");
        }
    }

    #[test]
    fn a_value_without_a_token_is_missing_or_malformed() {
        for value in ["", " ", "Bearer", "bearer "] {
            assert_eq!(parsed(value), "missing", "{value:?}");
        }
        for value in ["Basic cHRs", "Bearer a b", "a b c"] {
            assert_eq!(parsed(value), "malformed", "{value:?}");
        }
    }

    #[test]
    fn two_headers_are_malformed() {
        let mut headers = HeaderMap::new();
        headers.append(AUTHORIZATION, HeaderValue::from_static("ptl_1"));
        headers.append(AUTHORIZATION, HeaderValue::from_static("ptl_1"));
        assert!(Credential::of(&headers) == Credential::Malformed);
    }

    proptest! {
        #[test]
        fn any_header_value_is_parsed_without_a_panic(value in proptest::collection::vec(any::<u8>(), 0..100)) {
            if let Ok(value) = HeaderValue::from_bytes(&value) {
                let mut headers = HeaderMap::new();
                headers.insert(AUTHORIZATION, value);
                if let Credential::Token(token) = Credential::of(&headers) {
                    prop_assert!(!token.is_empty() && !token.contains(' '));
                }
            }
        }
    }
}
