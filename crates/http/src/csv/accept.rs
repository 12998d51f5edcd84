//! Whether a client wants CSV (RFC 9110, section 12.5.1).

use std::cmp::Reverse;

use actix_web::{
    http::header::{ACCEPT, HeaderMap, Quality, QualityItem, from_comma_delimited},
    mime::Mime,
};

use crate::extract::media::JSON;

/// Whether the response has to be CSV. It is JSON unless `Accept` names `text/csv`, with at least the quality
/// of JSON. Of equal qualities the named type wins over a wildcard, and the first name over the second.
/// Parameters and malformed ranges are ignored.
pub(crate) fn wants_csv(headers: &HeaderMap) -> bool {
    let values = headers.get_all(ACCEPT).filter(|value| value.to_str().is_ok());
    let ranges: Vec<QualityItem<Mime>> = from_comma_delimited(values).unwrap_or_default();
    // The quality and the position of the best range of this type.
    let best = |kind: &str| {
        let same = ranges.iter().enumerate();
        let same = same.filter(|(_, range)| range.item.essence_str() == kind);
        same.map(|(position, range)| (range.quality, Reverse(position))).max()
    };
    let Some((quality, position)) = best("text/csv") else { return false };
    // The most specific range decides about JSON. A wildcard counts as named last.
    let json = best(JSON).or_else(|| {
        let wildcard = best("application/*").or_else(|| best("*/*"));
        wildcard.map(|(quality, _)| (quality, Reverse(usize::MAX)))
    });
    quality > Quality::ZERO && json.is_none_or(|json| (quality, position) > json)
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;
    use proptest::prelude::*;

    use super::*;

    fn wanted(values: &[&[u8]]) -> bool {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(ACCEPT, HeaderValue::from_bytes(value).unwrap());
        }
        wants_csv(&headers)
    }

    #[test]
    fn csv_has_to_be_named_and_json_not_preferred() {
        for (value, is_csv) in [
            ("text/csv", true),
            ("Text/CSV; charset=utf-8; header=present", true),
            ("text/csv, application/json", true),
            ("application/json, text/csv", false),
            ("application/json;q=0.9, text/csv", true),
            ("text/csv;q=0.5, application/json;q=0.8", false),
            ("text/csv;q=0.5", true),
            ("text/csv, */*", true),
            ("*/*, text/csv", true),
            ("text/csv;q=0.9, */*;q=0.1", true),
            ("text/csv;q=0.5, */*", false),
            ("text/csv;q=0.5, application/*", false),
            ("text/csv;q=0.5, application/json;q=0, */*", true),
            ("text/html, text/csv;q=0.1", true),
            ("text/csv;q=0", false),
            ("text/csv;q=2", false),
            ("text/csv;q=x, application/json", false),
            ("text/*", false),
            ("*/*", false),
            ("application/json", false),
            ("text/html", false),
            ("text/csvx", false),
            ("nonsense, text/csv", true),
            ("", false),
        ] {
            assert_eq!(wanted(&[value.as_bytes()]), is_csv, "{value}");
        }
        assert!(!wanted(&[]));
        assert!(wanted(&[b"application/json;q=0.1", b"text/csv"]));
        assert!(wanted(&[b"\xff", b"text/csv"]));
    }

    proptest! {
        #[test]
        fn no_header_is_a_panic(value in proptest::collection::vec(0x20_u8..=0xff, 0..200)) {
            if let Ok(value) = HeaderValue::from_bytes(&value) {
                let mut headers = HeaderMap::new();
                headers.insert(ACCEPT, value);
                let text = headers.get(ACCEPT).unwrap().as_bytes().to_ascii_lowercase();
                prop_assert!(!wants_csv(&headers) || text.windows(8).any(|part| part == b"text/csv"));
            }
        }
    }
}
