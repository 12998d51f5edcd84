//! Entries of reports.

use std::collections::HashMap;

use patrol_domain::{
    Named as _,
    ids::MediaId,
    media::Sha256,
    report::{Entry, EntryDraft, Report, ReportPosition, ReportPositionDraft, Verdict},
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    json::{fields::Fields, write},
    media::hex,
    value::{EntryType, Id, Ids, PointType, Time},
};

/// An entry of a report as the device sent it.
#[derive(Serialize, ToSchema, Debug)]
#[serde(rename_all = "camelCase")]
#[schema(as = Entry)]
pub struct EntryRecord<'a> {
    id: Id,
    r#type: EntryType,
    /// By the clock of the device.
    at: Time,
    position: Option<DevicePosition>,
    /// START: the user who walks the round.
    performer_id: Option<Id>,
    step_id: Option<Id>,
    action_id: Option<Id>,
    /// SCAN: how the code was read.
    technology: Option<PointType>,
    /// SCAN: the code as it was read.
    code: Option<&'a str>,
    boolean_value: Option<bool>,
    #[serde(serialize_with = "write::number_or_null")]
    number_value: Option<f64>,
    text_value: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Vec<Id>, required = true)]
    media_ids: Option<Ids<'a, MediaId>>,
}

impl<'a> EntryRecord<'a> {
    /// The record of an entry.
    #[must_use]
    pub fn new(entry: &'a Entry) -> Self {
        let Entry {
            id,
            kind,
            at,
            position,
            performer_id,
            step_id,
            action_id,
            technology,
            code,
            boolean_value,
            number_value,
            text_value,
            media_ids,
        } = entry;
        Self {
            id: Id::of(*id),
            r#type: EntryType(*kind),
            at: Time(*at),
            position: position.map(DevicePosition::new),
            performer_id: performer_id.map(Id::of),
            step_id: step_id.map(Id::of),
            action_id: action_id.map(Id::of),
            technology: technology.map(PointType),
            code: code.as_deref(),
            boolean_value: *boolean_value,
            number_value: *number_value,
            text_value: text_value.as_deref(),
            media_ids: Some(Ids(media_ids)),
        }
    }
}

/// Reads an entry from the members of a JSON object.
pub fn read_entry(fields: &mut Fields<'_>) -> EntryDraft {
    EntryDraft {
        id: fields.uuid("id"),
        kind: fields.text("type"),
        at: fields.timestamp("at"),
        position: fields.object("position", |position| ReportPositionDraft {
            latitude: position.number("latitude"),
            longitude: position.number("longitude"),
            accuracy: position.number("accuracy"),
        }),
        performer_id: fields.uuid("performerId"),
        step_id: fields.uuid("stepId"),
        action_id: fields.uuid("actionId"),
        technology: fields.text("technology"),
        code: fields.text("code"),
        boolean_value: fields.boolean("booleanValue"),
        number_value: fields.number("numberValue"),
        text_value: fields.text("textValue"),
        media_ids: fields.uuids("mediaIds"),
    }
}

/// The position of a device.
#[derive(Serialize, ToSchema, Debug)]
#[schema(as = DevicePosition)]
struct DevicePosition {
    /// Degrees north.
    #[serde(serialize_with = "write::number")]
    latitude: f64,
    /// Degrees east.
    #[serde(serialize_with = "write::number")]
    longitude: f64,
    /// Metres.
    #[serde(serialize_with = "write::number")]
    accuracy: f64,
}

impl DevicePosition {
    const fn new(device: ReportPosition) -> Self {
        let ReportPosition { position, accuracy } = device;
        Self { latitude: position.latitude, longitude: position.longitude, accuracy }
    }
}

/// An accepted entry as its event has it: with its verdicts, and with the digests of its media, so that
/// the log ties their bytes to the round.
#[derive(Serialize)]
pub struct AcceptedEntry<'a> {
    #[serde(flatten)]
    entry: EntryRecord<'a>,
    media: Vec<EventMedium>,
    verdicts: Vec<PlainVerdict<'a>>,
}

#[derive(Serialize)]
struct EventMedium {
    id: Id,
    sha256: Option<String>,
}

/// A verdict without its message, which depends on a reader's language.
#[derive(Serialize)]
pub struct PlainVerdict<'a> {
    code: &'static str,
    args: &'a [String],
}

impl<'a> PlainVerdict<'a> {
    /// The verdicts of a report.
    #[must_use]
    pub fn all(report: &'a Report) -> Vec<Self> {
        let plain = |Verdict { code, args }: &'a Verdict| Self { code: code.name(), args };
        report.verdicts().iter().map(plain).collect()
    }
}

impl<'a> AcceptedEntry<'a> {
    /// The entry of a report. `digests` has those of its media.
    #[must_use]
    pub fn new(report: &'a Report, digests: &HashMap<MediaId, Sha256>) -> Self {
        let medium =
            |id: &MediaId| EventMedium { id: Id::of(*id), sha256: digests.get(id).map(hex) };
        Self {
            entry: EntryRecord { media_ids: None, ..EntryRecord::new(&report.entry) },
            media: report.entry.media_ids.iter().map(medium).collect(),
            verdicts: PlainVerdict::all(report),
        }
    }
}
