//! What is odd about an entry. Each rule is a function of its own.

use super::{Entry, EntryType, ReportPosition};
use crate::{
    location::Position,
    point::{Point, PointType},
    shared::{named::named, timestamp::Timestamp},
    task_execution::{State, Step, TaskExecution},
};

named! {
    /// The kind of a verdict.
    VerdictCode {
        /// The code that was read is not that of the point.
        CodeMismatch = "presence.code.mismatch", 0;
        /// The point has a code, and none was read.
        CodeMissing = "presence.code.missing", 1;
        /// The device was too far from the point.
        Distance = "presence.distance", 2;
        /// The device moved faster than 150 km/h.
        Speed = "presence.speed", 3;
        /// A step of lower order is not COMPLETED.
        Order = "order.violated", 4;
        /// Before the planned start.
        Early = "time.early", 5;
        /// After the planned end.
        Late = "time.late", 6;
        /// The clock of the device is more than 2 minutes ahead.
        Ahead = "clock.ahead", 7;
        /// Before the entry that was accepted last.
        Backwards = "clock.backwards", 8;
        /// Arrived more than 24 hours later.
        LateUpload = "late.upload", 9;
    }
}

impl VerdictCode {
    /// How many arguments a verdict has.
    #[must_use]
    pub const fn args(self) -> usize {
        match self {
            Self::Distance => 2,
            Self::Speed => 1,
            Self::CodeMismatch
            | Self::CodeMissing
            | Self::Order
            | Self::Early
            | Self::Late
            | Self::Ahead
            | Self::Backwards
            | Self::LateUpload => 0,
        }
    }
}

/// What is odd about an entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// What it is.
    pub code: VerdictCode,
    /// The measured and the allowed value of a distance, in whole metres; a speed in whole km/h.
    pub args: Vec<String>,
}

impl From<VerdictCode> for Verdict {
    fn from(code: VerdictCode) -> Self {
        Self { code, args: Vec::new() }
    }
}

/// The distance from a point in metres at which a SCAN is not odd; the accuracy of the device is
/// added.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PresenceRadius(pub f64);

impl Default for PresenceRadius {
    fn default() -> Self {
        Self(100.0)
    }
}

/// What verdicts compare an entry with.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct LastAccepted {
    /// How many entries of the round were accepted.
    pub number: i64,
    /// The time of the entry that was accepted last.
    pub at: Option<Timestamp>,
    /// Time and place of the last accepted entry with a position.
    pub position: Option<(Timestamp, Position)>,
}

const MAX_KMH: f64 = 150.0;
const MINUTE: i64 = 60_000;
const DAY: i64 = 24 * 60 * MINUTE;

/// All verdicts on an entry, in the order of [`VerdictCode`].
pub(super) fn verdicts(
    entry: &Entry,
    execution: &TaskExecution,
    point: Option<&Point>,
    last: LastAccepted,
    radius: PresenceRadius,
    received_at: Timestamp,
) -> Vec<Verdict> {
    let point = point.filter(|_| entry.kind == EntryType::Scan);
    [
        point.and_then(|point| code(entry, point)).map(Verdict::from),
        point.and_then(|point| distance(entry.position?, point.position?, radius)),
        speed(entry, last),
        order(entry, execution).map(Verdict::from),
        planned_time(entry, execution).map(Verdict::from),
        ahead(entry, received_at).map(Verdict::from),
        backwards(entry, last).map(Verdict::from),
        late_upload(entry, received_at).map(Verdict::from),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Compares the code that was read with the point's code for the technology.
fn code(entry: &Entry, point: &Point) -> Option<VerdictCode> {
    let expected = match entry.technology? {
        PointType::Qr => point.qr_code.as_deref(),
        PointType::Rfid | PointType::Nfc => point.rfid_code.as_deref(),
        PointType::Virtual | PointType::Ble => None,
    }?;
    match entry.code.as_deref() {
        None => Some(VerdictCode::CodeMissing),
        Some(read) => (read != expected).then_some(VerdictCode::CodeMismatch),
    }
}

fn distance(device: ReportPosition, point: Position, radius: PresenceRadius) -> Option<Verdict> {
    let metres = metres(device.position, point);
    let allowed = radius.0 + device.accuracy;
    let args = || vec![whole(metres), whole(allowed)];
    (metres > allowed).then(|| Verdict { code: VerdictCode::Distance, args: args() })
}

/// The speed from the last accepted entry with a position. Less than a second counts as one.
fn speed(entry: &Entry, last: LastAccepted) -> Option<Verdict> {
    let (then, from) = last.position?;
    let millis = i32::try_from(entry.at.since(then).max(1_000)).unwrap_or(i32::MAX);
    let kmh = metres(from, entry.position?.position) / f64::from(millis) * 3_600.0;
    (kmh > MAX_KMH).then(|| Verdict { code: VerdictCode::Speed, args: vec![whole(kmh)] })
}

fn order(entry: &Entry, execution: &TaskExecution) -> Option<VerdictCode> {
    let bound = matches!(entry.kind, EntryType::Scan | EntryType::Result | EntryType::FinishStep);
    if !(bound && execution.order_steps_required) {
        return None;
    }
    let order = execution.steps.iter().find(|step| Some(step.id) == entry.step_id)?.order;
    let is_open = |step: &Step| step.order < order && step.state != State::Completed;
    execution.steps.iter().any(is_open).then_some(VerdictCode::Order)
}

fn planned_time(entry: &Entry, execution: &TaskExecution) -> Option<VerdictCode> {
    if !execution.strict_time_required {
        None
    } else if entry.at < execution.start_at {
        Some(VerdictCode::Early)
    } else {
        (entry.at > execution.end_at).then_some(VerdictCode::Late)
    }
}

fn ahead(entry: &Entry, received_at: Timestamp) -> Option<VerdictCode> {
    (entry.at.since(received_at) > 2 * MINUTE).then_some(VerdictCode::Ahead)
}

fn backwards(entry: &Entry, last: LastAccepted) -> Option<VerdictCode> {
    last.at.is_some_and(|last| entry.at < last).then_some(VerdictCode::Backwards)
}

fn late_upload(entry: &Entry, received_at: Timestamp) -> Option<VerdictCode> {
    (received_at.since(entry.at) > DAY).then_some(VerdictCode::LateUpload)
}

/// The great-circle distance in metres on a sphere with the mean radius of the earth (haversine).
fn metres(from: Position, to: Position) -> f64 {
    const EARTH: f64 = 6_371_008.8;
    let (lat1, lat2) = (from.latitude.to_radians(), to.latitude.to_radians());
    let half = |a: f64, b: f64| ((b - a) / 2.0).sin().powi(2);
    let longitudes = half(from.longitude.to_radians(), to.longitude.to_radians());
    let h = half(lat1, lat2) + lat1.cos() * lat2.cos() * longitudes;
    2.0 * EARTH * h.min(1.0).sqrt().asin()
}

fn whole(value: f64) -> String {
    format!("{value:.0}")
}
