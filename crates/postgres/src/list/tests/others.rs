//! The lists of locations, history records, tokens and users.

use patrol_domain::{
    access::{TokenFilter, TokenList, TokenSort},
    list::{Direction, Test},
    location::{LocationFilter, LocationList, LocationSort},
    point::{HistoryFilter, HistoryList, HistorySort},
    user::{UserFilter, UserList, UserSort},
};

use super::{filled, has, is_text, of_count, of_page, page, rank, seven, sorts, tag, uses, walks};

/// 20,000 records of each kind: every 100th location has a plan, every point four records.
const FILL: &str = "
    INSERT INTO locations
    SELECT lpad(n::text, 32, '0')::uuid, 'Hall ' || n, 'hall ' || n, 'Road ' || n, 'road ' || n,
        n % 90, n % 90, ARRAY['tag' || n % 100], 'tag' || n % 100
    FROM generate_series(0, 19999) AS n;
    INSERT INTO graphic_plans
    SELECT lpad(n::text, 32, '0')::uuid, lpad(n::text, 32, '0')::uuid, 'Plan'
    FROM generate_series(0, 19999, 100) AS n;
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
    INSERT INTO tokens
    SELECT lpad(n::text, 32, '0')::uuid, decode(lpad(n::text, 64, '0'), 'hex'),
        lpad((n % 200)::text, 32, '0')::uuid, 'Phone ' || n, 'phone ' || n,
        timestamptz '2026-01-01 00:00Z' + n * interval '1 minute', NULL, NULL
    FROM generate_series(0, 19999) AS n";

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
    let plan = of_page(&store, &page::<UserList>(vec![(UserFilter::Role, rank(1))])).await;
    assert!(plan.contains("Index Scan"), "{plan}");

    // There are too few locations and points for more indexes.
    for (filter, test) in [
        (LocationFilter::Address, is_text("road 7")),
        (LocationFilter::Address, has("road 7")),
        (LocationFilter::Name, has("hall 7")),
    ] {
        let query = page::<LocationList>(vec![(filter, test)]);
        assert!(of_count(&store, &query).await.contains("Seq Scan on locations"));
    }
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

#[tokio::test]
async fn every_sort_uses_an_index_or_is_listed() {
    let (_database, store) = filled(FILL).await;
    for direction in BOTH {
        walks::<LocationList>(&store, LocationSort::Id, direction, "_pkey").await;
        walks::<LocationList>(&store, LocationSort::Name, direction, "_by_name").await;
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
        walks::<TokenList>(&store, TokenSort::UserId, direction, "_by_user").await;
    }

    for sort in [LocationSort::Address, LocationSort::Latitude, LocationSort::Longitude] {
        sorts::<LocationList>(&store, sort).await;
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
