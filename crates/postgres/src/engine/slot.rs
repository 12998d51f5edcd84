//! A connection that all share, and that is replaced when it is lost.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use patrol_domain::StoreError;
use tokio::sync::watch;

use super::{Connection, connector::Connector, limit};

/// The shortest time from a failed attempt to connect to the next. Whoever asks meanwhile is told of
/// that failure.
const PAUSE: Duration = Duration::from_millis(200);

/// Holds a connection, or the news that there is none. At most one task makes a new one.
pub(super) struct Slot {
    connector: Connector,
    state: Arc<Mutex<State>>,
}

enum State {
    /// Nobody has asked yet, or the last connection was lost.
    Empty,
    /// A task makes one; it tells of the end of that.
    Dialling(watch::Receiver<bool>),
    Up(Arc<Connection>),
    /// There was none at that time, for that reason.
    Down(Instant, StoreError),
}

impl Slot {
    pub(super) fn new(connector: Connector) -> Self {
        Self { connector, state: Arc::new(Mutex::new(State::Empty)) }
    }

    /// The connection; waits for it to be made when there is none.
    pub(super) async fn connection(&self) -> Result<Arc<Connection>, StoreError> {
        loop {
            let mut dialling = match self.look() {
                Look::Up(connection) => return Ok(connection),
                Look::Down(error) => return Err(error),
                Look::Dialling(dialling) => dialling,
            };
            // An end without a word is one as well: the next look tells.
            drop(dialling.wait_for(|is_done| *is_done).await);
        }
    }

    /// Begins to make a connection when there is none.
    pub(super) fn prepare(&self) {
        self.look();
    }

    /// How many users the connection has, when there is one.
    pub(super) fn users(&self) -> Option<usize> {
        match &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Up(connection) if is_current(connection) => Some(Arc::strong_count(connection)),
            State::Empty | State::Dialling(_) | State::Up(_) | State::Down(..) => None,
        }
    }

    /// Takes `connection` out of use, unless that has been done already.
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
        let (connector, state) = (self.connector.clone(), Arc::clone(&self.state));
        self.connector.runtime().spawn(async move {
            let made = match connector.connect(limit::SHARED).await {
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

/// Whether it leads to where a new one would: not once one that lived with it was lost, or its server
/// has become a standby.
fn is_current(connection: &Connection) -> bool {
    !connection.is_broken() && connection.generation().is_some()
}

/// What a look at a slot finds.
enum Look {
    Up(Arc<Connection>),
    Dialling(watch::Receiver<bool>),
    Down(StoreError),
}
