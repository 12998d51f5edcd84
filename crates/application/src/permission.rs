//! Permissions: which role may do what, decided only here. Every use case checks the permission
//! first. HTTP calls the same functions even earlier, so that errors come in the documented order.

use patrol_domain::{
    Named, Refusal, Timestamp,
    access::{Caller, Role},
    event::{Origin, RequestId},
    idempotency::KeyedRequest,
    ids::UserId,
    user::User,
};

use crate::failure::Failure;

/// The caller of a use case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Actor {
    /// The authenticated user of a request.
    User {
        /// The user.
        caller: Caller,
        /// The id of the request, for the log of changes.
        request: Option<RequestId>,
        /// The run of a request with an `Idempotency-Key`.
        keyed: Option<KeyedRequest>,
    },
    /// A command or a job of the program.
    Operator(Operator),
}

/// A command or a periodic job of the program. May execute every operation. Requests never run as
/// operator: commands need access to the store, and jobs run in the server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operator;

impl From<Caller> for Actor {
    fn from(caller: Caller) -> Self {
        Self::User { caller, request: None, keyed: None }
    }
}

impl From<Operator> for Actor {
    fn from(operator: Operator) -> Self {
        Self::Operator(operator)
    }
}

impl Actor {
    /// The user; `None` for the operator.
    pub(crate) const fn user(self) -> Option<UserId> {
        match self {
            Self::User { caller, .. } => Some(caller.user),
            Self::Operator(_) => None,
        }
    }

    /// The failure of a use case that reads or changes `user`. A credential stays verified for some
    /// seconds: if the missing user is the caller, the caller is no longer valid.
    pub(crate) fn failure_of(self, user: UserId, failure: impl Into<Failure>) -> Failure {
        match failure.into() {
            Failure::NotFound if self.user() == Some(user) => Failure::CallerInvalid,
            failure => failure,
        }
    }

    /// The failure of a use case whose user does not exist.
    pub(crate) fn missing(self, user: UserId) -> Failure {
        self.failure_of(user, Failure::NotFound)
    }

    /// The origin of a change by this caller at this time.
    pub(crate) fn origin_at(self, at: Timestamp) -> Origin {
        match self {
            Self::User { caller: Caller { user, role: _, token }, request, keyed } => {
                Origin { at, actor: Some(user), token, request, keyed }
            }
            Self::Operator(_) => Origin::of_program(at),
        }
    }
}

/// Operations, grouped by the roles that may execute them. Use cases only for commands and jobs have
/// no operation: they take an [`Operator`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Reads any record except tokens.
    Read,
    /// Creates, changes, copies or deletes executions, scheduled tasks, series, points and check-lists;
    /// changes users in a batch.
    Plan,
    /// Changes one user or its photo. [`permit_members`] and [`permit_record`] also check the user and
    /// the members.
    ChangeUser,
    /// Deletes a user.
    DeleteUser,
    /// Reports what happened on an execution, or sends media for it. To report, an employee needs to be an
    /// assignee, if the execution has any; the use case of reports also checks this.
    Report,
    /// Reads the log of changes of all records.
    Audit,
    /// Reads figures.
    ReadFigures,
    /// Issues, lists or revokes tokens. [`permit_tokens`] also checks the owner.
    ManageTokens,
    /// Lists or ends its own sessions.
    ManageSessions,
    /// Invites users, ends their sessions and removes their sign-in.
    ManageSignIns,
}

/// Whether a user with this role may execute `operation` on at least some records.
const fn may(role: Role, operation: Operation) -> bool {
    match (role, operation) {
        (Role::Admin, _)
        | (
            _,
            Operation::Read
            | Operation::ChangeUser
            | Operation::Report
            | Operation::ManageTokens
            | Operation::ManageSessions,
        ) => true,
        (role, Operation::Plan | Operation::Audit | Operation::ReadFigures) => {
            matches!(role, Role::Manager)
        }
        (Role::Manager | Role::Employee, Operation::DeleteUser | Operation::ManageSignIns) => false,
    }
}

/// Checks that `actor` may execute `operation` on at least some records.
///
/// # Errors
/// `Denied`.
pub fn permit(actor: Actor, operation: Operation) -> Result<(), Refusal> {
    require(match actor {
        Actor::Operator(_) => true,
        Actor::User { caller, .. } => may(caller.role, operation),
    })
}

/// The members of its own record that an employee may change.
const OWN_CONTACT: [&str; 3] = ["email", "phone", "language"];

/// Checks that `actor` may change these members of `user`. An employee may change only its own contact
/// data; a manager may not grant the role ADMIN. `members` are all members of the body, also those
/// whose value stays the same; `role` is the role in the body. `user` is `None` for a batch, and for a
/// malformed id.
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
    require(match caller.role {
        Role::Admin => true,
        Role::Manager => role != Some(Role::Admin.name()),
        Role::Employee => {
            user == Some(caller.user) && members.iter().all(|member| OWN_CONTACT.contains(member))
        }
    })
}

/// Checks that `actor` may change this user or its photo. A manager may not change an administrator.
///
/// # Errors
/// `Denied`.
pub fn permit_record(actor: Actor, user: &User) -> Result<(), Refusal> {
    let is_manager =
        matches!(actor, Actor::User { caller: Caller { role: Role::Manager, .. }, .. });
    require(!(is_manager && user.role == Role::Admin))
}

/// Checks that `actor` may manage the tokens of `owner`. Users may manage their own tokens,
/// administrators all tokens. `owner` is `None` when the request has a malformed user id.
///
/// # Errors
/// `Denied`.
pub fn permit_tokens(actor: Actor, owner: Option<UserId>) -> Result<(), Refusal> {
    let Actor::User { caller, .. } = actor else { return Ok(()) };
    require(caller.role == Role::Admin || owner == Some(caller.user))
}

/// Checks that `actor` may report that `performer` walks a round. An employee may name only itself.
/// `performer` is `None` when the body has a malformed id.
///
/// # Errors
/// `Denied`.
pub fn permit_performer(actor: Actor, performer: Option<UserId>) -> Result<(), Refusal> {
    let Actor::User { caller, .. } = actor else { return Ok(()) };
    require(caller.role != Role::Employee || performer == Some(caller.user))
}

/// Checks that `actor` may report on an execution with these assignees: an employee has to be one of
/// them, if there are any.
///
/// # Errors
/// `Denied`.
pub(crate) fn permit_report(actor: Actor, assignees: &[UserId]) -> Result<(), Refusal> {
    let Actor::User { caller, .. } = actor else { return Ok(()) };
    let is_assignee = assignees.is_empty() || assignees.contains(&caller.user);
    require(caller.role != Role::Employee || is_assignee)
}

/// Whether `caller` may see the PIN of `user`. An employee may see only its own PIN, a manager not the
/// PIN of an administrator.
#[must_use]
pub fn may_see_pin(caller: Caller, user: &User) -> bool {
    match caller.role {
        Role::Admin => true,
        Role::Manager => user.role != Role::Admin,
        Role::Employee => user.id == caller.user,
    }
}

const fn require(is_permitted: bool) -> Result<(), Refusal> {
    if is_permitted { Ok(()) } else { Err(Refusal::Denied) }
}
