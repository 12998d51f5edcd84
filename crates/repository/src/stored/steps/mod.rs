//! The steps of an execution with their actions: a JSON array. Every read of an execution parses
//! it, so it is kept short: members that are null, false, PENDING or an empty list are left out,
//! and so is an `order` that is one more than the previous one.

mod packed;
pub mod planned;

use patrol_domain::{
    Timestamp,
    ids::CheckListId,
    task_execution::{Action, ActionType, State, Step},
};
use serde::Serialize;

use crate::stored::{
    Error,
    member::{Id, Name},
    reader::Reader,
    value::{Value, ValueColumns},
};

pub use packed::{pack, read_packed, unpack};

/// The stored form of `steps`.
///
/// # Errors
/// Never: any step can be written. The serializer's interface requires a result.
pub fn write(steps: &[Step]) -> Result<Vec<u8>, Error> {
    // The approximate size of a step with three actions, so that the buffer of a usual execution
    // does not grow.
    let mut stored = Vec::with_capacity(steps.len() * 768 + 2);
    let mut orders = Orders::default();
    let steps: Vec<_> = steps.iter().map(|step| step_written(step, &mut orders)).collect();
    serde_json::to_writer(&mut stored, &steps)?;
    Ok(stored)
}

/// The steps in `stored`.
///
/// # Errors
/// When it does not have a form that this or an earlier [`write`] produces.
pub fn read(stored: &[u8]) -> Result<Vec<Step>, Error> {
    let mut reader = Reader::new(stored)?;
    let mut steps = Vec::new();
    let mut orders = Orders::default();
    reader.list(|reader| {
        let (step, _) = step_read(reader, &mut orders)?;
        steps.push(step);
        Ok(())
    })?;
    reader.end()?;
    Ok(steps)
}

/// The orders of consecutive steps of an execution, or of actions of a step.
#[derive(Default)]
struct Orders {
    /// The order of the next part unless it is written; 0 at first.
    next: i32,
}

impl Orders {
    /// `order`, unless it is the expected one.
    fn written(&mut self, order: i32) -> Option<i32> {
        let written = (order != self.next).then_some(order);
        self.next = order.wrapping_add(1);
        written
    }

    fn read(&mut self, written: Option<i32>) -> i32 {
        let order = written.unwrap_or(self.next);
        self.next = order.wrapping_add(1);
        order
    }
}

#[derive(Serialize)]
struct StepColumns<'a> {
    id: Id,
    #[serde(skip_serializing_if = "Option::is_none")]
    series: Option<Id>,
    #[serde(skip_serializing_if = "Option::is_none")]
    point: Option<Id>,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    actual: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    started: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<Name<State>>,
    /// Only in the plan of a scheduled task.
    #[serde(skip_serializing_if = "Option::is_none")]
    list: Option<Id>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    actions: Vec<ActionColumns<'a>>,
}

#[derive(Serialize)]
struct ActionColumns<'a> {
    id: Id,
    #[serde(skip_serializing_if = "Option::is_none")]
    series: Option<Id>,
    name: &'a str,
    #[serde(rename = "type")]
    kind: Name<ActionType>,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<i32>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    required: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<ValueColumns<'a>>,
}

fn step_written<'a>(step: &'a Step, orders: &mut Orders) -> StepColumns<'a> {
    let Step {
        id,
        series_id,
        point_id,
        name,
        order,
        actual_order,
        started_at,
        ended_at,
        state,
        actions,
    } = step;
    let mut of_actions = Orders::default();
    StepColumns {
        id: Id(id.0),
        series: series_id.map(|id| Id(id.0)),
        point: point_id.map(|id| Id(id.0)),
        name,
        order: orders.written(*order),
        actual: *actual_order,
        started: started_at.map(Timestamp::millis),
        ended: ended_at.map(Timestamp::millis),
        state: (*state != State::Pending).then_some(Name(*state)),
        list: None,
        actions: actions.iter().map(|action| action_written(action, &mut of_actions)).collect(),
    }
}

fn action_written<'a>(action: &'a Action, orders: &mut Orders) -> ActionColumns<'a> {
    let Action { id, series_id, name, kind, order, required, min_value, max_value, outcome } =
        action;
    ActionColumns {
        id: Id(id.0),
        series: series_id.map(|id| Id(id.0)),
        name,
        kind: Name(*kind),
        order: orders.written(*order),
        required: *required,
        min: *min_value,
        max: *max_value,
        value: outcome.as_ref().map(ValueColumns::of),
    }
}

/// A step, and the check-list of a planned one.
fn step_read(
    reader: &mut Reader<'_>,
    orders: &mut Orders,
) -> Result<(Step, Option<CheckListId>), Error> {
    let before = reader.fault();
    let mut check_list_id = None;
    let (mut id, mut series_id, mut point_id, mut name) = (None, None, None, None);
    let (mut order, mut actual_order, mut state) = (None, None, State::Pending);
    let (mut started_at, mut ended_at) = (None, None);
    let mut actions = Vec::new();
    reader.object(|reader, member| {
        match member {
            "id" => id = Some(reader.id()?.into()),
            "series" => series_id = Some(reader.id()?.into()),
            "point" => point_id = Some(reader.id()?.into()),
            "name" => name = Some(reader.text()?.into_owned()),
            "order" => order = Some(reader.plain()?),
            "started" => started_at = Timestamp::from_millis(reader.plain()?),
            "ended" => ended_at = Timestamp::from_millis(reader.plain()?),
            "actual" => actual_order = Some(reader.plain()?),
            "state" => state = reader.named()?,
            "list" => check_list_id = Some(reader.id()?.into()),
            "actions" => {
                let mut orders = Orders::default();
                reader.list(|reader| {
                    actions.push(action_read(reader, &mut orders)?);
                    Ok(())
                })?;
            }
            _ => reader.skip()?,
        }
        Ok(())
    })?;
    let (Some(id), Some(name)) = (id, name) else { return Err(before) };
    let order = orders.read(order);
    let step = Step {
        id,
        series_id,
        point_id,
        name,
        order,
        actual_order,
        started_at,
        ended_at,
        state,
        actions,
    };
    Ok((step, check_list_id))
}

fn action_read(reader: &mut Reader<'_>, orders: &mut Orders) -> Result<Action, Error> {
    let before = reader.fault();
    let (mut id, mut series_id, mut name, mut kind) = (None, None, None, None);
    let (mut order, mut required) = (None, false);
    let (mut min_value, mut max_value, mut value) = (None, None, None);
    reader.object(|reader, member| {
        match member {
            "id" => id = Some(reader.id()?.into()),
            "series" => series_id = Some(reader.id()?.into()),
            "name" => name = Some(reader.text()?.into_owned()),
            "type" => kind = Some(reader.named()?),
            "order" => order = Some(reader.plain()?),
            "required" => required = reader.plain()?,
            "min" => min_value = Some(reader.plain()?),
            "max" => max_value = Some(reader.plain()?),
            "value" => value = Some(Value::read(reader)?),
            _ => reader.skip()?,
        }
        Ok(())
    })?;
    let (Some(id), Some(name), Some(kind)) = (id, name, kind) else { return Err(before) };
    let order = orders.read(order);
    let outcome = value.map(|value| value.outcome(kind)).transpose()?;
    Ok(Action { id, series_id, name, kind, order, required, min_value, max_value, outcome })
}

#[cfg(test)]
mod tests;
