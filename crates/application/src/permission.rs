//! What a role may do (decisions 3): never, or not with this body. What depends on the record is
//! judged by the use case itself.

use patrol_domain::{
    access::{Caller, Role},
    ids::UserId,
    user::User,
};

/// What a route does, as far as permissions tell routes apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Reads anything.
    Read,
    /// Changes, copies or deletes executions, series, points or check-lists; changes many users.
    Plan,
    /// Changes one user or its photo; which, and what of it, the use case judges.
    ChangeUser,
    /// Issues, lists or revokes tokens; see [`may_keep_tokens`] for whose.
    KeepTokens,
}

/// Whether `role` may do `operation` at all.
#[must_use]
pub const fn may(role: Role, operation: Operation) -> bool {
    match (role, operation) {
        (Role::Admin | Role::Manager, _)
        | (Role::Employee, Operation::Read | Operation::ChangeUser | Operation::KeepTokens) => true,
        (Role::Employee, Operation::Plan) => false,
    }
}

/// Whether `caller` may keep tokens of `owner`: its own, or anybody's as an administrator. No owner
/// is one that was named and cannot be anybody.
#[must_use]
pub fn may_keep_tokens(caller: Caller, owner: Option<UserId>) -> bool {
    caller.role == Role::Admin || owner == Some(caller.user)
}

/// Whether `caller` may see the PIN of `user`: not a manager an administrator's, and an employee its
/// own alone.
#[must_use]
pub fn may_see_pin(caller: Caller, user: &User) -> bool {
    match caller.role {
        Role::Admin => true,
        Role::Manager => user.role != Role::Admin,
        Role::Employee => user.id == caller.user,
    }
}

#[cfg(test)]
mod tests {
    use patrol_domain::{Named, ids::Uuid};

    use super::*;

    #[test]
    fn only_an_employee_is_held_back() {
        for operation in
            [Operation::Read, Operation::Plan, Operation::ChangeUser, Operation::KeepTokens]
        {
            for role in Role::ALL {
                let held = *role == Role::Employee && operation == Operation::Plan;
                assert_eq!(may(*role, operation), !held);
            }
        }
    }

    #[test]
    fn tokens_are_kept_by_their_owner_and_by_administrators() {
        let (own, other) = (UserId(Uuid::from_u128(1)), UserId(Uuid::from_u128(2)));
        for role in Role::ALL {
            let caller = Caller { user: own, role: *role };
            let all = *role == Role::Admin;
            assert!(may_keep_tokens(caller, Some(own)));
            assert_eq!(may_keep_tokens(caller, Some(other)), all);
            assert_eq!(may_keep_tokens(caller, None), all);
        }
    }
}
