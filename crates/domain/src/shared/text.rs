//! Text as it is searched and compared.

/// The form in which text is searched and sorted: Unicode lower case, the same in every store
/// (decisions 4). Two folded texts compare by code point.
#[must_use]
pub fn fold(text: &str) -> String {
    text.to_lowercase()
}

/// About how many bytes of memory these texts take.
pub(crate) fn bytes(texts: &[String]) -> usize {
    size_of_val(texts) + texts.iter().map(String::len).sum::<usize>()
}
