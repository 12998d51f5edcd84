//! What an endpoint asks of a request.

use patrol_application::Operation;

use crate::fault_style::FaultStyle;

/// The requirements of an endpoint, declared where its handler is registered. The extractors `Call` and
/// `WithBody` check them before the handler runs, so no handler can forget the checks.
#[derive(Clone, Copy)]
pub(crate) struct Endpoint {
    /// The operation that the caller needs permission for.
    pub(crate) operation: Operation,
    /// How faults of a request are reported.
    pub(crate) faults: FaultStyle,
    /// Whether the endpoint has this query parameter. Unknown parameters are listed in
    /// `Patrol-Ignored`.
    pub(crate) has_parameter: fn(&str) -> bool,
}

impl Endpoint {
    /// The endpoint with this fault style.
    pub(crate) fn faults(self, faults: FaultStyle) -> Self {
        Self { faults, ..self }
    }

    /// The endpoint with the query parameters for which `has_parameter` is true.
    pub(crate) fn parameters(self, has_parameter: fn(&str) -> bool) -> Self {
        Self { has_parameter, ..self }
    }
}

/// An endpoint without query parameters, in the style of most endpoints.
impl From<Operation> for Endpoint {
    fn from(operation: Operation) -> Self {
        Self { operation, faults: FaultStyle::PLAIN, has_parameter: |_| false }
    }
}
