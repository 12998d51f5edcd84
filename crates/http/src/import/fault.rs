//! What is wrong with a file, by line.

use patrol_domain::Fault;
use patrol_json::fields::TypeFault;

use crate::error::{Code, Detail, Language};

/// The largest file, in bytes.
pub const MAX_FILE: usize = 1 << 20;

/// The most lines of a file, without its header.
pub(super) const MAX_LINES: usize = 5_000;

/// What is wrong with a line of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineFault {
    /// Counted from 1; the header is usually line 1.
    pub line: u64,
    /// The column, for example `email`, or an element of its list, for example `tags[1]`. `None` for the whole
    /// line.
    pub identifier: Option<String>,
    cause: Cause,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Cause {
    File(FileFault),
    Member(Detail),
}

/// A fault of the form of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FileFault {
    Empty,
    TooLarge,
    TooManyLines,
    NotUtf8,
    UnclosedQuote,
    UnknownColumn,
    MissingColumn,
    RepeatedColumn,
    Cells { expected: usize, found: usize },
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
        let identifier = fault.identifier.clone();
        Self { line, identifier, cause: Cause::Member(fault.into()) }
    }

    /// A value that breaks a rule.
    pub(super) fn of_rule(line: u64, fault: Fault) -> Self {
        let Fault { identifier, rule } = fault;
        let (code, args) = Code::of(&rule);
        let cause = Cause::Member(Detail::of_body(code).with_args(args));
        Self { line, identifier: Some(identifier), cause }
    }

    /// The column, without the position in a list.
    pub(super) fn column(&self) -> Option<&str> {
        self.identifier.as_deref()?.split(['.', '[']).next()
    }

    /// The message of the API for this fault, with its bounds or allowed values, in the language of this tag:
    /// Russian, otherwise English.
    #[must_use]
    pub fn message(&self, language: &str) -> String {
        let is_russian = language == Language::Russian.tag();
        let language = if is_russian { Language::Russian } else { Language::English };
        match &self.cause {
            Cause::File(fault) => fault.message(language),
            Cause::Member(Detail { code, args, .. }) if args.is_empty() => {
                code.message(language).to_owned()
            }
            Cause::Member(Detail { code, args, .. }) => {
                format!("{}: {}", code.message(language), args.join(", "))
            }
        }
    }
}

impl FileFault {
    fn message(self, language: Language) -> String {
        let mebibytes = MAX_FILE >> 20;
        let (english, russian) = match self {
            Self::Empty => ("the file is empty".to_owned(), "файл пуст".to_owned()),
            Self::TooLarge => (
                format!("the file is larger than {mebibytes} MiB"),
                format!("размер файла больше {mebibytes} МиБ"),
            ),
            Self::TooManyLines => (
                format!("the file has more than {MAX_LINES} lines"),
                format!("в файле больше {MAX_LINES} строк"),
            ),
            Self::NotUtf8 => {
                ("the file is not UTF-8".to_owned(), "кодировка файла — не UTF-8".to_owned())
            }
            Self::UnclosedQuote => {
                ("a quote is not closed".to_owned(), "кавычка не закрыта".to_owned())
            }
            Self::UnknownColumn => ("unknown column".to_owned(), "неизвестный столбец".to_owned()),
            Self::MissingColumn => {
                ("the column is missing".to_owned(), "столбец отсутствует".to_owned())
            }
            Self::RepeatedColumn => {
                ("the column is repeated".to_owned(), "столбец повторяется".to_owned())
            }
            Self::Cells { expected, found } => (
                format!("the header has {expected} cells, this line {found}"),
                format!("ячеек в заголовке: {expected}, в этой строке: {found}"),
            ),
        };
        match language {
            Language::English => english,
            Language::Russian => russian,
        }
    }
}
