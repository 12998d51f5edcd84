//! The list of scheduled tasks.

use patrol_domain::{
    Named,
    list::Test,
    scheduled_task::{ScheduledTask, ScheduledTaskFilter, ScheduledTaskList, ScheduledTaskSort},
    task_execution::{Moment, Priority},
};
use proptest::strategy::{BoxedStrategy, Strategy};

use super::{Key, Modelled, Value};
use crate::{
    arbitrary::{code_tests, flag_tests, id_tests, tag_tests, text_tests},
    sample::{location_id, task_id, user_id},
};

impl Modelled for ScheduledTaskList {
    type Record = ScheduledTask;

    const FILTERS: &'static [ScheduledTaskFilter] = &[
        ScheduledTaskFilter::Id,
        ScheduledTaskFilter::Name,
        ScheduledTaskFilter::Location,
        ScheduledTaskFilter::User,
        ScheduledTaskFilter::Tags,
        ScheduledTaskFilter::Priority,
        ScheduledTaskFilter::Enabled,
    ];
    fn item(task: &ScheduledTask) -> ScheduledTask {
        ScheduledTask { steps: Vec::new(), ..task.clone() }
    }

    fn value(task: &ScheduledTask, filter: ScheduledTaskFilter) -> Value {
        match filter {
            ScheduledTaskFilter::Id => Value::Ids(vec![task.id.0]),
            ScheduledTaskFilter::Name => Value::Text(task.name.clone()),
            ScheduledTaskFilter::Location => {
                Value::Ids(task.location_id.map(|location| location.0).into_iter().collect())
            }
            ScheduledTaskFilter::User => {
                Value::Ids(task.assignee_ids.iter().map(|user| user.0).collect())
            }
            ScheduledTaskFilter::Tags => Value::Tags(task.tags.clone()),
            ScheduledTaskFilter::Priority => Value::Code(Some(task.priority.code())),
            ScheduledTaskFilter::Enabled => Value::Flag(task.enabled),
        }
    }

    fn test(filter: ScheduledTaskFilter) -> BoxedStrategy<Test> {
        match filter {
            ScheduledTaskFilter::Id => id_tests(task_id).boxed(),
            ScheduledTaskFilter::Name => text_tests().boxed(),
            ScheduledTaskFilter::Location => id_tests(location_id).boxed(),
            ScheduledTaskFilter::User => id_tests(user_id).boxed(),
            ScheduledTaskFilter::Tags => tag_tests().boxed(),
            ScheduledTaskFilter::Priority => code_tests::<Priority>().boxed(),
            ScheduledTaskFilter::Enabled => flag_tests().boxed(),
        }
    }

    fn searched(task: &ScheduledTask) -> Vec<&str> {
        let texts = [Some(task.name.as_str()), task.description.as_deref()];
        texts.into_iter().flatten().chain(task.tags.iter().map(String::as_str)).collect()
    }

    fn key(task: &ScheduledTask, sort: ScheduledTaskSort, _: Moment) -> Option<Key> {
        let flag = |flag: bool| Some(Key::Number(flag.into()));
        match sort {
            ScheduledTaskSort::Id => Some(Key::Id(task.id.0)),
            ScheduledTaskSort::Name => Some(Key::text(&task.name)),
            ScheduledTaskSort::Description => task.description.as_deref().map(Key::text),
            ScheduledTaskSort::LocationId => task.location_id.map(|location| Key::Id(location.0)),
            ScheduledTaskSort::Priority => {
                Some(Key::Number(i64::try_from(task.priority.order()).expect("a rank")))
            }
            ScheduledTaskSort::OrderStepsRequired => flag(task.order_steps_required),
            ScheduledTaskSort::StrictTimeRequired => flag(task.strict_time_required),
            ScheduledTaskSort::Deadlined => flag(task.deadlined),
            ScheduledTaskSort::Published => flag(task.published),
            ScheduledTaskSort::Enabled => flag(task.enabled),
            ScheduledTaskSort::SeriesId => task.series_id.map(|series| Key::Id(series.0)),
        }
    }

    fn ties(task: &ScheduledTask) -> Vec<Key> {
        vec![Key::Id(task.id.0)]
    }
}
