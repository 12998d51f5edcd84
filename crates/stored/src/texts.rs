//! Lists of texts: a JSON array.

use crate::Error;

/// The stored form of `texts`, in their order.
///
/// # Errors
/// None that can occur: any text can be written.
pub fn write(texts: &[String]) -> Result<String, Error> {
    Ok(serde_json::to_string(texts)?)
}

/// The texts that `stored` holds.
///
/// # Errors
/// When it is not what [`write`] wrote.
pub fn read(stored: &str) -> Result<Vec<String>, Error> {
    Ok(serde_json::from_str(stored)?)
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
    fn an_error_does_not_quote_what_it_read() {
        let error = read(r#"{"pin":"1234"}"#).unwrap_err();
        assert!(!error.to_string().contains("1234"), "{error}");
    }
}
