//! Reads records from the lines of a file.

use std::{
    io::{self, BufRead, Read},
    sync::Arc,
};

use patrol_domain::{
    Rules,
    access::PasswordHasher,
    data_set::{MAX_REFUSED_LINES, Record},
    ids::MediaId,
};

use crate::{
    line::{self, Context},
    messages,
};

/// The maximum length of a line in bytes, without its line end: 64 MiB.
pub const MAX_LINE: usize = 64 * 1024 * 1024;

/// The size in bytes to which the buffer shrinks after a longer line.
const BUFFER_SIZE: usize = 1024 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads the records of a data set, each with its line number, in bounded memory. Skips blank lines, a
/// byte order mark, and CR before LF. The first bad line ends the records: then the last item is an
/// error with one line of text for each bad line in the whole file, at most [`MAX_REFUSED_LINES`]. The
/// text contains the line number and the field.
pub struct Lines<R> {
    source: R,
    rules: Rules,
    nesting: usize,
    passwords: Arc<dyn PasswordHasher>,
    photos: Option<PhotoLookup>,
    buffer: Vec<u8>,
    line: u64,
    ended: bool,
}

/// Returns whether a photo is stored; an error when the photo store fails.
pub type PhotoLookup = Box<dyn FnMut(MediaId) -> Result<bool, String> + Send>;

/// The reason why a record could not be read.
enum ReadError {
    /// The line has faults; later lines can be read.
    Line(Vec<String>),
    /// The source failed; later lines cannot be read.
    Source(String),
}

impl<R: BufRead + Send> Lines<R> {
    /// Reads `source`. The JSON of a line may be nested `nesting` levels deep. `passwords` hashes the
    /// passwords of users.
    pub fn new(
        source: R,
        rules: Rules,
        nesting: usize,
        passwords: Arc<dyn PasswordHasher>,
    ) -> Self {
        let (photos, buffer) = (None, Vec::new());
        Self { source, rules, nesting, passwords, photos, buffer, line: 0, ended: false }
    }

    /// Clears `photo_id` of a user if `photos` does not find the photo. A data set contains no photos,
    /// and a missing photo must not make the whole import fail.
    #[must_use]
    pub fn with_photos(self, photos: PhotoLookup) -> Self {
        Self { photos: Some(photos), ..self }
    }

    /// The record of the next line that is not blank; `None` at the end.
    fn next_record(&mut self) -> Result<Option<Record>, ReadError> {
        loop {
            self.line += 1;
            self.buffer.clear();
            self.buffer.shrink_to(BUFFER_SIZE);
            let line = read_line(&mut self.source, &mut self.buffer).map_err(ReadError::Source)?;
            let Some(line) = line else { return Ok(None) };
            let line = match line.strip_prefix(BYTE_ORDER_MARK) {
                Some(rest) if self.line == 1 => rest,
                _ => line,
            };
            if !line.trim_ascii().is_empty() {
                let context = Context { rules: &self.rules, passwords: &*self.passwords };
                let record = line::record(line, self.nesting, &context);
                let mut record = record.map_err(ReadError::Line)?;
                self.clear_missing_photo(&mut record)?;
                return Ok(Some(record));
            }
        }
    }

    fn clear_missing_photo(&mut self, record: &mut Record) -> Result<(), ReadError> {
        let Record::User(new) = record else { return Ok(()) };
        let (Some(photo), Some(photos)) = (new.user.photo_id, &mut self.photos) else {
            return Ok(());
        };
        match photos(photo) {
            Ok(true) => {}
            Ok(false) => new.user.photo_id = None,
            Err(cause) => return Err(ReadError::Source(messages::of_field("photoId", &cause))),
        }
        Ok(())
    }

    /// The messages for the first bad line and for later ones.
    fn bad_lines(&mut self, first: ReadError) -> String {
        // Later records are dropped, so their passwords need no slow hashing.
        self.passwords = Arc::new(NoHashing);
        let (mut text, mut next) = (Vec::new(), Err(first));
        loop {
            match next {
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(ReadError::Line(faults)) => {
                    text.push(messages::line(self.line, &faults));
                    if text.len() == MAX_REFUSED_LINES {
                        break;
                    }
                }
                Err(ReadError::Source(cause)) => {
                    text.push(messages::line(self.line, &[cause]));
                    break;
                }
            }
            next = self.next_record();
        }
        text.join("\n")
    }
}

/// Returns an empty hash for every password: for lines that have none or are dropped.
pub(crate) struct NoHashing;

impl PasswordHasher for NoHashing {
    fn hash(&self, _: &str) -> Result<String, String> {
        Ok(String::new())
    }

    fn verify(&self, _: &str, _: &str) -> Result<bool, String> {
        Err("an import verifies no password".to_owned())
    }
}

/// The next line without its line end; `None` at the end of the source.
fn read_line<'b>(
    source: &mut impl BufRead,
    buffer: &'b mut Vec<u8>,
) -> Result<Option<&'b [u8]>, String> {
    let max = u64::try_from(MAX_LINE + b"\r\n".len()).unwrap_or(u64::MAX);
    let read = source.take(max).read_until(b'\n', buffer);
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
        match self.next_record() {
            Ok(Some(record)) => Some(Ok((self.line, record))),
            Ok(None) => {
                self.ended = true;
                None
            }
            Err(error) => {
                self.ended = true;
                Some(Err(self.bad_lines(error)))
            }
        }
    }
}
