"""Fills the collection from a data set of Patrol on standard input: fill.py FILE. One transaction."""

import json
import sqlite3
import sys

COLUMNS = (
    "id", "scheduledTaskId", "name", "description", "locationId", "performerId", "status", "state",
    "published", "startAt", "endAt", "steps", "assigneeIds", "seriesId", "priority",
    "orderStepsRequired", "strictTimeRequired", "deadlined", "tags", "edited", "startedAt",
    "endedAt", "errorCount", "warningCount", "stepCount", "executedStepCount",
)


def compact(value) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def time(text: str) -> str:
    return text.replace("T", " ")


def row(execution: dict) -> tuple:
    steps = execution["steps"]
    errors = sum(action.get("booleanValue") is False for step in steps for action in step["actions"])
    status = ""
    if execution["state"] == "COMPLETED":
        status = "ERROR" if errors else "SUCCESS"
    return (
        execution["id"],
        execution["scheduledTaskId"],
        execution["name"],
        execution.get("description", ""),
        execution["locationId"],
        execution.get("performerId", ""),
        status,
        execution["state"],
        execution["published"],
        time(execution["startAt"]),
        time(execution["endAt"]),
        compact(steps),
        compact(execution["assigneeIds"]),
        execution.get("seriesId", ""),
        execution["priority"],
        False,
        False,
        False,
        compact(execution["tags"]),
        False,
        time(execution.get("startedAt", "")),
        time(execution.get("endedAt", "")),
        errors,
        0,
        len(steps),
        sum(step.get("state") == "COMPLETED" for step in steps),
    )


def main() -> None:
    marks = ", ".join("?" for _ in COLUMNS)
    records = (json.loads(line) for line in sys.stdin.buffer)
    rows = (row(record) for record in records if record["kind"] == "taskExecution")
    store = sqlite3.connect(sys.argv[1])
    # Nobody else has it open, and what fails is thrown away.
    for pragma in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -262144"):
        store.execute(f"PRAGMA {pragma}")
    with store:
        store.executemany(f"INSERT INTO executions ({', '.join(COLUMNS)}) VALUES ({marks})", rows)
    store.execute("ANALYZE")
    store.commit()
    store.execute("PRAGMA journal_mode = WAL")


main()
