//! The type of a setting. A setting defines a flag, a variable, a key of the file, a line of
//! `--help` with the default, and the check of the value.

use super::Configuration;

/// A setting.
pub(crate) struct Setting {
    /// The key in the file. The variable is `PATROL_` and this in upper case; the flag has hyphens
    /// instead of underscores.
    pub(crate) name: &'static str,
    /// The placeholder of the value in `--help`.
    pub(crate) value: &'static str,
    pub(crate) default: Initial,
    /// The description in `--help`.
    pub(crate) help: &'static str,
    /// The section of `--help`.
    pub(crate) topic: Topic,
    /// Parses and checks a value and stores it in the configuration.
    pub(crate) set: fn(&mut Configuration, &str) -> Result<(), String>,
}

impl Setting {
    /// The environment variable of this setting.
    pub(crate) fn variable(&self) -> String {
        format!("PATROL_{}", self.name.to_uppercase())
    }

    /// The flag without its leading hyphens.
    pub(crate) fn flag(&self) -> String {
        self.name.replace('_', "-")
    }
}

/// The default of a setting.
pub(crate) enum Initial {
    /// Not set.
    None,
    /// This text, in the form of the setting.
    Text(&'static str),
    /// A number that depends on the machine.
    Machine(fn() -> usize),
}

impl Initial {
    /// The default in the form of the setting.
    pub(crate) fn text(&self) -> Option<String> {
        match self {
            Self::None => None,
            Self::Text(text) => Some((*text).to_owned()),
            Self::Machine(number) => Some(number().to_string()),
        }
    }

    /// The default for readers on other machines.
    pub(crate) fn text_for_any_machine(&self) -> Option<String> {
        match self {
            Self::None | Self::Text(_) => self.text(),
            Self::Machine(_) => Some("by the number of cores".to_owned()),
        }
    }
}

/// The section of a setting in `--help`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Topic {
    /// Store and photos.
    Store,
    /// The log and traces.
    Log,
    /// Serving HTTP.
    Serving,
    /// Bounds of requests.
    Requests,
    /// Bounds of fields.
    Fields,
}

impl Topic {
    /// The title of the section.
    pub(crate) const fn heading(self) -> &'static str {
        match self {
            Self::Store => "Settings of the store",
            Self::Log => "Settings of the log and of traces",
            Self::Serving => "Settings of the server",
            Self::Requests => "Bounds of requests",
            Self::Fields => "Bounds of fields",
        }
    }
}
