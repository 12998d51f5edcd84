//! JSON documents as trees.

mod parse;

use std::{borrow::Cow, fmt};

use serde::{Serialize, Serializer, ser::SerializeMap};

pub use parse::parse;

use crate::json::write;

/// A JSON value. Strings without escapes borrow from the parsed bytes.
#[derive(Clone, PartialEq)]
pub enum Json<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number without fraction and exponent that fits into 64 bits.
    Integer(i64),
    /// Any other finite number.
    Number(f64),
    /// A string, unescaped.
    Text(Cow<'a, str>),
    /// An array, with its elements in order.
    List(Box<[Json<'a>]>),
    /// An object with its members in order; names are unique.
    Object(Box<[Member<'a>]>),
}

/// A member of an object: name and value.
pub type Member<'a> = (Cow<'a, str>, Json<'a>);

impl<'a> Json<'a> {
    /// The member `name`; `None` when it is absent or the value is not an object.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&Json<'a>> {
        let Self::Object(members) = self else { return None };
        members.iter().find_map(|(known, value)| (known == name).then_some(value))
    }

    /// The value as compact JSON.
    #[must_use]
    pub fn to_text(&self) -> String {
        // Cannot fail: names are strings, and numbers that are not finite are written as null.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// Prints only the kind of the value, because a document may contain PINs and passwords.
impl fmt::Debug for Json<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => out.write_str("Null"),
            Self::Bool(_) => out.write_str("Bool"),
            Self::Integer(_) => out.write_str("Integer"),
            Self::Number(_) => out.write_str("Number"),
            Self::Text(text) => write!(out, "Text of {} bytes", text.len()),
            Self::List(elements) => write!(out, "List of {}", elements.len()),
            Self::Object(members) => write!(out, "Object of {}", members.len()),
        }
    }
}

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Integer(value) => serializer.serialize_i64(*value),
            Self::Number(value) if value.is_finite() => write::number(value, serializer),
            Self::Number(_) => serializer.serialize_unit(),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(elements) => serializer.collect_seq(elements),
            Self::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (name, value) in members {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
        }
    }
}

/// A position in a document: line and column count from 1, columns in characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Counted from 1.
    pub line: usize,
    /// Counted from 1, in characters.
    pub column: usize,
}

impl Place {
    /// The position of the byte at `offset`; of the end when there are fewer bytes.
    fn of(bytes: &[u8], offset: usize) -> Self {
        let before = bytes.get(..offset).unwrap_or(bytes);
        let (mut line, mut column) = (1_usize, 1_usize);
        for byte in before {
            if *byte == b'\n' {
                (line, column) = (line + 1, 1);
            } else if !is_continuation(*byte) {
                column += 1;
            }
        }
        Self { line, column }
    }
}

/// Whether the byte is not the first of a UTF-8 character.
const fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

/// Why bytes are not a JSON document, and at which position. Contains no value of the document, so
/// that the error can be logged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Malformed {
    message: String,
    place: Place,
    repeats_member: bool,
}

impl Malformed {
    /// The position at which the parser found the error.
    #[must_use]
    pub const fn place(&self) -> Place {
        self.place
    }

    /// Whether the error is a duplicate member in an object. RFC 8259 allows duplicates, so HTTP
    /// reports them with another code than syntax errors.
    #[must_use]
    pub const fn repeats_member(&self) -> bool {
        self.repeats_member
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for Malformed {}
