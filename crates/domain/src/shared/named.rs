//! Closed sets of values that have a name and a rank.

/// An enumeration whose values are named in the interface. The place of a value in [`Self::ALL`]
/// is its rank, by which lists sort (decisions 4).
pub trait Named: Copy + PartialEq + 'static {
    /// All values, by rank.
    const ALL: &'static [Self];
    /// Their names, in the same order.
    const NAMES: &'static [&'static str];

    /// The value with this name; names are upper case and compared exactly.
    #[must_use]
    fn named(name: &str) -> Option<Self> {
        let at = Self::NAMES.iter().position(|known| *known == name)?;
        Self::ALL.get(at).copied()
    }

    /// The value with this rank.
    #[must_use]
    fn ranked(rank: i16) -> Option<Self> {
        Self::ALL.get(usize::try_from(rank).ok()?).copied()
    }

    /// This value's name.
    #[must_use]
    fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .zip(Self::NAMES)
            .find_map(|(value, name)| (*value == self).then_some(*name))
            .unwrap_or_default()
    }

    /// This value's rank.
    #[must_use]
    fn rank(self) -> i16 {
        let at = Self::ALL.iter().position(|value| *value == self).unwrap_or_default();
        i16::try_from(at).unwrap_or(i16::MAX)
    }
}

/// Declares an enumeration with its names, lowest rank first.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$value_doc:meta])* $value:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $name {
            $($(#[$value_doc])* $value),+
        }

        impl $crate::shared::named::Named for $name {
            const ALL: &'static [Self] = &[$(Self::$value),+];
            const NAMES: &'static [&'static str] = &[$($text),+];
        }
    };
}
pub(crate) use named;
