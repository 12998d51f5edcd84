//! Time limits for PostgreSQL. A caller gets an error within 5 s when it does not answer.

use std::time::Duration;

/// For a connection from the pool, whether all are in use or a new one is opened; and for other
/// writers of the same record.
pub(super) const LEASE: Duration = Duration::from_secs(4);

/// For the start of a transaction, including everything before it. A server that hangs is detected
/// there.
pub(super) const BEGIN: Duration = Duration::from_millis(4_500);

/// For opening a connection, all hosts together.
pub(super) const CONNECT: Duration = Duration::from_millis(3_500);

/// For the answer to a statement of a change. PostgreSQL's own limit is a little shorter.
pub(super) const STATEMENT: Duration = Duration::from_secs(4);

/// For a read by key in all, including the wait for a connection and a retry. Half of it is longer
/// than PostgreSQL's own limit.
pub(super) const READ: Duration = Duration::from_millis(4_500);

/// For a ping. Readiness has to show a failure within about a second.
pub(super) const PING: Duration = Duration::from_secs(1);

/// The reader of long lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// A client of the server, with 15 minutes for a list.
    Client,
    /// A pipe of a command, without a limit.
    Person,
}

/// The time limits of lists.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListLimits {
    /// For a permit and a connection.
    pub(super) wait: Duration,
    /// For a page without a permit for slow pages.
    pub(super) cheap: Duration,
    /// From the start of the transaction to the first row.
    pub(super) first_row: Duration,
    /// For each later row or count.
    pub(super) progress: Duration,
    /// For the whole list, including the time of its reader.
    pub(super) longest: Duration,
}

impl ListLimits {
    /// The limits for lists of `reader`.
    pub(super) const fn of(reader: Reader) -> Self {
        let (wait, cheap) = (Duration::from_secs(5), Duration::from_millis(100));
        match reader {
            Reader::Client => Self {
                wait,
                cheap,
                first_row: Duration::from_secs(10),
                progress: Duration::from_secs(30),
                longest: Duration::from_secs(15 * 60),
            },
            Reader::Person => {
                Self { wait, cheap, first_row: NEVER, progress: PATIENT, longest: NEVER }
            }
        }
    }
}

/// The number of connections for long lists, besides a pool of `connections`.
pub(crate) fn long_connections(connections: usize) -> usize {
    /// Enough for two clients with the most lists that one client may read (4).
    const LEAST: usize = 8;
    LEAST.max(connections / 2)
}

/// Longer than any command runs: a year.
const NEVER: Duration = Duration::from_secs(365 * 24 * 3_600);

/// For a statement of an import, and for a slow pipe.
pub(super) const PATIENT: Duration = Duration::from_secs(3_600);

/// For cancelling a running query.
pub(super) const CANCEL: Duration = Duration::from_secs(2);

/// How long a transaction is retried after conflicts.
pub(super) const RETRIES: Duration = Duration::from_secs(4);

/// Settings of a session of the pool: names and values. Settings that the server does not have are
/// skipped.
pub(super) const POOLED: &[(&str, &str)] = &[
    ("statement_timeout", "3500"),
    ("lock_timeout", "3000"),
    ("idle_in_transaction_session_timeout", "60000"),
];

/// Keeps sessions that find rows by keys from a plan that was made while a table was empty: it would read the
/// whole table until autovacuum has seen it, up to a minute later.
const BY_KEY: (&str, &str) = ("enable_seqscan", "off");

/// Settings of a session for reads by key.
pub(super) const SHARED: &[(&str, &str)] =
    &[("statement_timeout", "2000"), ("default_transaction_read_only", "on"), BY_KEY];

/// Settings of a session for idempotency keys.
pub(super) const KEYS: &[(&str, &str)] =
    &[("statement_timeout", "2000"), ("synchronous_commit", "off"), BY_KEY];

/// Settings of a session for migrations.
pub(super) const MIGRATING: &[(&str, &str)] = &[
    ("statement_timeout", "0"),
    ("lock_timeout", "0"),
    ("idle_in_transaction_session_timeout", "0"),
];

/// Settings of every session: the server detects a lost client within half a minute; JIT
/// compilation is off, because a list of a large table would pay for it on each run without a
/// benefit.
pub(super) const EVERY: &[(&str, &str)] = &[
    ("jit", "off"),
    ("TimeZone", "UTC"),
    ("client_encoding", "UTF8"),
    ("tcp_keepalives_idle", "10"),
    ("tcp_keepalives_interval", "5"),
    ("tcp_keepalives_count", "3"),
    ("tcp_user_timeout", "30000"),
    ("client_connection_check_interval", "5000"),
];
