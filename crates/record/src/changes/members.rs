//! The members of a record, each as JSON text.

use std::ops::Range;

use serde::{
    Serialize, Serializer,
    ser::{Error as _, Impossible, SerializeStruct},
};
use serde_json::Error;

/// The members of a struct, in its order.
#[derive(Default)]
pub(super) struct Members {
    json: String,
    places: Vec<(&'static str, Range<usize>)>,
}

impl Members {
    /// The members of `record`.
    ///
    /// # Errors
    /// When it is no struct, and those of its members.
    pub(super) fn of(record: &impl Serialize) -> Result<Self, Error> {
        record.serialize(Self::default())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.places.iter().map(|(name, _)| *name)
    }

    /// The JSON of a member.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        let (_, place) = self.places.iter().find(|(known, _)| *known == name)?;
        self.json.get(place.clone())
    }
}

impl SerializeStruct for Members {
    type Ok = Self;
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        let from = self.json.len();
        self.json.push_str(&serde_json::to_string(value)?);
        self.places.push((name, from..self.json.len()));
        Ok(())
    }

    fn end(self) -> Result<Self, Error> {
        Ok(self)
    }
}

/// The methods for everything that is no struct.
macro_rules! refuse {
    ($($method:ident($($argument:ty),*) -> $result:ty;)+) => {$(
        fn $method(self, $(_: $argument),*) -> Result<$result, Error> {
            Err(Error::custom("a record is a struct"))
        }
    )+};
}

type No = Impossible<Members, Error>;

impl Serializer for Members {
    type Ok = Self;
    type Error = Error;
    type SerializeSeq = No;
    type SerializeTuple = No;
    type SerializeTupleStruct = No;
    type SerializeTupleVariant = No;
    type SerializeMap = No;
    type SerializeStruct = Self;
    type SerializeStructVariant = No;

    fn serialize_struct(self, _: &'static str, length: usize) -> Result<Self, Error> {
        Ok(Self { json: String::with_capacity(1024), places: Vec::with_capacity(length) })
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Self, Error> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<Self, Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        value: &T,
    ) -> Result<Self, Error> {
        value.serialize(self)
    }

    refuse! {
        serialize_bool(bool) -> Self;
        serialize_i8(i8) -> Self;
        serialize_i16(i16) -> Self;
        serialize_i32(i32) -> Self;
        serialize_i64(i64) -> Self;
        serialize_u8(u8) -> Self;
        serialize_u16(u16) -> Self;
        serialize_u32(u32) -> Self;
        serialize_u64(u64) -> Self;
        serialize_f32(f32) -> Self;
        serialize_f64(f64) -> Self;
        serialize_char(char) -> Self;
        serialize_str(&str) -> Self;
        serialize_bytes(&[u8]) -> Self;
        serialize_none() -> Self;
        serialize_unit() -> Self;
        serialize_unit_struct(&'static str) -> Self;
        serialize_unit_variant(&'static str, u32, &'static str) -> Self;
        serialize_seq(Option<usize>) -> No;
        serialize_tuple(usize) -> No;
        serialize_tuple_struct(&'static str, usize) -> No;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> No;
        serialize_map(Option<usize>) -> No;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> No;
    }
}
