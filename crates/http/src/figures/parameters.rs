//! The parameters of figures.

use patrol_application::{FiguresRequest, PeriodBound};
use patrol_domain::{
    Named, Timestamp,
    figures::Grouping,
    ids::Uuid,
    schedule::{LocalDate, TimeZone},
};
use patrol_record::json::fields::Expected;

use crate::{
    error::{ApiError, Code, Detail},
    list::{ParameterFault, id},
    query_string::{NotUtf8, parameters},
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
            faults.push(ParameterFault::Repeated.into_detail(name));
            continue;
        }
        seen.push(name);
        let read = match &parameter.value {
            Ok(value) if value.is_empty() => Ok(()),
            Ok(value) => values.set(name, value),
            Err(NotUtf8) => Err(ParameterFault::Type(Expected::String)),
        };
        faults.extend(read.err().map(|fault| fault.into_detail(name)));
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
    fn set(&mut self, name: &str, value: &str) -> Result<(), ParameterFault> {
        match name {
            "from" => self.from = Some(bound(value)?),
            "to" => self.to = Some(bound(value)?),
            "groupBy" => self.grouping = Some(grouping(value)?),
            "timeZone" => self.time_zone = Some(zone(value)?),
            "locationId" => self.location = Some(id(value)?),
            "performerId" => self.performer = Some(id(value)?),
            _ => self.scheduled_task = Some(id(value)?),
        }
        Ok(())
    }
}

fn bound(value: &str) -> Result<PeriodBound, ParameterFault> {
    let day = LocalDate::parse(value).map(PeriodBound::Day);
    day.or_else(|| Timestamp::parse(value).map(PeriodBound::Time))
        .ok_or(ParameterFault::Type(Expected::Timestamp))
}

fn grouping(value: &str) -> Result<Grouping, ParameterFault> {
    Grouping::from_name(value).ok_or_else(|| ParameterFault::NotOneOf(Grouping::NAMES.to_vec()))
}

/// The names of all zones would be too many to report.
fn zone(value: &str) -> Result<TimeZone, ParameterFault> {
    TimeZone::named(value).ok_or(ParameterFault::NotOneOf(Vec::new()))
}
