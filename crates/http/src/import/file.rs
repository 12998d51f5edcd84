//! Reads the lines of a CSV file.

use std::{borrow::Cow, io::Read as _};

use csv::{ReaderBuilder, StringRecord};
use patrol_record::json::{
    document::{self, Json, Member},
    fields::partial_object,
};

use super::{
    column::{Cell, Column},
    fault::{FileFault, LineFault, MAX_FILE, MAX_LINES},
};
use crate::{csv::FORMULA, route::JsonObject};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What is appended to a file, as a line of its own. If a quote is not closed, it is part of that text.
const END: &str = "\0";

/// How deep the JSON of a cell may be nested.
const NESTING: usize = 64;

/// A cell shows at most this many characters of the name of an unknown column.
const SHOWN: usize = 100;

/// The lines of a file that could be read, and what is wrong with others.
pub(super) struct ReadFile<D> {
    /// With their line numbers. A member of the wrong type is absent.
    pub(super) drafts: Vec<(u64, D)>,
    pub(super) faults: Vec<LineFault>,
}

impl<D> ReadFile<D> {
    fn refused(line: u64, fault: FileFault) -> Self {
        Self { drafts: Vec::new(), faults: vec![LineFault::of_line(line, fault)] }
    }
}

/// Reads a file whose columns are some of `columns`.
pub(super) fn read<D: JsonObject>(bytes: &[u8], columns: &'static [Column]) -> ReadFile<D> {
    if bytes.len() > MAX_FILE {
        return ReadFile::refused(1, FileFault::TooLarge);
    }
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    if let Err(error) = std::str::from_utf8(bytes) {
        let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
        return ReadFile::refused(line_ends(before) + 1, FileFault::NotUtf8);
    }
    let mut lines = Vec::new();
    let end = [b"\n", END.as_bytes()].concat();
    let source = bytes.chain(end.as_slice());
    let mut reader = ReaderBuilder::new()
        .delimiter(separator(bytes))
        .has_headers(false)
        .flexible(true)
        .from_reader(source);
    let mut numbers = LineNumbers { bytes, read: 0, line: 1 };
    for record in reader.records() {
        // The source is UTF-8 in memory, and its records may have any number of cells.
        let Ok(record) = record else { return ReadFile::refused(1, FileFault::NotUtf8) };
        let start = record.position().map_or(0, csv::Position::byte);
        lines.push((numbers.at(start), record));
        // Two more: the header and the end.
        if lines.len() > MAX_LINES + 2 {
            return ReadFile::refused(1, FileFault::TooManyLines);
        }
    }
    let Some((last, end)) = lines.pop() else { return ReadFile::refused(1, FileFault::Empty) };
    if end != vec![END] {
        return ReadFile::refused(last, FileFault::UnclosedQuote);
    }
    let mut lines = lines.into_iter();
    let Some((line, header)) = lines.next() else {
        return ReadFile::refused(1, FileFault::Empty);
    };
    if lines.as_slice().is_empty() {
        return ReadFile::refused(line, FileFault::Empty);
    }
    let (header, faults) = read_header(line, &header, columns);
    let mut file = ReadFile { drafts: Vec::new(), faults };
    for (line, record) in lines {
        if record.len() != header.len() {
            let cells = FileFault::Cells { expected: header.len(), found: record.len() };
            file.faults.push(LineFault::of_line(line, cells));
            continue;
        }
        let (draft, faults) = partial_object(&object(&header, &record), D::read);
        file.drafts.extend(draft.map(|draft| (line, draft)));
        file.faults.extend(faults.into_iter().map(|fault| LineFault::of_type(line, fault)));
    }
    file
}

/// The separator of a header, whose names contain neither.
fn separator(bytes: &[u8]) -> u8 {
    let header = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if header.contains(&b';') { b';' } else { b',' }
}

fn line_ends(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').map(|_| 1).sum()
}

/// Finds the lines of records, which come in order.
struct LineNumbers<'a> {
    bytes: &'a [u8],
    read: usize,
    line: u64,
}

impl LineNumbers<'_> {
    /// The line of the record after this position. Blank lines before it belong to it.
    fn at(&mut self, start: u64) -> u64 {
        let start = usize::try_from(start).unwrap_or(usize::MAX);
        let rest = self.bytes.get(start..).unwrap_or_default();
        let blank = rest.iter().take_while(|byte| matches!(**byte, b'\r' | b'\n')).count();
        let start = start.saturating_add(blank);
        self.line += line_ends(self.bytes.get(self.read..start).unwrap_or_default());
        self.read = start;
        self.line
    }
}

/// The columns of the file, `None` for those that are not read, and what is wrong with them.
fn read_header(
    line: u64,
    header: &StringRecord,
    columns: &'static [Column],
) -> (Vec<Option<&'static Column>>, Vec<LineFault>) {
    let (mut read, mut faults) = (Vec::<Option<&Column>>::new(), Vec::new());
    for name in header {
        let is_repeated = read.iter().flatten().any(|column| column.name == name);
        let known = columns.iter().find(|column| column.name == name);
        let fault = match known {
            Some(_) if is_repeated => Some(FileFault::RepeatedColumn),
            Some(_) => None,
            None => Some(FileFault::UnknownColumn),
        };
        read.push(known.filter(|_| fault.is_none()));
        let shown: String = name.chars().take(SHOWN).collect();
        faults.extend(fault.map(|fault| LineFault::of_column(line, &shown, fault)));
    }
    let required = columns.iter().filter(|column| column.is_required);
    let missing = required.filter(|column| !header.iter().any(|name| name == column.name));
    faults.extend(
        missing.map(|column| LineFault::of_column(line, column.name, FileFault::MissingColumn)),
    );
    (read, faults)
}

/// The object of a line, as the body of a POST. An empty cell is an absent member.
fn object<'a>(header: &[Option<&'static Column>], record: &'a StringRecord) -> Json<'a> {
    let cells = header.iter().zip(record).filter(|(_, cell)| !cell.is_empty());
    let members = cells.filter_map(|(column, cell)| {
        let column = (*column)?;
        let value = match column.cell {
            Cell::Text => text(cell),
            Cell::List => Json::List(cell.split(';').map(text).collect()),
            // What is not JSON has the wrong type.
            Cell::Json => {
                document::parse(unguarded(cell).as_bytes(), NESTING).unwrap_or(text(cell))
            }
            Cell::ReadOnly => return None,
        };
        Some((Cow::Borrowed(column.name), value))
    });
    Json::Object(members.collect::<Vec<Member<'_>>>().into_boxed_slice())
}

fn text(cell: &str) -> Json<'_> {
    Json::Text(unguarded(cell).into())
}

/// The text without the `'` that keeps a spreadsheet from reading it as a formula.
fn unguarded(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|text| text.starts_with(FORMULA)).unwrap_or(cell)
}
