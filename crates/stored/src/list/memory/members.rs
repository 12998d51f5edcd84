//! Tests many rows for membership of a set.

use super::Rows;

/// So many rows are tested in the set itself.
const SOON: u32 = 4_096;

/// The greatest row of a set that is laid out bit by bit, which takes 8 MB.
const MOST_BITS: u32 = 1 << 26;

/// A set whose rows are tested one by one. After some tests it is laid out bit by bit, because a
/// test in a compressed set takes ten times as long.
pub(super) struct Members<'a> {
    rows: &'a Rows,
    tested: u32,
    bits: Bits,
}

impl<'a> Members<'a> {
    pub(super) fn new(rows: &'a Rows) -> Self {
        Self { rows, tested: 0, bits: Bits::default() }
    }

    pub(super) fn has(&mut self, row: u32) -> bool {
        if self.tested <= SOON {
            self.tested += 1;
            if self.tested > SOON && self.rows.max().is_some_and(|max| max < MOST_BITS) {
                self.rows.iter().for_each(|row| self.bits.insert(row));
            }
        }
        match self.bits.is_empty() {
            true => self.rows.contains(row),
            false => self.bits.contains(row),
        }
    }
}

/// A set with a bit for each row.
#[derive(Default)]
pub(super) struct Bits(Vec<u8>);

impl Bits {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn insert(&mut self, row: u32) {
        let (byte, bit) = place(row);
        if byte >= self.0.len() {
            self.0.resize((byte + 1).next_multiple_of(1024), 0);
        }
        if let Some(byte) = self.0.get_mut(byte) {
            *byte |= bit;
        }
    }

    fn contains(&self, row: u32) -> bool {
        let (byte, bit) = place(row);
        self.0.get(byte).is_some_and(|byte| byte & bit > 0)
    }

    /// The set in the compressed form.
    pub(super) fn into_rows(self) -> Rows {
        Rows::from_lsb0_bytes(0, &self.0)
    }
}

/// The byte and the bit of a row.
fn place(row: u32) -> (usize, u8) {
    (usize::try_from(row / 8).unwrap_or(usize::MAX), 1 << (row % 8))
}
