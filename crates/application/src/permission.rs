//! Who may do what: the only place where permissions are decided. Every use case asks before it does
//! anything. HTTP asks the same functions earlier, so that faults are answered in the documented order.

use patrol_domain::{
    Named, Refusal,
    access::{Caller, Role},
    ids::UserId,
    user::User,
};

/// Who asks for a use case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Actor {
    /// A user, known by its credential.
    User(Caller),
    /// The program itself.
    Operator(Operator),
}

/// The program itself: a command, which only a person with access to the store can run, or a periodic
/// job of the server. It may do everything. No request of a client makes one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operator(());

impl Operator {
    /// The program that runs. For the wiring of commands and jobs alone.
    #[must_use]
    pub const fn of_this_program() -> Self {
        Self(())
    }
}

impl From<Caller> for Actor {
    fn from(caller: Caller) -> Self {
        Self::User(caller)
    }
}

impl From<Operator> for Actor {
    fn from(operator: Operator) -> Self {
        Self::Operator(operator)
    }
}

/// What is done, as far as permissions differ. What only the program itself does has no operation: such
/// use cases take an [`Operator`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Reads anything but tokens.
    Read,
    /// Changes, copies or deletes executions, series, points or check-lists; changes many users at
    /// once.
    Plan,
    /// Changes one user or its photo; see [`permit_members`] and [`permit_record`] for which.
    ChangeUser,
    /// Issues, lists or revokes tokens; see [`permit_tokens`] for whose.
    KeepTokens,
}

/// Whether a user with this role may do `operation` at all.
const fn may(role: Role, operation: Operation) -> bool {
    match (role, operation) {
        (Role::Admin | Role::Manager, _)
        | (Role::Employee, Operation::Read | Operation::ChangeUser | Operation::KeepTokens) => true,
        (Role::Employee, Operation::Plan) => false,
    }
}

/// That `actor` may do `operation` at all.
///
/// # Errors
/// `Denied`.
pub fn permit(actor: Actor, operation: Operation) -> Result<(), Refusal> {
    unless_denied(match actor {
        Actor::Operator(_) => true,
        Actor::User(caller) => may(caller.role, operation),
    })
}

/// What employees may change of themselves.
const OWN_CONTACT: [&str; 3] = ["email", "phone", "language"];

/// That `actor` may change these members of `user`: `members` are those that are sent, whatever their
/// values, and `role` is the role that is sent. An employee changes only its own contact data, and a
/// manager makes no administrator. A batch names no `user`.
///
/// # Errors
/// `Denied`.
pub fn permit_members(
    actor: Actor,
    user: Option<UserId>,
    members: &[&str],
    role: Option<&str>,
) -> Result<(), Refusal> {
    let Actor::User(caller) = actor else { return Ok(()) };
    unless_denied(match caller.role {
        Role::Admin => true,
        Role::Manager => role != Some(Role::Admin.name()),
        Role::Employee => {
            user == Some(caller.user) && members.iter().all(|member| OWN_CONTACT.contains(member))
        }
    })
}

/// That `actor` may change this user or its photo: a manager changes no administrator.
///
/// # Errors
/// `Denied`.
pub fn permit_record(actor: Actor, user: &User) -> Result<(), Refusal> {
    let is_manager = matches!(actor, Actor::User(Caller { role: Role::Manager, .. }));
    unless_denied(!(is_manager && user.role == Role::Admin))
}

/// That `actor` may keep tokens of `owner`: its own, and those of anyone as an administrator. `owner` is
/// none when what was sent cannot be a user.
///
/// # Errors
/// `Denied`.
pub fn permit_tokens(actor: Actor, owner: Option<UserId>) -> Result<(), Refusal> {
    let Actor::User(caller) = actor else { return Ok(()) };
    unless_denied(caller.role == Role::Admin || owner == Some(caller.user))
}

/// Whether `caller` may see the PIN of `user`: not a manager an administrator's, and an employee only
/// its own.
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
