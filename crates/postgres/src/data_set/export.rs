//! Export: every record of one snapshot, in an order that defines before it refers.

use patrol_domain::{StoreError, data_set::Record, ids::Uuid, list::PART_BYTES};

use super::scheduled_task;
use crate::{
    check_list,
    engine::{Abort, Connection, Sender},
    location, point, task_execution, user,
};

/// Records of one batch: enough that a batch costs little, few enough that it takes little room.
const BATCH: i64 = 128;

/// What a batch counts for: two of them wait for who writes them.
const BATCH_BYTES: usize = PART_BYTES / 2;

/// Sends what `$page` gives, batch by batch, until it gives nothing.
macro_rules! batches {
    ($conn:ident, $to:ident, $page:expr, $record:expr) => {{
        let mut after = None;
        loop {
            let page = $page($conn, after, BATCH).await?;
            let Some(last) = page.last() else { break };
            after = Some(Uuid::from(last.id));
            $to.send(page.into_iter().map($record).collect(), BATCH_BYTES).await?;
        }
    }};
}

/// Sends all records in batches.
pub(super) async fn export(
    conn: &Connection,
    to: &Sender<Vec<Record>>,
) -> Result<(), Abort<StoreError>> {
    let of_user = |user| {
        let user = Box::new(user);
        Record::User { user, password_hash: None }
    };
    batches!(conn, to, location::page, Record::Location);
    batches!(conn, to, location::graphic_plans_page, Record::GraphicPlan);
    batches!(conn, to, user::page, of_user);
    batches!(conn, to, point::page, |point| Record::Point(Box::new(point)));
    batches!(conn, to, check_list::page, Record::CheckList);
    batches!(conn, to, scheduled_task::page, Record::ScheduledTask);
    batches!(conn, to, task_execution::page, |run| Record::TaskExecution(Box::new(run)));
    Ok(())
}
