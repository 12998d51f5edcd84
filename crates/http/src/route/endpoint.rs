//! Endpoints as types: the required permission and the fault style.

use patrol_application::Operation;

use crate::fault_style::FaultStyle;

/// The requirements of an endpoint. The extractors `Call` and `WithBody` take it as a type
/// parameter and check it before the handler runs, so no handler can forget the checks.
pub(crate) trait Endpoint: 'static {
    /// The operation that the caller needs permission for.
    const OPERATION: Operation;

    /// How faults of a request are reported.
    const FAULTS: FaultStyle = FaultStyle::PLAIN;

    /// Whether the endpoint has this query parameter. Unknown parameters are listed in
    /// `Patrol-Ignored`.
    fn has_parameter(_parameter: &str) -> bool {
        false
    }
}

/// An endpoint that reads records other than tokens.
pub(crate) struct Read;

impl Endpoint for Read {
    const OPERATION: Operation = Operation::Read;
}

/// An endpoint that creates, changes or deletes executions, series, scheduled tasks, locations,
/// graphic plans, points or check-lists, creates a user, or changes many users at once.
pub(crate) struct Plan;

impl Endpoint for Plan {
    const OPERATION: Operation = Operation::Plan;
}

/// An endpoint that changes one user.
pub(crate) struct ChangeUser;

impl Endpoint for ChangeUser {
    const OPERATION: Operation = Operation::ChangeUser;
}

/// An endpoint that deletes a user.
pub(crate) struct DeleteUser;

impl Endpoint for DeleteUser {
    const OPERATION: Operation = Operation::DeleteUser;
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
