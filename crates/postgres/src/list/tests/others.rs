//! The lists of locations, points, history records, scheduled tasks, tokens, users, check-lists and reports.

use patrol_domain::{
    UniqueValue,
    access::{TokenFilter, TokenList, TokenSort},
    check_list::{CheckListFilter, CheckListList, CheckListSort},
    graphic_plan::{GraphicPlanFilter, GraphicPlanList},
    list::{Direction, Membership, Test},
    location::{LocationFilter, LocationList, LocationSort},
    point::{HistoryFilter, HistoryList, HistorySort, PointFilter, PointList, PointSort},
    report::{ReportFilter, ReportList},
    scheduled_task::{ScheduledTaskFilter, ScheduledTaskList, ScheduledTaskSort},
    user::{UserFilter, UserList, UserSort},
};
use patrol_repository::stored::{list::Bind, reference::owners};

use super::{
    filled, has, is_text, of_count, of_page, page, plan, rank, seven, sorts, tag, uses, walks,
};

/// 20,000 records of each kind: every 10th location has a plan, every point four records. The rounds of reports are
/// not there.
const FILL: &str = "
    INSERT INTO locations
    SELECT lpad(n::text, 32, '0')::uuid, 'Hall ' || n, 'hall ' || n, 'Road ' || n, 'road ' || n,
        n % 90, n % 90, ARRAY['tag' || n % 100], 'tag' || n % 100
    FROM generate_series(0, 19999) AS n;
    INSERT INTO graphic_plans
    SELECT lpad(n::text, 32, '0')::uuid, lpad(n::text, 32, '0')::uuid, 'Plan'
    FROM generate_series(0, 19999, 10) AS n;
    INSERT INTO points
    SELECT lpad(n::text, 32, '0')::uuid, lpad((n % 500)::text, 32, '0')::uuid, 'Gate ' || n, n % 5, n % 90,
        n % 90, '[]', CASE WHEN n % 3 = 0 THEN 'R' || n END, 'Q' || n, ARRAY['tag' || n % 100],
        'gate ' || n, CASE WHEN n % 3 = 0 THEN 'r' || n END, 'q' || n, 'tag' || n % 100
    FROM generate_series(0, 19999) AS n;
    INSERT INTO point_history (operation, recorded_at, id, location_id, name, name_folded, kind,
        latitude, longitude, graphic_plans, rfid_code, rfid_code_folded, qr_code, qr_code_folded, tags,
        tags_folded)
    SELECT n % 3, timestamptz '2026-01-01 00:00Z' + n * interval '1 minute',
        lpad((n % 5000)::text, 32, '0')::uuid, lpad((n % 500)::text, 32, '0')::uuid,
        'Gate ' || n, 'gate ' || n, n % 5, n % 90, n % 90, '[]', NULL, NULL, 'Q' || n, 'q' || n,
        ARRAY['tag' || n % 100], 'tag' || n % 100
    FROM generate_series(0, 19999) AS n;
    INSERT INTO users (id, first_name, last_name, language, employee_no, email, phone, role, status,
        location_ids, tags, linked,
        photo_id, employee_no_folded, email_folded, first_name_folded, middle_name_folded, last_name_folded,
        name_folded, phone_folded, language_folded, tags_folded)
    SELECT lpad(n::text, 32, '0')::uuid, 'Ada ' || n, 'Ash ' || n, 'en', 'E' || n, 'E' || n || '@b.c',
        '+49 ' || n, n % 3, n % 2,
        ARRAY[lpad((n % 500)::text, 32, '0')::uuid], ARRAY['tag' || n % 100], n % 2 = 0,
        CASE WHEN n % 100 = 0 THEN lpad(n::text, 32, '0')::uuid END, 'e' || n, 'e' || n || '@b.c', 'ada ' || n,
        NULL, 'ash ' || n, 'ada ' || n || ' ash ' || n, '+49 ' || n, 'en', 'tag' || n % 100
    FROM generate_series(0, 19999) AS n;
    INSERT INTO check_lists (id, name, name_folded)
    SELECT lpad(n::text, 32, '0')::uuid, 'Round ' || n, 'round ' || n FROM generate_series(0, 19999) AS n;
    INSERT INTO scheduled_tasks (id, name, name_folded, description_folded, location_id, assignee_ids, priority,
        order_steps_required, strict_time_required, deadlined, published, enabled, series_id, tags, tags_folded,
        steps)
    SELECT lpad(n::text, 32, '0')::uuid, 'Round ' || n, 'round ' || n, 'at night ' || n,
        lpad((n % 500)::text, 32, '0')::uuid, ARRAY[lpad((n % 500)::text, 32, '0')::uuid], n % 4,
        n % 2 = 0, n % 3 = 0, n % 5 = 0, n % 7 > 0, n % 11 > 0,
        CASE WHEN n % 2 = 0 THEN lpad(n::text, 32, '0')::uuid END, ARRAY['tag' || n % 100], 'tag' || n % 100,
        to_json(repeat(n::text, 200))
    FROM generate_series(0, 19999) AS n;
    INSERT INTO tokens
    SELECT lpad(n::text, 32, '0')::uuid, decode(lpad(n::text, 64, '0'), 'hex'),
        lpad((n % 200)::text, 32, '0')::uuid, 'Phone ' || n, 'phone ' || n,
        timestamptz '2026-01-01 00:00Z' + n * interval '1 minute', NULL, NULL
    FROM generate_series(0, 19999) AS n;
    SET session_replication_role = replica;
    INSERT INTO reports (id, execution_id, kind, at, received_at, media_ids, accepted, flagged, verdicts)
    SELECT lpad(n::text, 32, '0')::uuid, lpad((n % 500)::text, 32, '0')::uuid, n % 6,
        timestamptz '2026-01-01 00:00Z' + n * interval '1 minute',
        timestamptz '2026-01-01 00:00Z' + n * interval '1 minute', '{}', n / 500, n % 10 = 0, '{}'
    FROM generate_series(0, 19999) AS n;
    SET session_replication_role = DEFAULT";

const BOTH: [Direction; 2] = [Direction::Ascending, Direction::Descending];

#[tokio::test]
async fn every_filter_uses_an_index_or_is_listed() {
    let (_database, store) = filled(FILL).await;
    let name = || is_text("hall 7");
    uses::<LocationList>(
        &store,
        page(vec![(LocationFilter::Name, name())]),
        "_by_name",
        "_by_name",
    )
    .await;
    uses::<LocationList>(&store, page(vec![(LocationFilter::Tags, tag())]), "_by_tags", "_by_tags")
        .await;
    for (filter, test, index) in [
        (HistoryFilter::Id, seven(), "_by_point"),
        (HistoryFilter::Name, is_text("gate 7"), "_by_name"),
        (HistoryFilter::Type, rank(1), "_by_kind"),
        (HistoryFilter::Location, seven(), "_by_location"),
        (HistoryFilter::Tags, tag(), "_by_tags"),
    ] {
        uses::<HistoryList>(&store, page(vec![(filter, test)]), index, index).await;
    }
    uses::<TokenList>(&store, page(vec![(TokenFilter::User, seven())]), "_by_user", "_by_user")
        .await;

    for (filter, test, index) in [
        (UserFilter::Id, seven(), "users_pkey"),
        (UserFilter::Name, has("ash 1234"), "_by_text"),
        (UserFilter::EmployeeNo, is_text("e7"), "users_by_employee_no"),
        (UserFilter::Email, is_text("e7@b.c"), "users_by_email"),
        (UserFilter::Location, seven(), "users_by_location"),
        (UserFilter::Tags, tag(), "users_by_tags"),
    ] {
        uses::<UserList>(&store, page(vec![(filter, test)]), index, index).await;
    }
    let here = page::<GraphicPlanList>(vec![(GraphicPlanFilter::Location, seven())]);
    uses::<GraphicPlanList>(&store, here, "graphic_plans_by_location", "graphic_plans_by_location")
        .await;
    for (filter, test, index) in [
        (CheckListFilter::Id, seven(), "check_lists_pkey"),
        (CheckListFilter::Name, is_text("round 7"), "check_lists_by_name"),
        (CheckListFilter::Name, has("round 1234"), "check_lists_by_text"),
    ] {
        uses::<CheckListList>(&store, page(vec![(filter, test)]), index, index).await;
    }
    let code = |code: &str| Test::Exact(Membership::Any, vec![code.to_owned()]);
    for (filter, test, index) in [
        (PointFilter::Id, seven(), "points_pkey"),
        (PointFilter::Name, is_text("gate 7"), "points_by_name"),
        (PointFilter::Name, has("gate 1234"), "points_by_text"),
        (PointFilter::Location, seven(), "points_by_location"),
        (PointFilter::Tags, tag(), "points_by_tags"),
        (PointFilter::QrCode, code("Q7"), "points_by_qr_code"),
        (PointFilter::RfidCode, code("R9"), "points_by_rfid_code"),
        (PointFilter::QrCode, has("q1234"), "points_by_text"),
    ] {
        uses::<PointList>(&store, page(vec![(filter, test)]), index, index).await;
    }
    // So many records match that the order of ids may be the better way.
    for plan in [
        of_page(&store, &page::<UserList>(vec![(UserFilter::Role, rank(1))])).await,
        of_page(&store, &page::<PointList>(vec![(PointFilter::Type, rank(1))])).await,
    ] {
        assert!(plan.contains("Index Scan"), "{plan}");
    }

    for (filter, test, index) in [
        (ScheduledTaskFilter::Id, seven(), "scheduled_tasks_pkey"),
        (ScheduledTaskFilter::Name, is_text("round 7"), "_by_name"),
        (ScheduledTaskFilter::Name, has("round 1234"), "_by_text"),
        (ScheduledTaskFilter::Location, seven(), "_by_location"),
        (ScheduledTaskFilter::User, seven(), "_by_assignees"),
        (ScheduledTaskFilter::Tags, tag(), "_by_tags"),
    ] {
        uses::<ScheduledTaskList>(&store, page(vec![(filter, test)]), index, index).await;
    }
    for (filter, test) in [
        (ScheduledTaskFilter::Priority, rank(1)),
        (ScheduledTaskFilter::Enabled, Test::Flag(false)),
    ] {
        let plan = of_page(&store, &page::<ScheduledTaskList>(vec![(filter, test)])).await;
        assert!(plan.contains("Index Scan"), "{plan}");
    }

    for (filter, test) in [
        (LocationFilter::Address, is_text("road 7")),
        (LocationFilter::Address, has("road 1234")),
        (LocationFilter::Name, has("hall 1234")),
    ] {
        uses::<LocationList>(&store, page(vec![(filter, test)]), "_by_text", "_by_text").await;
    }

    // Two indexes begin with the round.
    let here = page(vec![(ReportFilter::Execution, seven())]);
    uses::<ReportList>(&store, here, "reports_by_", "reports_by_").await;

    // There are too few changes of points for more indexes.
    let query = page::<HistoryList>(vec![(HistoryFilter::Name, has("gate 7"))]);
    assert!(of_count(&store, &query).await.contains("Seq Scan on point_history"));
}

#[tokio::test]
async fn locations_with_a_plan_are_joined_not_looked_up_one_by_one() {
    let (_database, store) = filled(FILL).await;
    for (flag, join) in [(true, "Semi Join"), (false, "Anti Join")] {
        let query = page::<LocationList>(vec![(LocationFilter::WithGraphicPlan, Test::Flag(flag))]);
        let plan = of_page(&store, &query).await;
        assert!(plan.contains(join), "{plan}");
        let plan = of_count(&store, &query).await;
        assert!(plan.contains("graphic_plans") && !plan.contains("SubPlan"), "{plan}");
    }
}

/// The trigrams of the quick search also find an equal text, a thousand times slower.
#[tokio::test]
async fn many_names_are_looked_up_in_the_unique_indexes() {
    let (_database, store) = filled(FILL).await;
    let names: Vec<_> = (0..1_000).map(|n| format!("e{n}")).collect();
    let plan = plan(&store, &owners([(UniqueValue::UserName, Bind::texts(&names))])).await;
    for index in ["users_by_employee_no", "users_by_email"] {
        assert!(plan.contains(index) && !plan.contains("_by_text"), "{index}\n{plan}");
    }
}

#[tokio::test]
async fn every_sort_uses_an_index_or_is_listed() {
    let (_database, store) = filled(FILL).await;
    for direction in BOTH {
        walks::<LocationList>(&store, LocationSort::Id, direction, "_pkey").await;
        walks::<LocationList>(&store, LocationSort::Name, direction, "_by_name").await;
        walks::<LocationList>(&store, LocationSort::Address, direction, "_by_address").await;
        walks::<LocationList>(&store, LocationSort::Latitude, direction, "_by_latitude").await;
        walks::<LocationList>(&store, LocationSort::Longitude, direction, "_by_longitude").await;
        for (sort, index) in [
            (HistorySort::Id, "_by_point"),
            (HistorySort::HistoryId, "_pkey"),
            (HistorySort::RecordedAt, "_by_time"),
            (HistorySort::LocationId, "_by_location"),
            (HistorySort::Name, "_by_name"),
        ] {
            walks::<HistoryList>(&store, sort, direction, index).await;
        }
        walks::<TokenList>(&store, TokenSort::Id, direction, "_pkey").await;
        for (sort, index) in [
            (UserSort::Id, "users_pkey"),
            (UserSort::FirstName, "users_by_first_name"),
            (UserSort::MiddleName, "users_by_middle_name"),
            (UserSort::LastName, "users_by_last_name"),
            (UserSort::EmployeeNo, "users_by_employee_no"),
            (UserSort::Email, "users_by_email"),
            (UserSort::Phone, "users_by_phone"),
            (UserSort::Language, "users_by_language"),
            (UserSort::Role, "users_by_role_name"),
            (UserSort::Status, "users_by_status"),
            (UserSort::PhotoId, "users_by_photo"),
            (UserSort::Linked, "users_by_linked"),
        ] {
            walks::<UserList>(&store, sort, direction, index).await;
        }
        for (sort, index) in [
            (PointSort::Id, "points_pkey"),
            (PointSort::LocationId, "points_by_location"),
            (PointSort::Name, "points_by_name"),
            (PointSort::Type, "points_by_kind_name"),
            (PointSort::Latitude, "points_by_latitude"),
            (PointSort::Longitude, "points_by_longitude"),
            (PointSort::RfidCode, "points_by_rfid_code"),
            (PointSort::QrCode, "points_by_qr_code"),
        ] {
            walks::<PointList>(&store, sort, direction, index).await;
        }
        for (sort, index) in [
            (ScheduledTaskSort::Id, "scheduled_tasks_pkey"),
            (ScheduledTaskSort::Name, "_by_name"),
            (ScheduledTaskSort::Description, "_by_description"),
            (ScheduledTaskSort::LocationId, "_by_location"),
            (ScheduledTaskSort::Priority, "_by_priority"),
            (ScheduledTaskSort::OrderStepsRequired, "_by_steps_order"),
            (ScheduledTaskSort::StrictTimeRequired, "_by_strict_time"),
            (ScheduledTaskSort::Deadlined, "_by_deadlined"),
            (ScheduledTaskSort::Published, "_by_published"),
            (ScheduledTaskSort::Enabled, "_by_enabled"),
            (ScheduledTaskSort::SeriesId, "_by_series"),
        ] {
            walks::<ScheduledTaskList>(&store, sort, direction, index).await;
        }
        walks::<TokenList>(&store, TokenSort::UserId, direction, "_by_user").await;
        walks::<CheckListList>(&store, CheckListSort::Id, direction, "_pkey").await;
        walks::<CheckListList>(&store, CheckListSort::Name, direction, "_by_name").await;
    }

    for sort in [
        HistorySort::Operation,
        HistorySort::Type,
        HistorySort::Latitude,
        HistorySort::Longitude,
        HistorySort::RfidCode,
        HistorySort::QrCode,
    ] {
        sorts::<HistoryList>(&store, sort).await;
    }
    for sort in [TokenSort::Name, TokenSort::CreatedAt, TokenSort::ExpiresAt, TokenSort::LastUsedAt]
    {
        sorts::<TokenList>(&store, sort).await;
    }
}
