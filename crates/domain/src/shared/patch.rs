//! Members of a partial update.

/// A member of a partial update: absent leaves the field, null clears it (decisions 1).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Patch<T> {
    /// The member is not there.
    #[default]
    Absent,
    /// The member is null.
    Null,
    /// The member has a value.
    Value(T),
}

impl<T> Patch<T> {
    /// Whether the member is not there.
    #[must_use]
    pub const fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// The value, when there is one.
    #[must_use]
    pub const fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null => None,
        }
    }
}
