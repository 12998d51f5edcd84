//! Members of a partial update.

use super::fault::{Faults, Path, Rule};

/// A member of a partial update: absent keeps the field, null clears it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Patch<T> {
    /// The member is absent.
    #[default]
    Absent,
    /// The member is null.
    Null,
    /// The member has a value.
    Value(T),
}

impl<T> Patch<T> {
    /// Whether the member is absent.
    #[must_use]
    pub const fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// The value, unless the member is absent or null.
    #[must_use]
    pub const fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null => None,
        }
    }

    /// The field after the update of a field with the value `before`.
    #[must_use]
    pub fn apply_to(self, before: Option<T>) -> Option<T> {
        match self {
            Self::Absent => before,
            Self::Null => None,
            Self::Value(value) => Some(value),
        }
    }
}

/// The value of a member, or `None` if it is absent; null is a fault.
pub(crate) fn not_null<'a, T>(
    faults: &mut Faults,
    path: &Path<'_>,
    member: &'a Patch<T>,
) -> Option<&'a T> {
    if matches!(member, Patch::Null) {
        faults.push(path, Rule::NotNull);
    }
    member.value()
}
