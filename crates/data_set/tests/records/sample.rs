//! Short functions to read and write lines, and ids.

use std::{io::Cursor, sync::Arc};

use patrol_data_set::{Lines, write_record};
use patrol_domain::{
    Limits, Rules, Timestamp, access::PasswordHasher, data_set::Record, ids::Uuid,
};

/// A hash that contains the length of the password.
pub(crate) struct LengthHasher;

impl PasswordHasher for LengthHasher {
    fn hash(&self, password: &str) -> Result<String, String> {
        Ok(format!("hash of {} bytes", password.len()))
    }

    fn verify(&self, _: &str, _: &str) -> Result<bool, String> {
        Err("an import verifies no password".to_owned())
    }
}

pub(crate) fn rules() -> Rules {
    Rules { limits: Limits::default(), is_email: |text| text.contains('@') }
}

pub(crate) fn lines(text: impl Into<Vec<u8>>) -> Lines<Cursor<Vec<u8>>> {
    Lines::new(Cursor::new(text.into()), rules(), 64, Arc::new(LengthHasher))
}

/// The record of a single line.
pub(crate) fn record(line: &str) -> Record {
    let mut read = lines(line);
    let (_, record) = read.next().unwrap().unwrap();
    assert!(read.next().is_none());
    record
}

/// The message for a refused single line.
pub(crate) fn refusal(line: &(impl AsRef<[u8]> + ?Sized)) -> String {
    let mut read = lines(line.as_ref());
    let refusal = read.next().unwrap().unwrap_err();
    assert!(read.next().is_none());
    refusal
}

pub(crate) fn written(record: &Record) -> String {
    let mut out = Vec::new();
    write_record(record, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// `00000000-0000-0000-0000-0000000000NN`, as an id of any type.
pub(crate) fn id<T: From<Uuid>>(number: u128) -> T {
    Uuid::from_u128(number).into()
}

pub(crate) fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// A line in which `#12` stands for the id with that number.
pub(crate) fn with_ids(line: &str) -> String {
    let mut parts = line.split('#');
    let mut text = parts.next().unwrap().to_owned();
    for part in parts {
        let (number, rest) = part.split_at(part.find('"').unwrap());
        text.push_str(&format!("{}{rest}", Uuid::from_u128(number.parse().unwrap())));
    }
    text
}
