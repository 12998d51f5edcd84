//! Where the records are stored that keep another record from being deleted.

use patrol_domain::{Holder, Resource, ids::Uuid};

use crate::stored::list::{Bind, Sql, Text};

/// The rows of `holder` that refer to a record of this kind: what follows FROM, with `?` in the place
/// of the id. Each row is another record, and an index finds them. `None` for a kind that is not in
/// [`Holder::of`].
const fn rows(kind: Resource, holder: Holder) -> Option<Text> {
    Some(match (kind, holder) {
        (Resource::Location, Holder::Points) => Text::same("points WHERE location_id = ?"),
        (Resource::Location, Holder::GraphicPlans) => {
            Text::same("graphic_plans WHERE location_id = ?")
        }
        (Resource::Location, Holder::TaskExecutions) => {
            Text::same("task_executions WHERE location_id = ?")
        }
        (Resource::Location, Holder::ScheduledTasks) => {
            Text::same("scheduled_tasks WHERE location_id = ?")
        }
        (Resource::CheckList, Holder::ScheduledTasks) => Text {
            sqlite: "scheduled_task_check_lists WHERE value = ?",
            postgres: "scheduled_tasks WHERE check_list_ids @> ARRAY[?]",
        },
        (Resource::Location, Holder::Users) => Text {
            sqlite: "user_locations WHERE location_id = ?",
            postgres: "users WHERE location_ids @> ARRAY[?]",
        },
        (Resource::GraphicPlan, Holder::Points) => Text {
            sqlite: "point_plans WHERE plan_id = ?",
            // A plan has only points of its location. Ids are stored without hyphens, see `places.rs`.
            postgres: "points JOIN graphic_plans AS plan ON plan.location_id = points.location_id \
                AND strpos(points.graphic_plans::text, \
                    '\"id\":\"' || replace(plan.id::text, '-', '') || '\"') > 0 \
                WHERE plan.id = ?",
        },
        (Resource::Media, Holder::TaskExecutions) => Text::same("media_uses WHERE media_id = ?"),
        _ => return None,
    })
}

/// A lookup of the records that keep a record from being deleted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lookup {
    /// Selects 1 if there is one, else nothing.
    First,
    /// Selects their number.
    Count,
}

impl Lookup {
    /// The lookup of `holder` for the record `id` of this kind. The result is a `BigInt`.
    pub fn sql(
        self,
        (kind, record): (Resource, Uuid),
        holder: Holder,
        store: fn(Text) -> &'static str,
    ) -> Sql {
        let mut sql = Sql::default();
        let Some(rows) = rows(kind, holder) else {
            sql.text("SELECT CAST(0 AS bigint) WHERE false");
            return sql;
        };
        let (select, end) = match self {
            Self::First => ("SELECT CAST(1 AS bigint) FROM ", " LIMIT 1"),
            Self::Count => ("SELECT count(*) FROM ", ""),
        };
        sql.text(select);
        sql.fill(store(rows), [Bind::id(record)]);
        sql.text(end);
        sql
    }
}

#[cfg(test)]
mod tests {
    use patrol_domain::data_set::Record;

    use super::*;

    #[test]
    fn every_holder_has_rows_in_both_stores() {
        let mut found = 0;
        for kind in Record::KINDS {
            for holder in Holder::of(*kind) {
                let Text { sqlite, postgres } = rows(*kind, *holder).unwrap();
                for sql in [sqlite, postgres] {
                    assert_eq!(sql.matches("?").count(), 1, "{sql}");
                }
                found += 1;
            }
        }
        assert!(found >= 6);
    }
}
