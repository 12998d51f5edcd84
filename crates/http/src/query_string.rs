//! The parameters of a query string, decoded like HTML forms (URL standard,
//! application/x-www-form-urlencoded).

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

/// A decoded value is not valid UTF-8.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NotUtf8;

/// A parameter and its value.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Parameter<'a> {
    pub(crate) name: Cow<'a, str>,
    /// The value; empty when there is no `=`.
    pub(crate) value: Result<Cow<'a, str>, NotUtf8>,
}

/// The parameters in order. Parameters whose name is not valid UTF-8 are ignored. A `%` without two
/// hexadecimal digits after it is a plain character.
pub(crate) fn parameters(query: &str) -> impl Iterator<Item = Parameter<'_>> {
    query.split('&').filter(|pair| !pair.is_empty()).filter_map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        Some(Parameter { name: decode(name).ok()?, value: decode(value) })
    })
}

fn decode(encoded: &str) -> Result<Cow<'_, str>, NotUtf8> {
    if !encoded.contains('+') {
        return percent_decode_str(encoded).decode_utf8().map_err(|_| NotUtf8);
    }
    let spaced = encoded.replace('+', " ");
    let text = percent_decode_str(&spaced).decode_utf8().map_err(|_| NotUtf8)?;
    Ok(Cow::Owned(text.into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Vec<(String, Option<String>)> {
        parameters(query)
            .map(|parameter| {
                (parameter.name.into_owned(), parameter.value.ok().map(Cow::into_owned))
            })
            .collect()
    }

    #[test]
    fn names_and_values_are_decoded() {
        for (query, name, value) in [
            ("a=b", "a", "b"),
            ("a", "a", ""),
            ("a=", "a", ""),
            ("a=b=c", "a", "b=c"),
            ("n%61me=x+y%2Bz", "name", "x y+z"),
            ("name=%D0%9F%d0%be%d1%80%d1%82", "name", "Порт"),
            ("name=100%", "name", "100%"),
            ("name=%zz%4", "name", "%zz%4"),
            ("name=a%26b%3Dc", "name", "a&b=c"),
        ] {
            assert_eq!(read(query), [(name.to_owned(), Some(value.to_owned()))], "{query}");
        }
    }

    #[test]
    fn the_order_is_kept_and_empty_pairs_are_ignored() {
        let names: Vec<_> = read("&b=1&&a=2&b=3&").into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["b", "a", "b"]);
        assert!(read("").is_empty());
    }

    #[test]
    fn a_value_that_is_not_utf_8_is_an_error() {
        assert_eq!(read("name=%FF"), [("name".to_owned(), None)]);
        assert_eq!(read("name=+%C3"), [("name".to_owned(), None)]);
        assert!(read("%FF=x").is_empty());
    }
}
