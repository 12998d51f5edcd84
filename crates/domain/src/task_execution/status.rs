//! The status of an execution, a step or an action.

use crate::shared::named::named;

named! {
    /// Derived from the results, never sent by a client. Sorted from best to worst.
    Status {
        /// All reported results pass.
        Success = "SUCCESS", 0;
        /// At least one optional result fails.
        Warning = "WARNING", 1;
        /// At least one required result fails, or is missing in a COMPLETED execution.
        Error = "ERROR", 2;
    }
}
