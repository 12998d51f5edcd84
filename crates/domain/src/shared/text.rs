//! Text functions: the searched form and the memory size.

/// The text in Unicode lower case, each character by itself, so that a part of a text is folded as in
/// the whole text: `str::to_lowercase` writes a capital sigma differently at the end of a word. Both
/// stores search and sort this form, and compare it by code point, so that they give the same results.
#[must_use]
pub fn fold(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}

/// Names what [`fold`] does: another rule, or another version of Unicode, has another name.
#[must_use]
pub fn fold_form() -> String {
    let (major, minor, update) = char::UNICODE_VERSION;
    format!("each character, Unicode {major}.{minor}.{update}")
}

/// The approximate memory that these texts take, in bytes.
pub(crate) fn bytes(texts: &[String]) -> usize {
    size_of_val(texts) + texts.iter().map(String::len).sum::<usize>()
}
