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
    /// The members of `record`, without those in `skipped`.
    ///
    /// # Errors
    /// When it is no struct, and those of its members.
    pub(super) fn of(record: &impl Serialize, skipped: &[&str]) -> Result<Self, Error> {
        record.serialize(Writer { skipped, json: Vec::new(), places: Vec::new() })
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

/// Writes all members into one buffer.
struct Writer<'s> {
    skipped: &'s [&'s str],
    json: Vec<u8>,
    places: Vec<(&'static str, Range<usize>)>,
}

impl SerializeStruct for Writer<'_> {
    type Ok = Members;
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        if self.skipped.contains(&name) {
            return Ok(());
        }
        let from = self.json.len();
        serde_json::to_writer(&mut self.json, value)?;
        self.places.push((name, from..self.json.len()));
        Ok(())
    }

    fn end(self) -> Result<Members, Error> {
        let json = String::from_utf8(self.json).map_err(Error::custom)?;
        Ok(Members { json, places: self.places })
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

impl Serializer for Writer<'_> {
    type Ok = Members;
    type Error = Error;
    type SerializeSeq = No;
    type SerializeTuple = No;
    type SerializeTupleStruct = No;
    type SerializeTupleVariant = No;
    type SerializeMap = No;
    type SerializeStruct = Self;
    type SerializeStructVariant = No;

    fn serialize_struct(self, _: &'static str, length: usize) -> Result<Self, Error> {
        let (json, places) = (Vec::with_capacity(1024), Vec::with_capacity(length));
        Ok(Self { json, places, ..self })
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Members, Error> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<Members, Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        value: &T,
    ) -> Result<Members, Error> {
        value.serialize(self)
    }

    refuse! {
        serialize_bool(bool) -> Members;
        serialize_i8(i8) -> Members;
        serialize_i16(i16) -> Members;
        serialize_i32(i32) -> Members;
        serialize_i64(i64) -> Members;
        serialize_u8(u8) -> Members;
        serialize_u16(u16) -> Members;
        serialize_u32(u32) -> Members;
        serialize_u64(u64) -> Members;
        serialize_f32(f32) -> Members;
        serialize_f64(f64) -> Members;
        serialize_char(char) -> Members;
        serialize_str(&str) -> Members;
        serialize_bytes(&[u8]) -> Members;
        serialize_none() -> Members;
        serialize_unit() -> Members;
        serialize_unit_struct(&'static str) -> Members;
        serialize_unit_variant(&'static str, u32, &'static str) -> Members;
        serialize_seq(Option<usize>) -> No;
        serialize_tuple(usize) -> No;
        serialize_tuple_struct(&'static str, usize) -> No;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> No;
        serialize_map(Option<usize>) -> No;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> No;
    }
}
