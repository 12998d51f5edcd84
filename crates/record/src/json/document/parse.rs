//! Parses bytes into a tree.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor},
};

use super::{Json, Malformed, Member, Place};

/// Parses one JSON document (RFC 8259).
///
/// Memory stays proportional to `bytes`. `max_nesting` limits how deep arrays and objects are
/// nested; more than 127 counts as 127, so that no document can exhaust the stack.
///
/// # Errors
/// When the bytes are empty or not UTF-8, contain a lone surrogate, anything after the value, a
/// number beyond 64-bit floats or a duplicate member, or are nested too deeply.
pub fn parse(bytes: &[u8], max_nesting: usize) -> Result<Json<'_>, Malformed> {
    let unreadable = |message: String, offset| Malformed {
        message,
        place: Place::of(bytes, offset),
        repeats_member: false,
    };
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let offset = error.valid_up_to();
        unreadable(format!("not UTF-8 at byte {offset}"), offset)
    })?;
    if text.trim_ascii().is_empty() {
        return Err(unreadable("empty document".to_owned(), bytes.len()));
    }
    let mut source = serde_json::Deserializer::from_str(text);
    let json = Nested { levels_left: max_nesting }.deserialize(&mut source);
    json.and_then(|json| source.end().map(|()| json)).map_err(|error| malformed(text, &error))
}

/// The error with our own position instead of the one that serde_json appends, because a line of a
/// data set has its own line number.
fn malformed(text: &str, error: &serde_json::Error) -> Malformed {
    let (line, column) = (error.line(), error.column());
    let message = error.to_string();
    let place = format!(" at line {line} column {column}");
    let cause = message.strip_suffix(&place).unwrap_or(&message);
    let message = match line {
        0 => cause.to_owned(),
        1 => format!("{cause} at column {column}"),
        _ => format!("{cause} at column {column} of line {line} of the document"),
    };
    Malformed {
        message,
        place: place_of(text, line, column),
        repeats_member: cause == DUPLICATE_MEMBER,
    }
}

/// The position of the byte that serde_json names. serde_json counts lines from 1, and the bytes of
/// a line from 1, but sometimes 0 at the start of a line.
fn place_of(text: &str, line: usize, column: usize) -> Place {
    let lines = text.split_inclusive('\n').take(line.saturating_sub(1));
    let before: usize = lines.map(str::len).sum();
    Place::of(text.as_bytes(), before.saturating_add(column.saturating_sub(1)))
}

/// Parses a value that may contain this many levels of arrays and objects.
#[derive(Clone, Copy)]
struct Nested {
    levels_left: usize,
}

impl Nested {
    /// The parser of elements and members, one level deeper.
    fn inner<E: Error>(self) -> Result<Self, E> {
        match self.levels_left.checked_sub(1) {
            Some(levels_left) => Ok(Self { levels_left }),
            None => Err(E::custom("nested too deeply")),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Nested {
    type Value = Json<'de>;

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<Json<'de>, D::Error> {
        source.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Nested {
    type Value = Json<'de>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json<'de>, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json<'de>, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json<'de>, E> {
        Ok(Json::Integer(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json<'de>, E> {
        Ok(i64::try_from(value)
            .map_or_else(|_| Json::Number(crate::json::whole::float_of(value)), Json::Integer))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json<'de>, E> {
        Ok(Json::Number(value))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut source: A) -> Result<Json<'de>, A::Error> {
        let inner = self.inner()?;
        let mut elements = Vec::new();
        while let Some(element) = source.next_element_seed(inner)? {
            elements.push(element);
        }
        Ok(Json::List(elements.into_boxed_slice()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut source: A) -> Result<Json<'de>, A::Error> {
        let inner = self.inner()?;
        let mut members: Vec<Member<'de>> = Vec::new();
        while let Some(Name(name)) = source.next_key()? {
            if members.len() < FEW && members.iter().any(|(known, _)| *known == name) {
                return Err(duplicate_member());
            }
            members.push((name, source.next_value_seed(inner)?));
        }
        if members.len() > FEW && has_duplicate(&members) {
            return Err(duplicate_member());
        }
        Ok(Json::Object(members.into_boxed_slice()))
    }
}

/// In objects with up to this many members, each name is compared with all earlier names, which is
/// faster than sorting. The names of larger objects are sorted, so that the time stays bounded.
const FEW: usize = 32;

fn has_duplicate(members: &[Member<'_>]) -> bool {
    let mut names: Vec<&str> = members.iter().map(|(name, _)| name.as_ref()).collect();
    names.sort_unstable();
    names.windows(2).any(|pair| pair.first() == pair.last())
}

const DUPLICATE_MEMBER: &str = "duplicate member in an object";

fn duplicate_member<E: Error>() -> E {
    E::custom(DUPLICATE_MEMBER)
}

/// The name of a member.
#[derive(Deserialize)]
#[serde(transparent)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);
