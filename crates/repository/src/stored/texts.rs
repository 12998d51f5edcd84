//! Lists of texts: a JSON array.

use patrol_domain::shared::text::fold;

use crate::stored::Error;

/// The stored form of `texts`, in order.
///
/// # Errors
/// Never: any text can be written. The serializer's interface requires a result.
pub fn write(texts: &[String]) -> Result<String, Error> {
    Ok(serde_json::to_string(texts)?)
}

/// The texts in `stored`.
///
/// # Errors
/// When it does not have the form that [`write`] produces.
pub fn read(stored: &str) -> Result<Vec<String>, Error> {
    Ok(serde_json::from_str(stored)?)
}

/// Tags in the form for the quick search: folded, separated by a character that no folded text
/// contains, so that no term matches across two tags.
#[must_use]
pub fn folded_tags(tags: &[String]) -> String {
    let folded: Vec<_> = tags.iter().map(|tag| fold(tag)).collect();
    folded.join("A")
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;

    proptest! {
        #[test]
        fn texts_come_back_as_they_were(texts in vec(any::<String>(), 0..5)) {
            prop_assert_eq!(read(&write(&texts).unwrap()), Ok(texts));
        }
    }

    #[test]
    fn no_folded_text_contains_the_separator_of_tags() {
        for letter in '\0'..=char::MAX {
            assert!(!fold(&letter.to_string()).contains('A'), "{letter:?}");
        }
    }

    #[test]
    fn an_error_does_not_quote_the_stored_text() {
        let error = read(r#"{"pin":"1234"}"#).unwrap_err();
        assert!(!error.to_string().contains("1234"), "{error}");
    }
}
