//! Check-lists as lines of the data set.

use patrol_domain::check_list::{CheckList, CheckListDraft, DraftUse};
use patrol_record::{CheckListRecord, json::fields::Fields, read_check_list};

use crate::{
    line::{Context, Line},
    messages,
};

impl Line for CheckList {
    type Draft = CheckListDraft;
    type Form<'a> = CheckListRecord<'a>;

    fn read(fields: &mut Fields<'_>) -> CheckListDraft {
        let id = fields.uuid("id");
        CheckListDraft { id, ..read_check_list(fields) }
    }

    fn check(draft: CheckListDraft, context: &Context<'_>) -> Result<Self, Vec<String>> {
        messages::checked(draft.check(DraftUse::Import, context.rules))
    }

    fn form(&self) -> CheckListRecord<'_> {
        CheckListRecord::new(self)
    }
}
