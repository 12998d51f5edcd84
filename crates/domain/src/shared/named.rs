//! Enumerations whose values have a name in the API and a code in a store.

/// An enumeration whose values have names and stored codes.
pub trait Named: Copy + PartialEq + 'static {
    /// All values, in sort order.
    const ALL: &'static [Self];
    /// The names of [`Self::ALL`], in the same order.
    const NAMES: &'static [&'static str];
    /// The stored codes of [`Self::ALL`], in the same order. A code never changes and is never
    /// reused.
    const CODES: &'static [i16];

    /// The value with exactly this name; upper and lower case differ.
    #[must_use]
    fn from_name(name: &str) -> Option<Self> {
        let at = Self::NAMES.iter().position(|known| *known == name)?;
        Self::ALL.get(at).copied()
    }

    /// The value with this stored code.
    #[must_use]
    fn from_code(code: i16) -> Option<Self> {
        let at = Self::CODES.iter().position(|known| *known == code)?;
        Self::ALL.get(at).copied()
    }

    /// The name, for example `IN_PROGRESS`.
    #[must_use]
    fn name(self) -> &'static str {
        Self::NAMES.get(self.order()).copied().unwrap_or_default()
    }

    /// The stored code.
    #[must_use]
    fn code(self) -> i16 {
        Self::CODES.get(self.order()).copied().unwrap_or_default()
    }

    /// The position in [`Self::ALL`], from 0.
    #[must_use]
    fn order(self) -> usize {
        Self::ALL.iter().position(|value| *value == self).unwrap_or_default()
    }
}

/// Declares an enumeration in sort order, each value with its name and its stored code: `Pending =
/// "PENDING", 0;`.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident {
        $($(#[$value_doc:meta])* $value:ident = $text:literal, $code:literal;)+
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $name {
            $($(#[$value_doc])* $value),+
        }

        impl $crate::shared::named::Named for $name {
            const ALL: &'static [Self] = &[$(Self::$value),+];
            const NAMES: &'static [&'static str] = &[$($text),+];
            const CODES: &'static [i16] = &[$($code),+];
        }
    };
}
pub(crate) use named;
