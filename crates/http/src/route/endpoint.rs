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

/// An endpoint for callers who may read records other than tokens.
pub(crate) struct Reader;

impl Endpoint for Reader {
    const OPERATION: Operation = Operation::Read;
}

/// An endpoint for callers who may create, change or delete executions, series, scheduled tasks, locations,
/// graphic plans, points or check-lists, create a user, or change many users at once.
pub(crate) struct Planner;

impl Endpoint for Planner {
    const OPERATION: Operation = Operation::Plan;
}

/// An endpoint for callers who may change one user.
pub(crate) struct UserEditor;

impl Endpoint for UserEditor {
    const OPERATION: Operation = Operation::ChangeUser;
}

/// An endpoint for callers who may delete a user.
pub(crate) struct UserRemover;

impl Endpoint for UserRemover {
    const OPERATION: Operation = Operation::DeleteUser;
}

/// An endpoint for callers who may list, issue or revoke tokens.
pub(crate) struct TokenManager;

impl Endpoint for TokenManager {
    const OPERATION: Operation = Operation::ManageTokens;
}

/// An endpoint for callers who may read the log of changes of all records.
pub(crate) struct Auditor;

impl Endpoint for Auditor {
    const OPERATION: Operation = Operation::Audit;
}
