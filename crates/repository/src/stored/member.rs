//! Values in stored JSON that need their own serde code.

use std::fmt;

use patrol_domain::{Named, ids::Uuid};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, Visitor},
};
use uuid::fmt::Simple;

/// An id as 32 digits without hyphens, because a document has dozens of them.
#[derive(Clone, Copy)]
pub(crate) struct Id(pub(crate) Uuid);

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = [0; Simple::LENGTH];
        serializer.serialize_str(self.0.simple().encode_lower(&mut text))
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl Visitor<'_> for Text {
            type Value = Id;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an id")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Id, E> {
                Uuid::try_parse(text).map(Id).map_err(E::custom)
            }
        }

        deserializer.deserialize_str(Text)
    }
}

/// A value of an enumeration, by name.
#[derive(Clone, Copy)]
pub(crate) struct Name<T>(pub(crate) T);

impl<T: Named> Serialize for Name<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.name())
    }
}
