//! The command line: commands, their arguments, and help.

mod parse;

use std::{path::PathBuf, time::Duration};

use clap::{ArgAction, Args, Parser, Subcommand, builder::PossibleValuesParser};

use crate::{build, settings::value};

pub(crate) use parse::{ParsedLine, definition_for_any_machine, parse};

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
overrides a variable, which overrides the file. `patrol serve --help` lists all settings.

Exit codes: 0 done, 1 failed, 2 wrong usage or configuration.

Examples:
  patrol serve --demo                                try it out with the data of an example company
  patrol import company.ndjson                       load a data set
  patrol token create --user anna@example.org --name laptop --expires-in 90d
  PATROL_LISTEN=0.0.0.0:8080 patrol serve            accept connections from other machines"
)]
pub(crate) struct CommandLine {
    /// Read settings from FILE instead of patrol.toml
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
    /// Migrates the schema, serves the API until SIGTERM or SIGINT, then finishes the requests in
    /// flight and exits with 0. A second signal ends it at once.
    #[command(after_help = "\
Examples:
  patrol serve --demo
  patrol serve --listen 0.0.0.0:8080 --database-url sqlite:/var/lib/patrol/patrol.db
  PATROL_LOG=warn PATROL_LOG_FORMAT=json patrol serve --config /etc/patrol.toml")]
    Serve(Serve),
    /// Create the store or bring its schema up to date
    ///
    /// Creates the store if it does not exist, migrates its schema, and exits. `serve`, `import` and
    /// `user create` do the same at start; all other commands need an existing store with the
    /// current schema.
    #[command(after_help = "\
Examples:
  patrol migrate
  patrol migrate --database-url sqlite:/var/lib/patrol/patrol.db")]
    Migrate,
    /// Import a data set, all of it or nothing
    ///
    /// Imports a data set of NDJSON records, all of it or nothing. It only adds records: a record
    /// that exists already is an error. Reports the first 20 invalid lines with line and field.
    /// Meanwhile a server of the same store answers reads as usual and writes with 503.
    #[command(after_help = "\
Examples:
  patrol import company.ndjson
  patrol import --dry-run company.ndjson
  gunzip -c company.ndjson.gz | patrol import -")]
    Import {
        /// The data set; - is standard input
        file: PathBuf,
        /// Check the data set and store nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Export the whole store as a data set
    ///
    /// Writes the whole store as a data set that `import` reads. Photos, tokens, passwords and the
    /// history of points are not exported. An existing file is replaced when the new one is
    /// complete. An empty store does not replace it, unless --force is given. The store is not
    /// changed.
    #[command(after_help = "\
Examples:
  patrol export company.ndjson
  patrol export - | gzip > company.ndjson.gz")]
    Export {
        /// The data set to write; - is standard output
        file: PathBuf,
        /// Replace an existing file even if the store is empty
        #[arg(long)]
        force: bool,
    },
    /// Remove unused photos, and report users and graphic plans whose photo is missing
    ///
    /// Compares all stored photos with users and graphic plans, and removes unused ones, for example
    /// after an older backup was restored. Photos of the last ten minutes are kept, so it may run
    /// while a server runs. Prints the numbers of photos found and removed, and of users and graphic
    /// plans whose photo is missing. A warning in the log names each of them; they are not changed.
    /// Exits with 1 if photos are missing, with and without --dry-run; unused photos are no failure.
    #[command(after_help = "\
Examples:
  patrol check --dry-run
  patrol check
  patrol check --database-url sqlite:/var/lib/patrol/patrol.db \\
    --photos-url file:/var/lib/patrol/photos")]
    Check {
        /// Remove nothing; print the id of each photo that would be removed
        #[arg(long)]
        dry_run: bool,
    },
    /// Ask the running server whether it is ready
    ///
    /// Asks the server at the configured address for /health/ready, at 127.0.0.1 or ::1 if it
    /// listens on all addresses. Exits with 0 if it answers 200 within 5 seconds, else with 1. For
    /// the health check of a container: an image needs no other program for it.
    #[command(after_help = "\
Examples:
  patrol health
  patrol health --listen 127.0.0.1:8080 && echo ready")]
    Health,
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
    /// Create users and invite them to sign in on the site
    #[command(
        subcommand,
        arg_required_else_help = true,
        after_help = "\
Examples:
  patrol user create --role ADMIN --email anna@example.org --first-name Anna --last-name Berg
  patrol user invite anna@example.org"
    )]
    User(User),
    /// Write the labels of the points of a location, to be printed
    ///
    /// Writes an HTML file to standard output: one label for each point of the location that has a
    /// qrCode, with its QR code, name and code. It needs no other file and no server; a browser prints
    /// it. The QR codes begin with PATROL_PUBLIC_URL.
    #[command(after_help = "\
Examples:
  patrol labels 'Harbour, gate 4' > labels.html
  patrol labels 0190a000-0000-7000-8000-000000000001 --language ru > labels.html
  patrol labels 'Harbour, gate 4' --public-url https://patrol.example.org > labels.html")]
    Labels {
        /// The location: its id or its name
        location: String,
        /// The language of heading and button
        #[arg(long, default_value = "en", value_parser = languages())]
        language: String,
    },
    /// Make a consistent copy of a SQLite store
    ///
    /// Makes a consistent copy of a SQLite store, also while a server uses it. FILE must not exist.
    /// To restore the copy, stop the server and replace the database file. The copy does not
    /// contain photos: copy their folder as well.
    #[command(after_help = "\
Examples:
  patrol backup patrol-$(date +%F).db
  patrol backup /backups/patrol.db --database-url sqlite:/var/lib/patrol/patrol.db")]
    Backup {
        /// The copy; must not exist
        file: PathBuf,
    },
    /// Write the manual pages and the completions for shells, for packages
    #[command(hide = true)]
    PackageFiles {
        /// The folder to write to
        folder: PathBuf,
    },
}

/// `patrol serve`.
#[derive(Args)]
pub(crate) struct Serve {
    /// Fill an empty store with demo data; print the address and a token of the administrator
    #[arg(long)]
    pub(crate) demo: bool,
    /// Whether somebody walks the rounds of the demo data while they are due
    #[arg(long, value_name = "BOOLEAN", action = ArgAction::Set, default_value_t = true)]
    pub(crate) demo_walk: bool,
}

/// `patrol token`.
#[derive(Subcommand)]
pub(crate) enum Token {
    /// Issue a token and print it
    ///
    /// Issues a token to an ACTIVE user and prints only the token. It cannot be shown again,
    /// because the store keeps only a digest.
    #[command(after_help = "\
Examples:
  patrol token create --user anna@example.org --name laptop
  patrol token create --user 0042 --name 'night shift' --expires-in 12h
  TOKEN=$(patrol token create --user anna@example.org --name script --expires-in 90d)")]
    Create {
        /// The owner of the token: an id, an employeeNo or an email
        #[arg(long)]
        user: String,
        /// The name of the token
        #[arg(long)]
        name: String,
        /// How long the token is valid: a number with s, m, h or d; without limit if left out
        #[arg(long, value_name = "TIME", value_parser = value::duration)]
        expires_in: Option<Duration>,
    },
    /// List tokens
    ///
    /// Prints a line for each token, tab-separated: id, user id, name, expiry, last use, then
    /// employeeNo, email and name of the user. A missing value is -. Within a column a tab is
    /// written \t, a line break \n and a backslash \\.
    #[command(after_help = "\
Examples:
  patrol token list
  patrol token list --user anna@example.org | cut -f 1,3")]
    List {
        /// Only tokens of this user: an id, an employeeNo or an email
        #[arg(long)]
        user: Option<String>,
    },
    /// Revoke a token, or all tokens of a user
    ///
    /// Revokes a token, or all tokens of a user with any status and prints their number. Revoked
    /// tokens stop working within 5 seconds.
    #[command(after_help = "\
Examples:
  patrol token revoke 0190a000-0000-7000-8000-000000000001
  patrol token revoke --user anna@example.org")]
    Revoke {
        /// The id of the token, from `patrol token list`
        #[arg(value_parser = token_id, required_unless_present = "user", conflicts_with = "user")]
        id: Option<patrol_domain::ids::TokenId>,
        /// All tokens of this user: an id, an employeeNo or an email
        #[arg(long)]
        user: Option<String>,
    },
}

/// `patrol user`.
#[derive(Subcommand)]
pub(crate) enum User {
    /// Create a user and print the id
    ///
    /// Creates an ACTIVE user and prints only the id. Creates the store if it does not exist: this
    /// makes the first administrator.
    #[command(after_help = "\
Examples:
  patrol user create --role ADMIN --email anna@example.org --first-name Anna --last-name Berg
  patrol user create --role EMPLOYEE --email ivo@example.org --first-name Ivo --last-name Kask \\
    --employee-no E-042 --language et")]
    Create(NewUser),
    /// Invite a user to set a password, and print the link
    ///
    /// Prints only the link of an invitation for an ACTIVE user. It works once, for 24 hours, and
    /// replaces earlier links of the user. Anyone who has the link can sign in as the user. It begins with
    /// PATROL_PUBLIC_URL.
    #[command(after_help = "\
Examples:
  patrol user invite anna@example.org
  patrol user invite 0042 --public-url https://patrol.example.org")]
    Invite {
        /// The user: an id, an employeeNo or an email
        user: String,
    },
}

/// `patrol user create`.
#[derive(Args)]
pub(crate) struct NewUser {
    /// The role: EMPLOYEE, MANAGER or ADMIN
    #[arg(long)]
    pub(crate) role: String,
    /// The email address; no other user may have it
    #[arg(long)]
    pub(crate) email: String,
    /// The first name
    #[arg(long)]
    pub(crate) first_name: String,
    /// The middle name
    #[arg(long)]
    pub(crate) middle_name: Option<String>,
    /// The last name
    #[arg(long)]
    pub(crate) last_name: String,
    /// The employee number; no other user may have it
    #[arg(long)]
    pub(crate) employee_no: Option<String>,
    /// The phone number
    #[arg(long)]
    pub(crate) phone: Option<String>,
    /// The language, for example en or pt-BR; en if left out
    #[arg(long)]
    pub(crate) language: Option<String>,
}

/// The languages that labels can be written in.
fn languages() -> PossibleValuesParser {
    PossibleValuesParser::new(patrol_site::language_codes())
}

fn token_id(text: &str) -> Result<patrol_domain::ids::TokenId, String> {
    patrol_domain::ids::parse(text)
        .map(Into::into)
        .ok_or_else(|| "not an id; `patrol token list` shows the ids".to_owned())
}
