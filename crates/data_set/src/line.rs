//! Parses one line into one record.

use patrol_domain::{Rule, Rules, access::Passwords, data_set::Record};
use patrol_json::{
    document::{self, Json},
    fields::{self, Fields},
};

use crate::{check_list, location, messages, point, scheduled_task, task_execution, user};

/// The values of `kind`.
const KINDS: &[&str] =
    &["user", "location", "graphicPlan", "point", "checkList", "scheduledTask", "taskExecution"];

/// The record of a line, or its faults, one entry each.
pub(crate) fn record(
    line: &[u8],
    rules: &Rules,
    nesting: usize,
    passwords: &dyn Passwords,
) -> Result<Record, Vec<String>> {
    if let Some(message) = messages::other_form(line.trim_ascii()) {
        return Err(vec![message.to_owned()]);
    }
    let json = document::parse(line, nesting)
        .map_err(|malformed| vec![format!("not a JSON object: {malformed}")])?;
    let kind = fields::object(&json, |fields| fields.text("kind"))
        .map_err(|faults| faults.iter().map(messages::of_type).collect::<Vec<_>>())?;
    match kind.as_deref() {
        Some("user") => user::record(exact(&json, user::read)?, rules, passwords),
        Some("location") => {
            messages::accepted(exact(&json, location::read)?.check(rules)).map(Record::Location)
        }
        Some("graphicPlan") => messages::accepted(exact(&json, location::read_plan)?.check(rules))
            .map(Record::GraphicPlan),
        Some("point") => point::record(exact(&json, point::read)?, rules),
        Some("checkList") => {
            messages::accepted(exact(&json, check_list::read)?.check(rules)).map(Record::CheckList)
        }
        Some("scheduledTask") => {
            messages::accepted(exact(&json, scheduled_task::read)?.check(rules))
                .map(Record::ScheduledTask)
        }
        Some("taskExecution") => {
            messages::accepted(exact(&json, task_execution::read)?.check(rules))
                .map(|execution| Record::TaskExecution(Box::new(execution)))
        }
        Some(_) => Err(vec![messages::about("kind", &messages::one_of(KINDS))]),
        None => Err(vec![messages::about("kind", &messages::describe(&Rule::NotNull))]),
    }
}

/// The draft of a line that has exactly the members read and its kind.
fn exact<T>(json: &Json<'_>, mut read: impl FnMut(&mut Fields<'_>) -> T) -> Result<T, Vec<String>> {
    let draft = fields::exact_object(json, |fields| {
        fields.text("kind");
        read(fields)
    });
    draft.map_err(messages::of_shape)
}
