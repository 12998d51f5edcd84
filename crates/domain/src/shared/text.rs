//! Text as it is searched and compared.

/// The form in which text is searched and sorted: Unicode lower case, the same in every store
/// (decisions 4). Two folded texts compare by code point.
#[must_use]
pub fn fold(text: &str) -> String {
    text.to_lowercase()
}
