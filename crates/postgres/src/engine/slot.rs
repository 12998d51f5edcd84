//! A shared connection that is replaced when it is lost.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use patrol_domain::StoreError;
use tokio::sync::watch;

use super::{
    Connection,
    connector::{Connector, Session},
};

/// The shortest time between two attempts to connect. Callers in between get the error of the last
/// attempt.
const PAUSE: Duration = Duration::from_millis(200);

/// Holds a connection, or the error of the last attempt. At most one task opens a new one.
pub(super) struct Slot {
    connector: Connector,
    session: Session,
    state: Arc<Mutex<State>>,
}

enum State {
    /// Not used yet, or the last connection was lost.
    Empty,
    /// A task is opening one, and reports when it is done.
    Dialling(watch::Receiver<bool>),
    Up(Arc<Connection>),
    /// The last attempt failed at this time with this error.
    Down(Instant, StoreError),
}

impl Slot {
    pub(super) fn new(connector: Connector, session: Session) -> Self {
        Self { connector, session, state: Arc::new(Mutex::new(State::Empty)) }
    }

    /// The connection. Opens one if there is none, and waits for it.
    pub(super) async fn connection(&self) -> Result<Arc<Connection>, StoreError> {
        loop {
            let mut dialling = match self.look() {
                Look::Up(connection) => return Ok(connection),
                Look::Down(error) => return Err(error),
                Look::Dialling(dialling) => dialling,
            };
            // If the sender is dropped, the attempt is over too; the next look shows its result.
            drop(dialling.wait_for(|is_done| *is_done).await);
        }
    }

    /// Starts to open a connection if there is none.
    pub(super) fn prepare(&self) {
        self.look();
    }

    /// The number of users of the connection, if there is one.
    pub(super) fn users(&self) -> Option<usize> {
        match &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Up(connection) if is_current(connection) => Some(Arc::strong_count(connection)),
            State::Empty | State::Dialling(_) | State::Up(_) | State::Down(..) => None,
        }
    }

    /// Discards `connection`, unless that was done already.
    pub(super) fn replace(&self, connection: &Arc<Connection>) {
        connection.give_up();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(&*state, State::Up(current) if Arc::ptr_eq(current, connection)) {
            *state = State::Empty;
        }
    }

    fn look(&self) -> Look {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match &*state {
            State::Up(connection) if is_current(connection) => {
                return Look::Up(Arc::clone(connection));
            }
            State::Down(since, error) if since.elapsed() < PAUSE => {
                return Look::Down(error.clone());
            }
            State::Dialling(dialling) if !*dialling.borrow() => {
                return Look::Dialling(dialling.clone());
            }
            State::Empty | State::Dialling(_) | State::Up(_) | State::Down(..) => {}
        }
        let (done, dialling) = watch::channel(false);
        *state = State::Dialling(dialling.clone());
        drop(state);
        self.dial(done);
        Look::Dialling(dialling)
    }

    fn dial(&self, done: watch::Sender<bool>) {
        let (connector, session) = (self.connector.clone(), self.session);
        let state = Arc::clone(&self.state);
        self.connector.runtime().spawn(async move {
            let made = match connector.connect(session).await {
                Ok(connection) => State::Up(Arc::new(connection)),
                Err(error) => {
                    State::Down(Instant::now(), StoreError::Unavailable(error.to_string()))
                }
            };
            *state.lock().unwrap_or_else(PoisonError::into_inner) = made;
            done.send_replace(true);
        });
    }
}

/// Whether the connection leads to the current server: false after another connection of its
/// generation was lost, or its server has become a standby.
fn is_current(connection: &Connection) -> bool {
    !connection.is_broken() && connection.generation().is_some()
}

/// The result of looking at a slot.
enum Look {
    Up(Arc<Connection>),
    Dialling(watch::Receiver<bool>),
    Down(StoreError),
}
