//! The parameters of figures.

use patrol_application::{FiguresRequest, PeriodBound};
use patrol_domain::{
    Named, Timestamp,
    figures::Grouping,
    ids::{self, Uuid},
    schedule::{LocalDate, TimeZone},
};
use patrol_record::json::fields::Expected;

use crate::{
    error::{ApiError, Code, Detail},
    query_string::parameters,
    schema::inline_schema,
};

inline_schema! {
    /// A bound of a period.
    Bound = {
        "type": "string",
        "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2}))?$",
        "examples": ["2026-11-01", "2026-11-01T00:00:00+01:00"],
    };
    /// What rounds are grouped by.
    GroupBy = { "type": "string", "enum": Grouping::NAMES };
}

const NAMES: [&str; 7] =
    ["from", "to", "groupBy", "timeZone", "locationId", "performerId", "scheduledTaskId"];

/// Whether there is this parameter.
pub(super) fn knows(name: &str) -> bool {
    NAMES.contains(&name)
}

/// The values of the parameters. An empty value is none.
#[derive(Default)]
struct Values {
    from: Option<PeriodBound>,
    to: Option<PeriodBound>,
    grouping: Option<Grouping>,
    time_zone: Option<TimeZone>,
    location: Option<Uuid>,
    performer: Option<Uuid>,
    scheduled_task: Option<Uuid>,
}

/// Reads a query string. Unknown parameters are ignored.
///
/// # Errors
/// `input.data.invalid` with the faults in the order of the query string, and then the missing
/// parameters.
pub(super) fn request_of(query: &str) -> Result<FiguresRequest, ApiError> {
    let mut values = Values::default();
    let (mut seen, mut faults) = (Vec::new(), Vec::new());
    for parameter in parameters(query) {
        let Some(name) = NAMES.into_iter().find(|name| *name == parameter.name) else { continue };
        if seen.contains(&name) {
            faults.push(Detail::new(Code::Unique, name));
            continue;
        }
        seen.push(name);
        let read = match &parameter.value {
            Ok(value) if value.is_empty() => Ok(()),
            Ok(value) => values.set(name, value),
            Err(_) => Err(wrong_type(name, Expected::String)),
        };
        faults.extend(read.err());
    }
    let is_faulty =
        |name| faults.iter().any(|fault: &Detail| fault.identifier.as_deref() == Some(name));
    let missing = [("from", values.from), ("to", values.to)]
        .into_iter()
        .filter(|(name, value)| value.is_none() && !is_faulty(name))
        .map(|(name, _)| Detail::new(Code::NotNull, name));
    let missing: Vec<_> = missing.collect();
    faults.extend(missing);
    match values {
        Values {
            from: Some(from),
            to: Some(to),
            grouping,
            time_zone,
            location,
            performer,
            scheduled_task,
        } if faults.is_empty() => Ok(FiguresRequest {
            from,
            to,
            grouping,
            time_zone,
            location_id: location.map(Into::into),
            performer_id: performer.map(Into::into),
            scheduled_task_id: scheduled_task.map(Into::into),
        }),
        _ => Err(ApiError::invalid(faults)),
    }
}

impl Values {
    fn set(&mut self, name: &'static str, value: &str) -> Result<(), Detail> {
        match name {
            "from" => self.from = Some(bound(name, value)?),
            "to" => self.to = Some(bound(name, value)?),
            "groupBy" => self.grouping = Some(grouping(name, value)?),
            "timeZone" => self.time_zone = Some(zone(name, value)?),
            "locationId" => self.location = Some(id(name, value)?),
            "performerId" => self.performer = Some(id(name, value)?),
            _ => self.scheduled_task = Some(id(name, value)?),
        }
        Ok(())
    }
}

fn bound(name: &'static str, value: &str) -> Result<PeriodBound, Detail> {
    let day = LocalDate::parse(value).map(PeriodBound::Day);
    day.or_else(|| Timestamp::parse(value).map(PeriodBound::Time))
        .ok_or_else(|| wrong_type(name, Expected::Timestamp))
}

fn grouping(name: &'static str, value: &str) -> Result<Grouping, Detail> {
    let named = Grouping::from_name(value);
    named.ok_or_else(|| Detail::new(Code::Enum, name).with_args(Grouping::NAMES.to_vec()))
}

/// The names of all zones would be too many to report.
fn zone(name: &'static str, value: &str) -> Result<TimeZone, Detail> {
    TimeZone::named(value).ok_or_else(|| Detail::new(Code::Enum, name))
}

fn id(name: &'static str, value: &str) -> Result<Uuid, Detail> {
    ids::parse(value).ok_or_else(|| wrong_type(name, Expected::Uuid))
}

fn wrong_type(name: &'static str, expected: Expected) -> Detail {
    Detail::new(Code::TypeInvalid, name).with_args([expected.name()])
}
