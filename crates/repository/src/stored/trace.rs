//! Spans of the stores, for traces. They are made only within the span of a request or a use case;
//! without a collector of traces, this check is a comparison.

use tracing::{Level, Span, field::Empty};

/// The target of all spans. The log ignores them.
const TARGET: &str = "patrol::trace";

/// The maximum number of bytes of a statement in a span.
const MAX_TEXT: usize = 2_000;

/// The kind of database, as OpenTelemetry names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum System {
    /// SQLite.
    Sqlite,
    /// PostgreSQL.
    Postgres,
}

impl System {
    const fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgresql",
        }
    }

    /// The span of a transaction that changes records, from the request for it to its commit.
    #[must_use]
    pub fn transaction(self) -> Span {
        self.work("transaction")
    }

    /// The span of a read by id, from the request for it.
    #[must_use]
    pub fn read(self) -> Span {
        self.work("read")
    }

    /// The span of a page or a list, from the request for it.
    #[must_use]
    pub fn list(self) -> Span {
        self.work("list")
    }

    fn work(self, name: &'static str) -> Span {
        if !is_within_trace() {
            return Span::none();
        }
        tracing::info_span!(
            target: TARGET,
            "store",
            otel.name = name,
            db.system.name = self.name(),
        )
    }

    /// The span of a statement. `sql` has placeholders instead of values; it is called only if the
    /// statement is traced.
    #[must_use]
    pub fn statement<T: AsRef<str>>(self, sql: impl FnOnce() -> T) -> Span {
        if !is_within_trace() {
            return Span::none();
        }
        let sql = sql();
        let sql = shortened(sql.as_ref());
        let operation = sql.split([' ', ';']).next();
        tracing::info_span!(
            target: TARGET,
            "statement",
            otel.kind = "client",
            otel.status_code = Empty,
            db.system.name = self.name(),
            db.operation.name = operation,
            db.query.text = sql,
        )
    }
}

/// Marks a statement as failed.
pub fn failed(span: &Span) {
    span.record("otel.status_code", "ERROR");
}

/// Whether spans are exported, and this thread works for a request or a use case.
fn is_within_trace() -> bool {
    tracing::span_enabled!(target: TARGET, Level::INFO) && !Span::current().is_disabled()
}

fn shortened(sql: &str) -> &str {
    let end = (0..=MAX_TEXT.min(sql.len())).rev().find(|end| sql.is_char_boundary(*end));
    end.and_then(|end| sql.get(..end)).unwrap_or_default()
}
