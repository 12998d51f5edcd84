//! The status of an execution, a step or an action.

use crate::shared::named::named;

named! {
    /// ERROR is worse than WARNING, WARNING worse than SUCCESS. Always derived from the results,
    /// never accepted from a client.
    Status {
        /// Every reported result passes.
        Success = "SUCCESS", 0;
        /// An optional result fails.
        Warning = "WARNING", 1;
        /// A required result fails or is missing.
        Error = "ERROR", 2;
    }
}
