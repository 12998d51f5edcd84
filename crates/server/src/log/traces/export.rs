//! Exports spans to a collector, over OTLP (protobuf over HTTP).

use std::{
    collections::HashMap,
    io,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use opentelemetry::{
    Context, KeyValue, propagation::TextMapPropagator as _, trace::TracerProvider as _,
};
use opentelemetry_otlp::{Protocol, WithExportConfig as _};
use opentelemetry_sdk::{
    Resource,
    error::OTelSdkResult,
    propagation::TraceContextPropagator,
    trace::{
        BatchSpanProcessor, Sampler, SdkTracerProvider, SpanData, SpanExporter, SpanProcessor,
    },
};
use patrol_domain::{Counter, Metric, Monitored};
use patrol_http::TraceContext;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::{
    Layer as _,
    filter::{LevelFilter, Targets},
};

use super::{SpanLayer, TARGET, TraceSettings};
use crate::build::BUILD;

/// The longest time for a request to the collector, and for the last ones at the end.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The least time between two lines of the log about a failing collector.
const SILENCE: Duration = Duration::from_secs(60);

/// The running export.
pub(crate) struct Traces {
    provider: SdkTracerProvider,
    counters: Arc<Counters>,
}

/// Counts spans.
#[derive(Default, Debug)]
struct Counters {
    ended: Counter,
    exported: Counter,
    failed: Counter,
}

impl Traces {
    /// Starts the export to this collector.
    pub(in crate::log) fn start(
        endpoint: &str,
        settings: &TraceSettings,
    ) -> io::Result<(Self, SpanLayer)> {
        let exporter = opentelemetry_otlp::SpanExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(format!("{endpoint}/v1/traces"))
            .with_timeout(TIMEOUT)
            .build()
            .map_err(io::Error::other)?;
        let counters = Arc::<Counters>::default();
        let exporter = Exporter { exporter, counters: Arc::clone(&counters), logged: None.into() };
        // Waiting spans are bounded; more are dropped. A thread of its own exports them.
        let queue = BatchSpanProcessor::builder(exporter).build();
        let queue = Queue { queue, counters: Arc::clone(&counters) };
        let by_ratio = Sampler::TraceIdRatioBased(settings.ratio);
        let name = std::env::var("OTEL_SERVICE_NAME").ok().filter(|name| !name.is_empty());
        let resource = Resource::builder()
            .with_service_name(name.unwrap_or_else(|| "patrol".to_owned()))
            .with_attribute(KeyValue::new("service.version", BUILD.version))
            .build();
        let provider = SdkTracerProvider::builder()
            .with_span_processor(queue)
            .with_sampler(Sampler::ParentBased(Box::new(by_ratio)))
            .with_resource(resource)
            .build();
        let spans = Targets::new().with_target(TARGET, LevelFilter::INFO);
        let spans = tracing_opentelemetry::layer()
            .with_tracer(provider.tracer("patrol"))
            .with_context_activation(false)
            .with_location(false)
            .with_target(false)
            .with_threads(false)
            .with_tracked_inactivity(false)
            .with_filter(spans)
            .boxed();
        Ok((Self { provider, counters }, spans))
    }

    /// The counters of the export.
    pub(crate) fn monitored(&self) -> Arc<dyn Monitored> {
        self.counters.clone()
    }

    /// Exports the last spans, for at most 5 s.
    pub(crate) fn finish(self) {
        // A failure is logged by the exporter.
        drop(self.provider.shutdown_with_timeout(TIMEOUT));
    }
}

/// Makes the span a part of the client's trace. An invalid context begins a new trace.
pub(crate) fn continue_trace(span: &Span, context: TraceContext<'_>) {
    let TraceContext { parent, state } = context;
    let headers: HashMap<String, String> = [("traceparent", parent), ("tracestate", state)]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let context = TraceContextPropagator::new().extract(&headers);
    // It fails only for a span that is not exported.
    drop(span.set_parent(context));
}

/// Counts the spans of a queue.
#[derive(Debug)]
struct Queue {
    queue: BatchSpanProcessor,
    counters: Arc<Counters>,
}

impl SpanProcessor for Queue {
    fn on_start(&self, span: &mut opentelemetry_sdk::trace::Span, context: &Context) {
        self.queue.on_start(span, context);
    }

    fn on_end(&self, span: SpanData) {
        if span.span_context.is_sampled() {
            self.counters.ended.increment();
        }
        self.queue.on_end(span);
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.queue.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.queue.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.queue.set_resource(resource);
    }
}

/// Counts the spans of an exporter, and logs failures now and then.
#[derive(Debug)]
struct Exporter {
    exporter: opentelemetry_otlp::SpanExporter,
    counters: Arc<Counters>,
    /// When a failure was last logged.
    logged: Mutex<Option<Instant>>,
}

impl Exporter {
    /// Whether it is time to log a failure.
    fn is_due(&self) -> bool {
        let mut logged = self.logged.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = logged.is_none_or(|logged| logged.elapsed() >= SILENCE);
        if is_due {
            *logged = Some(Instant::now());
        }
        is_due
    }
}

impl SpanExporter for Exporter {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let count = batch.len();
        let exported = self.exporter.export(batch).await;
        match &exported {
            Ok(()) => self.counters.exported.add(count),
            Err(error) => {
                self.counters.failed.add(count);
                if self.is_due() {
                    // The error has the status of the collector, and no header.
                    tracing::warn!(
                        %error,
                        "spans are lost: check PATROL_TRACES_ENDPOINT and the collector of traces"
                    );
                }
            }
        }
        exported
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}

impl Monitored for Counters {
    fn metrics(&self) -> Vec<Metric> {
        vec![
            self.ended.metric(
                "patrol_trace_spans_total",
                "Spans that have ended. Those that are not exported and have not failed wait for \
                 the collector, or were dropped because too many waited.",
                None,
            ),
            self.exported.metric(
                "patrol_trace_spans_exported_total",
                "Spans that the collector has accepted.",
                None,
            ),
            self.failed.metric(
                "patrol_trace_spans_failed_total",
                "Spans that could not be sent to the collector.",
                None,
            ),
        ]
    }
}
