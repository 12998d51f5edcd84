//! Lines to records.

use std::{
    io::{self, BufRead, Read},
    sync::Arc,
};

use patrol_domain::{Rules, access::Passwords, data_set::Record};

use crate::{line, messages};

/// The longest line in bytes, its end not counted.
pub const MAX_LINE: usize = 64 * 1024 * 1024;

/// What is kept of the buffer after a long line.
const USUAL_LINE: usize = 1024 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The records of a data set, each with the number of its line, in bounded memory. Blank lines, a
/// byte order mark and CR before LF are passed over. The first line that cannot be read is the
/// last item: an error that names the line and the field.
pub struct Lines<R> {
    source: R,
    rules: Rules,
    nesting: usize,
    passwords: Arc<dyn Passwords>,
    buffer: Vec<u8>,
    line: u64,
    ended: bool,
}

impl<R: BufRead + Send> Lines<R> {
    /// The records of `source`, whose lines nest at most `nesting` deep; passwords of users are
    /// hashed by `passwords`.
    pub fn new(source: R, rules: Rules, nesting: usize, passwords: Arc<dyn Passwords>) -> Self {
        Self { source, rules, nesting, passwords, buffer: Vec::new(), line: 0, ended: false }
    }

    /// The next line that is not blank; none at the end.
    fn advance(&mut self) -> Result<Option<Record>, Vec<String>> {
        loop {
            self.line += 1;
            self.buffer.clear();
            self.buffer.shrink_to(USUAL_LINE);
            let line = read_line(&mut self.source, &mut self.buffer);
            let Some(line) = line.map_err(|cause| vec![cause])? else { return Ok(None) };
            let line = match line.strip_prefix(BYTE_ORDER_MARK) {
                Some(rest) if self.line == 1 => rest,
                _ => line,
            };
            if !line.trim_ascii().is_empty() {
                return line::record(line, &self.rules, self.nesting, &*self.passwords).map(Some);
            }
        }
    }
}

/// One line without its end; none at the end of the source.
fn read_line<'b>(
    source: &mut impl BufRead,
    buffer: &'b mut Vec<u8>,
) -> Result<Option<&'b [u8]>, String> {
    let most = u64::try_from(MAX_LINE + b"\r\n".len()).unwrap_or(u64::MAX);
    let read = source.take(most).read_until(b'\n', buffer);
    if read.map_err(|error: io::Error| format!("cannot be read: {error}"))? == 0 {
        return Ok(None);
    }
    let line = buffer.strip_suffix(b"\n").unwrap_or(buffer);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.len() > MAX_LINE {
        return Err("longer than 64 MiB".to_owned());
    }
    Ok(Some(line))
}

impl<R: BufRead + Send> Iterator for Lines<R> {
    type Item = Result<(u64, Record), String>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        match self.advance() {
            Ok(Some(record)) => Some(Ok((self.line, record))),
            Ok(None) => {
                self.ended = true;
                None
            }
            Err(faults) => {
                self.ended = true;
                Some(Err(messages::sentence(self.line, &faults)))
            }
        }
    }
}
