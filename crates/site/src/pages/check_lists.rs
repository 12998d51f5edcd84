//! Check-lists: their list, their pages and their form.

use actix_web::Error;
use patrol_application::RecordService;
use patrol_domain::{
    Holder,
    check_list::{CheckList, CheckListAction, CheckListDraft, CheckListSort},
    ids::CheckListId,
    task_execution::ActionType,
};
use patrol_json::fields::Fields;
use patrol_record::{CheckListRecord, read_check_list};
use serde_json::Value;

use super::HandlerResult;
use crate::{
    office::{
        form::{Field, Kind, Label, Part, Rows},
        list::{self, Address},
        record::{Content, OfficeRecord, RecordContent, Section},
        record_list::RecordList,
        table::{Cell, Column, Table},
    },
    shared::SiteServices,
    texts::{Text, Texts},
    visit::SignedIn,
};

/// The types of actions, by their names in the API.
const TYPES: &[(&str, Label)] = &[
    ("BOOLEAN", |t| &t.check_list_boolean),
    ("NUMBER", |t| &t.check_list_number),
    ("TEXT", |t| &t.check_list_text),
    ("MEDIA", |t| &t.check_list_media),
];

const fn type_of(t: &Texts, kind: ActionType) -> &Text {
    match kind {
        ActionType::Boolean => &t.check_list_boolean,
        ActionType::Media => &t.check_list_media,
        ActionType::Number => &t.check_list_number,
        ActionType::Text => &t.check_list_text,
    }
}

/// GET /check-lists
pub(crate) async fn list(signed_in: SignedIn) -> HandlerResult {
    let t = &signed_in.visit.language().texts;
    let address = Address::of(&signed_in.visit);
    let query =
        list::query(&signed_in.visit, &address, &[("name", CheckListSort::Name)], Vec::new());
    let lists = signed_in.visit.site.services.check_lists.list(signed_in.actor, query);
    let columns = vec![
        Column::new(&t.name).sorted_by(&address, "name"),
        Column::new(&t.check_list_actions).of_numbers(),
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
    };
    list.page(&signed_in, &address, lists, row).await
}

impl OfficeRecord for CheckList {
    const PATH: &'static str = "/check-lists";
    const FORM: &'static [Part] = &[
        Field::new("name", |t| &t.name, Kind::Line).required().part(),
        Part::Rows(Rows {
            path: "actions",
            legend: |t| &t.check_list_actions,
            add: |t| &t.check_list_add,
            name: "name",
            parts: &[
                Field::new("name", |t| &t.check_list_action, Kind::Line).required().part(),
                Field::new("type", |t| &t.place_kind, Kind::Choice(TYPES)).part(),
                Field::new("minValue", |t| &t.check_list_minimum, Kind::Number).part(),
                Field::new("maxValue", |t| &t.check_list_maximum, Kind::Number).part(),
                Field::new("required", |t| &t.check_list_required, Kind::Flag).part(),
            ],
        }),
    ];

    fn service(services: &SiteServices) -> &RecordService<Self> {
        &services.check_lists
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

    /// The form has no numbers for the order: the actions stand in it.
    fn read(fields: &mut Fields<'_>) -> CheckListDraft {
        let mut draft = read_check_list(fields);
        let orders: Option<Vec<_>> = draft.actions.iter().map(|action| action.order).collect();
        if !orders.is_some_and(|orders| orders.is_sorted()) {
            draft.actions.iter_mut().for_each(|action| action.order = None);
        }
        draft
    }

    fn holder_page(&self, holder: Holder) -> Option<String> {
        (holder == Holder::ScheduledTasks).then(|| "/plans".to_owned())
    }

    async fn page<'a>(&'a self, signed_in: &'a SignedIn) -> Result<RecordContent<'a>, Error> {
        let t = &signed_in.visit.language().texts;
        let bound = |bound: Option<f64>| Cell::from(bound.map(|bound| bound.to_string()));
        let row = |action: &CheckListAction| {
            vec![
                Cell::text(&action.name),
                Cell::text(type_of(t, action.kind)),
                Cell::text(if action.required { &t.yes } else { &t.no }),
                bound(action.min_value),
                bound(action.max_value),
            ]
        };
        let actions = Table {
            label: t.check_list_actions.to_string(),
            columns: vec![
                Column::new(&t.check_list_action),
                Column::new(&t.place_kind),
                Column::new(&t.check_list_required),
                Column::new(&t.check_list_minimum).of_numbers(),
                Column::new(&t.check_list_maximum).of_numbers(),
            ],
            rows: self.actions.iter().map(row).collect(),
            empty: t.check_list_no_actions.to_string(),
            pager: None,
            t,
        };
        let section = Section {
            heading: &t.check_list_actions,
            action: None,
            content: Content::Table(actions),
        };
        Ok(RecordContent { sections: vec![section], ..RecordContent::default() })
    }
}
