//! Pseudo-random numbers, the same in each run.

/// A pseudo-random number generator (SplitMix64).
pub(super) struct Random(u64);

impl Random {
    /// The generator for the item with this number. Items do not affect each other.
    pub(super) const fn of(number: u64) -> Self {
        Self(number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// A number from 0 to `end` - 1. `end` must not be 0.
    pub(super) const fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }

    /// True with this probability in percent.
    pub(super) const fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of the choices; empty when there are none.
    pub(super) fn one_of(&mut self, choices: &[&'static str]) -> &'static str {
        let at = self.below(u64::try_from(choices.len()).unwrap_or(1).max(1));
        usize::try_from(at).ok().and_then(|at| choices.get(at)).copied().unwrap_or_default()
    }
}
