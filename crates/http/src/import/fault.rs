//! What is wrong with a file, by line.

use patrol_domain::Fault;
use patrol_record::json::fields::TypeFault;

/// The largest file, in bytes.
pub const MAX_FILE: usize = 1 << 20;

/// The most lines of a file, without its header.
pub const MAX_LINES: usize = 5_000;

/// What is wrong with a line of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineFault {
    /// Counted from 1; the header is usually line 1.
    pub line: u64,
    /// The column, for example `email`, or an element of its list, for example `tags[1]`. `None` for the whole
    /// line.
    pub identifier: Option<String>,
    /// What is wrong there.
    pub cause: Cause,
}

/// What is wrong with a line or a column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cause {
    /// The form of the file.
    File(FileFault),
    /// A value of the wrong type.
    Type(TypeFault),
    /// A value that breaks a rule.
    Rule(Fault),
}

/// A fault of the form of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileFault {
    /// It has no lines below its header.
    Empty,
    /// It has more than [`MAX_FILE`] bytes.
    TooLarge,
    /// It has more than [`MAX_LINES`] lines.
    TooManyLines,
    /// It is not UTF-8.
    NotUtf8,
    /// A quote is not closed.
    UnclosedQuote,
    /// The column is none of those that a file may have.
    UnknownColumn,
    /// A column that every file has is not there.
    MissingColumn,
    /// The column is there twice.
    RepeatedColumn,
    /// The line has not as many cells as the header.
    Cells {
        /// The cells of the header.
        expected: usize,
        /// The cells of the line.
        found: usize,
    },
}

impl LineFault {
    /// A fault of the whole line.
    pub(super) const fn of_line(line: u64, fault: FileFault) -> Self {
        Self { line, identifier: None, cause: Cause::File(fault) }
    }

    /// A fault of a column.
    pub(super) fn of_column(line: u64, column: &str, fault: FileFault) -> Self {
        Self { identifier: Some(column.to_owned()), ..Self::of_line(line, fault) }
    }

    /// A value of the wrong type.
    pub(super) fn of_type(line: u64, fault: TypeFault) -> Self {
        Self { line, identifier: fault.identifier.clone(), cause: Cause::Type(fault) }
    }

    /// A value that breaks a rule.
    pub(super) fn of_rule(line: u64, fault: Fault) -> Self {
        Self { line, identifier: Some(fault.identifier.clone()), cause: Cause::Rule(fault) }
    }

    /// The column, without the position in a list.
    pub(super) fn column(&self) -> Option<&str> {
        self.identifier.as_deref()?.split(['.', '[']).next()
    }
}
