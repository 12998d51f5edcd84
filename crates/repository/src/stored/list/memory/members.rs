//! Tests whether rows are in a set, for many rows.

use super::rows::Rows;

/// The number of bits that are cleared in the time of a test in the compressed set.
const BITS_PER_TEST: u32 = 4_096;

/// The number of rows whose bits are set in the time of a test in the compressed set.
const ROWS_PER_TEST: u64 = 16;

/// The maximum number of bits, which take 8 MB.
const MAX_BITS: u32 = 1 << 26;

/// Tests rows one by one. A test in a compressed set takes ten times as long as in a set with one bit
/// for each row. So the bits are laid out once the tests have taken as long as that takes.
pub(super) struct MembershipTest<'a> {
    rows: &'a Rows,
    /// The number of tests until the bits are laid out.
    tests_left: u64,
    bits: Option<Bits>,
}

impl<'a> MembershipTest<'a> {
    pub(super) fn new(rows: &'a Rows) -> Self {
        let greatest = rows.max().unwrap_or(0).min(MAX_BITS);
        let tests_left = u64::from(greatest / BITS_PER_TEST) + rows.len() / ROWS_PER_TEST;
        Self { rows, tests_left, bits: None }
    }

    pub(super) fn has(&mut self, row: u32) -> bool {
        if let Some(bits) = &self.bits {
            return bits.contains(row);
        }
        match self.tests_left.checked_sub(1) {
            Some(left) => self.tests_left = left,
            None => {
                let mut bits = Bits::of(self.rows.max());
                self.rows.iter().for_each(|row| bits.insert(row));
                self.bits = Some(bits);
            }
        }
        self.rows.contains(row)
    }
}

/// A set with a bit for each row up to a greatest row, and a compressed set for the rows after it.
pub(super) struct Bits {
    bytes: Vec<u8>,
    /// The rows after the greatest one.
    rest: Rows,
}

impl Bits {
    /// An empty set for rows up to `greatest`, but no more bits than [`MAX_BITS`].
    pub(super) fn of(greatest: Option<u32>) -> Self {
        let greatest = greatest.unwrap_or(0).min(MAX_BITS);
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
