//! The log: to standard error, as text or JSON.

mod outbox;
mod traces;

use std::io::{self, IsTerminal};

use tracing_subscriber::{
    EnvFilter, Layer as _, filter::LevelFilter, layer::SubscriberExt as _,
    util::SubscriberInitExt as _,
};

pub(crate) use outbox::Outbox;
pub(crate) use traces::{TraceSettings, Traces, continue_trace};

/// The settings of the log.
#[derive(Default)]
pub(crate) struct LogSettings {
    /// Which events are logged.
    pub(crate) filter: EnvFilter,
    /// The form of a line.
    pub(crate) format: Format,
}

/// The form of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Format {
    /// For people.
    #[default]
    Text,
    /// For programs: one JSON object per line.
    Json,
}

/// Parses a filter: levels and `TARGET=LEVEL`, separated by commas.
pub(crate) fn filter(text: &str) -> Result<EnvFilter, String> {
    const FORM: &str = "has to be a level (off, error, warn, info, debug, trace) or TARGET=LEVEL";
    let parts: Vec<_> = text.split(',').map(str::trim).collect();
    // A single word would be a target that logs everything, so a mistyped level would hide all
    // other events. Filters with span fields, which may contain commas, are left to the parser.
    for part in parts.iter().filter(|_| !text.contains('[')) {
        let level = part.rsplit_once('=').map_or(*part, |(_, level)| level);
        if level.is_empty() || level.parse::<LevelFilter>().is_err() {
            return Err(format!("`{part}` {FORM}"));
        }
    }
    // actix logs its start and stop, which Patrol logs too, and logs malformed HTTP of a client as an
    // error. So the messages of actix are off unless the filter names actix.
    let level = parts.iter().filter_map(|part| part.parse::<LevelFilter>().ok()).max();
    let has_info = level.is_some_and(|level| level >= LevelFilter::INFO);
    let quiet =
        if has_info && !text.contains("actix") { "actix_server=warn,actix_http=off," } else { "" };
    EnvFilter::builder()
        .parse(format!("{quiet}{}", parts.join(",")))
        .map_err(|_| format!("`{text}` {FORM}"))
}

/// Parses `text` or `json`.
pub(crate) fn format(text: &str) -> Result<Format, String> {
    match text {
        "text" => Ok(Format::Text),
        "json" => Ok(Format::Json),
        _ => Err(format!("`{text}` is neither text nor json")),
    }
}

/// Starts the log of the process, and the export of spans if there is a collector. Flushing the
/// returned outbox writes everything that was logged.
pub(crate) fn start(
    settings: LogSettings,
    traces: TraceSettings,
) -> io::Result<(Outbox, Option<Traces>)> {
    let outbox = Outbox::start(io::stderr())?;
    let LogSettings { filter, format } = settings;
    let colours = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let log = tracing_subscriber::fmt::layer().with_writer(outbox.clone()).with_ansi(colours);
    let log = match format {
        Format::Text => log.boxed(),
        Format::Json => log.json().flatten_event(true).boxed(),
    };
    let traces = traces.endpoint.as_deref().map(|url| Traces::start(url, &traces)).transpose()?;
    let (traces, spans) = traces.unzip();
    // Spans are not part of the log. Without a collector nothing is interested in them, so that
    // making one costs a comparison.
    let filter = match format!("{}=off", traces::TARGET).parse() {
        Ok(off) => filter.add_directive(off),
        Err(_) => filter,
    };
    let started = match spans {
        None => tracing_subscriber::registry().with(filter.and_then(log)).try_init(),
        Some(spans) => {
            let layers = vec![log.with_filter(filter).boxed(), spans];
            tracing_subscriber::registry().with(layers).try_init()
        }
    };
    started.map_err(io::Error::other)?;
    std::panic::set_hook(Box::new(|panic| {
        // Only the place, because the panic message may contain a value of a record.
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "a defect: something panicked; please report this line");
    }));
    Ok((outbox, traces))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_made_of_levels_and_targets() {
        for good in ["info", "off", "WARN", "info,patrol_http=debug", "patrol=trace, actix=off"] {
            assert!(filter(good).is_ok(), "{good}");
        }
        for bad in ["", "loud", "inof", "info,patrol=loud", "info,,warn", "patrol=", "a[b=c"] {
            assert!(filter(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn actix_is_logged_only_when_named_or_from_warn() {
        for (given, actix) in [
            ("info", "warn"),
            ("debug", "warn"),
            ("off", ""),
            ("error", ""),
            ("info,actix_server=debug", "debug"),
        ] {
            let read = filter(given).unwrap().to_string();
            let heard = read.split(',').find_map(|part| part.strip_prefix("actix_server="));
            assert_eq!(heard.unwrap_or_default(), actix, "{read}");
        }
    }

    #[test]
    fn a_format_is_text_or_json() {
        assert_eq!((format("text"), format("json")), (Ok(Format::Text), Ok(Format::Json)));
        assert!(format("TEXT").is_err());
    }
}
