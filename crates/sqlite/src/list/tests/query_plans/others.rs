//! Combinations of filters and sorts of the other lists, and their counts.

use patrol_domain::{
    check_list::{CheckListFilter, CheckListList, CheckListSort},
    event::{Resource, of_record},
    figures::{FiguresQuery, Grouping},
    graphic_plan::{GraphicPlanFilter, GraphicPlanList},
    location::{LocationFilter, LocationList, LocationSort},
    point::{HistoryFilter, HistoryList, HistorySort, PointFilter, PointList, PointSort},
    report::{ReportFilter, ReportList},
    schedule::TimeZone,
    scheduled_task::{ScheduledTaskFilter, ScheduledTaskList, ScheduledTaskSort},
    task_execution::Punctuality,
    user::{UserFilter, UserList, UserSort},
};
use patrol_repository::stored::event::{SIZES, select};

use super::*;
use crate::{event::filter as event_filter, figures};

#[tokio::test]
async fn figures_read_an_index_alone() {
    let folder = TempDir::new().unwrap();
    let store = store(&folder);
    let (from, to) = (Timestamp::from_millis(0).unwrap(), Timestamp::from_millis(1).unwrap());
    for grouping in [None, Some(Grouping::Week), Some(Grouping::Performer)] {
        let query = FiguresQuery {
            from,
            to,
            grouping,
            time_zone: TimeZone::named("Europe/Berlin").unwrap(),
            location_id: None,
            performer_id: None,
            scheduled_task_id: None,
            moment: Punctuality::default().at(to),
        };
        let plan = plan(&store, figures::rounds(&query)).await;
        let index = "USING COVERING INDEX task_executions_by_figures (start_at>? AND start_at<?)";
        assert!(plan.ends_with(index), "{grouping:?}: {plan}");
    }
}

#[tokio::test]
async fn the_history_is_found_by_indexes() {
    use HistoryFilter::{Id, Location, Name, Tags, Type};

    let folder = TempDir::new().unwrap();
    let store = store(&folder);
    let two = is(Id, Test::Ids(Membership::Any, vec![Uuid::nil(), Uuid::max()]));
    let cases: [(Query<HistoryList>, &str, bool); 13] = [
        (by_id(vec![]), "SCAN point_history USING INDEX point_history_by_point", true),
        (by_id(vec![ids(Id)]), "point_history_by_point (id=?)", true),
        (by_id(vec![two]), "point_history_by_point (id=?)", true),
        (by_id(vec![ids(Location)]), "point_history_by_location (location_id=?)", true),
        (by_id(vec![ids(Location), rank(Type)]), "point_history_by_location (location_id=?)", true),
        (by_id(vec![rank(Type)]), "point_history_by_kind (kind=?)", true),
        (by_id(vec![text(Name)]), "point_history_by_name (name_folded=?)", false),
        (by_id(vec![tag(Tags)]), "point_history_tags USING PRIMARY KEY (value=?)", false),
        (by(HistorySort::Id, vec![]), "USING INDEX point_history_by_point", true),
        (by(HistorySort::HistoryId, vec![]), "SCAN point_history", true),
        (by(HistorySort::Name, vec![]), "USING INDEX point_history_by_name", true),
        (by(HistorySort::RecordedAt, vec![]), "USING INDEX point_history_by_time", true),
        (
            by(HistorySort::RecordedAt, vec![ids(Location)]),
            "point_history_by_location (location_id=?)",
            false,
        ),
    ];
    for (query, index, gives_order) in cases {
        let plan = of_page(&store, &query, ListPlan::Automatic).await;
        assert!(plan.contains(index), "{query:?}:\n{plan}");
        assert_eq!(!plan.contains("B-TREE FOR ORDER BY"), gives_order, "{query:?}:\n{plan}");
    }
    for all in [vec![], vec![ids(Id)], vec![ids(Location)], vec![rank(Type)], vec![text(Name)]] {
        let condition = Condition::All(all);
        let plan = of_count::<HistoryList>(&store, &condition).await;
        assert!(plan.contains("COVERING INDEX"), "{condition:?}:\n{plan}");
    }
}

#[tokio::test]
async fn locations_are_found_by_indexes_and_their_plans_as_well() {
    use LocationFilter::{Name, Tags, WithGraphicPlan};

    let folder = TempDir::new().unwrap();
    let store = store(&folder);
    let plans = "graphic_plans USING COVERING INDEX graphic_plans_by_location (location_id=?)";
    let with_plan = is(WithGraphicPlan, Test::Flag(true));
    let cases: [(Query<LocationList>, &str); 6] = [
        (by_id(vec![]), "SCAN locations USING INDEX sqlite_autoindex_locations_1"),
        (by_id(vec![with_plan]), "SCAN locations USING INDEX sqlite_autoindex_locations_1"),
        (by_id(vec![text(Name)]), "locations_by_name (name_folded=?)"),
        (by_id(vec![tag(Tags)]), "location_tags USING PRIMARY KEY (value=?)"),
        (by(LocationSort::Id, vec![]), "SCAN locations USING INDEX sqlite_autoindex_locations_1"),
        (by(LocationSort::Name, vec![]), "SCAN locations USING INDEX locations_by_name"),
    ];
    for (query, index) in cases {
        let plan = of_page(&store, &query, ListPlan::Automatic).await;
        assert!(plan.contains(index) && plan.contains(plans), "{query:?}:\n{plan}");
    }
    for (property, index) in [
        (LocationSort::Id, "sqlite_autoindex_locations_1"),
        (LocationSort::Name, "locations_by_name"),
        (LocationSort::Address, "locations_by_address"),
        (LocationSort::Latitude, "locations_by_latitude"),
        (LocationSort::Longitude, "locations_by_longitude"),
    ] {
        for direction in [Direction::Ascending, Direction::Descending] {
            let sort = vec![Sort { property, direction }];
            let query: Query<LocationList> = Query { sort, ..by_id(vec![]) };
            let plan = of_page(&store, &query, ListPlan::Automatic).await;
            let index = format!("SCAN locations USING INDEX {index}");
            assert!(plan.contains(&index), "{property:?} {direction:?}:\n{plan}");
        }
    }
    let with_plan = is(WithGraphicPlan, Test::Flag(false));
    for condition in [Condition::All(vec![]), with_plan] {
        let plan = of_count::<LocationList>(&store, &condition).await;
        assert!(plan.contains("locations USING COVERING INDEX"), "{condition:?}:\n{plan}");
    }
}

#[tokio::test]
async fn users_are_found_by_indexes() {
    use UserFilter::{Email, EmployeeNo, Id, Location, Name, Role, Status, Tags};

    let folder = TempDir::new().unwrap();
    let store = store(&folder);
    for (filter, index) in [
        (ids(Id), "sqlite_autoindex_users_1 (id=?)"),
        (text(Name), "users_by_name (name_folded=?)"),
        (text(EmployeeNo), "(employee_no_folded=?)"),
        (text(Email), "(email_folded=?)"),
        (rank(Role), "users_by_role"),
        (rank(Status), "users_by_status"),
        (ids(Location), "user_locations USING COVERING INDEX user_locations_by_location"),
        (tag(Tags), "user_tags USING PRIMARY KEY (value=?)"),
    ] {
        let query = by_id::<UserList>(vec![filter.clone()]);
        let plan = of_page(&store, &query, ListPlan::Automatic).await;
        assert!(plan.contains(index) && !plan.contains("SCAN users"), "{filter:?}:\n{plan}");
        let plan = of_count::<UserList>(&store, &Condition::All(vec![filter.clone()])).await;
        assert!(!plan.contains("SCAN users"), "{filter:?}:\n{plan}");
    }
}

#[tokio::test]
async fn every_order_of_users_comes_from_an_index() {
    let folder = TempDir::new().unwrap();
    let store = store(&folder);
    for (property, index) in [
        (UserSort::Id, "sqlite_autoindex_users_1"),
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
        for direction in [Direction::Ascending, Direction::Descending] {
            let sort = vec![Sort { property, direction }];
            let query: Query<UserList> = Query { sort, ..by_id(vec![]) };
            let plan = of_page(&store, &query, ListPlan::Automatic).await;
            assert!(
                plan.contains(&format!("SCAN users USING INDEX {index}")),
                "{property:?}:\n{plan}"
            );
            // Names that many users share are sorted by id.
            let sorts = plan.contains("FOR ORDER BY");
            assert!(!sorts, "{property:?} {direction:?}:\n{plan}");
        }
    }
}

#[tokio::test]
async fn check_lists_are_found_by_indexes_and_their_actions_as_well() {
    let folder = TempDir::new().unwrap();
    let store = store(&folder);
    let actions = "check_list_actions USING INDEX check_list_actions_by_list (check_list_row=?)";
    let down = vec![Sort { property: CheckListSort::Name, direction: Direction::Descending }];
    let cases: [(Query<CheckListList>, &str); 5] = [
        (by_id(vec![]), "SCAN check_lists USING INDEX sqlite_autoindex_check_lists_1"),
        (by_id(vec![ids(CheckListFilter::Id)]), "sqlite_autoindex_check_lists_1 (id=?)"),
        (by_id(vec![text(CheckListFilter::Name)]), "check_lists_by_name (name_folded=?)"),
        (by(CheckListSort::Name, vec![]), "SCAN check_lists USING INDEX check_lists_by_name"),
        (Query { sort: down, ..by_id(vec![]) }, "check_lists USING INDEX check_lists_by_name"),
    ];
    for (query, index) in cases {
        let plan = of_page(&store, &query, ListPlan::Automatic).await;
        assert!(plan.contains(index) && plan.contains(actions), "{query:?}:\n{plan}");
        // The actions come in their order from the index, too.
        assert!(!plan.contains("FOR ORDER BY"), "{query:?}:\n{plan}");
    }
    for filter in [ids(CheckListFilter::Id), text(CheckListFilter::Name)] {
        let condition = Condition::All(vec![filter]);
        let plan = of_count::<CheckListList>(&store, &condition).await;
        assert!(!plan.contains("SCAN check_lists"), "{condition:?}:\n{plan}");
    }
}

#[tokio::test]
async fn reports_of_a_round_come_in_their_order_from_an_index() {
    let folder = TempDir::new().unwrap();
    let store = store(&folder);
    let here = ids(ReportFilter::Execution);
    let flagged = is(ReportFilter::Flagged, Test::Flag(true));
    for all in [vec![here.clone()], vec![here, flagged]] {
        let plan = of_page(&store, &by_id::<ReportList>(all.clone()), ListPlan::Automatic).await;
        let index = "SEARCH reports USING INDEX reports_by_execution (execution_id=?)";
        assert!(plan.contains(index) && !plan.contains("FOR ORDER BY"), "{all:?}:\n{plan}");
        let plan = of_count::<ReportList>(&store, &Condition::All(all.clone())).await;
        assert!(plan.contains("(execution_id=?)"), "{all:?}:\n{plan}");
    }
}

#[tokio::test]
async fn points_are_found_by_indexes() {
    use PointFilter::{Id, Location, Name, QrCode, RfidCode, Tags, Type};

    let folder = TempDir::new().unwrap();
    let store = store(&folder);
    let code = |filter| is(filter, Test::Exact(Membership::Any, vec!["Gate-1".to_owned()]));
    for (filter, index) in [
        (ids(Id), "sqlite_autoindex_points_1 (id=?)"),
        (text(Name), "(name_folded=?)"),
        (rank(Type), "points_by_kind_and_id (kind=?)"),
        (ids(Location), "points_by_location"),
        (tag(Tags), "point_tags USING PRIMARY KEY (value=?)"),
        (code(QrCode), "(qr_code=?)"),
        (code(RfidCode), "(rfid_code=?)"),
    ] {
        let query = by_id::<PointList>(vec![filter.clone()]);
        let plan = of_page(&store, &query, ListPlan::Automatic).await;
        assert!(plan.contains(index) && !plan.contains("SCAN points"), "{filter:?}:\n{plan}");
        let plan = of_count::<PointList>(&store, &Condition::All(vec![filter.clone()])).await;
        assert!(!plan.contains("SCAN points"), "{filter:?}:\n{plan}");
    }
}

#[tokio::test]
async fn every_order_of_points_comes_from_an_index() {
    let folder = TempDir::new().unwrap();
    let store = store(&folder);
    for (property, index) in [
        (PointSort::Id, "sqlite_autoindex_points_1"),
        (PointSort::LocationId, "points_by_location"),
        (PointSort::Name, "points_by_name"),
        (PointSort::Type, "points_by_kind_name"),
        (PointSort::Latitude, "points_by_latitude"),
        (PointSort::Longitude, "points_by_longitude"),
        (PointSort::RfidCode, "points_by_rfid_code"),
        (PointSort::QrCode, "points_by_qr_code"),
    ] {
        for direction in [Direction::Ascending, Direction::Descending] {
            let sort = vec![Sort { property, direction }];
            let query: Query<PointList> = Query { sort, ..by_id(vec![]) };
            let plan = of_page(&store, &query, ListPlan::Automatic).await;
            let scan = format!("SCAN points USING INDEX {index}");
            assert!(plan.contains(&scan), "{property:?}:\n{plan}");
            assert!(!plan.contains("FOR ORDER BY"), "{property:?} {direction:?}:\n{plan}");
        }
    }
}

#[tokio::test]
async fn scheduled_tasks_are_found_by_indexes() {
    use ScheduledTaskFilter::{Enabled, Id, Location, Name, Priority, Tags, User};

    let folder = TempDir::new().unwrap();
    let store = store(&folder);
    for (filter, index) in [
        (ids(Id), "sqlite_autoindex_scheduled_tasks_1 (id=?)"),
        (text(Name), "scheduled_tasks_by_name (name_folded=?)"),
        (ids(Location), "scheduled_tasks_by_location"),
        (ids(User), "scheduled_task_assignees USING PRIMARY KEY (value=?)"),
        (tag(Tags), "scheduled_task_tags USING PRIMARY KEY (value=?)"),
        (rank(Priority), "scheduled_tasks_by_priority"),
        (is(Enabled, Test::Flag(false)), "scheduled_tasks_by_enabled"),
    ] {
        let query = by_id::<ScheduledTaskList>(vec![filter.clone()]);
        let plan = of_page(&store, &query, ListPlan::Automatic).await;
        let scans = "SCAN scheduled_tasks\n";
        assert!(plan.contains(index) && !plan.contains(scans), "{filter:?}:\n{plan}");
        let plan =
            of_count::<ScheduledTaskList>(&store, &Condition::All(vec![filter.clone()])).await;
        assert!(!plan.contains("SCAN scheduled_tasks"), "{filter:?}:\n{plan}");
    }
    for (property, index) in [
        (ScheduledTaskSort::Id, "sqlite_autoindex_scheduled_tasks_1"),
        (ScheduledTaskSort::Name, "scheduled_tasks_by_name"),
        (ScheduledTaskSort::Description, "scheduled_tasks_by_description"),
        (ScheduledTaskSort::LocationId, "scheduled_tasks_by_location"),
        (ScheduledTaskSort::Priority, "scheduled_tasks_by_priority"),
        (ScheduledTaskSort::OrderStepsRequired, "scheduled_tasks_by_steps_order"),
        (ScheduledTaskSort::StrictTimeRequired, "scheduled_tasks_by_strict_time"),
        (ScheduledTaskSort::Deadlined, "scheduled_tasks_by_deadlined"),
        (ScheduledTaskSort::Published, "scheduled_tasks_by_published"),
        (ScheduledTaskSort::Enabled, "scheduled_tasks_by_enabled"),
        (ScheduledTaskSort::SeriesId, "scheduled_tasks_by_series"),
    ] {
        for direction in [Direction::Ascending, Direction::Descending] {
            let sort = vec![Sort { property, direction }];
            let query: Query<ScheduledTaskList> = Query { sort, ..by_id(vec![]) };
            let plan = of_page(&store, &query, ListPlan::Automatic).await;
            let index = format!("SCAN scheduled_tasks USING INDEX {index}");
            assert!(plan.contains(&index), "{property:?} {direction:?}:\n{plan}");
            // Tasks with the same name are sorted by id.
            let sorts = plan.contains("FOR ORDER BY");
            assert!(!sorts, "{property:?} {direction:?}:\n{plan}");
        }
    }
}

#[tokio::test]
async fn graphic_plans_of_a_location_are_found_by_an_index() {
    let folder = TempDir::new().unwrap();
    let store = store(&folder);
    let index = "SEARCH graphic_plans USING INDEX graphic_plans_by_location (location_id=?)";
    let query = by_id::<GraphicPlanList>(vec![ids(GraphicPlanFilter::Location)]);
    let plan = of_page(&store, &query, ListPlan::Automatic).await;
    assert!(plan.contains(index) && !plan.contains("FOR ORDER BY"), "{plan}");
    let here = Condition::All(vec![ids(GraphicPlanFilter::Location)]);
    let plan = of_count::<GraphicPlanList>(&store, &here).await;
    assert!(plan.contains("COVERING INDEX graphic_plans_by_location (location_id=?)"), "{plan}");
}

#[tokio::test]
async fn the_events_of_a_record_are_found_by_an_index() {
    let folder = TempDir::new().unwrap();
    let store = store(&folder);
    let condition = of_record(Resource::Point, Uuid::nil());
    let search = |condition| select(SIZES, (4, 90_000), &event_filter(condition, (5, 90_000)), 10);
    let plan = self::plan(&store, search(&condition)).await;
    let index = "SEARCH events USING INDEX events_by_group \
                 (<expr>=? AND resource_id=? AND rowid>? AND rowid<?)";
    assert!(plan.contains(index), "{plan}");
    let any = Condition::All(Vec::new());
    let all = self::plan(&store, search(&any)).await;
    assert_eq!(all, "SEARCH events USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)");
}
