//! Standard output: it carries only what a command answers with.

use std::io::{self, Write};

use crate::error::CommandError;

/// Writes to standard output. A reader that has read enough and is gone, as with `| head -1`, is
/// no failure.
pub(crate) fn answer(text: &str) -> Result<(), CommandError> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(unwritable(&error)),
        _ => Ok(()),
    }
}

/// Standard output does not take what is written.
pub(crate) fn unwritable(error: &io::Error) -> CommandError {
    CommandError::Failed(format!("cannot write to standard output: {error}"))
}
