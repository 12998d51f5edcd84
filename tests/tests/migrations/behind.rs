//! A node whose program is one version behind the schema.

use diesel::{
    Connection as _, QueryableByName, RunQueryDsl as _, SqliteConnection,
    connection::SimpleConnection as _, sql_query, sql_types::Text,
};
use patrol_tests::{
    Api, DataSet, Running, Store,
    company::{self, EMPLOYEE, GATE, GUARD, PORT, TEMPERATURE},
    completed, execution_id, planned,
};
use serde_json::{Value, json};

/// A migration that the rules allow: a new table, and in every table two new columns and an index.
fn forward(tables: &[String]) -> String {
    assert!(tables.len() > 8, "{tables:?}");
    let each = tables.iter().map(|name| {
        format!(
            "ALTER TABLE {name} ADD COLUMN told_later TEXT;
             ALTER TABLE {name} ADD COLUMN counted_later INTEGER NOT NULL DEFAULT 7;
             CREATE INDEX {name}_added_later ON {name} (counted_later, told_later);"
        )
    });
    format!(
        "CREATE TABLE added_later (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
         INSERT INTO __diesel_schema_migrations (version) VALUES ('29990101000001');
         {}",
        each.collect::<String>()
    )
}

#[derive(QueryableByName)]
struct Table {
    #[diesel(sql_type = Text)]
    name: String,
}

fn move_sqlite_forward(store: &Store) {
    let path = store.database().display().to_string();
    let mut connection = SqliteConnection::establish(&path).expect("the database opens");
    let tables = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
        AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '\\_\\_diesel%' ESCAPE '\\'";
    let tables: Vec<Table> = sql_query(tables).load(&mut connection).expect("tables");
    let tables: Vec<_> = tables.into_iter().map(|table| table.name).collect();
    let sql = format!("PRAGMA busy_timeout = 20000; BEGIN IMMEDIATE; {} COMMIT", forward(&tables));
    connection.batch_execute(&sql).expect("the schema moves forward");
}

fn move_postgres_forward(store: &Store) {
    let tables = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()
        AND tablename <> '__diesel_schema_migrations'";
    let tables = patrol_test_servers::postgres::query(&store.url(), tables);
    patrol_test_servers::postgres::execute(&store.url(), &forward(&tables));
}

/// Executes every kind of read and write.
fn use_everything(api: &Api, round: usize) {
    let name = format!("lap {round}");
    let path = format!("/task-executions/{}", execution_id(1));
    assert_eq!(api.patch(&path, &json!({ "name": name, "tags": [name] })).ok()["name"], *name);
    let record = api.get(&path).ok();
    assert_eq!(record["name"], *name);
    assert_eq!(api.put(&path, &record).ok()["id"], execution_id(1));
    let copies = json!({ "taskIds": [execution_id(1)] });
    let copy = api.post(&format!("{path}/copy"), &copies).ok();
    let listed = api.get(&format!("/task-executions/info?q=lap {round}&sort=name")).ok();
    assert_eq!(listed["meta"]["count"], 2, "{listed}");
    api.delete(&format!("/task-executions/{}", copy["id"].as_str().unwrap())).is_bare(204);

    let user = format!("/users/{EMPLOYEE}");
    assert_eq!(api.patch(&user, &json!({ "phone": name })).ok()["phone"], *name);
    let batch = [EMPLOYEE, GUARD].map(|id| json!({ "id": id, "tags": [name] }));
    assert_eq!(api.post("/users/batch", &json!(batch)).ok()[1]["tags"][0], *name);

    let point = json!({ "locationId": PORT, "name": name, "type": "QR", "qrCode": name });
    let created = api.post("/locations/points", &point).json(201);
    let path = format!("/locations/points/{}", created["id"].as_str().unwrap());
    assert_eq!(api.put(&path, &point).ok()["qrCode"], *name);
    api.delete(&path).is_bare(204);
    let history = api.get(&format!("/locations/points/history?name=eq:lap {round}")).ok();
    assert_eq!(history["meta"]["count"], 3, "{history}");
    assert_eq!(api.get(&format!("/locations/points/{GATE}")).ok()["name"], "Gate");
    assert_eq!(api.get("/locations?sort=name").ok()["meta"]["count"], 3);

    let action = json!({ "name": name, "type": "NUMBER" });
    assert_eq!(
        api.put(&format!("/check-lists/actions/{TEMPERATURE}"), &action).ok()["name"],
        *name
    );
    let token = api.post("/tokens", &json!({ "name": name })).json(201);
    let id = token["id"].as_str().unwrap();
    api.delete(&format!("/tokens/{id}")).is_bare(204);
}

/// Uses a node before and after the migration, and then another node of the same version.
fn stay_behind(empty: fn() -> Store, move_forward: fn(&Store)) {
    let records = company::company().and([planned(1), completed(2)]);
    let running = Running::on(empty().and(&records));
    use_everything(&running.admin, 0);
    move_forward(&running.store);
    use_everything(&running.admin, 1);

    let Running { server, store, .. } = running;
    server.kill();
    let running = Running::on(store);
    use_everything(&running.admin, 2);

    let exported = running.exported();
    let lines = exported.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    let again = empty();
    let _ = again.run(&["migrate"]).exited(0);
    move_forward(&again);
    let _ = again.import(&DataSet::new(lines.collect::<Vec<Value>>())).exited(0);
}

#[test]
fn a_node_one_version_behind_keeps_working_on_sqlite() {
    stay_behind(Store::sqlite, move_sqlite_forward);
}

#[test]
fn a_node_one_version_behind_keeps_working_on_postgres() {
    stay_behind(Store::postgres, move_postgres_forward);
}
