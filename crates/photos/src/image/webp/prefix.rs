//! Writes bits, and prefix codes that are shorter for frequent symbols (RFC 9649, section 3.7).

use std::{cmp::Reverse, collections::BinaryHeap};

/// The longest code of a symbol, in bits.
const LONGEST: u8 = 15;
/// The order of the code lengths in the stream.
const ORDER: [usize; 19] = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// Writes bits, lowest first.
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

    /// Writes the lowest `count` bits of `bits`, at most 32; the other bits have to be 0.
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

/// A code for symbols numbered from 0.
pub(super) enum PrefixCode {
    /// A single symbol, which needs no bits.
    Only(u16),
    /// The bits of each symbol and their number; a number of 0 for symbols that do not occur.
    Many(Vec<(u32, u8)>),
}

impl PrefixCode {
    /// A code with one symbol.
    pub(super) const fn only(symbol: u16) -> Self {
        Self::Only(symbol)
    }

    /// The best code for symbols with these frequencies.
    pub(super) fn of(counts: &[u32]) -> Self {
        let mut used = counts.iter().zip(0u16..).filter(|(count, _)| **count > 0);
        match (used.next(), used.next()) {
            (None, _) => Self::Only(0),
            (Some((_, symbol)), None) => Self::Only(symbol),
            _ => Self::Many(canonical(&lengths(counts))),
        }
    }

    /// The number of bits that symbols with these frequencies take.
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

    /// Writes the code itself, for the decoder.
    pub(super) fn write_to(&self, out: &mut BitWriter) {
        match self {
            // The simple form with one symbol of one bit or of eight.
            Self::Only(symbol @ 0..=1) => out.write(0b001 | u32::from(*symbol) << 3, 4),
            Self::Only(symbol) => out.write(0b101 | u32::from(*symbol) << 3, 11),
            Self::Many(codes) => {
                out.write(0, 1);
                // Lengths from 0 to 15 take four bits each; a shorter form would save only some
                // hundred bytes.
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

/// The code length of each symbol, by Huffman's method. If a code gets too long, it is computed
/// again from flatter counts.
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
    // Nodes of the tree by number, symbols first; each has the number of its parent.
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

/// The codes that follow from their lengths: sorted by length, then by symbol. The stream has their
/// highest bit first.
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

/// The lowest `count` bits in reverse order; at least one.
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
