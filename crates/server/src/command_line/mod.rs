//! The command line: commands, their arguments, and help.

mod parse;

use std::{path::PathBuf, time::Duration};

use clap::{Args, Parser, Subcommand};

use crate::{build, settings::value};

pub(crate) use parse::{ParsedLine, parse};

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
