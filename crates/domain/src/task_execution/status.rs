//! What came of an execution, a step or an action.

use crate::shared::named::named;

named! {
    /// ERROR is worse than WARNING, WARNING worse than SUCCESS. Always derived, never taken from a
    /// client (decisions 5).
    Status {
        /// As it should be.
        Success = "SUCCESS", 0;
        /// Something optional is not as it should be.
        Warning = "WARNING", 1;
        /// Something required is missing or not as it should be.
        Error = "ERROR", 2;
    }
}
