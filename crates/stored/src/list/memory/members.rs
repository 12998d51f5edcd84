//! Tests many rows for membership of a set.

use super::Rows;

/// So many rows are tested in the set itself.
const SOON: u32 = 4_096;

/// The most bits, which take 8 MB.
const MOST_BITS: u32 = 1 << 26;

/// A set whose rows are tested one by one. After some tests it is laid out bit by bit, because a
/// test in a compressed set takes ten times as long.
pub(super) struct Members<'a> {
    rows: &'a Rows,
    tested: u32,
    bits: Option<Bits>,
}

impl<'a> Members<'a> {
    pub(super) fn new(rows: &'a Rows) -> Self {
        Self { rows, tested: 0, bits: None }
    }

    pub(super) fn has(&mut self, row: u32) -> bool {
        if self.tested <= SOON {
            self.tested += 1;
            if self.tested > SOON {
                let mut bits = Bits::of(self.rows.max());
                self.rows.iter().for_each(|row| bits.insert(row));
                self.bits = Some(bits);
            }
        }
        match &self.bits {
            Some(bits) => bits.contains(row),
            None => self.rows.contains(row),
        }
    }
}

/// A set with a bit for each row, up to a greatest one.
pub(super) struct Bits {
    bytes: Vec<u8>,
    /// The rows after the greatest one.
    rest: Rows,
}

impl Bits {
    /// An empty set for rows up to `greatest`, but no more bits than [`MOST_BITS`].
    pub(super) fn of(greatest: Option<u32>) -> Self {
        let greatest = greatest.unwrap_or(0).min(MOST_BITS);
        let bytes = usize::try_from(greatest / 8).unwrap_or(0) + 1;
        Self { bytes: vec![0; bytes], rest: Rows::new() }
    }

    pub(super) fn insert(&mut self, row: u32) {
        let (byte, bit) = place(row);
        match self.bytes.get_mut(byte) {
            Some(byte) => *byte |= bit,
            None => drop(self.rest.insert(row)),
        }
    }

    fn contains(&self, row: u32) -> bool {
        let (byte, bit) = place(row);
        match self.bytes.get(byte) {
            Some(byte) => byte & bit > 0,
            None => self.rest.contains(row),
        }
    }

    /// The set in the compressed form.
    pub(super) fn into_rows(self) -> Rows {
        Rows::from_lsb0_bytes(0, &self.bytes) | self.rest
    }
}

/// The byte and the bit of a row.
fn place(row: u32) -> (usize, u8) {
    (usize::try_from(row / 8).unwrap_or(usize::MAX), 1 << (row % 8))
}
