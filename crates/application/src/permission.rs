//! Permissions: the only place that decides who may do what. Every use case checks them before
//! anything else. HTTP calls the same functions earlier, so that errors come in the documented
//! order.

use patrol_domain::{
    Named, Refusal, Timestamp,
    access::{Caller, Role},
    event::{Origin, RequestId},
    ids::UserId,
    user::User,
};

/// The caller of a use case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Actor {
    /// An authenticated user, in a request.
    User {
        /// The user.
        caller: Caller,
        /// The request, for the log of changes.
        request: Option<RequestId>,
    },
    /// The program itself, without a user.
    Operator(Operator),
}

/// The program itself: a command, which needs access to the store, or a periodic job of the server.
/// It may execute every operation. No request of a client has it as its caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operator;

impl From<Caller> for Actor {
    fn from(caller: Caller) -> Self {
        Self::User { caller, request: None }
    }
}

impl From<Operator> for Actor {
    fn from(operator: Operator) -> Self {
        Self::Operator(operator)
    }
}

impl Actor {
    /// The origin of a change by this caller.
    pub(crate) fn at(self, at: Timestamp) -> Origin {
        match self {
            Self::User { caller: Caller { user, role: _, token }, request } => {
                Origin { at, actor: Some(user), token, request }
            }
            Self::Operator(_) => Origin::of_program(at),
        }
    }
}

/// The kinds of operations that need different permissions. Use cases that only the program
/// executes have no operation: they take an [`Operator`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Reads any record except tokens.
    Read,
    /// Changes, copies or deletes executions, series, points or check-lists; changes many users at
    /// once.
    Plan,
    /// Changes one user or its photo; [`permit_members`] and [`permit_record`] check which user and
    /// which members.
    ChangeUser,
    /// Reads the log of changes of all records.
    Audit,
    /// Issues, lists or revokes tokens; [`permit_tokens`] checks the owner.
    ManageTokens,
}

/// Whether a user with this role may execute `operation` on some record at all.
const fn may(role: Role, operation: Operation) -> bool {
    match (role, operation) {
        (Role::Admin | Role::Manager, _)
        | (Role::Employee, Operation::Read | Operation::ChangeUser | Operation::ManageTokens) => {
            true
        }
        (Role::Employee, Operation::Plan | Operation::Audit) => false,
    }
}

/// Checks that `actor` may execute `operation` at all.
///
/// # Errors
/// `Denied`.
pub fn permit(actor: Actor, operation: Operation) -> Result<(), Refusal> {
    unless_denied(match actor {
        Actor::Operator(_) => true,
        Actor::User { caller, .. } => may(caller.role, operation),
    })
}

/// The members that an employee may change of itself.
const OWN_CONTACT: [&str; 3] = ["email", "phone", "language"];

/// Checks that `actor` may change these members of `user`: `members` are those that the body has,
/// whatever their values, and `role` is the role that it sets. An employee may change only its own
/// contact data; a manager may not grant the role ADMIN. `user` is `None` for a batch.
///
/// # Errors
/// `Denied`.
pub fn permit_members(
    actor: Actor,
    user: Option<UserId>,
    members: &[&str],
    role: Option<&str>,
) -> Result<(), Refusal> {
    let Actor::User { caller, .. } = actor else { return Ok(()) };
    unless_denied(match caller.role {
        Role::Admin => true,
        Role::Manager => role != Some(Role::Admin.name()),
        Role::Employee => {
            user == Some(caller.user) && members.iter().all(|member| OWN_CONTACT.contains(member))
        }
    })
}

/// Checks that `actor` may change this user or its photo: a manager may not change an
/// administrator.
///
/// # Errors
/// `Denied`.
pub fn permit_record(actor: Actor, user: &User) -> Result<(), Refusal> {
    let is_manager =
        matches!(actor, Actor::User { caller: Caller { role: Role::Manager, .. }, .. });
    unless_denied(!(is_manager && user.role == Role::Admin))
}

/// Checks that `actor` may manage tokens of `owner`: its own, or any as an administrator. `owner`
/// is `None` when the body names something that is not a user id.
///
/// # Errors
/// `Denied`.
pub fn permit_tokens(actor: Actor, owner: Option<UserId>) -> Result<(), Refusal> {
    let Actor::User { caller, .. } = actor else { return Ok(()) };
    unless_denied(caller.role == Role::Admin || owner == Some(caller.user))
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

const fn unless_denied(is_permitted: bool) -> Result<(), Refusal> {
    if is_permitted { Ok(()) } else { Err(Refusal::Denied) }
}
