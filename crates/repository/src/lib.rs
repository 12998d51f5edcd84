//! Ports whose statements are the same on SQLite and PostgreSQL, written once.
//!
//! A port is implemented for a [`Repository`] over an [`Engine`], which an adapter provides. The work
//! of a port is done by functions over a [`Connection`]; a query or a statement is checked against both
//! databases when it is compiled. What a database does in its own way is a method of [`Dialect`].

mod connection;
mod dialect;
mod engine;
mod photo;
mod rounds;
mod series;
mod sign_in;

pub use connection::{Connection, Query};
pub use dialect::{Dialect, Recorder, Records, Removes, Replaces};
pub use engine::{Answer, Arguments, Engine, Job};
pub use rounds::remove_following;

use patrol_domain::{
    photo::{ImageOwners, UserPhotos},
    scheduled_task::Rounds,
    series::Series,
    sign_in::{Invitations, Passwords, Sessions, SignInFailures},
};

/// A store whose ports are implemented here.
#[derive(Clone)]
pub struct Repository<S>(pub S);

/// All ports of a [`Repository`].
pub trait Ports:
    ImageOwners + Invitations + Passwords + Rounds + Series + Sessions + SignInFailures + UserPhotos
{
}

impl<S: Engine> Ports for Repository<S> {}
