//! How a transaction fails.

use diesel::result::Error as DieselError;
use patrol_domain::{
    EditError, Refusal, StoreError,
    data_set::{DryRunOutcome, ImportError, Imported},
};

/// How a failed job ends.
#[derive(Debug)]
pub enum Abort<E> {
    /// The job was refused by its caller's rules: only its own writes are rolled back.
    Refused(E),
    /// An error of the database. The adapter decides whether the job may run again.
    Database(DieselError),
    /// An error of this job only, such as a corrupt record.
    Store(StoreError),
}

impl<E> From<DieselError> for Abort<E> {
    fn from(error: DieselError) -> Self {
        Self::Database(error)
    }
}

impl<E> From<StoreError> for Abort<E> {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<EditError> for Abort<EditError> {
    fn from(error: EditError) -> Self {
        Self::Refused(error)
    }
}

impl From<Refusal> for Abort<EditError> {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal.into())
    }
}

impl From<ImportError> for Abort<ImportError> {
    fn from(error: ImportError) -> Self {
        Self::Refused(error)
    }
}

impl<E> Abort<E> {
    /// Converts the refusal.
    pub fn map<F>(self, refusal: impl FnOnce(E) -> F) -> Abort<F> {
        match self {
            Self::Refused(error) => Abort::Refused(refusal(error)),
            Self::Database(error) => Abort::Database(error),
            Self::Store(error) => Abort::Store(error),
        }
    }
}

impl<E: From<StoreError>> Abort<E> {
    /// The error for the caller; `database` converts an error of the database.
    pub fn into_error(self, database: impl FnOnce(&DieselError) -> StoreError) -> E {
        match self {
            Self::Refused(refusal) => refusal,
            Self::Database(error) => E::from(database(&error)),
            Self::Store(error) => E::from(error),
        }
    }
}

impl Abort<DryRunOutcome> {
    /// Ends the dry run of an import. Its result is always a failure, which rolls the transaction
    /// back.
    #[must_use]
    pub fn dry_run(imported: Result<Imported, Abort<ImportError>>) -> Self {
        match imported {
            Ok(imported) => Self::Refused(DryRunOutcome::Done(imported)),
            Err(abort) => abort.map(DryRunOutcome::Failed),
        }
    }
}
