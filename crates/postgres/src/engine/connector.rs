//! Opens connections.

use std::{error::Error as _, future::Future, io, sync::Arc};

use deadpool::managed::{Manager, Metrics, RecycleError, RecycleResult};
use diesel_async::AsyncPgConnection;
use tokio::{runtime::Handle, time::timeout};
use tokio_postgres::{
    Client, Config, Connection as Driver, Error, Socket, error::SqlState, tls::MakeTlsConnect,
};

use super::{
    Connection,
    count::SNAPSHOTS,
    counters::Counters,
    error::{OpenError, text},
    generation::Generations,
    host::Hosts,
    limit,
    settings::Settings,
    tls::Tls,
};

/// Settings of a session: names and values.
pub(super) type Session = &'static [(&'static str, &'static str)];

/// Opens connections to a database. Clones use the same hosts.
#[derive(Clone)]
pub(super) struct Connector {
    hosts: Arc<Hosts>,
    tls: Tls,
    generations: Arc<Generations>,
    counters: Arc<Counters>,
    runtime: Handle,
}

type Pair = (Client, Driver<Socket, <Tls as MakeTlsConnect<Socket>>::Stream>);

impl Connector {
    /// Connections run on `runtime`, because the runtime of a caller may end before.
    pub(super) fn new(settings: &Settings, runtime: Handle) -> Self {
        let Settings { hosts, tls, pool: _, queue: _, reader: _, lists: _, list_memory: _ } =
            settings;
        let (hosts, tls) = (Arc::clone(hosts), tls.clone());
        Self { hosts, tls, generations: Arc::default(), counters: Arc::default(), runtime }
    }

    /// The counters of all its connections.
    pub(super) const fn counters(&self) -> &Arc<Counters> {
        &self.counters
    }

    /// The runtime of the connections.
    pub(super) const fn runtime(&self) -> &Handle {
        &self.runtime
    }

    /// Opens a connection with these session settings.
    pub(super) async fn connect(&self, session: Session) -> Result<Connection, OpenError> {
        let connector = self.clone();
        let connecting = self.runtime.spawn(async move { connector.connect_here(session).await });
        let connected =
            connecting.await.unwrap_or_else(|error| Err(OpenError::Machine(error.to_string())));
        connected.inspect_err(|_| self.counters.errors.increment("unreachable"))
    }

    /// Opens a connection of Diesel's own type for its migrations.
    pub(super) async fn connect_for_migrations(&self) -> Result<AsyncPgConnection, OpenError> {
        let connector = self.clone();
        let connecting = async move {
            let (client, driver) = connector.dial(limit::MIGRATING).await?;
            let connected = AsyncPgConnection::try_from_client_and_connection(client, driver).await;
            connected.map_err(|error| OpenError::Unreachable(error.to_string()))
        };
        let connected = self.runtime.spawn(connecting).await;
        connected.unwrap_or_else(|error| Err(OpenError::Machine(error.to_string())))
    }

    async fn connect_here(&self, session: Session) -> Result<Connection, OpenError> {
        let (client, driver) = self.dial(session).await?;
        let generation = self.generations.begin();
        let counters = Arc::clone(&self.counters);
        let life = Life { generations: Arc::clone(&self.generations), counters, is_lost: false };
        let driver = self.runtime.spawn(drive(driver, life)).abort_handle();
        let (tls, generations) = (self.tls.clone(), Arc::clone(&self.generations));
        let counters = Arc::clone(&self.counters);
        Ok(Connection::new(client, tls, driver, generations, generation, counters))
    }

    /// Tries the hosts in turn.
    async fn dial(&self, session: Session) -> Result<Pair, OpenError> {
        let limit = self.hosts.limit();
        let mut failure = OpenError::Unreachable("it has no host".to_owned());
        for (place, host) in self.hosts.in_order() {
            match timeout(limit, self.dial_one(host, session)).await {
                Ok(Ok(pair)) => {
                    self.hosts.prefer(place);
                    return Ok(pair);
                }
                Ok(Err(error)) => failure = refusal(&error),
                Err(_) => {
                    failure = OpenError::Unreachable("it does not answer in time".to_owned());
                }
            }
        }
        Err(failure)
    }

    async fn dial_one(&self, host: &Config, session: Session) -> Result<Pair, Error> {
        let (client, mut driver) = host.connect(self.tls.clone()).await?;
        let sql = set_all(session);
        let set = client.batch_execute(&sql);
        // The driver has to be polled here until it is spawned.
        tokio::select! {
            done = set => done?,
            ended = &mut driver => ended?,
        }
        Ok((client, driver))
    }
}

/// Sets those settings that the server has, and notes whether snapshots identify states. They are not part of the start-up message, where a
/// pooler in between would refuse them, and a read-only session would look like a standby.
fn set_all(session: Session) -> String {
    let values = limit::EVERY.iter().chain(session);
    let values: Vec<_> = values.map(|(name, value)| format!("('{name}', '{value}')")).collect();
    format!(
        "SELECT set_config(known.name, wanted.value, false) FROM pg_settings AS known \
         JOIN (VALUES {}) AS wanted (name, value) ON wanted.name = known.name; {SNAPSHOTS}",
        values.join(", ")
    )
}

/// The error for opening the store when a connection fails.
fn refusal(error: &Error) -> OpenError {
    let Some(reported) = error.as_db_error() else {
        let (said, is_final) = (text(error), is_distrust(error));
        return if is_final { OpenError::Refused(said) } else { OpenError::Unreachable(said) };
    };
    let said = format!("{} {}", reported.code().code(), reported.message());
    let is_final = matches!(
        *reported.code(),
        SqlState::INVALID_PASSWORD
            | SqlState::INVALID_AUTHORIZATION_SPECIFICATION
            | SqlState::INVALID_CATALOG_NAME
            | SqlState::INSUFFICIENT_PRIVILEGE
    );
    if is_final { OpenError::Refused(said) } else { OpenError::Unreachable(said) }
}

/// Whether the server offers TLS, but with a certificate that is not trusted.
fn is_distrust(error: &Error) -> bool {
    let source = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    source.and_then(io::Error::get_ref).is_some_and(|reason| reason.is::<rustls::Error>())
}

/// Drives a connection until its client is dropped or the connection is lost.
async fn drive<S>(driver: impl Future<Output = Result<(), S>>, mut life: Life) {
    // Completes when the client is dropped.
    life.is_lost = driver.await.is_err();
}

/// Reports the end of a connection, also when its driver is aborted.
struct Life {
    generations: Arc<Generations>,
    counters: Arc<Counters>,
    is_lost: bool,
}

impl Drop for Life {
    fn drop(&mut self) {
        if self.is_lost {
            self.counters.lost.increment();
        }
        self.generations.end(self.is_lost);
    }
}

impl Manager for Connector {
    type Type = Arc<Connection>;
    type Error = OpenError;

    async fn create(&self) -> Result<Arc<Connection>, OpenError> {
        Ok(Arc::new(self.connect(limit::POOLED).await?))
    }

    /// Does not contact the server: a transaction whose first statement finds the connection lost
    /// uses another one.
    async fn recycle(
        &self,
        connection: &mut Arc<Connection>,
        _: &Metrics,
    ) -> RecycleResult<OpenError> {
        // Connections of the same generation as a lost one are closed, because their cached state
        // may be invalid.
        if connection.is_clean() && connection.generation().is_some() {
            Ok(())
        } else {
            Err(RecycleError::message("a connection that is not in order"))
        }
    }
}
