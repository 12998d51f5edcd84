//! Typed reading: a document becomes what it is declared to be, and every member of the wrong type
//! is reported, with its place, in the order in which members are asked for.
//!
//! ```
//! use patrol_json::{document, fields};
//!
//! struct Step {
//!     name: Option<String>,
//!     order: Option<i64>,
//! }
//!
//! let body = document::parse(br#"{"steps": [{"name": "Gate", "order": "first"}]}"#, 64).unwrap();
//! let steps = fields::object(&body, |fields| {
//!     fields.list("steps", |fields| Step {
//!         name: fields.text("name"),
//!         order: fields.integer("order"),
//!     })
//! });
//! let faults = steps.err().unwrap();
//! assert_eq!(faults[0].identifier.as_deref(), Some("steps[0].order"));
//! assert_eq!(faults[0].expected.name(), "INTEGER");
//! ```

mod fault;
mod value;

use patrol_domain::{Patch, Path, Timestamp, ids::Uuid};

pub use fault::{Expected, TypeFault};

use crate::document::{Json, Member};
use fault::Notes;
use value::Read;

/// What a body holds that may have members beyond those asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lenient<T> {
    /// What was asked for, or the faults of type, in the order of the members; never empty.
    pub value: Result<T, Vec<TypeFault>>,
    /// The places of members that nothing asked for, at any depth.
    pub unknown: Vec<String>,
}

/// Reads a body that is an object; members that nothing asks for are ignored.
///
/// # Errors
/// The faults of type, in the order of the members; never empty.
pub fn object<T>(
    json: &Json<'_>,
    read: impl FnMut(&mut Fields<'_>) -> T,
) -> Result<T, Vec<TypeFault>> {
    lenient_object(json, 0, read).value
}

/// Reads a body that is an object; of the members that nothing asks for, the places of the first
/// `most_unknown` are returned.
pub fn lenient_object<T>(
    json: &Json<'_>,
    most_unknown: usize,
    read: impl FnMut(&mut Fields<'_>) -> T,
) -> Lenient<T> {
    lenient(json, most_unknown, value::object(read))
}

/// Reads a body that is an array of objects; otherwise like [`lenient_object`]. Only the first
/// `most` objects are kept: what is read can take a hundred times the room that `{}` takes.
pub fn lenient_objects<T>(
    json: &Json<'_>,
    most: usize,
    most_unknown: usize,
    read: impl FnMut(&mut Fields<'_>) -> T,
) -> Lenient<Vec<T>> {
    lenient(json, most_unknown, value::first(most, value::object(read)))
}

fn lenient<T>(json: &Json<'_>, most_unknown: usize, mut read: impl Read<T>) -> Lenient<T> {
    let mut notes = Notes::keeping(most_unknown);
    let value = read(json, &Path::Root, &mut notes);
    let Notes { faults, unknown, most_unknown: _ } = notes;
    let value = match value {
        Some(value) if faults.is_empty() => Ok(value),
        _ => Err(faults),
    };
    Lenient { value, unknown }
}

/// Why an object is not exactly what it is declared to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inexact {
    /// Faults of type, in the order of the members.
    pub faults: Vec<TypeFault>,
    /// The places of members that nothing asks for, at any depth.
    pub unknown: Vec<String>,
}

/// Reads an object that may hold no member beyond those asked for.
///
/// # Errors
/// The faults of type and the unknown members; not both empty.
pub fn exact_object<T>(
    json: &Json<'_>,
    read: impl FnMut(&mut Fields<'_>) -> T,
) -> Result<T, Inexact> {
    let Lenient { value, unknown } = lenient_object(json, usize::MAX, read);
    match value {
        Ok(value) if unknown.is_empty() => Ok(value),
        value => Err(Inexact { faults: value.err().unwrap_or_default(), unknown }),
    }
}

/// The members of one object.
pub struct Fields<'a> {
    members: &'a [Member<'a>],
    /// Which members were asked for.
    asked: Vec<bool>,
    /// Where the next member is looked for first: most documents have them in our order.
    next: usize,
    path: Path<'a>,
    /// Members that are no news although nothing asks for them.
    accepted: &'static [&'static str],
    notes: &'a mut Notes,
}

/// Declares for a type the reader of a plain member and that of a member of a partial update.
macro_rules! readers {
    ($($(#[$doc:meta])* $plain:ident, $patch:ident $(<$id:ident>)?: $type:ty = $read:expr;)+) => {$(
        $(#[$doc])*
        /// Absent and null are the same.
        pub fn $plain $(<$id: From<Uuid>>)? (&mut self, name: &str) -> Option<$type> {
            given(self.$patch(name))
        }

        $(#[$doc])*
        /// Absent leaves the field, null clears it.
        pub fn $patch $(<$id: From<Uuid>>)? (&mut self, name: &str) -> Patch<$type> {
            self.read(name, $read)
        }
    )+};
}

impl<'a> Fields<'a> {
    fn new<'n: 'a>(members: &'a [Member<'n>], path: Path<'a>, notes: &'a mut Notes) -> Self {
        Self { members, asked: vec![false; members.len()], next: 0, path, accepted: &[], notes }
    }

    readers! {
        /// Text.
        text, patch_text: String = value::text();
        /// An id, of the kind that the caller needs.
        uuid, patch_uuid<T>: T = value::uuid();
        /// A whole number of 64 bits.
        integer, patch_integer: i64 = value::integer();
        /// A number.
        number, patch_number: f64 = value::number();
        /// True or false.
        boolean, patch_boolean: bool = value::boolean();
        /// A time.
        timestamp, patch_timestamp: Timestamp = value::timestamp();
        /// A list of texts.
        texts, patch_texts: Vec<String> = value::list(value::text());
        /// A list of ids, of the kind that the caller needs.
        uuids, patch_uuids<T>: Vec<T> = value::list(value::uuid());
    }

    /// A list of objects, each read by `read`. Absent and null are the same.
    pub fn list<T>(
        &mut self,
        name: &str,
        read: impl FnMut(&mut Fields<'_>) -> T,
    ) -> Option<Vec<T>> {
        given(self.patch_list(name, read))
    }

    /// A list of objects, each read by `read`. Absent leaves the field, null clears it.
    pub fn patch_list<T>(
        &mut self,
        name: &str,
        read: impl FnMut(&mut Fields<'_>) -> T,
    ) -> Patch<Vec<T>> {
        self.read(name, value::list(value::object(read)))
    }

    /// An object, read by `read`. Absent and null are the same.
    pub fn object<T>(&mut self, name: &str, read: impl FnMut(&mut Fields<'_>) -> T) -> Option<T> {
        given(self.patch_object(name, read))
    }

    /// An object, read by `read`. Absent leaves the field, null clears it.
    pub fn patch_object<T>(
        &mut self,
        name: &str,
        read: impl FnMut(&mut Fields<'_>) -> T,
    ) -> Patch<T> {
        self.read(name, value::object(read))
    }

    /// The members that nothing has asked for so far, in their order: name, and value as JSON
    /// text. They count as asked for.
    pub fn further(&mut self) -> Vec<(String, String)> {
        let members = self.members.iter().zip(&mut self.asked);
        members
            .filter_map(|((name, value), asked)| {
                let is_new = !std::mem::replace(asked, true);
                is_new.then(|| (name.clone().into_owned(), value.to_text()))
            })
            .collect()
    }

    /// Names members that may be there without being asked for: they do not count as unknown.
    pub const fn accept(&mut self, names: &'static [&'static str]) {
        self.accepted = names;
    }

    fn read<T>(&mut self, name: &str, mut read: impl Read<T>) -> Patch<T> {
        match self.find(name) {
            None => Patch::Absent,
            Some(Json::Null) => Patch::Null,
            // A fault is noted, so what takes the value's place is never looked at.
            Some(json) => match read(json, &self.path.field(name), self.notes) {
                Some(value) => Patch::Value(value),
                None => Patch::Absent,
            },
        }
    }

    fn find(&mut self, name: &str) -> Option<&'a Json<'a>> {
        let (before, after) = self.members.split_at_checked(self.next)?;
        let is_it = |(known, _): &Member<'_>| known == name;
        let at = match after.iter().position(is_it) {
            Some(at) => self.next + at,
            None => before.iter().position(is_it)?,
        };
        self.next = at + 1;
        if let Some(asked) = self.asked.get_mut(at) {
            *asked = true;
        }
        self.members.get(at).map(|(_, json)| json)
    }

    /// Notes the members that nothing asked for.
    fn finish(self) {
        let Notes { unknown, most_unknown, .. } = self.notes;
        let room = most_unknown.saturating_sub(unknown.len());
        let members = self.members.iter().zip(self.asked);
        unknown.extend(
            members
                .filter(|((name, _), asked)| !asked && !self.accepted.contains(&name.as_ref()))
                .take(room)
                .map(|((name, _), _)| self.path.field(name).to_string()),
        );
    }
}

fn given<T>(member: Patch<T>) -> Option<T> {
    match member {
        Patch::Value(value) => Some(value),
        Patch::Absent | Patch::Null => None,
    }
}
