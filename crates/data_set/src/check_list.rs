//! Check-lists as lines of the data set.

use patrol_domain::check_list::{CheckList, CheckListActionDraft, CheckListDraft};
use patrol_json::fields::Fields;
use patrol_record::CheckListRecord;

use crate::{
    line::{Context, Line},
    messages,
};

impl Line for CheckList {
    type Draft = CheckListDraft;
    type Form<'a> = CheckListRecord<'a>;

    fn read(fields: &mut Fields<'_>) -> CheckListDraft {
        CheckListDraft {
            id: fields.uuid("id"),
            name: fields.text("name"),
            actions: fields.list("actions", read_action).unwrap_or_default(),
        }
    }

    fn check(draft: CheckListDraft, context: &Context<'_>) -> Result<Self, Vec<String>> {
        messages::checked(draft.check(context.rules))
    }

    fn form(&self) -> CheckListRecord<'_> {
        CheckListRecord::new(self)
    }
}

fn read_action(fields: &mut Fields<'_>) -> CheckListActionDraft {
    CheckListActionDraft {
        id: fields.uuid("id"),
        name: fields.text("name"),
        kind: fields.text("type"),
        order: fields.integer("order"),
        required: fields.boolean("required").unwrap_or_default(),
        min_value: fields.number("minValue"),
        max_value: fields.number("maxValue"),
    }
}
