//! Traces. Only a program that is built with the feature `traces` exports them.

#[cfg(feature = "traces")]
mod export;

use tracing_subscriber::{Layer, Registry};

#[cfg(feature = "traces")]
pub(crate) use export::{Traces, continue_trace};

/// The target of spans.
pub(super) const TARGET: &str = "patrol::trace";

/// Records spans for the export.
pub(super) type SpanLayer = Box<dyn Layer<Registry> + Send + Sync>;

/// The settings of traces.
#[derive(Default)]
pub(crate) struct TraceSettings {
    /// The base URL of the collector. Nothing is traced without it.
    pub(crate) endpoint: Option<String>,
    /// The share of requests to trace, 0 to 1.
    pub(crate) ratio: f64,
}

#[cfg(not(feature = "traces"))]
mod missing {
    use std::{io, sync::Arc};

    use patrol_domain::Monitored;
    use patrol_http::TraceContext;
    use tracing::Span;

    use super::{SpanLayer, TraceSettings};

    /// The export, which this program lacks.
    pub(crate) enum Traces {}

    impl Traces {
        pub(in crate::log) fn start(_: &str, _: &TraceSettings) -> io::Result<(Self, SpanLayer)> {
            Err(io::ErrorKind::Unsupported.into())
        }

        pub(crate) fn monitored(&self) -> Arc<dyn Monitored> {
            match *self {}
        }

        pub(crate) fn finish(self) {
            match self {}
        }
    }

    /// Does nothing: nothing is traced.
    pub(crate) fn continue_trace(_: &Span, _: TraceContext<'_>) {}
}
#[cfg(not(feature = "traces"))]
pub(crate) use missing::{Traces, continue_trace};
