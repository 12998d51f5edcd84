//! Errors of commands.

use std::fmt;

use patrol_application::Failure;
use patrol_domain::StoreError;

/// Why a command failed, with advice.
#[derive(Debug)]
pub(crate) enum CommandError {
    /// Wrong usage or configuration: exit code 2.
    Usage(String),
    /// Any other failure: exit code 1.
    Failed(String),
}

impl CommandError {
    /// The exit code of the process.
    pub(crate) const fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Failed(_) => 1,
        }
    }
}

/// Prints one line: replaces line breaks in the message.
impl fmt::Display for CommandError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Usage(text) | Self::Failed(text)) = self;
        for line in text.trim().chars() {
            match line {
                '\n' => out.write_str(" ")?,
                control if control.is_control() => write!(out, "{}", control.escape_default())?,
                other => write!(out, "{other}")?,
            }
        }
        Ok(())
    }
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        let advice = match error {
            StoreError::Unavailable(_) => "try again",
            StoreError::Corrupt { .. } => "restore a backup, or report this",
            StoreError::PageTooLarge | StoreError::Internal(_) => "report this if it happens again",
        };
        Self::Failed(format!("{error}; {advice}"))
    }
}

impl From<Failure> for CommandError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Store(error) => error.into(),
            other => Self::Failed(other.to_string()),
        }
    }
}

/// Masks every token in the text: a user may type a token instead of an id or a user, and the
/// message repeats the argument.
pub(crate) fn without_tokens(text: &str) -> String {
    const PREFIX: &str = "ptl_";
    let mut parts = text.split(PREFIX);
    let mut masked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        masked.push_str(PREFIX);
        masked.push_str("***");
        masked.push_str(part.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric()));
    }
    masked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_line() {
        let error = CommandError::Failed("line 1: a\nb\t\u{1b}[31mпост\n".to_owned());
        assert_eq!(error.to_string(), "line 1: a b\\t\\u{1b}[31mпост");
        assert_eq!(error.exit_code(), 1);
        assert_eq!(CommandError::Usage(String::new()).exit_code(), 2);
    }
}
