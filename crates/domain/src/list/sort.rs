//! The order of a list.

use std::{convert::Infallible, fmt::Debug};

/// One criterion to sort by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sort<P> {
    /// The property to compare, for example the name.
    pub property: P,
    /// Ascending or descending; nulls come last in both.
    pub direction: Direction,
}

/// The direction of a sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Smallest first.
    Ascending,
    /// Greatest first.
    Descending,
}

/// A property that a sort can name.
pub trait SortProperty: Copy + Eq + Debug + Send + Sync + 'static {
    /// All properties by their names in the API, in the order of the API document.
    const NAMED: &'static [(&'static str, Self)];
}

/// A list that cannot be sorted.
impl SortProperty for Infallible {
    const NAMED: &'static [(&'static str, Self)] = &[];
}

/// Declares the properties by which a list can be sorted, each with its name: `CreatedAt =
/// "createdAt";`.
macro_rules! sort_properties {
    ($(#[$doc:meta])* $sort:ident { $($property:ident = $name:literal;)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(missing_docs)] // named like the members of the record
        pub enum $sort {
            $($property),+
        }

        impl $crate::list::SortProperty for $sort {
            const NAMED: &'static [(&'static str, Self)] = &[$(($name, Self::$property)),+];
        }
    };
}
pub(crate) use sort_properties;
