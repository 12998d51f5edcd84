//! What a role may never do (decisions 3). What depends on the record or on the body is judged by
//! the use case itself.

use patrol_domain::access::Role;

/// What a route does, as far as permissions tell routes apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Reads anything.
    Read,
    /// Changes, copies or deletes executions, series, points or check-lists.
    Plan,
    /// Issues, lists or revokes tokens; others' are for administrators, which the use case judges.
    KeepTokens,
}

/// Whether `role` may do `operation` at all.
#[must_use]
pub const fn may(role: Role, operation: Operation) -> bool {
    match (role, operation) {
        (Role::Admin | Role::Manager, _)
        | (Role::Employee, Operation::Read | Operation::KeepTokens) => true,
        (Role::Employee, Operation::Plan) => false,
    }
}

#[cfg(test)]
mod tests {
    use patrol_domain::Named;

    use super::*;

    #[test]
    fn only_an_employee_is_held_back() {
        for operation in [Operation::Read, Operation::Plan, Operation::KeepTokens] {
            for role in Role::ALL {
                let held = *role == Role::Employee && operation == Operation::Plan;
                assert_eq!(may(*role, operation), !held);
            }
        }
    }
}
