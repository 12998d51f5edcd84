//! Random scheduled tasks.

use patrol_domain::{Named, scheduled_task::ScheduledTask, task_execution::Priority};
use proptest::{option::of, prelude::*, sample::select};

use super::{number, set, tags, texts, uuid};
use crate::sample::{MANY, location_id, series_id, user_id};

/// Scheduled tasks without steps, as lists have them.
pub(crate) fn scheduled_task() -> impl Strategy<Value = ScheduledTask> {
    let flags = any::<[bool; 5]>();
    let users = set((1..=MANY).map(user_id).collect());
    let places = (of(number()), of(number()), select(Priority::ALL.to_vec()));
    (uuid(), (texts(), of(texts())), places, users, flags, tags()).prop_map(
        |(id, (name, description), (location, series, priority), assignee_ids, flags, tags)| {
            let [order_steps_required, strict_time_required, deadlined, published, enabled] = flags;
            ScheduledTask {
                description,
                location_id: location.map(location_id),
                assignee_ids,
                priority,
                order_steps_required,
                strict_time_required,
                deadlined,
                tags,
                published,
                enabled,
                series_id: series.map(series_id),
                ..ScheduledTask::new(id, name)
            }
        },
    )
}
