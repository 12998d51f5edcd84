"""The two reads of Patrol over its PostgreSQL tables, as one would write them with FastAPI."""

import os
import re
import secrets
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Annotated, Literal
from uuid import UUID

import asyncpg
import orjson
from fastapi import Depends, FastAPI, Header, HTTPException, Query, Request, Response

STATES = ("PENDING", "IN_PROGRESS", "COMPLETED")
STATUSES = ("SUCCESS", "WARNING", "ERROR")
PRIORITIES = ("MINOR", "NORMAL", "MAJOR", "CRITICAL")

RECORD = """SELECT id, scheduled_task_id, name, description, location_id, performer_id, status,
    state, published, start_at, end_at, assignee_ids, series_id, priority, order_steps_required,
    strict_time_required, deadlined, tags, edited, started_at, ended_at, steps
    FROM task_executions WHERE id = $1"""
ITEMS = """SELECT id, scheduled_task_id, performer_id, assignee_ids, name, state, status, start_at,
    end_at, started_at, ended_at, error_count, warning_count, priority, series_id, deadlined,
    published, edited, step_count, executed_step_count, location_id, tags, order_steps_required
    FROM task_executions"""
COUNT = "SELECT count(*) FROM task_executions"
ORDERS = {
    "id": "id",
    "name": "name_folded, id",
    "startAt": "start_at, id",
    "startAt,desc": "start_at DESC, id",
}

EXPECTED = f"Bearer {os.environ['TOKEN']}".encode()


async def set_up(connection: asyncpg.Connection) -> None:
    # orjson does not know asyncpg's own type.
    await connection.set_type_codec(
        "uuid", schema="pg_catalog", encoder=str, decoder=str, format="text"
    )


@asynccontextmanager
async def lifespan(app: FastAPI):
    # Each connection prepares each statement once.
    pool = asyncpg.create_pool(os.environ["DATABASE_URL"], min_size=10, max_size=10, init=set_up)
    async with pool:
        app.state.pool = pool
        yield


async def authorized(authorization: Annotated[str, Header()] = "") -> None:
    if not secrets.compare_digest(authorization.encode(), EXPECTED):
        raise HTTPException(401)


app = FastAPI(lifespan=lifespan, dependencies=[Depends(authorized)])


def answer(content: dict) -> Response:
    return Response(orjson.dumps(content, option=orjson.OPT_UTC_Z), media_type="application/json")


def item(row: asyncpg.Record) -> dict:
    started, ended = row["started_at"], row["ended_at"]
    took = 0
    if started is not None:
        took = max(int(((ended or datetime.now(UTC)) - started).total_seconds() * 1000), 0)
    status = row["status"]
    return {
        "id": row["id"],
        "scheduledTaskId": row["scheduled_task_id"],
        "performerId": row["performer_id"],
        "assigneeIds": row["assignee_ids"],
        "name": row["name"],
        "state": STATES[row["state"]],
        "status": None if status is None else STATUSES[status],
        "startAt": row["start_at"],
        "endAt": row["end_at"],
        "startedAt": started,
        "endedAt": ended,
        "totalExecutedTimeInMillis": took,
        "errorCount": row["error_count"],
        "warningCount": row["warning_count"],
        "priority": PRIORITIES[row["priority"]],
        "seriesId": row["series_id"],
        "assigned": bool(row["assignee_ids"]),
        "deadlined": row["deadlined"],
        "published": row["published"],
        "edited": row["edited"],
        "stepCount": row["step_count"],
        "executedStepCount": row["executed_step_count"],
        "locationId": row["location_id"],
        "tags": row["tags"],
        "orderStepsRequired": row["order_steps_required"],
    }


def contains(text: str) -> str:
    return "%" + re.sub(r"([\\%_])", r"\\\1", text.lower()) + "%"


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text[3:])


@app.get("/v1/task-executions/info")
async def page(
    request: Request,
    location: Annotated[UUID | None, Query(alias="locationId")] = None,
    state: Literal[STATES] | None = None,
    priority: Literal[PRIORITIES] | None = None,
    published: bool | None = None,
    tags: str | None = None,
    name: str | None = None,
    after: Annotated[str | None, Query(alias="startAt", pattern="^gt:")] = None,
    before: Annotated[str | None, Query(alias="endAt", pattern="^lt:")] = None,
    sort: Literal[tuple(ORDERS)] = "id",
    limit: Annotated[int, Query(ge=0, le=1000)] = 50,
    offset: Annotated[int, Query(ge=0)] = 0,
) -> Response:
    # Each condition with its value, if that is given.
    filters = [
        ("location_id = ${}", location),
        ("state = ${}", state and STATES.index(state)),
        ("priority = ${}", priority and PRIORITIES.index(priority)),
        ("published = ${}", published),
        ("tags @> ARRAY[${}]", tags),
        ("name_folded LIKE ${}", name and contains(name)),
        ("start_at > ${}", after and moment(after)),
        ("end_at < ${}", before and moment(before)),
    ]
    given = [(test, value) for test, value in filters if value is not None]
    values = [value for _, value in given]
    tests = [test.format(at) for at, (test, _) in enumerate(given, 1)]
    where = " WHERE " + " AND ".join(tests) if tests else ""
    last = f"LIMIT ${len(values) + 1} OFFSET ${len(values) + 2}"
    async with app.state.pool.acquire() as connection:
        text = f"{ITEMS}{where} ORDER BY {ORDERS[sort]} {last}"
        rows = await connection.fetch(text, *values, limit, offset)
        count = await connection.fetchval(f"{COUNT}{where}", *values)
    by, _, direction = sort.partition(",")
    return answer({
        "data": [item(row) for row in rows],
        "meta": {
            "offset": offset,
            "limit": limit,
            "count": count,
            "sort": [{"property": by, "direction": direction or "asc"}],
        },
        "filter": [
            {"property": property, "value": value}
            for property, value in request.query_params.multi_items()
            if property not in ("sort", "limit", "offset")
        ],
    })


@app.get("/v1/task-executions/{id}")
async def record(id: UUID) -> Response:
    row = await app.state.pool.fetchrow(RECORD, id)
    if row is None:
        raise HTTPException(404)
    status = row["status"]
    return answer({
        "id": row["id"],
        "scheduledTaskId": row["scheduled_task_id"],
        "name": row["name"],
        "description": row["description"],
        "locationId": row["location_id"],
        "performerId": row["performer_id"],
        "status": None if status is None else STATUSES[status],
        "state": STATES[row["state"]],
        "published": row["published"],
        "startAt": row["start_at"],
        "endAt": row["end_at"],
        # Text already: it is passed on as it is stored.
        "steps": orjson.Fragment(row["steps"]),
        "assigneeIds": row["assignee_ids"],
        "seriesId": row["series_id"],
        "priority": PRIORITIES[row["priority"]],
        "orderStepsRequired": row["order_steps_required"],
        "strictTimeRequired": row["strict_time_required"],
        "deadlined": row["deadlined"],
        "tags": row["tags"],
        "edited": row["edited"],
        "startedAt": row["started_at"],
        "endedAt": row["ended_at"],
    })
