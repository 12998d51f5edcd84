//! The entries of a request: their form, before the state of the round is looked at.

use std::collections::{BTreeSet, HashMap};

use super::{Entry, EntryType, Report, ReportPosition};
use crate::{
    location::Position,
    point::PointType,
    shared::{
        check,
        existing::{Existing, References},
        fault::{Faults, Path, Refusal, Rule},
        ids::{ActionId, MediaId, ReportId, StepId, UserId},
        named::Named as _,
        rules::{Limits, Rules},
        timestamp::Timestamp,
    },
};

/// The maximum number of entries of a request.
pub const MAX_ENTRIES: usize = 1_000;

/// The maximum number of media that one entry names.
pub const MAX_MEDIA: usize = 100;

/// The position of an entry: the JSON types are checked, the field rules are not.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[allow(missing_docs)] // named as in docs/api
pub struct ReportPositionDraft {
    pub latitude: Option<f64>,
    pub longitude: Option<f64>,
    pub accuracy: Option<f64>,
}

/// An entry: the JSON types are checked, the field rules are not.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs)] // named as in docs/api
pub struct EntryDraft {
    pub id: Option<ReportId>,
    pub kind: Option<String>,
    pub at: Option<Timestamp>,
    pub position: Option<ReportPositionDraft>,
    pub performer_id: Option<UserId>,
    pub step_id: Option<StepId>,
    pub action_id: Option<ActionId>,
    pub technology: Option<String>,
    pub code: Option<String>,
    pub boolean_value: Option<bool>,
    pub number_value: Option<f64>,
    pub text_value: Option<String>,
    pub media_ids: Option<Vec<MediaId>>,
}

/// The entries of a request, in the order sent.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ReportsDraft(pub Vec<EntryDraft>);

impl ReportsDraft {
    /// The ids of the entries.
    pub(super) fn ids(&self) -> Vec<ReportId> {
        self.0.iter().filter_map(|entry| entry.id).collect()
    }

    /// The steps that are scanned.
    pub(super) fn scanned(&self) -> BTreeSet<StepId> {
        self.of(EntryType::Scan).filter_map(|entry| entry.step_id).collect()
    }

    /// Whether an entry has a position.
    pub(super) fn is_placed(&self) -> bool {
        self.0.iter().any(|entry| entry.position.is_some())
    }

    /// The users and media that the entries name.
    pub(super) fn references(&self) -> References {
        let mut all = References::default();
        for entry in self.0.iter().take(MAX_ENTRIES) {
            let media = entry.media_ids.iter().flatten().take(MAX_MEDIA);
            all = all.with(entry.performer_id).with(media.copied());
        }
        all
    }

    /// The users that START entries name.
    pub fn performers(&self) -> impl Iterator<Item = UserId> {
        self.of(EntryType::Start).filter_map(|entry| entry.performer_id)
    }

    fn of(&self, kind: EntryType) -> impl Iterator<Item = &EntryDraft> {
        self.0.iter().filter(move |entry| entry.kind.as_deref() == Some(kind.name()))
    }

    /// The entries, if each has the form of its type. `known` are the stored entries with an id of the
    /// request: what an entry names need not exist any more when it took effect before.
    ///
    /// # Errors
    /// `Invalid` with the faults of all entries, in their order.
    pub fn check(
        &self,
        known: &HashMap<ReportId, Report>,
        existing: &Existing,
        rules: &Rules,
    ) -> Result<Vec<Entry>, Refusal> {
        let mut faults = Faults::new();
        if self.0.is_empty() || self.0.len() > MAX_ENTRIES {
            faults.push(&Path::Root, Rule::Length { min: 1, max: MAX_ENTRIES });
            return faults.into_result(Vec::new());
        }
        let entries = self.0.iter().enumerate().filter_map(|(at, entry)| {
            let path = Path::Root.index(at);
            let before = entry.id.and_then(|id| known.get(&id));
            let existing = (!before.is_some_and(Report::is_accepted)).then_some(existing);
            entry.check(&mut faults, &path, existing, &rules.limits)
        });
        let entries = entries.collect();
        faults.into_result(entries)
    }
}

impl EntryDraft {
    /// The entry. Without `existing`, the users and media that it names need not exist.
    pub(crate) fn check(
        &self,
        faults: &mut Faults,
        path: &Path<'_>,
        existing: Option<&Existing>,
        limits: &Limits,
    ) -> Option<Entry> {
        let field = |name| path.field(name);
        let id = check::required(faults, &field("id"), self.id);
        let kind = check::required(faults, &field("type"), self.kind.as_deref())
            .and_then(|kind| check::enum_value::<EntryType>(faults, &field("type"), kind));
        let at = check::required(faults, &field("at"), self.at);
        let position =
            self.position.and_then(|position| position.check(faults, &field("position")));
        // A member is checked also where its type of entry ignores it.
        let technology = self
            .technology
            .as_deref()
            .and_then(|named| check::enum_value::<PointType>(faults, &field("technology"), named));
        let texts = [
            ("code", &self.code, limits.text),
            ("textValue", &self.text_value, limits.description),
        ];
        for (name, text, max) in texts {
            if let Some(text) = text {
                check::text(faults, &field(name), text, 0, max);
            }
        }
        let (id, kind, at) = (id?, kind?, at?);
        let mut entry = Entry { position, ..Entry::new(id, kind, at) };
        match kind {
            EntryType::Start => {
                let is_unknown = |performer| existing.is_some_and(|known| !known.has(performer));
                if self.performer_id.is_some_and(is_unknown) {
                    faults.push(&field("performerId"), Rule::Reference);
                }
                entry.performer_id = self.performer_id;
            }
            EntryType::Scan => {
                entry.step_id = check::required(faults, &field("stepId"), self.step_id);
                check::required(faults, &field("technology"), self.technology.as_ref());
                entry.technology = technology;
                entry.code.clone_from(&self.code);
            }
            EntryType::Result => {
                entry.step_id = check::required(faults, &field("stepId"), self.step_id);
                entry.action_id = check::required(faults, &field("actionId"), self.action_id);
                entry.boolean_value = self.boolean_value;
                entry.number_value = self.number_value;
                self.take_text_and_media(&mut entry, faults, path, existing);
                if entry.boolean_value.is_none()
                    && entry.number_value.is_none()
                    && entry.text_value.is_none()
                    && entry.media_ids.is_empty()
                {
                    faults.push(path, Rule::NotNull);
                }
            }
            EntryType::FinishStep => {
                entry.step_id = check::required(faults, &field("stepId"), self.step_id);
            }
            EntryType::Note => {
                entry.step_id = self.step_id;
                self.take_text_and_media(&mut entry, faults, path, existing);
            }
            EntryType::Complete => {}
        }
        Some(entry)
    }

    fn take_text_and_media(
        &self,
        entry: &mut Entry,
        faults: &mut Faults,
        path: &Path<'_>,
        existing: Option<&Existing>,
    ) {
        entry.text_value.clone_from(&self.text_value);
        let media = self.media_ids.as_deref().unwrap_or_default();
        if media.len() > MAX_MEDIA {
            faults.push(&path.field("mediaIds"), Rule::Length { min: 0, max: MAX_MEDIA });
            return;
        }
        for (at, medium) in media.iter().enumerate() {
            if existing.is_some_and(|known| !known.has(*medium)) {
                faults.push(&path.field("mediaIds").index(at), Rule::Reference);
            }
        }
        entry.media_ids = check::distinct(media);
    }
}

impl ReportPositionDraft {
    fn check(self, faults: &mut Faults, path: &Path<'_>) -> Option<ReportPosition> {
        let position = Position::required(faults, path, self.latitude, self.longitude);
        let accuracy = self.accuracy.unwrap_or(0.0);
        if accuracy < 0.0 {
            faults.push(&path.field("accuracy"), Rule::Range { min: 0, max: i64::MAX });
        }
        Some(ReportPosition { position: position?, accuracy })
    }
}
