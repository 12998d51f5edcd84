//! Random numbers that are the same on each run.

/// A pseudo-random generator (SplitMix64).
pub(super) struct Chance(u64);

impl Chance {
    /// The generator for the item `number`; independent of what was drawn for other items.
    pub(super) const fn of(number: u64) -> Self {
        Self(number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// A number below `end`. `end` must not be 0.
    pub(super) const fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }

    /// True in `percent` of a hundred draws.
    pub(super) const fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub(super) fn one_of(&mut self, choices: &[&'static str]) -> &'static str {
        let at = self.below(u64::try_from(choices.len()).unwrap_or(1).max(1));
        usize::try_from(at).ok().and_then(|at| choices.get(at)).copied().unwrap_or_default()
    }
}
