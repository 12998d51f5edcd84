//! The configuration file.

use std::{
    io,
    path::{Path, PathBuf},
};

use toml::{Table, Value};

/// The file that is read, if it exists, when no file is given.
pub(crate) const DEFAULT_FILE: &str = "patrol.toml";

/// The values of a configuration file by setting.
#[derive(Default)]
pub(crate) struct File {
    path: PathBuf,
    values: Table,
}

impl File {
    /// Reads the given file, or `patrol.toml` in the working directory if it exists.
    pub(crate) fn read(named: Option<&Path>) -> Result<Self, String> {
        let path = named.unwrap_or(Path::new(DEFAULT_FILE));
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(path, &text),
            Err(error) if error.kind() == io::ErrorKind::NotFound && named.is_none() => {
                Ok(Self::default())
            }
            Err(error) => Err(format!(
                "cannot read the configuration file {}: {error}; name another with --config",
                path.display()
            )),
        }
    }

    fn parse(path: &Path, text: &str) -> Result<Self, String> {
        // The complete error would quote the line, which may contain a password.
        let values = text.parse::<Table>().map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            format!("{}, line {line}: {}", path.display(), error.message())
        })?;
        Ok(Self { path: path.to_owned(), values })
    }

    /// Checks that `known` is true for all keys.
    ///
    /// # Errors
    /// When a key is unknown; names the first one.
    pub(crate) fn check_keys(&self, known: impl Fn(&str) -> bool) -> Result<(), String> {
        match self.values.keys().find(|key| !known(key)) {
            None => Ok(()),
            Some(key) => Err(format!(
                "{}: unknown key `{key}`; `patrol serve --help` lists all settings",
                self.path.display()
            )),
        }
    }

    /// The value of a setting in the file, as text.
    pub(crate) fn value(&self, name: &str) -> Result<Option<String>, String> {
        match self.values.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(Value::Integer(number)) => Ok(Some(number.to_string())),
            Some(Value::Boolean(flag)) => Ok(Some(flag.to_string())),
            Some(_) => {
                Err("it has to be a text in quotes, a whole number, true or false".to_owned())
            }
        }
    }

    /// How error messages name a setting of this file.
    pub(crate) fn source(&self, name: &str) -> String {
        format!("{}: {name}", self.path.display())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<File, String> {
        File::parse(Path::new("patrol.toml"), text)
    }

    #[test]
    fn a_value_is_text_a_number_or_a_truth_value() {
        let file =
            parse("listen = '[::1]:80'\nworkers = 3\nsite = true\nlog = 1.5\n[photos_url]\n")
                .unwrap();
        assert_eq!(file.value("listen"), Ok(Some("[::1]:80".to_owned())));
        assert_eq!(file.value("workers"), Ok(Some("3".to_owned())));
        assert_eq!(file.value("site"), Ok(Some("true".to_owned())));
        assert_eq!(file.value("log_format"), Ok(None));
        assert!(file.value("log").is_err());
        assert!(file.value("photos_url").is_err());
        assert_eq!(file.source("log"), "patrol.toml: log");
    }

    #[test]
    fn an_unknown_key_is_named() {
        let file = parse("listen = '[::1]:80'\nlisten_on = 'x'\n").unwrap();
        let error = file.check_keys(|key| key == "listen").unwrap_err();
        assert!(error.starts_with("patrol.toml: unknown key `listen_on`"), "{error}");
        assert!(parse("").unwrap().check_keys(|_| false).is_ok());
    }

    #[test]
    fn a_malformed_file_is_reported_by_line_without_its_text() {
        for bad in [
            "\n\ndatabase_url = postgres://u:secret@h",
            "\n\nlog = 'secret",
            "a = 1\n\na = 'secret'",
        ] {
            let Err(error) = parse(bad) else { panic!("{bad} passed") };
            assert!(error.starts_with("patrol.toml, line 3: "), "{error}");
            assert!(!error.contains("secret") && !error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn only_a_file_given_by_flag_must_exist() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing.toml");
        let Err(error) = File::read(Some(&missing)) else { panic!("read") };
        assert!(error.contains("missing.toml"), "{error}");
        let Err(error) = File::read(Some(folder.path())) else { panic!("read") };
        assert!(error.starts_with("cannot read"), "{error}");
    }
}
