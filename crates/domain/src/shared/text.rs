//! Text functions: the searched form and the memory size.

/// The text in Unicode lower case. Both stores search and sort this form, and compare it by code
/// point, so that they give the same results.
#[must_use]
pub fn fold(text: &str) -> String {
    text.to_lowercase()
}

/// The approximate memory that these texts take, in bytes.
pub(crate) fn bytes(texts: &[String]) -> usize {
    size_of_val(texts) + texts.iter().map(String::len).sum::<usize>()
}
