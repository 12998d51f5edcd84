//! Check-lists: their list, their pages and their form.

use actix_web::Error;
use patrol_application::RecordService;
use patrol_domain::{
    Holder,
    check_list::{CheckList, CheckListAction, CheckListDraft, CheckListSort},
    ids::CheckListId,
    task_execution::ActionType,
};
use patrol_http::Services;
use patrol_json::fields::Fields;
use patrol_record::{CheckListRecord, read_check_list};
use serde_json::Value;

use super::HandlerResult;
use crate::{
    office::{
        faults::FormFault,
        form::{Field, Kind, Part, Rows},
        list::{self, Address},
        record::{Content, OfficeRecord, RecordContent, Section},
        record_list::RecordList,
        table::{Cell, Column, Table},
    },
    texts::{Text, Texts},
    visit::SignedIn,
};

/// The actions of check-lists, and of the steps of plans.
pub(super) const ACTIONS: Rows = Rows {
    path: "actions",
    legend: |t| &t.actions,
    add: |t| &t.add_action,
    name: "name",
    parts: &[
        Field::new("name", |t| &t.action_name, Kind::Line).required().part(),
        Field::new(
            "type",
            |t| &t.kind,
            Kind::Choice(&[
                ("BOOLEAN", |t| &t.action_boolean),
                (NUMBER, |t| &t.action_number),
                ("TEXT", |t| &t.action_text),
                ("MEDIA", |t| &t.action_media),
            ]),
        )
        .part(),
        Field::new("required", |t| &t.action_required, Kind::Flag).part(),
        Field::new("minValue", |t| &t.minimum, Kind::Number).hint(|t| &t.bound_hint).part(),
        Field::new("maxValue", |t| &t.maximum, Kind::Number).hint(|t| &t.bound_hint).part(),
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

/// The bounds of actions that are no numbers: the API leaves them out without a word. `prefix`: the path of the
/// record with the actions.
pub(super) fn bounds_of_no_number(
    t: &Texts,
    prefix: &str,
    record: &Value,
) -> impl Iterator<Item = FormFault> {
    let actions = record["actions"].as_array().into_iter().flatten().enumerate();
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
    let columns = vec![
        Column::new(&t.name).sorted_by(&address, "name"),
        Column::new(&t.actions).of_numbers(),
    ];
    let row = |list: &CheckList| {
        vec![
            Cell::link(format!("/check-lists/{}", list.id.0), &list.name),
            Cell::Number(u64::try_from(list.actions.len()).unwrap_or(u64::MAX)),
        ]
    };
    let list = RecordList {
        heading: &t.check_lists,
        new: Some(("/check-lists/new".to_owned(), &t.check_list_new)),
        empty: &t.check_list_none,
        columns,
        only: None,
    };
    list.page(&signed_in, &address, lists, row).await
}

impl OfficeRecord for CheckList {
    const PATH: &'static str = "/check-lists";
    const FORM: &'static [Part] =
        &[Field::new("name", |t| &t.name, Kind::Line).required().part(), Part::Rows(ACTIONS)];

    fn service(api: &Services) -> &RecordService<Self> {
        &api.check_lists
    }

    fn new_heading(t: &Texts) -> &Text {
        &t.check_list_new
    }

    fn id(&self) -> CheckListId {
        self.id
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn to_json(&self) -> serde_json::Result<Value> {
        serde_json::to_value(CheckListRecord::new(self))
    }

    async fn check(
        signed_in: &SignedIn,
        entered: &Value,
        _before: &Value,
    ) -> Result<Vec<FormFault>, Error> {
        let t = &signed_in.visit.language().texts;
        Ok(bounds_of_no_number(t, "", entered).collect())
    }

    /// The form has no numbers for the order: the actions stand in it.
    fn read(fields: &mut Fields<'_>) -> CheckListDraft {
        let mut draft = read_check_list(fields);
        let orders: Option<Vec<_>> = draft.actions.iter().map(|action| action.order).collect();
        if !orders.is_some_and(|orders| orders.is_sorted()) {
            draft.actions.iter_mut().for_each(|action| action.order = None);
        }
        draft
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
                Cell::text(if action.required { &t.yes } else { &t.no }),
                bound(action.min_value),
                bound(action.max_value),
            ]
        };
        let actions = Table {
            label: t.actions.to_string(),
            columns: vec![
                Column::new(&t.action_name),
                Column::new(&t.kind),
                Column::new(&t.action_required),
                Column::new(&t.minimum).of_numbers(),
                Column::new(&t.maximum).of_numbers(),
            ],
            rows: self.actions.iter().map(row).collect(),
            empty: t.check_list_no_actions.to_string(),
            pager: None,
            t,
        };
        let section =
            Section { heading: &t.actions, action: None, content: Content::Table(actions) };
        Ok(RecordContent { sections: vec![section], ..RecordContent::default() })
    }
}
