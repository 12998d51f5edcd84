//! Reads records from lines.

use std::{
    io::{self, BufRead, Read},
    sync::Arc,
};

use patrol_domain::{
    Rules,
    access::Passwords,
    data_set::{MOST_REFUSED, Record},
    ids::MediaId,
};

use crate::{line, messages};

/// The longest line in bytes, without its line end.
pub const MAX_LINE: usize = 64 * 1024 * 1024;

/// The buffer shrinks to this many bytes after a long line.
const USUAL_LINE: usize = 1024 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The records of a data set with their line numbers, in bounded memory. Blank lines, a byte order
/// mark and CR before LF are skipped. The first line that cannot be read ends the records: the last
/// item is an error about that line and later unreadable ones, at most [`MOST_REFUSED`], one line
/// of text each, with the line number and the field.
pub struct Lines<R> {
    source: R,
    rules: Rules,
    nesting: usize,
    passwords: Arc<dyn Passwords>,
    photos: Option<PhotoLookup>,
    buffer: Vec<u8>,
    line: u64,
    ended: bool,
}

/// Looks up whether a photo is stored; an error when that is unknown.
pub type PhotoLookup = Box<dyn FnMut(MediaId) -> Result<bool, String> + Send>;

/// Why a line gave no record.
enum Unread {
    /// The line has faults; later lines can be read.
    Line(Vec<String>),
    /// Nothing more can be read.
    Source(String),
}

impl<R: BufRead + Send> Lines<R> {
    /// The records of `source`. Lines may be nested `nesting` levels deep; `passwords` hashes the
    /// passwords of users.
    pub fn new(source: R, rules: Rules, nesting: usize, passwords: Arc<dyn Passwords>) -> Self {
        let (photos, buffer) = (None, Vec::new());
        Self { source, rules, nesting, passwords, photos, buffer, line: 0, ended: false }
    }

    /// Imports users whose photo `photos` does not find without a photo. Photos are not part of a
    /// data set, and a missing one must not make the whole import fail.
    #[must_use]
    pub fn with_photos(self, photos: PhotoLookup) -> Self {
        Self { photos: Some(photos), ..self }
    }

    /// The next line that is not blank; `None` at the end.
    fn advance(&mut self) -> Result<Option<Record>, Unread> {
        loop {
            self.line += 1;
            self.buffer.clear();
            self.buffer.shrink_to(USUAL_LINE);
            let line = read_line(&mut self.source, &mut self.buffer).map_err(Unread::Source)?;
            let Some(line) = line else { return Ok(None) };
            let line = match line.strip_prefix(BYTE_ORDER_MARK) {
                Some(rest) if self.line == 1 => rest,
                _ => line,
            };
            if !line.trim_ascii().is_empty() {
                let record = line::record(line, &self.rules, self.nesting, &*self.passwords);
                let mut record = record.map_err(Unread::Line)?;
                self.check_photo(&mut record)?;
                return Ok(Some(record));
            }
        }
    }

    fn check_photo(&mut self, record: &mut Record) -> Result<(), Unread> {
        let Record::User { user, .. } = record else { return Ok(()) };
        let (Some(photo), Some(photos)) = (user.photo_id, &mut self.photos) else { return Ok(()) };
        match photos(photo) {
            Ok(true) => {}
            Ok(false) => user.photo_id = None,
            Err(cause) => return Err(Unread::Source(messages::about("photoId", &cause))),
        }
        Ok(())
    }

    /// The message about the line that cannot be read, and later ones.
    fn unread(&mut self, first: Unread) -> String {
        // These records are dropped, so the slow hash is skipped.
        self.passwords = Arc::new(Unhashed);
        let (mut sentences, mut next) = (Vec::new(), Err(first));
        loop {
            match next {
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(Unread::Line(faults)) => {
                    sentences.push(messages::sentence(self.line, &faults));
                    if sentences.len() == MOST_REFUSED {
                        break;
                    }
                }
                Err(Unread::Source(cause)) => {
                    sentences.push(messages::sentence(self.line, &[cause]));
                    break;
                }
            }
            next = self.advance();
        }
        sentences.join("\n")
    }
}

/// Returns an empty hash.
struct Unhashed;

impl Passwords for Unhashed {
    fn hash(&self, _: &str) -> Result<String, String> {
        Ok(String::new())
    }
}

/// One line without its end; `None` at the end of the source.
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
            Err(unread) => {
                self.ended = true;
                Some(Err(self.unread(unread)))
            }
        }
    }
}
