//! The list of check-lists.

use patrol_domain::{
    check_list::{CheckList, CheckListFilter, CheckListList, CheckListSort},
    list::Test,
    task_execution::Moment,
};
use proptest::strategy::{BoxedStrategy, Strategy};

use super::{Key, Modelled, Value};
use crate::{
    arbitrary::{id_tests, text_tests},
    sample::check_list_id,
};

impl Modelled for CheckListList {
    type Record = CheckList;

    const FILTERS: &'static [CheckListFilter] = &[CheckListFilter::Id, CheckListFilter::Name];
    fn item(list: &CheckList) -> CheckList {
        list.clone()
    }

    fn value(list: &CheckList, filter: CheckListFilter) -> Value {
        match filter {
            CheckListFilter::Id => Value::Ids(vec![list.id.0]),
            CheckListFilter::Name => Value::Text(list.name.clone()),
        }
    }

    fn test(filter: CheckListFilter) -> BoxedStrategy<Test> {
        match filter {
            CheckListFilter::Id => id_tests(check_list_id).boxed(),
            CheckListFilter::Name => text_tests().boxed(),
        }
    }

    fn searched(list: &CheckList) -> Vec<&str> {
        vec![&list.name]
    }

    fn key(list: &CheckList, sort: CheckListSort, _: Moment) -> Option<Key> {
        Some(match sort {
            CheckListSort::Id => Key::Id(list.id.0),
            CheckListSort::Name => Key::text(&list.name),
        })
    }

    fn ties(list: &CheckList) -> Vec<Key> {
        vec![Key::Id(list.id.0)]
    }
}
