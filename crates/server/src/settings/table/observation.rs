//! The settings of the log.

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
];
