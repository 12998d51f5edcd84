//! What endpoints ask of a request, as types.

use patrol_application::Operation;

use crate::fault_style::FaultStyle;

/// What an endpoint asks of a request before its handler runs. It is a parameter of the extractors
/// `Call` and `WithBody`, so no handler can forget it.
pub(crate) trait Endpoint: 'static {
    /// The operation that the caller needs permission for.
    const OPERATION: Operation;

    /// How faults of a request are reported.
    const FAULTS: FaultStyle = FaultStyle::PLAIN;

    /// Whether the query string may have this parameter. Unknown ones are listed in
    /// `Patrol-Ignored`.
    fn knows(_parameter: &str) -> bool {
        false
    }
}

/// An endpoint that reads, in the usual style.
pub(crate) struct Read;

impl Endpoint for Read {
    const OPERATION: Operation = Operation::Read;
}

/// An endpoint that changes executions, points or check-lists, or many users at once.
pub(crate) struct Plan;

impl Endpoint for Plan {
    const OPERATION: Operation = Operation::Plan;
}

/// An endpoint that changes one user.
pub(crate) struct ChangeUser;

impl Endpoint for ChangeUser {
    const OPERATION: Operation = Operation::ChangeUser;
}

/// An endpoint that lists, issues or revokes tokens.
pub(crate) struct ManageTokens;

impl Endpoint for ManageTokens {
    const OPERATION: Operation = Operation::ManageTokens;
}

/// An endpoint that reads the log of changes of all records.
pub(crate) struct Audit;

impl Endpoint for Audit {
    const OPERATION: Operation = Operation::Audit;
}
