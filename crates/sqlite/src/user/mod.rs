//! Users.

mod row;

use async_trait::async_trait;
use diesel::prelude::*;
use patrol_domain::{
    StoreError,
    ids::UserId,
    shared::text::fold,
    user::{User, Users},
};

pub(crate) use row::{insert_locations, insert_password, insert_row, page};

use crate::{Store, engine::snapshot, schema::users, value::id};

#[async_trait]
impl Users for Store {
    async fn get(&self, user: UserId) -> Result<Option<User>, StoreError> {
        let get = move |conn: &mut SqliteConnection| {
            let found = row::query().filter(users::id.eq(id(user))).first(conn).optional()?;
            row::complete(conn, found)
        };
        self.read(move |conn| snapshot(conn, get)).await
    }

    async fn find(&self, employee_no_or_email: &str) -> Result<Option<User>, StoreError> {
        let wanted = fold(employee_no_or_email);
        let find = move |conn: &mut SqliteConnection| {
            let by_number = users::employee_no_folded.eq(&wanted);
            let mut found = row::query().filter(by_number).first(conn).optional()?;
            if found.is_none() {
                let by_email = users::email_folded.eq(&wanted);
                found = row::query().filter(by_email).first(conn).optional()?;
            }
            row::complete(conn, found)
        };
        self.read(move |conn| snapshot(conn, find)).await
    }
}
