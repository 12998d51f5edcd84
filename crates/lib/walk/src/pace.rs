//! How fast a round is walked.

use std::time::Duration;

/// The shortest time from one step to the next.
const SHORTEST: Duration = Duration::from_secs(5);
/// The longest time from one step to the next.
const LONGEST: Duration = Duration::from_secs(120);

/// The pause before the next step: what is left of the planned time is divided between the steps that are left.
/// A round that is late is walked as fast as possible.
#[must_use]
pub fn pause(until_end: Duration, steps_left: usize) -> Duration {
    // One more, so that the round ends before its time is over.
    let parts = u32::try_from(steps_left).unwrap_or(u32::MAX).saturating_add(1);
    (until_end / parts).clamp(SHORTEST, LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_that_is_left_is_divided() {
        for (minutes, steps, seconds) in
            [(5, 2, 100), (60, 0, 120), (2, 1, 60), (0, 3, 5), (1, 100, 5), (600, 2, 120)]
        {
            let pause = pause(Duration::from_secs(minutes * 60), steps);
            assert_eq!(pause.as_secs(), seconds, "{minutes} min, {steps} steps");
        }
        assert_eq!(pause(Duration::MAX, usize::MAX), LONGEST);
    }
}
