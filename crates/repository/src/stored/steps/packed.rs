//! The steps as SQLite stores them: the JSON of [`write`](super::write), compressed by LZ4, so that several
//! documents fit on a page. PostgreSQL compresses long values by itself.
//!
//! The first byte tells the form: [`LZ4`], then the length of the JSON (4 bytes, little-endian), then the
//! compressed block; or `[` of JSON as it is, which earlier versions wrote, and which is kept where compression
//! saves nothing.

use std::borrow::Cow;

use lz4_flex::block::{compress, decompress};
use patrol_domain::task_execution::Step;

use super::read;
use crate::stored::Error;

/// The first byte of a compressed document.
const LZ4: u8 = 1;

/// The most bytes that LZ4 makes of one compressed byte: a longer document is corrupt, and gets no memory.
const MAX_GROWTH: usize = 255;

/// The shorter one of `json` and its compressed form.
#[must_use]
pub fn pack(json: Vec<u8>) -> Vec<u8> {
    let Ok(length) = u32::try_from(json.len()) else { return json };
    let block = compress(&json);
    let packed = [&[LZ4][..], &length.to_le_bytes(), &block].concat();
    if packed.len() < json.len() { packed } else { json }
}

/// The steps in `stored`, in either form.
///
/// # Errors
/// When it does not have a form that this or an earlier version writes.
pub fn read_packed(stored: &[u8]) -> Result<Vec<Step>, Error> {
    read(&unpack(stored)?)
}

/// The JSON in `stored`, in either form.
///
/// # Errors
/// When it is compressed, and incomplete or changed.
pub fn unpack(stored: &[u8]) -> Result<Cow<'_, [u8]>, Error> {
    let Some((&LZ4, rest)) = stored.split_first() else { return Ok(Cow::Borrowed(stored)) };
    let (length, block) = rest.split_first_chunk().ok_or(Error::Packed)?;
    let length = usize::try_from(u32::from_le_bytes(*length)).map_err(|_| Error::Packed)?;
    if length > block.len().saturating_mul(MAX_GROWTH) {
        return Err(Error::Packed);
    }
    decompress(block, length).map(Cow::Owned).map_err(|_| Error::Packed)
}
