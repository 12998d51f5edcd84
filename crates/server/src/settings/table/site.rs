//! The pages on which people sign in.

use super::{Setting, defaults::CENTURY};
use crate::settings::{
    setting::{Initial, Topic},
    value,
};

/// The settings, in the order of `--help`.
pub(super) const SETTINGS: &[Setting] = &[
    Setting {
        name: "public_url",
        value: "URL",
        default: Initial::None,
        help: "Where people reach the program: scheme and host, such as https://patrol.example.org; \
               the address to listen at if left out",
        topic: Topic::Serving,
        set: |to, text| {
            to.site.public_url = Some(value::public_url(text)?);
            Ok(())
        },
    },
    Setting {
        name: "site",
        value: "BOOLEAN",
        default: Initial::Text("true"),
        help: "Serve the pages on which people sign in: true or false",
        topic: Topic::Serving,
        set: |to, text| {
            to.site.enabled = value::boolean(text)?;
            Ok(())
        },
    },
    Setting {
        name: "session_idle",
        value: "TIME",
        default: Initial::Text("12h"),
        help: "How long a session of the site lasts without a request",
        topic: Topic::Serving,
        set: |to, text| {
            to.site.sessions.idle = value::duration_up_to(text, CENTURY)?;
            Ok(())
        },
    },
    Setting {
        name: "session_max",
        value: "TIME",
        default: Initial::Text("7d"),
        help: "How long a session of the site lasts at most",
        topic: Topic::Serving,
        set: |to, text| {
            to.site.sessions.max = value::duration_up_to(text, CENTURY)?;
            Ok(())
        },
    },
];
