//! The list of executions.

use patrol_domain::{
    list::{Comparison, Direction, Test},
    task_execution::{ExecutionFilter, ExecutionList, ExecutionSort},
};

use super::{
    filled, has, is_text, of_count, of_page, page, rank, seven, sorted, sorts, tag, time, uses,
    walks,
};

/// Executions of 200 users at 50 locations, with 400 points, 100 tags and 20 scheduled tasks, one
/// per minute.
pub(super) const FILL: &str = "
    INSERT INTO locations
    SELECT lpad(n::text, 32, '0')::uuid, '', '', '', '', NULL, NULL, '{}', ''
    FROM generate_series(0, 49) AS n;
    INSERT INTO users (id, first_name, last_name, language, role, status, location_ids, tags, linked)
    SELECT lpad(n::text, 32, '0')::uuid, '', '', '', 0, 0, '{}', '{}', FALSE
    FROM generate_series(0, 199) AS n;
    INSERT INTO scheduled_tasks (id, name, description)
    SELECT lpad(n::text, 32, '0')::uuid, '', NULL FROM generate_series(0, 19) AS n;
    INSERT INTO task_executions
    SELECT
        lpad(n::text, 32, '0')::uuid, 1, lpad((n % 20)::text, 32, '0')::uuid,
        lpad((n / 10)::text, 32, '0')::uuid,
        lpad((n % 50)::text, 32, '0')::uuid, lpad((n % 200)::text, 32, '0')::uuid,
        ARRAY[lpad((n % 199)::text, 32, '0')::uuid], ARRAY[lpad((n % 400)::text, 32, '0')::uuid],
        n % 3, n % 3, n % 4, n % 2 = 0, FALSE, FALSE, FALSE, FALSE,
        timestamptz '2026-01-01 00:00Z' + n * interval '1 minute',
        timestamptz '2026-01-01 01:00Z' + n * interval '1 minute', CASE WHEN n % 3 > 0 THEN timestamptz '2026-01-01 00:05Z' + n * interval '1 minute' END,
        CASE WHEN n % 3 > 1 THEN timestamptz '2026-01-01 00:55Z' + n * interval '1 minute' END,
        0, 0, 0, 0, 'Round ' || n % 5000, 'round ' || n % 5000, ARRAY['tag' || n % 100],
        'tag' || n % 100, NULL, NULL, to_json(repeat('step', 300))
    FROM generate_series(0, 19999) AS n";

fn between(filter: ExecutionFilter, from: &str, to: &str) -> Vec<(ExecutionFilter, Test)> {
    vec![
        (filter, Test::Time(Comparison::GreaterOrEqual, time(from))),
        (filter, Test::Time(Comparison::Less, time(to))),
    ]
}

#[tokio::test]
async fn every_filter_of_executions_uses_an_index() {
    use ExecutionFilter::{
        EndAt, Flagged, Id, Location, Name, Performer, Point, Priority, Published, ScheduledTask,
        Series, StartAt, State, Status, Tags, User,
    };

    let (_database, store) = filled(FILL).await;
    for (filters, paged, counted) in [
        (vec![], "_pkey", ""),
        (
            between(StartAt, "2026-01-02T00:00:00Z", "2026-01-02T01:00:00Z"),
            "_by_start",
            "_by_start",
        ),
        (between(EndAt, "2026-01-02T00:00:00Z", "2026-01-02T01:00:00Z"), "_by_end", "_by_end"),
        (vec![(Name, is_text("round 7"))], "_by_name", "_by_name"),
        (vec![(Name, has("nd 4999"))], "_by_text", "_by_text"),
        (vec![(Id, seven())], "_pkey", "_pkey"),
        (vec![(ScheduledTask, seven())], "_by_task", "_by_task"),
        (vec![(Series, seven())], "_by_series", "_by_series"),
        (vec![(Performer, seven())], "_by_performer", "_by_performer"),
        (vec![(Location, seven())], "_by_location", "Index Only Scan"),
        (vec![(User, seven())], "_by_assignees", "_by_performer"),
        (vec![(Point, seven())], "_by_points", "_by_points"),
        (vec![(Tags, tag())], "_by_tags", "_by_tags"),
        // A frequent value: the order by id soon finds matches.
        (vec![(State, rank(1))], "Index Scan", "_by_state_and_id"),
        (vec![(Status, rank(1))], "Index Scan", "_by_status_and_id"),
        (vec![(Priority, rank(1))], "Index Scan", "_by_priority_and_id"),
        (vec![(Published, Test::Flag(true))], "Index Scan", "_by_published_and_id"),
        // A rare value.
        (vec![(Flagged, Test::Flag(true))], "_by_flagged_and_id", "_by_flagged_and_id"),
        (vec![(State, rank(4))], "_by_state_and_id", "_by_state_and_id"),
        (vec![(Status, rank(4))], "_by_status_and_id", "_by_status_and_id"),
        (vec![(Priority, rank(4))], "_by_priority_and_id", "_by_priority_and_id"),
    ] {
        uses::<ExecutionList>(&store, page(filters), paged, counted).await;
    }
    let mut search = page::<ExecutionList>(vec![]);
    search.search = Some("nd 4999".to_owned());
    uses(&store, search, "_by_text", "_by_text").await;
}

#[tokio::test]
async fn every_sort_of_executions_uses_an_index_or_is_listed() {
    use Direction::{Ascending, Descending};
    use ExecutionSort::{
        Assigned, Deadlined, Edited, EndAt, EndedAt, ErrorCount, ExecutedStepCount, FlagCount, Id,
        Late, LocationId, Missed, Name, OrderStepsRequired, PerformerId, Priority, Published,
        ScheduledTaskId, SeriesId, StartAt, StartedAt, State, Status, StepCount, TotalExecutedTime,
        WarningCount,
    };

    let (_database, store) = filled(FILL).await;
    for (sort, index) in [
        (Id, "_pkey"),
        (StartAt, "_by_start"),
        (EndAt, "_by_end"),
        (Name, "_by_name"),
        (ScheduledTaskId, "_by_task"),
        (LocationId, "_by_location"),
    ] {
        for direction in [Ascending, Descending] {
            walks::<ExecutionList>(&store, sort, direction, index).await;
        }
    }
    // An index gives only one direction, because ties are sorted by id ascending and nulls come
    // last in both.
    for (sort, fast, index) in [
        (StartedAt, Descending, "_by_started"),
        (EndedAt, Descending, "_by_ended"),
        (State, Ascending, "_by_state_and_id"),
        (Status, Ascending, "_by_status_and_id"),
        (Priority, Ascending, "_by_priority_and_id"),
        (Published, Ascending, "_by_published_and_id"),
    ] {
        walks::<ExecutionList>(&store, sort, fast, index).await;
        let slow = if fast == Ascending { Descending } else { Ascending };
        let plan = of_page(&store, &sorted(page::<ExecutionList>(vec![]), sort, slow)).await;
        assert!(plan.contains("Sort Key"), "{plan}");
    }
    for sort in [
        PerformerId,
        TotalExecutedTime,
        ErrorCount,
        WarningCount,
        SeriesId,
        Assigned,
        Deadlined,
        Edited,
        StepCount,
        ExecutedStepCount,
        OrderStepsRequired,
        FlagCount,
        Late,
        Missed,
    ] {
        sorts::<ExecutionList>(&store, sort).await;
    }
}

#[tokio::test]
async fn few_executions_are_found_before_they_are_sorted() {
    let (_database, store) = filled(FILL).await;
    for direction in [Direction::Ascending, Direction::Descending] {
        let few = page::<ExecutionList>(vec![(ExecutionFilter::Point, seven())]);
        let few = sorted(few, ExecutionSort::StartAt, direction);
        let plan = of_page(&store, &few).await;
        assert!(plan.contains("_by_points") && plan.contains("Sort Key"), "{plan}");
        assert!(of_count(&store, &few).await.contains("_by_points"));
    }
}
