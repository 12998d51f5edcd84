//! People and points from a CSV file. `docs/office.md` describes the file.

mod column;
mod fault;
mod file;
#[cfg(test)]
mod tests;

use patrol_application::{Actor, Checked, Failure, ImportService, Imported, Operation, permit};
use patrol_domain::{MAX_FAULTS, Refusal, point::Point, user::User};

use crate::route::JsonObject;
use column::Column;
use file::{ReadFile, read};

pub use fault::{Cause, FileFault, LineFault, MAX_FILE, MAX_LINES};

/// A kind of record that a CSV file may have.
#[allow(private_bounds, reason = "only this crate has bodies")]
pub trait ImportedFile: Imported<Draft: JsonObject> {
    /// The columns of a file.
    const COLUMNS: &'static [Column];
}

impl ImportedFile for User {
    const COLUMNS: &'static [Column] = column::PEOPLE;
}

impl ImportedFile for Point {
    const COLUMNS: &'static [Column] = column::POINTS;
}

/// The columns that a file may have, and whether it must have them. An import ignores further ones of an export.
pub fn columns<T: ImportedFile>() -> impl Iterator<Item = (&'static str, bool)> {
    let read = T::COLUMNS.iter().filter(|column| column.cell != column::Cell::ReadOnly);
    read.map(|column| (column.name, column.is_required))
}

/// Whether the cells of a column are lists.
#[must_use]
pub fn is_list_column<T: ImportedFile>(name: &str) -> bool {
    // A number has no length.
    let is_list = |cell| matches!(cell, column::Cell::List | column::Cell::Json);
    T::COLUMNS.iter().any(|column| column.name == name && is_list(column.cell))
}

/// What an import of a file would do.
#[derive(Clone, PartialEq, Debug)]
pub struct CheckedFile<T> {
    /// The records of the lines without a fault, with their line numbers, as they would be made. An id that
    /// the file does not have is another one in the import.
    pub records: Vec<(u64, T)>,
    /// What is wrong, in the order of the lines; at most [`MAX_FAULTS`]. Nothing is imported unless this is
    /// empty.
    pub faults: Vec<LineFault>,
}

/// The result of an import.
#[derive(Clone, PartialEq, Debug)]
pub enum Import<T> {
    /// The records are stored, in the order of the lines.
    Stored(Vec<T>),
    /// The file has faults, and nothing is stored.
    Refused(CheckedFile<T>),
}

/// Checks a file. Stores nothing.
///
/// # Errors
/// `Denied`, `Store`.
pub async fn check<T: ImportedFile>(
    service: &ImportService<T>,
    actor: Actor,
    bytes: &[u8],
) -> Result<CheckedFile<T>, Failure> {
    permit(actor, Operation::Import)?;
    let ReadFile { drafts, faults } = read::<T::Draft>(bytes, T::COLUMNS);
    let (lines, drafts): (Vec<_>, Vec<_>) = drafts.into_iter().unzip();
    let checked = service.check(actor, drafts).await?;
    Ok(joined(&lines, checked, faults))
}

/// Stores all records of a file or none.
///
/// # Errors
/// `Denied`, `Store`.
pub async fn import<T: ImportedFile>(
    service: &ImportService<T>,
    actor: Actor,
    bytes: &[u8],
) -> Result<Import<T>, Failure> {
    permit(actor, Operation::Import)?;
    let ReadFile { drafts, faults } = read::<T::Draft>(bytes, T::COLUMNS);
    if faults.is_empty() {
        let drafts = drafts.into_iter().map(|(_, draft)| draft).collect();
        match service.import(actor, drafts).await {
            Ok(records) => return Ok(Import::Stored(records)),
            // The check says the same by line.
            Err(Failure::Refused(Refusal::Invalid(_))) => {}
            Err(failure) => return Err(failure),
        }
    }
    Ok(Import::Refused(check(service, actor, bytes).await?))
}

/// The records, and the faults of all lines. A member of the wrong type, and one whose column is missing, has
/// that fault only: it was absent when the rules were checked.
fn joined<T>(lines: &[u64], checked: Checked<T>, mut faults: Vec<LineFault>) -> CheckedFile<T> {
    let mut records = Vec::new();
    let of_types = faults.clone();
    let missing = |fault: &&LineFault| fault.cause == Cause::File(FileFault::MissingColumn);
    let missing: Vec<_> = of_types.iter().filter(missing).map(LineFault::column).collect();
    for (line, made) in lines.iter().copied().zip(checked) {
        let first = of_types.partition_point(|fault| fault.line < line);
        let of_line = of_types.get(first..).unwrap_or_default();
        let of_line = of_line.iter().take_while(|fault| fault.line == line);
        match made {
            Ok(record) if of_line.clone().next().is_none() => records.push((line, record)),
            Ok(_) => {}
            Err(broken) => faults.extend(broken.into_iter().filter_map(|fault| {
                let fault = LineFault::of_rule(line, fault);
                let has_type_fault = of_line.clone().any(|other| other.column() == fault.column());
                (!has_type_fault && !missing.contains(&fault.column())).then_some(fault)
            })),
        }
    }
    faults.sort_by_key(|fault| fault.line);
    faults.truncate(MAX_FAULTS);
    CheckedFile { records, faults }
}
