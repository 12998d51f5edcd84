//! What came of an execution, a step or an action.

use crate::shared::named::named;

named! {
    /// ERROR is worse than WARNING, WARNING worse than SUCCESS. Always derived, never taken from a
    /// client (decisions 5).
    Status {
        /// As it should be.
        Success = "SUCCESS",
        /// Something optional is not as it should be.
        Warning = "WARNING",
        /// Something required is missing or not as it should be.
        Error = "ERROR",
    }
}
