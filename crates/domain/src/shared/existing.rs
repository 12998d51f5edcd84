//! What a change has to know about other records: which of them exist, and who has a unique value.
//!
//! Only the store knows this, and it has to be true when the change is stored. So each change lists
//! what it has to know ([`References`]). The store looks it up in the transaction of the change, and
//! passes the result ([`Existing`]) to the change.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::{
    ids::{
        CheckListActionId, CheckListId, GraphicPlanId, LocationId, MediaId, PointId, ReportId,
        ScheduledTaskId, TaskExecutionId, UserId, Uuid,
    },
    resource::Resource,
};
use crate::scheduled_task::TaskPlan;

/// The id of a kind of record.
pub trait RecordId: Copy + Into<Uuid> {
    /// The kind of the record.
    const KIND: Resource;
}

macro_rules! record_ids {
    ($($id:ident: $kind:ident),+ $(,)?) => {$(
        impl RecordId for $id {
            const KIND: Resource = Resource::$kind;
        }
    )+};
}

record_ids! {
    UserId: User,
    LocationId: Location,
    GraphicPlanId: GraphicPlan,
    PointId: Point,
    CheckListId: CheckList,
    ScheduledTaskId: ScheduledTask,
    TaskExecutionId: TaskExecution,
    MediaId: Media,
    ReportId: Report,
}

/// A kind of value that only one record may have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum UniqueValue {
    /// A folded employee number or email address. In data of older versions, several users may
    /// have the same one.
    UserName,
    /// The printed code of a point, compared with case.
    QrCode,
    /// The code of the RFID tag of a point, compared with case.
    RfidCode,
}

impl UniqueValue {
    /// All values.
    pub const ALL: &'static [Self] = &[Self::UserName, Self::QrCode, Self::RfidCode];
}

/// The kind and the id of a record. Often a record that must exist because another one refers to
/// it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Reference {
    /// The kind of the record.
    pub kind: Resource,
    /// Its id.
    pub id: Uuid,
    /// The record that it has to belong to: the location of a graphic plan.
    pub parent: Option<Uuid>,
}

impl<I: RecordId> From<I> for Reference {
    fn from(id: I) -> Self {
        Self { kind: I::KIND, id: id.into(), parent: None }
    }
}

impl Reference {
    /// A graphic plan of this location.
    #[must_use]
    pub fn to_plan(plan: GraphicPlanId, location: LocationId) -> Self {
        Self { parent: Some(location.0), ..plan.into() }
    }

    /// Whether a record that belongs to `parent` is the right one. Always true if the reference has
    /// no parent.
    #[must_use]
    pub fn accepts_parent(&self, parent: Option<Uuid>) -> bool {
        self.parent.is_none() || self.parent == parent
    }
}

/// What the store has to look up for a change: ids of records and unique values, without duplicates.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct References {
    /// The records of each kind; no set is empty.
    pub records: BTreeMap<Resource, BTreeSet<Uuid>>,
    /// The values of each kind; no set is empty.
    pub values: BTreeMap<UniqueValue, BTreeSet<String>>,
    /// Actions of any check-lists.
    pub check_list_actions: BTreeSet<CheckListActionId>,
    /// The task from whose plan an execution is made.
    pub plan: Option<ScheduledTaskId>,
    /// Whether the change needs the active administrators.
    pub active_admins: bool,
}

impl References {
    /// Adds these records.
    #[must_use]
    pub fn with<I: RecordId>(mut self, ids: impl IntoIterator<Item = I>) -> Self {
        for id in ids {
            self.records.entry(I::KIND).or_default().insert(id.into());
        }
        self
    }

    /// Whether the record is among these.
    pub(crate) fn has<I: RecordId>(&self, id: I) -> bool {
        self.records.get(&I::KIND).is_some_and(|ids| ids.contains(&id.into()))
    }

    /// Adds these values, except those with U+0000: no record has one, and PostgreSQL refuses such a text
    /// as a parameter.
    #[must_use]
    pub fn with_values(
        mut self,
        kind: UniqueValue,
        values: impl IntoIterator<Item = String>,
    ) -> Self {
        for value in values.into_iter().filter(|value| !value.contains('\0')) {
            self.values.entry(kind).or_default().insert(value);
        }
        self
    }

    /// Adds these actions of check-lists.
    #[must_use]
    pub fn with_actions(mut self, ids: impl IntoIterator<Item = CheckListActionId>) -> Self {
        self.check_list_actions.extend(ids);
        self
    }

    /// Sets the task whose plan is looked up; `None` looks up no plan.
    #[must_use]
    pub const fn with_plan(mut self, task: Option<ScheduledTaskId>) -> Self {
        self.plan = task;
        self
    }

    /// Adds everything in `other`. If both have a plan, the plan of `other` is looked up.
    pub fn add(&mut self, other: Self) {
        let Self { records, values, check_list_actions, plan, active_admins } = other;
        for (kind, ids) in records {
            self.records.entry(kind).or_default().extend(ids);
        }
        for (kind, texts) in values {
            self.values.entry(kind).or_default().extend(texts);
        }
        self.check_list_actions.extend(check_list_actions);
        self.plan = plan.or(self.plan);
        self.active_admins |= active_admins;
    }
}

/// The result of the lookup: which records exist, and which records have the values.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Existing {
    /// The records that exist, each with the record that it belongs to.
    pub records: HashMap<(Resource, Uuid), Option<Uuid>>,
    /// The ids of the records that have each value.
    pub owners: HashMap<UniqueValue, HashMap<String, HashSet<Uuid>>>,
    /// The actions that are in a check-list.
    pub check_list_actions: HashSet<CheckListActionId>,
    /// The plan of the task; `None` when the task does not exist.
    pub plan: Option<TaskPlan>,
    /// The active administrators, if [`References::active_admins`] is set. For a change of n
    /// users, a store may stop after n + 1 administrators: at least one of these is not changed.
    pub active_admins: HashSet<UserId>,
}

impl Existing {
    /// Whether the named record exists.
    pub fn has<I: RecordId>(&self, id: I) -> bool {
        self.records.contains_key(&(I::KIND, id.into()))
    }

    /// Whether the referenced record exists and belongs to the required one.
    #[must_use]
    pub fn holds(&self, reference: &Reference) -> bool {
        let found = self.records.get(&(reference.kind, reference.id));
        found.is_some_and(|parent| reference.accepts_parent(*parent))
    }

    /// The location of the named graphic plan, if the plan exists.
    #[must_use]
    pub fn location_of(&self, plan: GraphicPlanId) -> Option<LocationId> {
        let parent = self.records.get(&(Resource::GraphicPlan, plan.0))?;
        parent.map(LocationId)
    }

    /// The ids of the records that have the named value.
    pub fn owners(&self, kind: UniqueValue, value: &str) -> impl Iterator<Item = Uuid> {
        let owners = self.owners.get(&kind).and_then(|values| values.get(value));
        owners.into_iter().flatten().copied()
    }

    /// Adds a record that has this value.
    pub fn add_owner(&mut self, kind: UniqueValue, value: String, owner: Uuid) {
        self.owners.entry(kind).or_default().entry(value).or_default().insert(owner);
    }
}

/// Adds records that exist.
impl Extend<Reference> for Existing {
    fn extend<T: IntoIterator<Item = Reference>>(&mut self, records: T) {
        let records = records.into_iter();
        self.records.extend(records.map(|Reference { kind, id, parent }| ((kind, id), parent)));
    }
}

impl<R: Into<Reference>> FromIterator<R> for Existing {
    fn from_iter<T: IntoIterator<Item = R>>(records: T) -> Self {
        let mut existing = Self::default();
        existing.extend(records.into_iter().map(Into::into));
        existing
    }
}
