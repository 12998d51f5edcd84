//! Reads bytes in order. Reading past the end means that the image is truncated.

use super::stripped::Unusable;

/// The bytes that are left.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// The next `length` bytes.
    pub(super) fn take(&mut self, length: usize) -> Result<&'a [u8], Unusable> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(Unusable)?;
        self.rest = rest;
        Ok(taken)
    }

    /// The next `N` bytes.
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Unusable> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(Unusable)?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(super) fn byte(&mut self) -> Result<u8, Unusable> {
        self.array().map(|[byte]: [u8; 1]| byte)
    }

    /// A big-endian number of two bytes.
    pub(super) fn u16_be(&mut self) -> Result<u16, Unusable> {
        self.array().map(u16::from_be_bytes)
    }

    /// A little-endian number of two bytes.
    pub(super) fn u16_le(&mut self) -> Result<u16, Unusable> {
        self.array().map(u16::from_le_bytes)
    }

    /// A little-endian number of three bytes.
    pub(super) fn u24_le(&mut self) -> Result<u32, Unusable> {
        self.array().map(|[a, b, c]: [u8; 3]| u32::from_le_bytes([a, b, c, 0]))
    }

    /// A big-endian length of four bytes.
    pub(super) fn u32_be(&mut self) -> Result<u32, Unusable> {
        self.array().map(u32::from_be_bytes)
    }

    /// A little-endian length of four bytes.
    pub(super) fn u32_le(&mut self) -> Result<u32, Unusable> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }
}

/// Converts a length into an index.
pub(super) fn length(number: u32) -> Result<usize, Unusable> {
    usize::try_from(number).map_err(|_| Unusable)
}
