//! The members of a record, each as JSON text.

use std::ops::Range;

use serde::{
    Serialize, Serializer,
    ser::{Error as _, Impossible, SerializeStruct},
};
use serde_json::Error;

/// The members of a struct, in the order of its fields.
#[derive(Default)]
pub(super) struct Members {
    json: String,
    ranges: Vec<(&'static str, Range<usize>)>,
}

impl Members {
    /// The members of `record`, except those in `skipped`.
    ///
    /// # Errors
    /// When `record` is not a struct, or a member cannot be written.
    pub(super) fn of(record: &impl Serialize, skipped: &[&str]) -> Result<Self, Error> {
        record.serialize(Writer { skipped, json: Vec::new(), ranges: Vec::new() })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.ranges.iter().map(|(name, _)| *name)
    }

    /// The JSON of a member; `None` when there is no such member.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        let (_, range) = self.ranges.iter().find(|(known, _)| *known == name)?;
        self.json.get(range.clone())
    }
}

/// Writes all members into one buffer.
struct Writer<'s> {
    skipped: &'s [&'s str],
    json: Vec<u8>,
    ranges: Vec<(&'static str, Range<usize>)>,
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
        self.ranges.push((name, from..self.json.len()));
        Ok(())
    }

    fn end(self) -> Result<Members, Error> {
        let json = String::from_utf8(self.json).map_err(Error::custom)?;
        Ok(Members { json, ranges: self.ranges })
    }
}

/// Implements the methods for all types other than structs: they return an error.
macro_rules! refuse {
    ($($method:ident($($argument:ty),*) -> $result:ty;)+) => {$(
        fn $method(self, $(_: $argument),*) -> Result<$result, Error> {
            Err(Error::custom("a record has to be a struct"))
        }
    )+};
}

type Unsupported = Impossible<Members, Error>;

impl Serializer for Writer<'_> {
    type Ok = Members;
    type Error = Error;
    type SerializeSeq = Unsupported;
    type SerializeTuple = Unsupported;
    type SerializeTupleStruct = Unsupported;
    type SerializeTupleVariant = Unsupported;
    type SerializeMap = Unsupported;
    type SerializeStruct = Self;
    type SerializeStructVariant = Unsupported;

    fn serialize_struct(self, _: &'static str, length: usize) -> Result<Self, Error> {
        let (json, ranges) = (Vec::with_capacity(1024), Vec::with_capacity(length));
        Ok(Self { json, ranges, ..self })
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
        serialize_seq(Option<usize>) -> Unsupported;
        serialize_tuple(usize) -> Unsupported;
        serialize_tuple_struct(&'static str, usize) -> Unsupported;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Unsupported;
        serialize_map(Option<usize>) -> Unsupported;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Unsupported;
    }
}
