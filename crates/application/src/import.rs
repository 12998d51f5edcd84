//! People and points from a file. Only administrators import them.

use std::sync::Arc;

use patrol_domain::{
    Create, DraftContext, Drafted, Existing, Fault, Identified, Limits, MAX_FAULTS, New, Path,
    RecordId, References, Refusal,
    ids::UserId,
    import::make_each,
    point::{Point, PointDraft},
    user::{User, UserDraft},
};

use crate::{
    context::Context,
    dry_run::{self, DryRun},
    failure::Failure,
    permission::{Actor, Operation, permit},
};

/// A kind of record that a file may have, each line like the body of a POST.
pub trait Imported: Identified<Id: RecordId> + Sized {
    /// A line: the types of its members are checked, the field rules are not.
    type Draft: Send + Sync + 'static;

    /// What the store has to look up for the draft.
    fn references(draft: &Self::Draft, limits: &Limits) -> References;

    /// The new record. A draft without an id gets a new one.
    ///
    /// # Errors
    /// `Invalid` with the faults of the members, in their order.
    fn make(draft: &Self::Draft, context: DraftContext<'_>) -> Result<Self, Refusal>;
}

impl Imported for User {
    type Draft = UserDraft;

    fn references(draft: &UserDraft, limits: &Limits) -> References {
        draft.references(limits)
    }

    fn make(draft: &UserDraft, context: DraftContext<'_>) -> Result<Self, Refusal> {
        let DraftContext { existing, ids, rules } = context;
        let id = draft.id.unwrap_or_else(|| UserId(ids.next()));
        let draft = UserDraft { id: Some(id), ..draft.clone().with_defaults() };
        draft.check(Some(existing), rules)
    }
}

impl Imported for Point {
    type Draft = PointDraft;

    fn references(draft: &PointDraft, limits: &Limits) -> References {
        <Self as Drafted>::references(draft, limits)
    }

    fn make(draft: &PointDraft, context: DraftContext<'_>) -> Result<Self, Refusal> {
        Self::create(draft, context)
    }
}

/// The records of a file as an import would make them, or their faults.
pub type Checked<T> = Vec<Result<T, Vec<Fault>>>;

/// The import of one kind of record.
pub struct ImportService<T> {
    records: Arc<dyn Create<T>>,
    context: Context,
}

impl<T> Clone for ImportService<T> {
    fn clone(&self) -> Self {
        Self { records: Arc::clone(&self.records), context: self.context.clone() }
    }
}

impl<T: Imported> ImportService<T> {
    /// Use cases that work with these ports.
    #[must_use]
    pub fn new(records: Arc<dyn Create<T>>, context: Context) -> Self {
        Self { records, context }
    }

    /// What [`Self::import`] would make of each draft, or all faults of the draft. Stores nothing.
    ///
    /// # Errors
    /// `Denied`, `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "import.check", skip_all)]
    pub async fn check(&self, actor: Actor, drafts: Vec<T::Draft>) -> Result<Checked<T>, Failure> {
        permit(actor, Operation::Import)?;
        let dry_run = DryRun::new();
        let keep = dry_run.keep();
        let new = self.new_records(drafts, move |checked| {
            keep(checked);
            Ok(Vec::new())
        });
        self.records.create_all(new, dry_run::origin(actor, self.context.now())).await?;
        Ok(dry_run.result().unwrap_or_default())
    }

    /// Stores the records of all drafts or none. Returns them in the order of the drafts.
    ///
    /// # Errors
    /// `Denied`; `Refused` with the faults, for example `[2].email`, at most [`MAX_FAULTS`]; `Store`.
    #[tracing::instrument(target = "patrol::trace", name = "import.import", skip_all)]
    pub async fn import(&self, actor: Actor, drafts: Vec<T::Draft>) -> Result<Vec<T>, Failure> {
        permit(actor, Operation::Import)?;
        let new = self.new_records(drafts, all_valid);
        Ok(self.records.create_all(new, self.context.origin(actor)).await?)
    }

    /// The creation of the drafts. `store` gets their records and faults, and returns what is stored.
    fn new_records(
        &self,
        drafts: Vec<T::Draft>,
        store: impl Fn(Checked<T>) -> Result<Vec<T>, Refusal> + Send + Sync + 'static,
    ) -> New<Vec<T>> {
        let (ids, rules) = (Arc::clone(&self.context.ids), self.context.rules);
        let mut references = References::default();
        drafts.iter().for_each(|draft| references.add(T::references(draft, &rules.limits)));
        let make = move |existing: &Existing| {
            let checked = make_each(
                &drafts,
                existing,
                |draft| T::references(draft, &rules.limits),
                |draft, existing| {
                    T::make(draft, DraftContext { existing, ids: ids.as_ref(), rules: &rules })
                },
            );
            store(checked?)
        };
        New { references, make: Box::new(make) }
    }
}

/// The records, if no draft has a fault.
fn all_valid<T>(checked: Checked<T>) -> Result<Vec<T>, Refusal> {
    let (mut records, mut faults) = (Vec::new(), Vec::new());
    for (at, made) in checked.into_iter().enumerate() {
        match made {
            Ok(record) => records.push(record),
            Err(of_draft) => faults.extend(of_draft.into_iter().map(|fault| Fault {
                identifier: Path::Root.index(at).field(&fault.identifier).to_string(),
                ..fault
            })),
        }
    }
    if faults.is_empty() {
        return Ok(records);
    }
    faults.truncate(MAX_FAULTS);
    Err(Refusal::Invalid(faults))
}
