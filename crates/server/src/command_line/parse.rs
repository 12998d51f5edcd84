//! Parses the command line. Every setting is a flag of every command.

use std::ffi::OsString;

use clap::{
    Arg, ArgMatches, Command, CommandFactory, FromArgMatches,
    error::{ContextKind, ContextValue, ErrorKind},
};

use super::{CommandLine, Task};
use crate::{
    error::CommandError,
    settings::{Configuration, Initial, SETTINGS, Setting, Topic},
};

/// The parsed command line.
pub(crate) enum ParsedLine {
    /// A command and its configuration.
    Run(Task, Box<Configuration>),
    /// The text for `--help` or `--version`, for standard output.
    Answer(String),
    /// No command was given: the usage, for standard error.
    Usage(String),
}

/// Parses the command line and loads the configuration.
pub(crate) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<ParsedLine, CommandError> {
    let matches = match definition(Initial::text).try_get_matches_from(words) {
        Ok(matches) => matches,
        Err(error) => {
            let text = error.render().to_string();
            return match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Ok(ParsedLine::Answer(text)),
                ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => Ok(ParsedLine::Usage(text)),
                _ => Err(CommandError::Usage(one_line(&error))),
            };
        }
    };
    let line = CommandLine::from_arg_matches(&matches)
        .map_err(|error| CommandError::Usage(one_line(&error)))?;
    let flags = |name: &str| flag(&matches, name);
    let configuration =
        Configuration::load(flags, line.config.as_deref()).map_err(CommandError::Usage)?;
    Ok(ParsedLine::Run(line.command, Box::new(configuration)))
}

/// The commands and settings, without values of the machine on which the program is built.
pub(crate) fn definition_for_any_machine() -> Command {
    definition(Initial::text_for_any_machine)
}

/// The commands, with the settings as flags. The help of a command shows only the settings that it
/// uses, with the default that `default` makes of each.
fn definition(default: fn(&Initial) -> Option<String>) -> Command {
    let shown = |command: &str, setting: &Setting| match setting.topic {
        Topic::Store | Topic::Log => command != "patrol",
        Topic::Serving if setting.name == "listen" => {
            matches!(command, "serve" | "health" | "invite" | "labels")
        }
        Topic::Serving if setting.name == "public_url" => {
            matches!(command, "serve" | "invite" | "labels")
        }
        Topic::Serving | Topic::Requests => command == "serve",
        Topic::Fields => matches!(command, "serve" | "import"),
    };
    with_settings(CommandLine::command(), &shown, default)
}

fn with_settings(
    mut command: Command,
    shown: &dyn Fn(&str, &Setting) -> bool,
    default: fn(&Initial) -> Option<String>,
) -> Command {
    let names: Vec<_> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    for name in names {
        command = command.mut_subcommand(name, |sub| with_settings(sub, shown, default));
    }
    let name = command.get_name().to_owned();
    let argument = |setting| argument(setting, default(&setting.default), shown(&name, setting));
    command.args(SETTINGS.iter().map(argument))
}

fn argument(setting: &Setting, default: Option<String>, shown: bool) -> Arg {
    let Setting { name, value, default: _, help, topic, set: _ } = setting;
    let default = default.unwrap_or_else(|| "none".to_owned());
    Arg::new(*name)
        .long(setting.flag())
        .value_name(*value)
        .help(format!("{help} [default: {default}] [env: {}]", setting.variable()))
        .help_heading(topic.heading())
        .hide(!shown)
        .global(true)
}

/// The value of a flag, which may be given before and after the command. The last one counts.
fn flag(matches: &ArgMatches, name: &str) -> Option<String> {
    let nested = matches.subcommand().and_then(|(_, nested)| flag(nested, name));
    nested.or_else(|| matches.get_one::<String>(name).cloned())
}

/// An error of clap as one line with advice.
fn one_line(error: &clap::Error) -> String {
    let rendered = error.render().to_string();
    let mut parts = Vec::new();
    for paragraph in rendered.split("\n\n") {
        if paragraph.starts_with("Usage:") || paragraph.starts_with("For more information") {
            continue;
        }
        let words: Vec<_> = paragraph.split_whitespace().collect();
        let words = words.join(" ");
        parts.push(words.strip_prefix("error: ").map(ToOwned::to_owned).unwrap_or(words));
    }
    let usage = match error.get(ContextKind::Usage) {
        Some(ContextValue::StyledStr(usage)) => usage.to_string(),
        _ => String::new(),
    };
    // "Usage: patrol token create [OPTIONS] --user …"
    let command: Vec<_> = usage
        .split_whitespace()
        .skip_while(|word| *word != "patrol")
        .take_while(|word| word.chars().all(|letter| letter.is_ascii_lowercase()))
        .collect();
    let command = if command.is_empty() { "patrol".to_owned() } else { command.join(" ") };
    parts.push(format!("see `{command} --help`"));
    parts.retain(|part| !part.is_empty());
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build;

    fn parsed(line: &[&str]) -> Result<ParsedLine, CommandError> {
        parse(std::iter::once("patrol").chain(line.iter().copied()).map(OsString::from))
    }

    fn answer(line: &[&str]) -> String {
        match parsed(line) {
            Ok(ParsedLine::Answer(text)) => text,
            _ => panic!("{line:?} is not answered"),
        }
    }

    fn error(line: &[&str]) -> String {
        match parsed(line) {
            Err(CommandError::Usage(text)) => text,
            _ => panic!("{line:?} passed"),
        }
    }

    #[test]
    fn the_definition_is_valid() {
        definition(Initial::text).debug_assert();
    }

    #[test]
    fn the_help_of_serve_lists_every_setting_with_its_default_and_variable() {
        let help = answer(&["serve", "--help"]);
        let words: Vec<_> = help.split_whitespace().collect();
        let help = words.join(" ");
        for setting in SETTINGS {
            let (flag, variable) = (setting.flag(), setting.variable());
            let default = setting.default.text().unwrap_or_else(|| "none".to_owned());
            assert!(help.contains(&format!("--{flag} <{}>", setting.value)), "{flag}");
            assert!(
                help.contains(&format!("[default: {default}] [env: {variable}]")),
                "{variable}"
            );
        }
    }

    #[test]
    fn every_help_has_examples_and_the_settings_of_its_command() {
        for command in [
            &["serve"][..],
            &["migrate"],
            &["import"],
            &["export"],
            &["token"],
            &["token", "create"],
            &["token", "list"],
            &["token", "revoke"],
            &["user"],
            &["user", "create"],
            &["user", "invite"],
            &["labels"],
            &["backup"],
            &["check"],
            &["health"],
        ] {
            let help = answer(&[command, &["--help"]].concat());
            assert!(help.contains(&format!("Examples:\n  patrol {}", command.join(" "))), "{help}");
            assert!(help.contains("--database-url"), "{help}");
            let listens = matches!(command, ["serve" | "health" | "labels"] | ["user", "invite"]);
            assert_eq!(help.contains("--listen"), listens, "{help}");
        }
        assert!(answer(&["--help"]).contains("patrol serve --demo"));
    }

    #[test]
    fn a_setting_is_taken_before_and_after_the_command() {
        for line in [
            &["--limit-name", "7", "token", "list"][..],
            &["token", "--limit-name=7", "list"],
            &["token", "list", "--limit-name", "7"],
        ] {
            let Ok(ParsedLine::Run(_, configuration)) = parsed(line) else { panic!("{line:?}") };
            assert_eq!(configuration.limits.name, 7, "{line:?}");
        }
    }

    #[test]
    fn an_error_is_one_line_with_advice() {
        for (line, says, command) in [
            (&["serve", "--lisen", "x"][..], "'--lisen'", "patrol serve"),
            (&["token", "create", "--name", "x"], "--user <USER>", "patrol token create"),
            (&["token", "revoke", "17"], "not an id", "patrol"),
            (&["polish"], "'polish'", "patrol"),
            (&["--log", "info"], "subcommand", "patrol"),
            (
                &["token", "create", "--user", "a", "--name", "b", "--expires-in", "3w"],
                "`3w` is not a number above 0 with s, m, h or d",
                "patrol",
            ),
        ] {
            let error = error(line);
            assert!(error.contains(says), "{error}");
            assert!(error.contains(&format!("`{command} --help`")), "{error}");
            assert!(!error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn without_a_command_the_usage_is_shown() {
        assert!(matches!(parsed(&[]), Ok(ParsedLine::Usage(usage)) if usage.contains("serve")));
        assert!(
            matches!(parsed(&["token"]), Ok(ParsedLine::Usage(usage)) if usage.contains("revoke"))
        );
    }

    #[test]
    fn the_version_names_the_commit() {
        for flag in ["--version", "-V"] {
            let patrol_http::Build { version, commit } = build::BUILD;
            assert_eq!(answer(&[flag]), format!("patrol {version} ({commit})\n"));
        }
    }
}
