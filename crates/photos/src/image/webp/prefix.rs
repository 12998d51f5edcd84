//! Bits, and codes in which what is frequent is short (RFC 9649, 3.7).

use std::{cmp::Reverse, collections::BinaryHeap};

/// Longest code of a symbol, in bits.
const LONGEST: u8 = 15;
/// The order in which the stream tells how long the codes of lengths are.
const ORDER: [usize; 19] = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// Writes bits, the lowest first.
pub(super) struct BitWriter {
    pub(super) bytes: Vec<u8>,
    pending: u64,
    count: u32,
}

impl BitWriter {
    pub(super) fn with_capacity(bytes: u64) -> Self {
        let bytes = Vec::with_capacity(usize::try_from(bytes).unwrap_or_default());
        Self { bytes, pending: 0, count: 0 }
    }

    /// The lowest `count` bits of `bits`, of which the others are 0; at most 32.
    pub(super) fn write(&mut self, bits: u32, count: u32) {
        self.pending |= u64::from(bits) << self.count;
        self.count += count;
        while self.count >= 8 {
            let [byte, ..] = self.pending.to_le_bytes();
            self.bytes.push(byte);
            self.pending >>= 8;
            self.count -= 8;
        }
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        self.write(0, 7);
        self.bytes
    }
}

/// A code for the symbols from 0 up.
pub(super) enum PrefixCode {
    /// There is but one: it needs no bits.
    Only(u16),
    /// For each symbol its bits and how many they are; none for one that does not come.
    Many(Vec<(u32, u8)>),
}

impl PrefixCode {
    /// A code of one symbol.
    pub(super) const fn only(symbol: u16) -> Self {
        Self::Only(symbol)
    }

    /// The best code for symbols that come so often.
    pub(super) fn of(counts: &[u32]) -> Self {
        let mut used = counts.iter().zip(0u16..).filter(|(count, _)| **count > 0);
        match (used.next(), used.next()) {
            (None, _) => Self::Only(0),
            (Some((_, symbol)), None) => Self::Only(symbol),
            _ => Self::Many(canonical(&lengths(counts))),
        }
    }

    /// Bits that symbols take which come so often.
    pub(super) fn bits(&self, counts: &[u32]) -> u64 {
        match self {
            Self::Only(_) => 0,
            Self::Many(codes) => codes
                .iter()
                .zip(counts)
                .map(|((_, length), count)| u64::from(*length) * u64::from(*count))
                .sum(),
        }
    }

    /// Writes a symbol.
    pub(super) fn put(&self, symbol: usize, out: &mut BitWriter) {
        if let Self::Many(codes) = self
            && let Some((bits, length)) = codes.get(symbol)
        {
            out.write(*bits, u32::from(*length));
        }
    }

    /// Tells the decoder the code.
    pub(super) fn write_to(&self, out: &mut BitWriter) {
        match self {
            // Simple, one symbol, of one bit or of eight.
            Self::Only(symbol @ 0..=1) => out.write(0b001 | u32::from(*symbol) << 3, 4),
            Self::Only(symbol) => out.write(0b101 | u32::from(*symbol) << 3, 11),
            Self::Many(codes) => {
                out.write(0, 1);
                // Lengths from 0 to 15 take four bits each; shorter codes for them would save
                // some hundred bytes.
                out.write(15, 4);
                for symbol in ORDER {
                    out.write(if symbol < 16 { 4 } else { 0 }, 3);
                }
                out.write(0, 1);
                for (_, length) in codes {
                    out.write(reversed(u32::from(*length), 4), 4);
                }
            }
        }
    }
}

/// How long the code of each symbol is: Huffman's, and when that is too long, of flatter counts.
fn lengths(counts: &[u32]) -> Vec<u8> {
    let mut counts = counts.to_vec();
    loop {
        let lengths = huffman(&counts);
        if lengths.iter().all(|length| *length <= LONGEST) {
            return lengths;
        }
        for count in counts.iter_mut().filter(|count| **count > 0) {
            *count = *count >> 1 | 1;
        }
    }
}

fn huffman(counts: &[u32]) -> Vec<u8> {
    // Nodes of the tree by number, symbols first; each points to the one above it.
    let mut above: Vec<Option<usize>> = vec![None; counts.len()];
    let used = counts.iter().enumerate().filter(|(_, count)| **count > 0);
    let mut heap: BinaryHeap<_> =
        used.map(|(node, count)| Reverse((u64::from(*count), node))).collect();
    while let (Some(Reverse((one, first))), Some(Reverse((other, second)))) =
        (heap.pop(), heap.pop())
    {
        let node = above.len();
        above.push(None);
        for below in [first, second] {
            if let Some(pointer) = above.get_mut(below) {
                *pointer = Some(node);
            }
        }
        heap.push(Reverse((one + other, node)));
        if heap.len() == 1 {
            break;
        }
    }
    let depth = |symbol| {
        let steps = std::iter::successors(Some(symbol), |node| above.get(*node).copied().flatten());
        u8::try_from(steps.count() - 1).unwrap_or(u8::MAX)
    };
    (0..counts.len()).map(depth).collect()
}

/// The codes that follow from their lengths: by length, then by symbol. The stream has them from
/// their highest bit.
fn canonical(lengths: &[u8]) -> Vec<(u32, u8)> {
    let mut codes = vec![(0, 0); lengths.len()];
    let mut next = 0u32;
    for length in 1..=LONGEST {
        for (code, own) in codes.iter_mut().zip(lengths) {
            if *own == length {
                *code = (reversed(next, u32::from(length)), length);
                next += 1;
            }
        }
        next <<= 1;
    }
    codes
}

/// The lowest `count` bits, the other way round; at least one.
const fn reversed(bits: u32, count: u32) -> u32 {
    bits.reverse_bits() >> (32 - count)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_code_is_complete_and_bounded(counts in prop::collection::vec(any::<u32>(), 2..280)) {
            prop_assume!(counts.iter().filter(|count| **count > 0).count() > 1);
            let lengths = lengths(&counts);
            let sum: u32 = lengths.iter().filter(|length| **length > 0).map(|length| 1 << (15 - length)).sum();
            prop_assert_eq!(sum, 1 << 15);
            prop_assert!(counts.iter().zip(lengths).all(|(count, length)| (*count > 0) == (length > 0)));
        }
    }

    #[test]
    fn counts_that_grow_like_rabbits_stay_within_the_longest_code() {
        let mut counts = vec![1u32, 1];
        while counts.len() < 40 {
            counts.push(counts.iter().rev().take(2).sum());
        }
        assert!(lengths(&counts).iter().all(|length| (1..=LONGEST).contains(length)));
    }
}
