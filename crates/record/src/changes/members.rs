//! The members of a record, each as JSON text.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// The members of a JSON object whose names need no escapes, in its order.
pub(super) struct Members<'a>(Vec<(&'a str, &'a RawValue)>);

impl Members<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| *name)
    }

    /// The JSON of a member; `None` when there is no such member.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.0.iter().find_map(|(known, value)| (*known == name).then_some(value.get()))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a record")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut source: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = source.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        source.deserialize_map(InOrder)
    }
}
