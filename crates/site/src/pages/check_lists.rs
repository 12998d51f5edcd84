//! Check-lists: their list, their pages and their form.

use actix_web::Error;
use patrol_application::RecordService;
use patrol_domain::{
    Holder,
    check_list::{CheckList, CheckListAction, CheckListDraft, CheckListSort},
    task_execution::ActionType,
};
use patrol_http::Services;
use patrol_record::{json::fields::Fields, read_check_list};
use serde_json::Value;

use super::{HandlerResult, listed};
use crate::{
    office::{
        content::{RecordContent, Section},
        faults::FormFault,
        form::{Kind, Label, Part, Rows, elements, elements_mut, keep_order},
        list::{self, Address},
        record::OfficeRecord,
        record_list::RecordList,
        table::{Cell, Column, Table},
    },
    texts::{Text, Texts},
    view::yes_or_no,
    visit::SignedIn,
};

/// The actions of check-lists, and of the steps of plans.
pub(super) const ACTIONS: Rows = Rows {
    path: "actions",
    legend: |t| &t.actions,
    add: |t| &t.add_action,
    name: "name",
    parts: &[
        Part::field("name", |t| &t.action_name, Kind::Line).required(),
        Part::field(
            "type",
            |t| &t.kind,
            Kind::Choice(&[
                ("BOOLEAN", |t| &t.action_boolean),
                (NUMBER, |t| &t.action_number),
                ("TEXT", |t| &t.action_text),
                ("MEDIA", |t| &t.action_media),
            ]),
        ),
        Part::field("required", |t| &t.action_required, Kind::Flag),
        Part::field("minValue", |t| &t.minimum, Kind::Number).hint(|t| &t.bound_hint),
        Part::field("maxValue", |t| &t.maximum, Kind::Number).hint(|t| &t.bound_hint),
    ],
};

/// The type of actions with bounds.
const NUMBER: &str = "NUMBER";

/// The type of an action in words.
pub(super) const fn action_type(t: &Texts, kind: ActionType) -> &Text {
    match kind {
        ActionType::Boolean => &t.action_boolean,
        ActionType::Media => &t.action_media,
        ActionType::Number => &t.action_number,
        ActionType::Text => &t.action_text,
    }
}

/// The bounds of actions that are no numbers: the API does not keep them. `prefix`: the path of the
/// record with the actions.
pub(super) fn bounds_of_no_number(
    t: &Texts,
    prefix: &str,
    record: &Value,
) -> impl Iterator<Item = FormFault> {
    let actions = elements(&record["actions"]).iter().enumerate();
    actions.filter(|(_, action)| action["type"] != NUMBER).flat_map(move |(at, action)| {
        let bounds = ["minValue", "maxValue"].into_iter().filter(|name| !action[name].is_null());
        let path = format!("{prefix}actions[{at}]");
        bounds.map(move |name| FormFault::new(format!("{path}.{name}"), &t.bound_fault))
    })
}

/// GET /check-lists
pub(crate) async fn list(signed_in: SignedIn) -> HandlerResult {
    let t = &signed_in.visit.language().texts;
    let address = Address::of(&signed_in.visit);
    let query =
        list::query(&signed_in.visit, &address, &[("name", CheckListSort::Name)], Vec::new());
    let lists = signed_in.visit.site.api.check_lists.list(signed_in.actor, query);
    let (lists, total) = listed(lists).await?;
    let columns =
        vec![Column::new(&t.name).sorted_by(&address, "name"), Column::of_numbers(&t.actions)];
    let row = |list: &CheckList| {
        vec![
            Cell::link(format!("/check-lists/{}", list.id.0), &list.name),
            Cell::Number(u64::try_from(list.actions.len()).unwrap_or(u64::MAX)),
        ]
    };
    let list = RecordList {
        heading: &t.check_lists,
        new: ("/check-lists/new", &t.check_list_new),
        empty: &t.check_list_none,
        columns,
        only: None,
    };
    list.page(&signed_in, &address, lists.iter().map(row), total)
}

impl OfficeRecord for CheckList {
    const PATH: &'static str = "/check-lists";
    const NEW_HEADING: Label = |t| &t.check_list_new;
    const SERVICE: fn(&Services) -> &RecordService<Self> = |api| &api.check_lists;
    const READ: fn(&mut Fields<'_>) -> CheckListDraft = read_check_list;
    const BY_NAME: CheckListSort = CheckListSort::Name;
    const FORM: &'static [Part] =
        &[Part::field("name", |t| &t.name, Kind::Line).required(), Part::Rows(ACTIONS)];

    fn name(&self) -> &str {
        &self.name
    }

    fn from_form(_: &SignedIn, entered: &Value, _before: &Value) -> (Value, Vec<FormFault>) {
        let mut record = entered.clone();
        if let Some(actions) = elements_mut(&mut record, "actions") {
            keep_order(actions);
        }
        (record, Vec::new())
    }

    async fn check(
        signed_in: &SignedIn,
        entered: &Value,
        _before: &Value,
    ) -> Result<Vec<FormFault>, Error> {
        let t = &signed_in.visit.language().texts;
        Ok(bounds_of_no_number(t, "", entered).collect())
    }

    async fn holder_page(&self, _: &SignedIn, holder: Holder) -> Result<Option<String>, Error> {
        Ok((holder == Holder::ScheduledTasks).then(|| "/plans".to_owned()))
    }

    async fn page<'a>(&'a self, signed_in: &'a SignedIn) -> Result<RecordContent<'a>, Error> {
        let t = &signed_in.visit.language().texts;
        let bound = |bound: Option<f64>| Cell::from(bound.map(|bound| bound.to_string()));
        let row = |action: &CheckListAction| {
            vec![
                Cell::text(&action.name),
                Cell::text(action_type(t, action.kind)),
                Cell::text(yes_or_no(t, action.required)),
                bound(action.min_value),
                bound(action.max_value),
            ]
        };
        let columns = [&t.action_name, &t.kind, &t.action_required].map(Column::new);
        let columns = columns.into_iter().chain([&t.minimum, &t.maximum].map(Column::of_numbers));
        let labels = [&t.actions, &t.check_list_no_actions];
        let actions = Table::new(t, labels, columns, self.actions.iter().map(row));
        let sections = vec![Section::new(&t.actions, actions)?];
        Ok(RecordContent { sections, ..RecordContent::default() })
    }
}
