//! TrailBase as a program, for the benchmark: `fill FOLDER EMAIL PASSWORD` makes its database from
//! a data set of Patrol on standard input, with a user; `serve FOLDER ADDRESS` serves it.

use std::{
    env,
    error::Error,
    io::{self, BufRead},
};

use rusqlite::{Connection, params};
use serde_json::Value;
use trailbase::{DataDir, Server, ServerOptions, api};
use uuid::Uuid;

// The allocator of TrailBase's own program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

const INSERT: &str = "INSERT INTO executions (id, scheduledTaskId, name, description, locationId,
    performerId, status, state, published, startAt, endAt, assigneeIds, seriesId, priority,
    orderStepsRequired, strictTimeRequired, deadlined, tags, edited, startedAt, endedAt, errorCount,
    warningCount, stepCount, executedStepCount, steps)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, 0, 0, 0, ?15, 0, ?16, ?17,
    ?18, 0, ?19, ?20, ?21)";

#[tokio::main]
async fn main() -> Outcome<()> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["fill", folder, email, password] => fill(DataDir(folder.into()), email, password).await,
        ["serve", folder, address] => serve(DataDir(folder.into()), address).await,
        _ => Err("fill FOLDER EMAIL PASSWORD, or serve FOLDER ADDRESS".into()),
    }
}

async fn serve(data_dir: DataDir, address: &str) -> Outcome<()> {
    let address = address.to_owned();
    Server::init(ServerOptions { data_dir, address, ..ServerOptions::default() })
        .await?
        .serve()
        .await
}

async fn fill(data_dir: DataDir, email: &str, password: &str) -> Outcome<()> {
    std::fs::create_dir_all(data_dir.data_path())?;
    let (connection, _) = api::init_main_db(Some(&data_dir), None, None)?;
    insert_all(&connection.write_lock(), email)?;
    api::force_password_reset(&connection, email.to_owned(), password.to_owned())
        .await
        .map_err(|error| format!("{error:?}"))?;
    connection.write_lock().execute_batch("ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)")?;
    Ok(())
}

/// One transaction with all executions and the user. The data set is valid.
fn insert_all(connection: &Connection, email: &str) -> Outcome<()> {
    connection.execute_batch("PRAGMA ignore_check_constraints = ON; BEGIN")?;
    let mut insert = connection.prepare(INSERT)?;
    for line in io::stdin().lock().lines() {
        let record: Value = serde_json::from_str(&line?)?;
        if record["kind"] == "taskExecution" {
            insert_one(&mut insert, &record)?;
        }
    }
    connection.execute("INSERT INTO _user (email, verified) VALUES (?1, TRUE)", [email])?;
    connection.execute_batch("COMMIT; PRAGMA ignore_check_constraints = OFF")?;
    Ok(())
}

fn insert_one(insert: &mut rusqlite::Statement<'_>, record: &Value) -> Outcome<()> {
    let text = |member: &str| record[member].as_str();
    let id = |member: &str| text(member).map(Uuid::parse_str).transpose();
    let id = |member: &str| id(member).map(|id| id.map(Uuid::into_bytes));
    let steps = record["steps"].as_array().ok_or("an execution has steps")?;
    let actions = steps.iter().filter_map(|step| step["actions"].as_array()).flatten();
    let errors = actions.filter(|action| action["booleanValue"] == false).count();
    let executed = steps.iter().filter(|step| step["state"] == "COMPLETED").count();
    let status = (record["state"] == "COMPLETED").then_some(match errors {
        0 => "SUCCESS",
        _ => "ERROR",
    });
    insert.execute(params![
        id("id")?,
        id("scheduledTaskId")?,
        text("name"),
        text("description"),
        id("locationId")?,
        id("performerId")?,
        status,
        text("state"),
        record["published"] == true,
        text("startAt"),
        text("endAt"),
        record["assigneeIds"].to_string(),
        id("seriesId")?,
        text("priority"),
        record["tags"].to_string(),
        text("startedAt"),
        text("endedAt"),
        errors as i64,
        steps.len() as i64,
        executed as i64,
        record["steps"].to_string(),
    ])?;
    Ok(())
}
