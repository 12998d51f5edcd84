//! The command line: commands, flags, help.

use std::{ffi::OsString, path::PathBuf, time::Duration};

use clap::{
    Arg, ArgMatches, Args, Command, CommandFactory, FromArgMatches, Parser, Subcommand,
    error::{ContextKind, ContextValue, ErrorKind},
};

use crate::{
    build,
    error::CommandError,
    settings::{Configuration, SETTINGS, Setting, Topic, value},
};

/// Guard tours and inspections: a JSON-over-HTTP service.
#[derive(Parser)]
#[command(
    name = "patrol",
    version = build::TEXT,
    arg_required_else_help = true,
    max_term_width = 100,
    after_help = "\
Settings: every command takes them as flags (--database-url), as environment variables
(PATROL_DATABASE_URL) and from patrol.toml in the working directory (database_url = \"…\"). A flag
wins over a variable, that over the file. `patrol serve --help` lists them all with their defaults.

Exit codes: 0 done, 1 failed, 2 wrong usage or configuration.

Examples:
  patrol serve --demo                                try it out, with the data of a made-up company
  patrol import company.ndjson                       load a data set
  patrol token create --user anna@example.org --name laptop --expires-in 90d
  PATROL_LISTEN=0.0.0.0:8080 patrol serve            serve it to others"
)]
pub(crate) struct CommandLine {
    /// Read settings from FILE rather than from patrol.toml
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) config: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Task,
}

/// The commands of the program.
#[derive(Subcommand)]
pub(crate) enum Task {
    /// Serve the API until SIGTERM or SIGINT
    ///
    /// Brings the schema up to date, serves the API until SIGTERM or SIGINT, then finishes what is
    /// in flight and exits 0. A second signal ends it at once.
    #[command(after_help = "\
Examples:
  patrol serve --demo
  patrol serve --listen 0.0.0.0:8080 --database-url sqlite:/var/lib/patrol/patrol.db
  PATROL_LOG=warn PATROL_LOG_FORMAT=json patrol serve --config /etc/patrol.toml")]
    Serve(Serve),
    /// Bring the schema of the store up to date
    ///
    /// Makes the store when it is not there, brings its schema up to date, and exits. `serve` and
    /// `import` do so too; every other command needs a store that is there and up to date.
    #[command(after_help = "\
Examples:
  patrol migrate
  patrol migrate --database-url sqlite:/var/lib/patrol/patrol.db")]
    Migrate,
    /// Load a data set, all of it or nothing
    ///
    /// Loads a data set of NDJSON records, all of it or nothing. It only adds: a record that is
    /// there already is an error. Of the lines that are wrong the first 20 are named, with line and
    /// field. While it runs, a server of the same store reads on and answers writes with 503.
    #[command(after_help = "\
Examples:
  patrol import company.ndjson
  patrol import --dry-run company.ndjson
  gunzip -c company.ndjson.gz | patrol import -")]
    Import {
        /// The data set; - is standard input
        file: PathBuf,
        /// Check everything and store nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Write the whole store as a data set
    ///
    /// Writes the whole store as a data set that `import` reads back. Photos, tokens, passwords and
    /// the history of points are not in it. A file that exists is replaced, once the new one is
    /// complete; but not by an empty one, unless --force is given. Changes nothing in the store.
    #[command(after_help = "\
Examples:
  patrol export company.ndjson
  patrol export - | gzip > company.ndjson.gz")]
    Export {
        /// Where to; - is standard output
        file: PathBuf,
        /// Replace a file that holds something even when the store holds no record
        #[arg(long)]
        force: bool,
    },
    /// Find photos that no user has and remove them; find users whose photo is missing
    ///
    /// Looks at every stored photo and removes those that no user has: such as a restore of an older
    /// backup leaves behind. Photos stored within the last ten minutes are left alone, so it may run
    /// beside a server. Prints how many photos it found and removed, and of how many users the photo
    /// is missing; a warning in the log names each of these users, who stay as they are.
    #[command(after_help = "\
Examples:
  patrol check --dry-run
  patrol check
  patrol check --database-url sqlite:/var/lib/patrol/patrol.db \\
    --photos-url file:/var/lib/patrol/photos")]
    Check {
        /// Remove nothing; print the ids of the photos that would be removed, a line each
        #[arg(long)]
        dry_run: bool,
    },
    /// Issue, list and revoke tokens
    #[command(
        subcommand,
        arg_required_else_help = true,
        after_help = "\
Examples:
  patrol token create --user anna@example.org --name laptop --expires-in 90d
  patrol token list
  patrol token revoke 0190a000-0000-7000-8000-000000000001"
    )]
    Token(Token),
    /// Make a consistent copy of the store, running or not
    ///
    /// Makes a consistent copy of a SQLite store, also of one that is being served. FILE must not
    /// exist. To go back to it, stop the server and put the copy in the place of the database. Photos
    /// are not in it: copy their folder as well.
    #[command(after_help = "\
Examples:
  patrol backup patrol-$(date +%F).db
  patrol backup /backups/patrol.db --database-url sqlite:/var/lib/patrol/patrol.db")]
    Backup {
        /// Where to; must not exist
        file: PathBuf,
    },
}

/// `patrol serve`.
#[derive(Args)]
pub(crate) struct Serve {
    /// Fill an empty store with demo data, print the address and a token of its administrator
    #[arg(long)]
    pub(crate) demo: bool,
}

/// `patrol token`.
#[derive(Subcommand)]
pub(crate) enum Token {
    /// Issue a token and print it
    ///
    /// Issues a token to an ACTIVE user and prints it, alone on a line. It is shown this once: the
    /// store keeps only a digest of it.
    #[command(after_help = "\
Examples:
  patrol token create --user anna@example.org --name laptop
  patrol token create --user 0042 --name 'night shift' --expires-in 12h
  TOKEN=$(patrol token create --user anna@example.org --name script --expires-in 90d)")]
    Create {
        /// Whom it speaks for: an id, an employeeNo or an email
        #[arg(long)]
        user: String,
        /// What to call it
        #[arg(long)]
        name: String,
        /// When it stops being valid: a number with s, m, h or d; never if left out
        #[arg(long, value_name = "TIME", value_parser = value::duration)]
        expires_in: Option<Duration>,
    },
    /// List tokens
    ///
    /// Prints a line for each token, tab-separated: id, user id, name, expiry, last use, then
    /// employeeNo, email and name of the user. What there is not is -. Within a column a tab is
    /// written \t, a line break \n and a backslash \\.
    #[command(after_help = "\
Examples:
  patrol token list
  patrol token list --user anna@example.org | cut -f 1,3")]
    List {
        /// Only those of this user: an id, an employeeNo or an email
        #[arg(long)]
        user: Option<String>,
    },
    /// Revoke a token, or all tokens of a user
    ///
    /// Revokes a token, or all tokens of a user, who need not be ACTIVE, and prints how many. They
    /// stop being valid within 5 seconds.
    #[command(after_help = "\
Examples:
  patrol token revoke 0190a000-0000-7000-8000-000000000001
  patrol token revoke --user anna@example.org")]
    Revoke {
        /// Its id, from `patrol token list`
        #[arg(value_parser = token_id, required_unless_present = "user", conflicts_with = "user")]
        id: Option<patrol_domain::ids::TokenId>,
        /// All tokens of this user: an id, an employeeNo or an email
        #[arg(long)]
        user: Option<String>,
    },
}

fn token_id(text: &str) -> Result<patrol_domain::ids::TokenId, String> {
    patrol_domain::ids::parse(text)
        .map(Into::into)
        .ok_or_else(|| "it is not an id; `patrol token list` shows them".to_owned())
}

/// The parsed command line.
pub(crate) enum Typed {
    /// A command and its configuration.
    Run(Task, Box<Configuration>),
    /// The answer to `--help` or `--version`, for standard output.
    Answer(String),
    /// No command was given: the usage, for standard error.
    Usage(String),
}

/// Parses the command line and loads the configuration.
pub(crate) fn read(typed: impl IntoIterator<Item = OsString>) -> Result<Typed, CommandError> {
    let matches = match definition().try_get_matches_from(typed) {
        Ok(matches) => matches,
        Err(error) => {
            let text = error.render().to_string();
            return match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Ok(Typed::Answer(text)),
                ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => Ok(Typed::Usage(text)),
                _ => Err(CommandError::Usage(sentence(&error))),
            };
        }
    };
    let line = CommandLine::from_arg_matches(&matches)
        .map_err(|error| CommandError::Usage(sentence(&error)))?;
    let flags = |name: &str| flag(&matches, name);
    let configuration =
        Configuration::load(flags, line.config.as_deref()).map_err(CommandError::Usage)?;
    Ok(Typed::Run(line.command, Box::new(configuration)))
}

/// The commands, with the settings as flags. The help of a command shows only the settings that it
/// uses.
fn definition() -> Command {
    let shown = |command: &str, setting: &Setting| match setting.topic {
        Topic::Store | Topic::Log => command != "patrol",
        Topic::Serving | Topic::Requests => command == "serve",
        Topic::Fields => matches!(command, "serve" | "import"),
    };
    with_settings(CommandLine::command(), &shown)
}

fn with_settings(mut command: Command, shown: &dyn Fn(&str, &Setting) -> bool) -> Command {
    let names: Vec<_> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    for name in names {
        command = command.mut_subcommand(name, |sub| with_settings(sub, shown));
    }
    let name = command.get_name().to_owned();
    command.args(SETTINGS.iter().map(|setting| argument(setting, shown(&name, setting))))
}

fn argument(setting: &Setting, shown: bool) -> Arg {
    let Setting { name, value, default, help, topic, set: _ } = setting;
    let default = default.text().unwrap_or_else(|| "none".to_owned());
    Arg::new(*name)
        .long(setting.flag())
        .value_name(*value)
        .help(format!("{help} [default: {default}] [env: {}]", setting.variable()))
        .help_heading(topic.heading())
        .hide(!shown)
        .global(true)
}

/// The value of a flag. When it is given several times, before or after the command, the last one
/// wins.
fn flag(matches: &ArgMatches, name: &str) -> Option<String> {
    let nested = matches.subcommand().and_then(|(_, nested)| flag(nested, name));
    nested.or_else(|| matches.get_one::<String>(name).cloned())
}

/// An error of clap as one line with advice.
fn sentence(error: &clap::Error) -> String {
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
    parts.push(format!("`{command} --help` says more"));
    parts.retain(|part| !part.is_empty());
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(line: &[&str]) -> Result<Typed, CommandError> {
        read(std::iter::once("patrol").chain(line.iter().copied()).map(OsString::from))
    }

    fn answer(line: &[&str]) -> String {
        match typed(line) {
            Ok(Typed::Answer(text)) => text,
            _ => panic!("{line:?} is not answered"),
        }
    }

    fn error(line: &[&str]) -> String {
        match typed(line) {
            Err(CommandError::Usage(text)) => text,
            _ => panic!("{line:?} passed"),
        }
    }

    #[test]
    fn clap_finds_the_definition_sound() {
        definition().debug_assert();
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
    fn every_help_has_examples_and_the_settings_that_concern_it() {
        for command in [
            &["serve"][..],
            &["migrate"],
            &["import"],
            &["export"],
            &["token"],
            &["token", "create"],
            &["token", "list"],
            &["token", "revoke"],
            &["backup"],
            &["check"],
        ] {
            let help = answer(&[command, &["--help"]].concat());
            assert!(help.contains(&format!("Examples:\n  patrol {}", command.join(" "))), "{help}");
            assert!(help.contains("--database-url"), "{help}");
            assert_eq!(help.contains("--listen"), command == ["serve"], "{help}");
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
            let Ok(Typed::Run(_, configuration)) = typed(line) else { panic!("{line:?}") };
            assert_eq!(configuration.limits.name, 7, "{line:?}");
        }
    }

    #[test]
    fn an_error_is_one_line_that_says_what_to_do() {
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
    fn nothing_typed_is_answered_with_the_usage() {
        assert!(matches!(typed(&[]), Ok(Typed::Usage(usage)) if usage.contains("serve")));
        assert!(matches!(typed(&["token"]), Ok(Typed::Usage(usage)) if usage.contains("revoke")));
    }

    #[test]
    fn the_version_names_the_commit() {
        for flag in ["--version", "-V"] {
            let patrol_http::Build { version, commit } = build::BUILD;
            assert_eq!(answer(&[flag]), format!("patrol {version} ({commit})\n"));
        }
    }
}
