//! JSON objects whose members keep their order.

use std::{fmt, io, marker::PhantomData};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::{RawValue, to_raw_value};

/// A JSON value as text.
pub(super) type Raw = Box<RawValue>;

/// A JSON object whose members keep the order in which they were added, for readers of the
/// document; `serde_json` would sort them by name.
pub(super) struct Ordered<T>(pub(super) Vec<(String, T)>);

impl Ordered<Raw> {
    /// Appends a member.
    ///
    /// # Errors
    /// When the value cannot be written as JSON.
    pub(super) fn put(
        &mut self,
        name: impl Into<String>,
        value: &(impl Serialize + ?Sized),
    ) -> io::Result<()> {
        self.0.push((name.into(), to_raw_value(value)?));
        Ok(())
    }

    /// Appends a member unless there is no value.
    ///
    /// # Errors
    /// When the value cannot be written as JSON.
    pub(super) fn put_some(
        &mut self,
        name: &str,
        value: Option<&(impl Serialize + ?Sized)>,
    ) -> io::Result<()> {
        value.map_or(Ok(()), |value| self.put(name, value))
    }
}

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Serialize> Serialize for Ordered<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Ordered<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
            type Value = Ordered<T>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Ordered(members))
            }
        }

        deserializer.deserialize_map(Members(PhantomData))
    }
}
