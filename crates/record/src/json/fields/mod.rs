//! Typed reading: extracts declared members from a document and reports every member of the wrong
//! type with its path, in the order in which members are read.

mod fault;
mod value;

use patrol_domain::{
    Patch, Path, Timestamp,
    ids::Uuid,
    schedule::{LocalDate, LocalDateTime},
};

pub use fault::{Expected, TypeFault};

use crate::json::document::{Json, Member};
use fault::Notes;
use value::Read;

/// The content of a body that may have unknown members.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lenient<T> {
    /// The content, or the type faults in the order of the members; never an empty list.
    pub value: Result<T, Vec<TypeFault>>,
    /// The paths of unknown members, at any depth.
    pub unknown: Vec<String>,
}

/// Reads a body that is an object and ignores unknown members.
///
/// # Errors
/// The type faults, in the order of the members; at least one.
pub fn object<T>(
    json: &Json<'_>,
    read: impl FnMut(&mut Fields<'_>) -> T,
) -> Result<T, Vec<TypeFault>> {
    lenient_object(json, 0, read).value
}

/// Reads a body that is an object and returns the paths of the first `most_unknown` unknown
/// members.
pub fn lenient_object<T>(
    json: &Json<'_>,
    most_unknown: usize,
    read: impl FnMut(&mut Fields<'_>) -> T,
) -> Lenient<T> {
    lenient(json, most_unknown, object_of(read))
}

/// Reads an object as far as it can be read: members of the wrong type count as absent. `None` when `json` is
/// no object. Unknown members are ignored.
pub fn partial_object<T>(
    json: &Json<'_>,
    read: impl FnMut(&mut Fields<'_>) -> T,
) -> (Option<T>, Vec<TypeFault>) {
    let mut notes = Notes::new(0);
    let value = object_of(read)(json, &Path::Root, &mut notes);
    (value, notes.faults)
}

/// Like [`lenient_object`] for an array of objects. Only the first `most` objects are kept, because
/// an object can take a hundred times the memory of its text `{}`.
pub fn lenient_objects<T>(
    json: &Json<'_>,
    most: usize,
    most_unknown: usize,
    read: impl FnMut(&mut Fields<'_>) -> T,
) -> Lenient<Vec<T>> {
    lenient(json, most_unknown, value::first(most, object_of(read)))
}

fn lenient<T>(json: &Json<'_>, most_unknown: usize, mut read: impl Read<T>) -> Lenient<T> {
    let mut notes = Notes::new(most_unknown);
    let value = read(json, &Path::Root, &mut notes);
    let Notes { faults, unknown, most_unknown: _ } = notes;
    let value = match value {
        Some(value) if faults.is_empty() => Ok(value),
        _ => Err(faults),
    };
    Lenient { value, unknown }
}

/// Why an object does not have exactly the declared members.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inexact {
    /// Type faults, in the order of the members.
    pub faults: Vec<TypeFault>,
    /// The paths of unknown members, at any depth.
    pub unknown: Vec<String>,
}

/// Reads an object that must not have unknown members.
///
/// # Errors
/// The type faults and the unknown members; at least one of the lists is not empty.
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
    /// Whether each member was read.
    was_read: Vec<bool>,
    /// The index at which the search for the next member starts, because most documents have the
    /// members in the order in which they are read.
    next: usize,
    path: Path<'a>,
    /// Members that do not count as unknown although they are not read.
    accepted: &'static [&'static str],
    notes: &'a mut Notes,
}

/// Declares two readers for a type: one for a plain member, one for a member of a partial update.
macro_rules! readers {
    ($($(#[$doc:meta])* $plain:ident, $patch:ident $(<$id:ident>)?: $type:ty = $read:expr;)+) => {$(
        $(#[$doc])*
        /// Absent and null mean the same.
        pub fn $plain $(<$id: From<Uuid>>)? (&mut self, name: &str) -> Option<$type> {
            value_of(self.$patch(name))
        }

        $(#[$doc])*
        /// Absent keeps the field, null clears it.
        pub fn $patch $(<$id: From<Uuid>>)? (&mut self, name: &str) -> Patch<$type> {
            self.read(name, $read)
        }
    )+};
}

impl<'a> Fields<'a> {
    fn new<'n: 'a>(members: &'a [Member<'n>], path: Path<'a>, notes: &'a mut Notes) -> Self {
        Self { members, was_read: vec![false; members.len()], next: 0, path, accepted: &[], notes }
    }

    readers! {
        /// A string.
        text, patch_text: String = value::text();
        /// An id of the type that the caller needs.
        uuid, patch_uuid<T>: T = value::uuid();
        /// A whole number of 64 bits.
        integer, patch_integer: i64 = value::integer();
        /// A finite number.
        number, patch_number: f64 = value::number();
        /// `true` or `false`.
        boolean, patch_boolean: bool = value::boolean();
        /// A time in the form of RFC 3339, cut to milliseconds.
        timestamp, patch_timestamp: Timestamp = value::timestamp();
        /// A date and a time without a zone.
        local_date_time, patch_local_date_time: LocalDateTime = value::local_date_time();
        /// A date.
        local_date, patch_local_date: LocalDate = value::local_date();
        /// A list of dates and times without a zone.
        local_date_times, patch_local_date_times: Vec<LocalDateTime> =
            value::list(value::local_date_time());
        /// A list of strings.
        texts, patch_texts: Vec<String> = value::list(value::text());
        /// A list of ids of the type that the caller needs.
        uuids, patch_uuids<T>: Vec<T> = value::list(value::uuid());
    }

    /// A list of objects, each read by `read`. Absent and null mean the same.
    pub fn list<T>(
        &mut self,
        name: &str,
        read: impl FnMut(&mut Fields<'_>) -> T,
    ) -> Option<Vec<T>> {
        value_of(self.read(name, value::list(object_of(read))))
    }

    /// An object, read by `read`. Absent and null mean the same.
    pub fn object<T>(&mut self, name: &str, read: impl FnMut(&mut Fields<'_>) -> T) -> Option<T> {
        value_of(self.read(name, object_of(read)))
    }

    /// The names and JSON texts of all members that were not read before, in order. They count as
    /// read afterwards.
    pub fn further(&mut self) -> Vec<(String, String)> {
        let members = self.members.iter().zip(&mut self.was_read);
        members
            .filter_map(|((name, value), was_read)| {
                let is_new = !std::mem::replace(was_read, true);
                is_new.then(|| (name.clone().into_owned(), value.to_text()))
            })
            .collect()
    }

    /// Declares members that may be present without being read, so that they do not count as
    /// unknown.
    pub const fn accept(&mut self, names: &'static [&'static str]) {
        self.accepted = names;
    }

    fn read<T>(&mut self, name: &str, mut read: impl Read<T>) -> Patch<T> {
        match self.find(name) {
            None => Patch::Absent,
            Some(Json::Null) => Patch::Null,
            // The fault makes the whole body invalid, so the returned value is never used.
            Some(json) => match read(json, &self.path.field(name), self.notes) {
                Some(value) => Patch::Value(value),
                None => Patch::Absent,
            },
        }
    }

    fn find(&mut self, name: &str) -> Option<&'a Json<'a>> {
        let (before, after) = self.members.split_at_checked(self.next)?;
        let is_named = |(known, _): &Member<'_>| known == name;
        let at = match after.iter().position(is_named) {
            Some(at) => self.next + at,
            None => before.iter().position(is_named)?,
        };
        self.next = at + 1;
        if let Some(was_read) = self.was_read.get_mut(at) {
            *was_read = true;
        }
        self.members.get(at).map(|(_, json)| json)
    }

    /// Collects the unknown members.
    fn finish(self) {
        let Notes { unknown, most_unknown, .. } = self.notes;
        let room = most_unknown.saturating_sub(unknown.len());
        let members = self.members.iter().zip(self.was_read);
        unknown.extend(
            members
                .filter(|((name, _), was_read)| {
                    !was_read && !self.accepted.contains(&name.as_ref())
                })
                .take(room)
                .map(|((name, _), _)| self.path.field(name).to_string()),
        );
    }
}

/// Reads an object, its members by `read`.
fn object_of<T>(mut read: impl FnMut(&mut Fields<'_>) -> T) -> impl Read<T> {
    move |json: &Json<'_>, path: &Path<'_>, notes: &mut Notes| {
        let Json::Object(members) = json else {
            notes.fault(path, Expected::Object);
            return None;
        };
        let mut fields = Fields::new(members, *path, notes);
        let value = read(&mut fields);
        fields.finish();
        Some(value)
    }
}

fn value_of<T>(member: Patch<T>) -> Option<T> {
    match member {
        Patch::Value(value) => Some(value),
        Patch::Absent | Patch::Null => None,
    }
}
