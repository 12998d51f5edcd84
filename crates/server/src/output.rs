//! Standard output, which carries only the answer of a command.

use std::io::{self, Write};

use crate::error::CommandError;

/// Writes to standard output. A closed pipe, as after `| head -1`, is not an error.
pub(crate) fn answer(text: &str) -> Result<(), CommandError> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(unwritable(&error)),
        _ => Ok(()),
    }
}

/// The error when standard output cannot be written.
pub(crate) fn unwritable(error: &io::Error) -> CommandError {
    CommandError::Failed(format!("cannot write to standard output: {error}"))
}
