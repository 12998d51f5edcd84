//! Commands whose effect depends on the store being a file.

use std::{
    fs,
    io::Write,
    os::unix::{fs::MetadataExt, fs::PermissionsExt, process::CommandExt},
    process::Stdio,
    thread,
};

use diesel::{Connection, RunQueryDsl, SqliteConnection, connection::SimpleConnection};
use patrol_tests::{
    DataSet, NEEDING_A_STORE, Running, Store, company, execution_id, planned, round::eventually,
};
use serde_json::json;

/// A store with the company.
fn company() -> Store {
    Store::sqlite().and(&company::company())
}

#[test]
fn a_backup_beside_a_busy_server_is_whole() {
    let running = Running::on(company().and(&DataSet::new([planned(1), planned(2)])));
    let writer = {
        let admin = running.admin.clone();
        let path = format!("/task-executions/{}", execution_id(1));
        thread::spawn(move || {
            for round in 0..100 {
                let _ = admin.patch(&path, &json!({ "name": format!("round {round}") })).ok();
            }
        })
    };
    let copy_to = |name: &str| {
        let backup = running.store.path(name);
        let _ = running.store.run(&["backup", backup.to_str().unwrap()]).exited(0);
        let restored = Store::sqlite();
        fs::copy(&backup, restored.database()).unwrap();
        restored.run(&["export", "-"]).exited(0).stdout
    };
    for n in 0..5 {
        let copy = copy_to(&format!("{n}.db"));
        assert_eq!(copy.matches("\"taskExecution\"").count(), 2);
    }
    writer.join().expect("no write failed");
    assert_eq!(copy_to("last.db"), running.exported());
}

#[test]
fn while_an_import_runs_reads_go_on_and_writes_are_told_to_come_again() {
    let running = Running::on(company().and(&DataSet::new([planned(1)])));
    let mut import = running
        .store
        .command(&["import", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = import.stdin.take().unwrap();
    input.write_all(DataSet::new([planned(2)]).to_string().as_bytes()).unwrap();
    let path = format!("/task-executions/{}", execution_id(1));
    let mut last = json!("Round 1");
    let mut number = 0;
    let write = eventually("the import keeps writes away", || {
        number += 1;
        let name = json!(format!("before {number}"));
        let write = running.admin.patch(&path, &json!({ "name": name }));
        if write.status == 200 {
            last = name;
            return None;
        }
        Some(write)
    });
    let _ = write.refused(503, "service.unavailable");
    assert_eq!(write.header("Retry-After"), Some("1"));
    assert_eq!(running.read(1)["name"], last);
    let count = || running.admin.get("/task-executions/info?limit=0").ok()["meta"]["count"].clone();
    assert_eq!(count(), 1, "nothing of it is seen before its end");
    drop(input);
    assert!(import.wait().unwrap().success());
    assert_eq!(count(), 2);
    let _ = running.admin.patch(&path, &json!({ "name": "x" })).ok();
}

#[test]
fn a_flag_wins_over_a_variable_and_that_over_the_file() {
    let store = company();
    let elsewhere = |name: &str| format!("sqlite:{}", store.path(name).display());
    fs::write(store.path("patrol.toml"), format!("database_url = '{}'\n", elsewhere("file.db")))
        .unwrap();
    let migrate = |variable: Option<&str>, flag: Option<&str>| {
        let mut command = store.command(&["migrate"]);
        command.env_remove("PATROL_DATABASE_URL");
        if let Some(name) = variable {
            command.env("PATROL_DATABASE_URL", elsewhere(name));
        }
        if let Some(name) = flag {
            command.args(["--database-url", &elsewhere(name)]);
        }
        assert!(command.status().unwrap().success());
    };
    let made = |name: &str| store.path(name).is_file();
    migrate(Some("variable.db"), Some("flag.db"));
    assert!(made("flag.db") && !made("variable.db") && !made("file.db"));
    migrate(Some("variable.db"), None);
    assert!(made("variable.db") && !made("file.db"));
    migrate(None, None);
    assert!(made("file.db"));
    fs::write(store.path("patrol.toml"), "database = 'x'\n").unwrap();
    let outcome = store.run(&["migrate"]).exited(2);
    assert!(outcome.stderr.contains("database"), "{}", outcome.stderr);
}

#[test]
fn a_store_that_cannot_be_made_ends_the_program_at_once() {
    let store = Store::sqlite();
    fs::write(store.path("file"), "").unwrap();
    let path = format!("sqlite:{}", store.path("file/below.db").display());
    for command in ["serve", "migrate"] {
        let outcome = store.run(&[command, "--database-url", &path, "--listen", "127.0.0.1:0"]);
        let outcome = outcome.exited(1);
        assert_eq!(outcome.stdout, "");
    }
    fs::write(store.database(), "this is no database, whatever its name says\n".repeat(100))
        .unwrap();
    let _ = store.run(&["migrate"]).exited(1);
}

#[test]
fn a_backup_does_not_overwrite() {
    let store = company();
    fs::write(store.path("there.db"), "precious").unwrap();
    let path = store.path("there.db");
    let _ = store.run(&["backup", path.to_str().unwrap()]).exited(1);
    assert_eq!(fs::read_to_string(path).unwrap(), "precious");
}

/// The commands that need an existing store.
fn needing() -> impl Iterator<Item = &'static [&'static str]> {
    NEEDING_A_STORE.into_iter().chain([&["backup", "copy.db"][..]])
}

/// The names of all files and folders beside the database.
fn names(store: &Store) -> Vec<String> {
    let entries = fs::read_dir(store.path("")).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_command_without_a_store_fails_and_writes_nothing() {
    let store = Store::sqlite();
    for arguments in needing() {
        let outcome = store.run(arguments).exited(1);
        assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
        assert!(outcome.stderr.contains("there is no store at"), "{}", outcome.stderr);
        assert_eq!((outcome.stdout.as_str(), names(&store)), ("", vec![]), "{arguments:?}");
    }
    // A file without a table is not a store.
    fs::write(store.database(), "").unwrap();
    for arguments in needing() {
        let _ = store.run(arguments).exited(1);
        assert_eq!(names(&store), ["patrol.db"], "{arguments:?}");
    }
}

#[test]
fn a_store_is_read_without_being_changed() {
    let store = company().and(&DataSet::new([planned(1)]));
    let copy = Store::sqlite();
    let _ = store.run(&["backup", copy.database().to_str().unwrap()]).exited(0);
    let exported = store.run(&["export", "-"]).exited(0).stdout;
    // A copy in SQLite's usual mode, as the file of a stopped server, and one without a log.
    for source in [store.database(), copy.database()] {
        let other = Store::sqlite();
        fs::copy(&source, other.database()).unwrap();
        let before = fs::read(other.database()).unwrap();
        let set_mode = |path: &std::path::Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        for (file, folder) in [(0o644, 0o755), (0o444, 0o755), (0o444, 0o555), (0o644, 0o555)] {
            set_mode(&other.database(), file);
            set_mode(&other.path(""), folder);
            assert_eq!(other.run(&["export", "-"]).exited(0).stdout, exported);
            let _ = other.run(&["check", "--dry-run"]).exited(0);
            let _ = other.run(&["token", "list"]).exited(0);
            assert_eq!(names(&other), ["patrol.db"], "{file:o} in {folder:o}");
            set_mode(&other.path(""), 0o755);
        }
        assert!(before == fs::read(other.database()).unwrap(), "the file is as it was");
    }
}

#[test]
fn a_read_only_file_of_another_user_is_read_without_locks() {
    let store = company();
    let folder = store.path("shared");
    fs::create_dir(&folder).unwrap();
    let file = folder.join("copy.db");
    fs::copy(store.database(), &file).unwrap();
    // Without the right to write the file, SQLite cannot create the log and the index beside it.
    // Root may write everything, so the test uses another user if there is one.
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    fs::set_permissions(store.path(""), fs::Permissions::from_mode(0o755)).unwrap();
    let url = format!("sqlite:{}", file.display());
    let export = || {
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
        let mut command = store.command(&["export", "-", "--database-url", &url]);
        if fs::metadata("/proc/self").unwrap().uid() == 0 {
            command.uid(65534).gid(65534);
        }
        let output = command.output().unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        output
    };
    let output = export();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), {
        store.run(&["export", "-"]).exited(0).stdout
    });
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    // What an interrupted import has left half done is no store.
    fs::write(folder.join("copy.db-journal"), [1; 1024]).unwrap();
    let output = export();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
}

#[test]
fn an_export_does_not_replace_the_store() {
    let store = company();
    let before = fs::read(store.database()).unwrap();
    let outcome = store.run(&["export", &store.database().display().to_string()]).exited(2);
    assert!(outcome.stderr.contains("is the store itself"), "{}", outcome.stderr);
    assert!(before == fs::read(store.database()).unwrap());
}

#[test]
fn a_database_of_another_program_is_refused_and_left_alone() {
    let store = Store::sqlite();
    let other = store.database().display().to_string();
    let mut connection = SqliteConnection::establish(&other).unwrap();
    connection.batch_execute("CREATE TABLE notes (text TEXT); PRAGMA application_id = 7").unwrap();
    drop(connection);
    let before = fs::read(store.database()).unwrap();
    let others = [&["migrate"][..], &["import", "-"], &["serve", "--listen", "127.0.0.1:0"]];
    for arguments in others.into_iter().chain(needing()) {
        let outcome = store.run(arguments).exited(1);
        assert!(outcome.stderr.contains("another program"), "{}", outcome.stderr);
        assert!(before == fs::read(store.database()).unwrap(), "{arguments:?}");
        assert_eq!(names(&store), ["patrol.db"], "{arguments:?}");
    }
}

#[test]
fn a_new_store_is_marked_and_one_without_the_mark_is_known_by_its_schema() {
    let store = company();
    let mut connection =
        SqliteConnection::establish(&store.database().display().to_string()).unwrap();
    let marked = diesel::sql_query("PRAGMA application_id").get_result::<Mark>(&mut connection);
    assert_eq!(marked.unwrap().application_id, 0x5074_726C);
    connection.batch_execute("PRAGMA application_id = 0").unwrap();
    drop(connection);
    let _ = store.run(&["export", "-"]).exited(0);
    let _ = store.run(&["migrate"]).exited(0);
}

#[derive(diesel::QueryableByName)]
struct Mark {
    #[diesel(sql_type = diesel::sql_types::Integer)]
    application_id: i32,
}

#[test]
fn a_schema_of_another_age_is_told() {
    let store = company();
    let change = |statement: &str| {
        let mut connection =
            SqliteConnection::establish(&store.database().display().to_string()).unwrap();
        connection.batch_execute(statement).unwrap();
    };
    change("INSERT INTO __diesel_schema_migrations (version) VALUES ('29991231000001')");
    let newer = store.run(&["export", "-"]).exited(0);
    assert!(newer.stderr.contains("newer than this program"), "{}", newer.stderr);
    change("DELETE FROM __diesel_schema_migrations WHERE version >= '20251121000011'");
    for arguments in needing() {
        let older = store.run(arguments).exited(1);
        assert!(older.stderr.contains("older than this program"), "{}", older.stderr);
        assert!(older.stderr.contains("patrol migrate"), "{}", older.stderr);
    }
}

#[test]
fn a_dry_run_makes_no_store() {
    let store = Store::sqlite();
    let company = company::company().to_string();
    let tried = store.run_with(&["import", "--dry-run", "-"], company).exited(0);
    assert!(tried.stderr.contains("records can be imported"), "{}", tried.stderr);
    assert_eq!(names(&store), Vec::<String>::new());
}
