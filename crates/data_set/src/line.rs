//! Reads one record from one line.

use patrol_domain::{Rule, Rules, access::PasswordHasher, data_set::Record};
use patrol_json::{
    document::{self, Json},
    fields::{self, Fields},
};

use crate::{check_list, location, messages, point, scheduled_task, task_execution, user};

/// The allowed values of `kind`.
const KINDS: &[&str] =
    &["user", "location", "graphicPlan", "point", "checkList", "scheduledTask", "taskExecution"];

/// The record of a line, or one message for each fault.
pub(crate) fn record(
    line: &[u8],
    rules: &Rules,
    nesting: usize,
    passwords: &dyn PasswordHasher,
) -> Result<Record, Vec<String>> {
    if let Some(message) = messages::wrong_format(line.trim_ascii()) {
        return Err(vec![message.to_owned()]);
    }
    let json = document::parse(line, nesting)
        .map_err(|malformed| vec![format!("not a JSON object: {malformed}")])?;
    let kind = fields::object(&json, |fields| fields.text("kind"))
        .map_err(|faults| faults.iter().map(messages::type_fault).collect::<Vec<_>>())?;
    match kind.as_deref() {
        Some("user") => user::record(read_exact(&json, user::read)?, rules, passwords),
        Some("location") => {
            messages::checked(read_exact(&json, location::read)?.check(rules)).map(Record::Location)
        }
        Some("graphicPlan") => {
            messages::checked(read_exact(&json, location::read_plan)?.check(rules))
                .map(Record::GraphicPlan)
        }
        Some("point") => point::record(read_exact(&json, point::read)?, rules),
        Some("checkList") => messages::checked(read_exact(&json, check_list::read)?.check(rules))
            .map(Record::CheckList),
        Some("scheduledTask") => {
            messages::checked(read_exact(&json, scheduled_task::read)?.check(rules))
                .map(Record::ScheduledTask)
        }
        Some("taskExecution") => {
            messages::checked(read_exact(&json, task_execution::read)?.check(rules))
                .map(|execution| Record::TaskExecution(Box::new(execution)))
        }
        Some(_) => Err(vec![messages::of_field("kind", &messages::one_of(KINDS))]),
        None => Err(vec![messages::of_field("kind", &messages::rule(&Rule::NotNull))]),
    }
}

/// Reads a draft from a line. Members other than `kind` and those that `read` asks for are faults.
fn read_exact<T>(
    json: &Json<'_>,
    mut read: impl FnMut(&mut Fields<'_>) -> T,
) -> Result<T, Vec<String>> {
    let draft = fields::exact_object(json, |fields| {
        fields.text("kind");
        read(fields)
    });
    draft.map_err(messages::member_faults)
}
