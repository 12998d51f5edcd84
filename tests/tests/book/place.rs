//! What stands for the addresses and values of the book when it is run.

use std::{
    env,
    ffi::OsString,
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::Path,
};

use patrol_test_servers::{
    free_port,
    postgres::{Durability, Server},
    s3,
};

/// The ports that pages use, of 127.0.0.1.
const PORTS: [&str; 5] = ["8080", "8081", "8082", "8083", "8443"];

/// The host of PostgreSQL.
const DATABASE: &str = "db.example.org";

/// The token that the demo has printed.
const TOKENS: [&str; 2] = ["ptl_...", "ptl_…"];

/// The bucket of photos, and how the reader sets the credentials.
const BUCKET: &str = "s3://company-photos";
const CREDENTIALS: &str =
    "export AWS_ACCESS_KEY_ID=patrol AWS_SECRET_ACCESS_KEY=... AWS_REGION=eu-north-1";
const ENDPOINT: &str = "export AWS_ENDPOINT=http://127.0.0.1:9000 AWS_ALLOW_HTTP=true";

/// The ports of a page, and the servers that it needs.
pub(crate) struct Place {
    ports: Vec<(&'static str, String)>,
    postgres: Option<Server>,
    s3: Option<s3::Server>,
}

impl Place {
    /// A place for a page with these blocks.
    pub(crate) fn new(blocks: &str) -> Self {
        let ports = PORTS.map(|shown| (shown, free_port().to_string())).to_vec();
        let needed = blocks.contains(DATABASE);
        let postgres = needed.then(|| Server::start_for("postgres", Durability::Fast));
        let s3 = blocks.contains(BUCKET).then(s3::Server::start);
        Self { ports, postgres, s3 }
    }

    /// Where a server listens by default.
    pub(crate) fn address(&self) -> String {
        self.to_run("127.0.0.1:8080")
    }

    /// The commands of a block as they are run.
    pub(crate) fn to_run(&self, commands: &str) -> String {
        let mut text: String =
            commands.lines().flat_map(|line| [command(line), "\n".to_owned()]).collect();
        for token in TOKENS {
            text = text.replace(token, "$(cat \"$BOOK/token\")");
        }
        for (shown, port) in &self.ports {
            text = replace_word(&text, shown, port);
        }
        // The variables of the shell say all this.
        text = text.replace(CREDENTIALS, ":").replace(ENDPOINT, ":");
        if let Some(server) = &self.postgres {
            text = text
                .replace(&format!("@{DATABASE}"), &format!("@127.0.0.1:{}", server.port()))
                .replace(DATABASE, "127.0.0.1");
        }
        text.trim_end_matches('\n').to_owned() + "\n"
    }

    /// Output with the addresses of the book.
    pub(crate) fn as_shown(&self, output: &str) -> String {
        let mut text = output.to_owned();
        if let Some(server) = &self.postgres {
            text = text.replace(&format!("127.0.0.1:{}", server.port()), DATABASE);
        }
        for (shown, port) in &self.ports {
            text = replace_word(&text, port, shown);
        }
        text
    }

    /// The variables of the shell.
    pub(crate) fn variables(&self) -> Vec<(String, String)> {
        let port =
            self.postgres.iter().map(|server| ("PGPORT".to_owned(), server.port().to_string()));
        port.chain(self.s3.iter().flat_map(s3::Server::environment)).collect()
    }

    /// The passwords of the administrator and of the user `patrol`, as readers keep them.
    pub(crate) fn write_passwords(&self, file: &Path) {
        let Some(server) = &self.postgres else { return };
        let lines =
            format!("127.0.0.1:*:*:postgres:{}\n127.0.0.1:*:*:patrol:...\n", server.password());
        fs::write(file, lines).expect("a file");
        fs::set_permissions(file, Permissions::from_mode(0o600)).expect("the file is ours");
    }

    /// `PATH` with the programs of the page first.
    pub(crate) fn search_path(&self, programs: &Path) -> OsString {
        let client = self.postgres.iter().map(Server::programs);
        let usual = env::var_os("PATH").unwrap_or_default();
        let folders = [programs.to_owned()].into_iter().chain(client);
        env::join_paths(folders.chain(env::split_paths(&usual))).expect("folders of a path")
    }
}

/// A line of commands as it is run: a server gets a terminal of its own.
fn command(line: &str) -> String {
    if line.starts_with("# Ctrl-C") {
        return "book_stop".to_owned();
    }
    if line == "make run" {
        return "book_serve --demo".to_owned();
    }
    let is_setting = |word: &str| word.starts_with("PATROL_") && word.contains('=');
    let settings: usize =
        line.split_inclusive(' ').take_while(|word| is_setting(word)).map(str::len).sum();
    let (settings, rest) = line.split_at(settings);
    let in_background = rest.trim_end().ends_with('&');
    match rest.strip_prefix("patrol serve") {
        Some(arguments) if !in_background && !arguments.contains("--help") => {
            format!("{settings}book_serve{arguments}")
        }
        _ => line.to_owned(),
    }
}

/// Replaces a word where no letter or digit is next to it.
fn replace_word(text: &str, word: &str, by: &str) -> String {
    let mut replaced = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(word) {
        let is_word =
            !before.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric);
        replaced.push_str(before);
        replaced.push_str(if is_word { by } else { word });
        rest = after;
    }
    replaced + rest
}

#[cfg(test)]
mod tests {
    use super::{command, replace_word};

    #[test]
    fn a_server_gets_a_terminal_of_its_own() {
        for (line, run) in [
            ("patrol serve --demo", "book_serve --demo"),
            ("PATROL_LOG=a,b=off patrol serve", "PATROL_LOG=a,b=off book_serve"),
            ("patrol serve --listen 127.0.0.1:8081 &", "patrol serve --listen 127.0.0.1:8081 &"),
            ("patrol serve --help", "patrol serve --help"),
            ("patrol migrate", "patrol migrate"),
            ("# Ctrl-C in the terminal of the server", "book_stop"),
            ("make run", "book_serve --demo"),
        ] {
            assert_eq!(command(line), run);
        }
    }

    #[test]
    fn words_are_replaced_and_parts_of_words_are_not() {
        let replaced = replace_word("8080 :8080/ 18080 8080a a8080", "8080", "1");
        assert_eq!(replaced, "1 :1/ 18080 8080a a8080");
    }
}
