//! How long the store waits for PostgreSQL. A caller is told within 5 s that it does not answer.

use std::time::Duration;

/// For a connection from the pool, be it that others hold them all or that a new one is made; and
/// for the writers of the same record to be done.
pub(super) const LEASE: Duration = Duration::from_secs(4);

/// For a transaction to begin, with everything before it. A server that hangs is met there.
pub(super) const BEGIN: Duration = Duration::from_millis(4_500);

/// For a new connection, all hosts together.
pub(super) const CONNECT: Duration = Duration::from_millis(3_500);

/// For the answer to a statement of a change. PostgreSQL itself gives up a little earlier, as long
/// as it lives.
pub(super) const STATEMENT: Duration = Duration::from_secs(4);

/// For a read by key, with everything: the wait for a connection and a second try. Half of it is more
/// than PostgreSQL takes before it gives up by itself.
pub(super) const READ: Duration = Duration::from_millis(4_500);

/// For PostgreSQL's answer to whether it is there (operations: within 1 s of the change).
pub(super) const PING: Duration = Duration::from_secs(1);

/// Who reads long lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// A client of the server, which has 15 minutes for a list.
    Client,
    /// Somebody at the other end of a command's pipe, who takes as long as it takes.
    Person,
}

/// How long lists may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListLimits {
    /// To wait for a permit and a connection.
    pub(super) wait: Duration,
    /// For a page to run without a permit to be slow.
    pub(super) cheap: Duration,
    /// From the beginning of the transaction to the first row.
    pub(super) first_row: Duration,
    /// From then on for each next row or count.
    pub(super) progress: Duration,
    /// For all of a list, the time included that its reader takes.
    pub(super) longest: Duration,
}

impl ListLimits {
    /// Those for lists that are read by `reader`: a person may take as long as it takes.
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

/// Longer than any command runs: a year.
const NEVER: Duration = Duration::from_secs(365 * 24 * 3_600);

/// For what takes as long as it takes: a statement of an import, a person at the end of a pipe.
pub(super) const PATIENT: Duration = Duration::from_secs(3_600);

/// For a running query to be cancelled.
pub(super) const CANCEL: Duration = Duration::from_secs(2);

/// How long a transaction that meets others is tried again.
pub(super) const RETRIES: Duration = Duration::from_secs(4);

/// What a session of the pool is set to: names of settings with their values. Those that the server
/// does not know are left out.
pub(super) const POOLED: &[(&str, &str)] = &[
    ("statement_timeout", "3500"),
    ("lock_timeout", "3000"),
    ("idle_in_transaction_session_timeout", "60000"),
];

/// What a session for reads by key is set to.
pub(super) const SHARED: &[(&str, &str)] =
    &[("statement_timeout", "2000"), ("default_transaction_read_only", "on")];

/// What a session that brings the schema up to date is set to.
pub(super) const MIGRATING: &[(&str, &str)] = &[
    ("statement_timeout", "0"),
    ("lock_timeout", "0"),
    ("idle_in_transaction_session_timeout", "0"),
];

/// What every session is set to: a server that has lost its client notices within half a minute, and
/// compiles no statement, which a list of a large table pays for each time and never earns back.
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
