//! The settings of the log and of traces.

use crate::{
    log,
    settings::{
        setting::{Initial, Setting, Topic},
        value,
    },
};

pub(super) const SETTINGS: &[Setting] = &[
    Setting {
        name: "log",
        value: "FILTER",
        default: Initial::Text("info"),
        help: "What is logged: off, error, warn, info, debug, trace, or TARGET=LEVEL, with commas",
        topic: Topic::Log,
        set: |to, text| {
            to.log.filter = log::filter(text)?;
            Ok(())
        },
    },
    Setting {
        name: "log_format",
        value: "FORMAT",
        default: Initial::Text("text"),
        help: "The form of the log: text or json",
        topic: Topic::Log,
        set: |to, text| {
            to.log.format = log::format(text)?;
            Ok(())
        },
    },
    Setting {
        name: "traces_endpoint",
        value: "URL",
        default: Initial::None,
        help: "Where traces go: the base URL of a collector that takes OTLP over HTTP, for example \
               http://127.0.0.1:4318",
        topic: Topic::Log,
        set: |to, text| {
            to.traces.endpoint = Some(value::collector(text)?);
            Ok(())
        },
    },
    Setting {
        name: "traces_ratio",
        value: "NUMBER",
        default: Initial::Text("1"),
        help: "The share of requests that are traced, from 0 to 1, unless the client has decided",
        topic: Topic::Log,
        set: |to, text| {
            to.traces.ratio = value::ratio(text)?;
            Ok(())
        },
    },
];
