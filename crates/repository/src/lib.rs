//! Ports whose statements are the same on SQLite and PostgreSQL, written once.
//!
//! A port is implemented for a [`Repository`] over an [`Engine`], which an adapter provides. The work
//! of a port is done by functions over a [`Connection`]; a query or a statement is checked against both
//! databases when it is compiled. What a database does in its own way is a method of [`Dialect`].
//!
//! What the engines have in common is here too: their [`counters`], and how they send a list in [`parts`].
//! [`stored`] has the tables, the columns and the stored forms.

mod access;
mod change;
mod check_list;
mod connection;
pub mod counters;
pub mod data_set;
mod dialect;
mod engine;
mod event;
mod figures;
pub mod folding;
mod graphic_plan;
mod holder;
mod idempotency;
mod job;
mod kind;
pub mod list;
mod location;
mod media;
pub mod parts;
mod photo;
mod point;
mod reference;
mod report;
mod rounds;
mod scheduled_task;
mod series;
mod sign_in;
pub mod stored;
mod task_execution;
mod user;

pub use connection::{Connection, Query};
pub use dialect::Dialect;
pub use engine::{Engine, Job, JobArguments, JobOutput};
pub use kind::{Creatable, Editable, Entity, Findable, Removable};
pub use reference::existing_records;

use futures_util::FutureExt as _;
use patrol_domain::{
    Records, StoreError,
    access::Tokens,
    check_list::{CheckList, CheckListActions},
    event::Events,
    figures::FigureStore,
    graphic_plan::GraphicPlans,
    job::Jobs,
    location::Location,
    media::Media,
    photo::{ImageOwners, UserPhotos},
    point::{Point, PointHistory},
    report::Reports,
    scheduled_task::{Rounds, ScheduledTask},
    series::Series,
    sign_in::{Invitations, Passwords, Sessions, SignInFailures},
    task_execution::TaskExecutions,
    user::Users,
};

use crate::stored::statement::Statement;

/// Implements the ports over the engine `S`.
#[derive(Clone)]
pub struct Repository<S>(pub S);

impl<S: Engine> Repository<S> {
    /// Runs one statement as a change of its own. Returns the number of changed rows.
    async fn execute<A: JobArguments, T: Statement + 'static>(
        &self,
        arguments: A,
        statement: fn(&A) -> T,
    ) -> Result<usize, StoreError> {
        self.0
            .write(None, (arguments, statement), |conn, (arguments, statement)| {
                async { Ok(conn.execute(statement(arguments)).await?) }.boxed()
            })
            .await
    }
}

/// All ports of a [`Repository`].
pub trait Ports:
    CheckListActions
    + Events
    + FigureStore
    + GraphicPlans
    + ImageOwners
    + Invitations
    + Jobs
    + Media
    + Passwords
    + PointHistory
    + Records<CheckList>
    + Records<Location>
    + Records<Point>
    + Records<ScheduledTask>
    + Reports
    + Rounds
    + Series
    + Sessions
    + SignInFailures
    + TaskExecutions
    + Tokens
    + UserPhotos
    + Users
{
}

impl<S: Engine> Ports for Repository<S> {}
