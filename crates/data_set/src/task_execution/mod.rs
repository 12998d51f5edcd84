//! Executions as lines of the data set, including states, times and results.

mod read;
mod row;

use patrol_domain::data_set::{ExecutionRecordDraft, NewExecution};
use patrol_json::fields::Fields;

use self::row::Row;
use crate::{
    line::{Context, Line},
    messages,
};

impl Line for NewExecution {
    type Draft = ExecutionRecordDraft;
    type Form<'a> = Row<'a>;

    fn read(fields: &mut Fields<'_>) -> ExecutionRecordDraft {
        read::read(fields)
    }

    fn check(draft: ExecutionRecordDraft, context: &Context<'_>) -> Result<Self, Vec<String>> {
        messages::checked(draft.check(context.rules))
    }

    fn form(&self) -> Row<'_> {
        self.into()
    }
}
