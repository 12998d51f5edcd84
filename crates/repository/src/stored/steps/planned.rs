//! The steps of a scheduled task: the form of an execution's steps, with the check-list of a step, and
//! without states and results.

use patrol_domain::{
    scheduled_task::{PlannedAction, PlannedStep},
    task_execution::{Action, Step},
};

use super::{ActionColumns, Orders, StepColumns, step_read};
use crate::stored::{
    Error,
    member::{Id, Name},
    reader::Reader,
};

/// The stored form of the steps.
///
/// # Errors
/// Never: any step can be written. The serializer's interface requires a result.
pub fn write(steps: &[PlannedStep]) -> Result<Vec<u8>, Error> {
    let mut orders = Orders::default();
    let steps: Vec<_> = steps.iter().map(|step| step_written(step, &mut orders)).collect();
    Ok(serde_json::to_vec(&steps)?)
}

/// The steps in `stored`.
///
/// # Errors
/// When it does not have a form that this or an earlier [`write`] produces.
pub fn read(stored: &[u8]) -> Result<Vec<PlannedStep>, Error> {
    let mut reader = Reader::new(stored)?;
    let mut steps = Vec::new();
    let mut orders = Orders::default();
    reader.list(|reader| {
        let (step, check_list_id) = step_read(reader, &mut orders)?;
        let Step {
            id,
            series_id: _,
            point_id,
            name,
            order,
            actual_order: _,
            started_at: _,
            ended_at: _,
            state: _,
            actions,
        } = step;
        let actions = actions.into_iter().map(planned_action).collect();
        steps.push(PlannedStep { id, point_id, name, order, check_list_id, actions });
        Ok(())
    })?;
    reader.end()?;
    Ok(steps)
}

fn step_written<'a>(step: &'a PlannedStep, orders: &mut Orders) -> StepColumns<'a> {
    let PlannedStep { id, point_id, name, order, check_list_id, actions } = step;
    let mut of_actions = Orders::default();
    StepColumns {
        id: Id(id.0),
        series: None,
        point: point_id.map(|id| Id(id.0)),
        name,
        order: orders.written(*order),
        actual: None,
        started: None,
        ended: None,
        state: None,
        list: check_list_id.map(|id| Id(id.0)),
        actions: actions.iter().map(|action| action_written(action, &mut of_actions)).collect(),
    }
}

fn action_written<'a>(action: &'a PlannedAction, orders: &mut Orders) -> ActionColumns<'a> {
    let PlannedAction { id, name, kind, order, required, min_value, max_value } = action;
    ActionColumns {
        id: Id(id.0),
        series: None,
        name,
        kind: Name(*kind),
        order: orders.written(*order),
        required: *required,
        min: *min_value,
        max: *max_value,
        value: None,
    }
}

fn planned_action(action: Action) -> PlannedAction {
    let Action { id, series_id: _, name, kind, order, required, min_value, max_value, outcome: _ } =
        action;
    PlannedAction { id, name, kind, order, required, min_value, max_value }
}
