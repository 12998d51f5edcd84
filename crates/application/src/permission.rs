//! Permissions of roles, in general and for a body. Permissions that depend on the record are
//! checked in the use cases.

use patrol_domain::{
    access::{Caller, Role},
    ids::UserId,
    user::User,
};

/// The kinds of operations that need different permissions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Reads any record; every role may.
    Read,
    /// Changes, copies or deletes executions, series, points or check-lists; changes many users at
    /// once.
    Plan,
    /// Changes one user or its photo. The use case checks which user and which members.
    ChangeUser,
    /// Issues, lists or revokes tokens. [`may_keep_tokens`] checks the owner.
    KeepTokens,
}

/// Whether `role` may execute `operation` on some record at all.
#[must_use]
pub const fn may(role: Role, operation: Operation) -> bool {
    match (role, operation) {
        (Role::Admin | Role::Manager, _)
        | (Role::Employee, Operation::Read | Operation::ChangeUser | Operation::KeepTokens) => true,
        (Role::Employee, Operation::Plan) => false,
    }
}

/// Whether `caller` may manage tokens of `owner`: its own, or any as an administrator. `None` is an
/// owner that was named but is not a valid id.
#[must_use]
pub fn may_keep_tokens(caller: Caller, owner: Option<UserId>) -> bool {
    caller.role == Role::Admin || owner == Some(caller.user)
}

/// Whether `caller` may see the PIN of `user`. A manager cannot see that of an administrator; an
/// employee sees only its own.
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
