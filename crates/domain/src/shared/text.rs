//! Text in the form in which it is searched and compared.

/// The form in which text is searched and sorted: Unicode lower case, the same in every store.
/// Folded texts compare by code point.
#[must_use]
pub fn fold(text: &str) -> String {
    text.to_lowercase()
}

/// The approximate memory of these texts, in bytes.
pub(crate) fn bytes(texts: &[String]) -> usize {
    size_of_val(texts) + texts.iter().map(String::len).sum::<usize>()
}
