//! Figures of rounds.

use std::collections::HashMap;

use async_trait::async_trait;
use diesel::prelude::*;
use futures_util::FutureExt as _;
use patrol_domain::{
    StoreError,
    figures::{FigureStore, FiguresQuery, FiguresRow, Grouping, Groups},
    ids::Uuid,
};

use crate::{
    Dialect, Engine, Repository,
    stored::{
        Abort,
        row::Row,
        schema::{locations, scheduled_tasks, users},
        sql::{Id, columns, ids},
        user::NameRow,
    },
};

/// The number of records whose names one statement reads.
const NAMES: usize = 500;

#[async_trait]
impl<S: Engine> FigureStore for Repository<S> {
    async fn figures(&self, query: FiguresQuery) -> Result<Option<Vec<FiguresRow>>, StoreError> {
        self.0.long_read(query, |conn, query| figures(conn, query).boxed()).await
    }
}

async fn figures(
    conn: &impl Dialect,
    query: &FiguresQuery,
) -> Result<Option<Vec<FiguresRow>>, Abort<StoreError>> {
    let mut groups = Groups::new(query.grouping);
    conn.add_rounds(query, &mut groups).await?;
    let mut names = HashMap::new();
    for some in groups.ids().chunks(NAMES) {
        names_of(conn, query.grouping, some, &mut names).await?;
    }
    Ok(groups.into_rows(&mut names))
}

async fn names_of(
    conn: &impl Dialect,
    grouping: Option<Grouping>,
    records: &[Uuid],
    names: &mut HashMap<Uuid, String>,
) -> Result<(), Abort<StoreError>> {
    let wanted = ids(records);
    let named: Vec<(Id, String)> = match grouping {
        Some(Grouping::Location) => {
            let query = locations::table.filter(locations::id.eq_any(wanted));
            conn.load(query.select((locations::id, locations::name))).await?
        }
        Some(Grouping::Performer) => {
            let query = users::table.filter(users::id.eq_any(wanted));
            let rows: Vec<NameRow> = conn.load(query.select(columns::<NameRow>())).await?;
            rows.into_iter().map(NameRow::full_name).collect()
        }
        Some(Grouping::ScheduledTask) => {
            let query = scheduled_tasks::table.filter(scheduled_tasks::id.eq_any(wanted));
            conn.load(query.select((scheduled_tasks::id, scheduled_tasks::name))).await?
        }
        Some(Grouping::Day | Grouping::Week | Grouping::Month) | None => return Ok(()),
    };
    for (id, name) in named {
        names.insert(Row::new("names of groups", id).id("id", id)?, name);
    }
    Ok(())
}
