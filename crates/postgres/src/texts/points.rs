//! Repairs the folded texts of points.

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use futures_util::future::try_join_all;
use patrol_domain::{ids::PointId, point::Point};
use patrol_stored::{
    point::{Folded, Read, outdated},
    schema::points,
    sql::{Texts, id},
};

use crate::{data_set::page, engine::Connection};

/// Writes the texts of all points where they are missing or outdated.
pub(crate) async fn repair(conn: &Connection) -> QueryResult<()> {
    let mut after: Option<PointId> = None;
    loop {
        let rows: Vec<(Read, Folded)> = page!(
            conn,
            after,
            points,
            points::table.select((Read::as_select(), Folded::as_select()))
        );
        let Some(last) = rows.last().map(|(read, _)| read.id()) else { return Ok(()) };
        after = last;
        let outdated = rows.into_iter().filter_map(|(read, stored)| outdated(read, &stored));
        // Sent one after another without waiting for the answers.
        try_join_all(outdated.map(|(point, folded)| write(conn, point, folded))).await?;
        if after.is_none() {
            return Ok(());
        }
    }
}

/// Writes the texts, unless another node has changed the point in the meantime.
async fn write(mut conn: &Connection, point: Point, folded: Folded) -> QueryResult<()> {
    let Point { id: point_id, name, rfid_code, qr_code, tags, .. } = point;
    diesel::update(points::table.find(id(point_id)))
        .filter(points::name.eq(name))
        .filter(points::rfid_code.is_not_distinct_from(rfid_code))
        .filter(points::qr_code.is_not_distinct_from(qr_code))
        .filter(points::tags.eq(Texts(tags)))
        .set(folded)
        .execute(&mut conn)
        .await?;
    Ok(())
}
