//! Repairs the folded texts of users.

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use futures_util::future::try_join_all;
use patrol_domain::{ids::UserId, user::User};
use patrol_stored::{
    schema::users,
    sql::{Texts, id},
    user::{Folded, Read, outdated},
};

use crate::{data_set::page, engine::Connection};

/// Writes the texts of all users where they are missing or outdated.
pub(crate) async fn repair(conn: &Connection) -> QueryResult<()> {
    let mut after: Option<UserId> = None;
    loop {
        let rows: Vec<(Read, Folded)> = page!(
            conn,
            after,
            users,
            users::table.select((Read::as_select(), Folded::as_select()))
        );
        let Some(last) = rows.last().map(|(read, _)| read.id()) else { return Ok(()) };
        after = last;
        let outdated = rows.into_iter().filter_map(|(read, stored)| outdated(read, &stored));
        // Sent one after another without waiting for the answers.
        try_join_all(outdated.map(|(user, folded)| write(conn, user, folded))).await?;
        if after.is_none() {
            return Ok(());
        }
    }
}

/// Writes the texts, unless another node has changed the user in the meantime.
async fn write(mut conn: &Connection, user: User, folded: Folded) -> QueryResult<()> {
    let User { id: user_id, first_name, middle_name, last_name, phone, language, tags, .. } = user;
    diesel::update(users::table.find(id(user_id)))
        .filter(users::first_name.eq(first_name))
        .filter(users::middle_name.is_not_distinct_from(middle_name))
        .filter(users::last_name.eq(last_name))
        .filter(users::phone.is_not_distinct_from(phone))
        .filter(users::language.eq(language))
        .filter(users::tags.eq(Texts(tags)))
        .set(folded)
        .execute(&mut conn)
        .await?;
    Ok(())
}
