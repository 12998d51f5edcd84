//! Parses stored JSON in place, directly into the result. This takes a third of the time of a
//! general parser, which dominated reads by id. Rare cases, such as escapes and unknown members,
//! are left to `serde_json`.

use std::borrow::Cow;

use patrol_domain::{Named, ids::Uuid};
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::stored::Error;

/// The rest of a document, from the next character that is not white space.
pub(crate) struct Reader<'a> {
    rest: &'a str,
    /// The length of the whole document.
    length: usize,
}

impl<'a> Reader<'a> {
    /// A reader for the whole `document`.
    ///
    /// # Errors
    /// When it is not UTF-8.
    pub(crate) fn new(document: &'a [u8]) -> Result<Self, Error> {
        match std::str::from_utf8(document) {
            Ok(document) => Ok(Self { rest: unspaced(document), length: document.len() }),
            Err(error) => Err(Error::Json { fault: NOT_JSON, column: error.valid_up_to() + 1 }),
        }
    }

    /// Calls `item` to read each item of a list.
    ///
    /// # Errors
    /// When there is no list, and those of `item`.
    pub(crate) fn list(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.expect('[')?;
        if self.takes(']') {
            return Ok(());
        }
        loop {
            item(self)?;
            if self.takes(']') {
                return Ok(());
            }
            self.expect(',')?;
        }
    }

    /// Calls `member` with the name of each member of an object, to read its value. A member that
    /// is null counts as absent.
    ///
    /// # Errors
    /// When there is no object, and those of `member`.
    #[inline]
    pub(crate) fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, &str) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.expect('{')?;
        if self.takes('}') {
            return Ok(());
        }
        loop {
            let name = self.text()?;
            self.expect(':')?;
            match self.rest.strip_prefix("null") {
                Some(rest) => self.rest = unspaced(rest),
                None => member(self, &name)?,
            }
            if self.takes('}') {
                return Ok(());
            }
            self.expect(',')?;
        }
    }

    /// A text.
    #[inline]
    pub(crate) fn text(&mut self) -> Result<Cow<'a, str>, Error> {
        let Some(inside) = self.rest.strip_prefix('"') else { return Err(self.fault()) };
        let is_plain = |byte: &u8| *byte >= b' ' && *byte != b'"' && *byte != b'\\';
        let length = inside.bytes().take_while(is_plain).count();
        match inside.split_at_checked(length) {
            Some((text, rest)) if rest.starts_with('"') => {
                self.rest = unspaced(rest.get(1..).unwrap_or_default());
                Ok(Cow::Borrowed(text))
            }
            _ => self.other().map(Cow::Owned),
        }
    }

    /// An id, as digits.
    #[inline]
    pub(crate) fn id(&mut self) -> Result<Uuid, Error> {
        let before = self.fault();
        Uuid::try_parse(&self.text()?).map_err(|_| before)
    }

    /// An enumeration value, by name.
    pub(crate) fn named<T: Named>(&mut self) -> Result<T, Error> {
        let before = self.fault();
        T::from_name(&self.text()?).ok_or(before)
    }

    /// A number or a boolean.
    pub(crate) fn plain<T: DeserializeOwned>(&mut self) -> Result<T, Error> {
        let is_inside = |byte: &u8| !matches!(byte, b',' | b']' | b'}');
        let length = self.rest.bytes().take_while(is_inside).count();
        let (plain, rest) = self.rest.split_at_checked(length).ok_or_else(|| self.fault())?;
        // `from_str` skips white space around it.
        let read = serde_json::from_str(plain).map_err(|_| self.fault())?;
        self.rest = rest;
        Ok(read)
    }

    /// Skips a value.
    pub(crate) fn skip(&mut self) -> Result<(), Error> {
        self.other::<IgnoredAny>().map(|_| ())
    }

    /// The next character.
    pub(crate) fn next(&self) -> Option<u8> {
        self.rest.bytes().next()
    }

    /// Checks that nothing is left.
    pub(crate) fn end(self) -> Result<(), Error> {
        if self.rest.is_empty() { Ok(()) } else { Err(self.fault()) }
    }

    /// The error for the current position.
    pub(crate) fn fault(&self) -> Error {
        let fault = if self.rest.is_empty() { BREAKS_OFF } else { NOT_EXPECTED };
        Error::Json { fault, column: self.length - self.rest.len() + 1 }
    }

    /// A value of any form.
    #[cold]
    fn other<T: DeserializeOwned>(&mut self) -> Result<T, Error> {
        let mut values = serde_json::Deserializer::from_str(self.rest).into_iter::<T>();
        let Some(Ok(value)) = values.next() else { return Err(self.fault()) };
        self.rest = unspaced(self.rest.get(values.byte_offset()..).unwrap_or_default());
        Ok(value)
    }

    #[inline]
    fn takes(&mut self, sign: char) -> bool {
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = unspaced(rest);
                true
            }
            None => false,
        }
    }

    #[inline]
    fn expect(&mut self, sign: char) -> Result<(), Error> {
        if self.takes(sign) { Ok(()) } else { Err(self.fault()) }
    }
}

/// The rest without leading white space. Patrol writes none, but an engine with its own JSON form
/// does.
#[inline]
fn unspaced(rest: &str) -> &str {
    if rest.as_bytes().first().is_some_and(u8::is_ascii_whitespace) {
        rest.trim_ascii_start()
    } else {
        rest
    }
}

const NOT_JSON: &str = "what is not JSON";
const NOT_EXPECTED: &str = "an unknown or missing value";
const BREAKS_OFF: &str = "a document that breaks off";
