"""The two reads of Patrol over its PostgreSQL tables, as one would write them with FastAPI."""

import os
import secrets
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Annotated, Literal
from uuid import UUID

import asyncpg
import orjson
from fastapi import Depends, FastAPI, Header, HTTPException, Query, Response

STATES = ("PENDING", "IN_PROGRESS", "COMPLETED")
STATUSES = ("SUCCESS", "WARNING", "ERROR")
PRIORITIES = ("MINOR", "NORMAL", "MAJOR", "CRITICAL")

RECORD = """SELECT id, scheduled_task_id, name, description, location_id, performer_id, status,
    state, published, start_at, end_at, assignee_ids, series_id, priority, order_steps_required,
    strict_time_required, deadlined, tags, edited, started_at, ended_at, steps
    FROM task_executions WHERE id = $1"""
ITEMS = """SELECT id, scheduled_task_id, performer_id, assignee_ids, name, state, status, start_at,
    end_at, started_at, ended_at, error_count, warning_count, priority, series_id, deadlined,
    published, edited, step_count, executed_step_count
    FROM task_executions WHERE location_id = $1"""
COUNT = "SELECT count(*) FROM task_executions WHERE location_id = $1"
PAGES = {
    "startAt,asc": f"{ITEMS} ORDER BY start_at, id LIMIT $2 OFFSET $3",
    "startAt,desc": f"{ITEMS} ORDER BY start_at DESC, id LIMIT $2 OFFSET $3",
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
    }


@app.get("/v1/task-executions/info")
async def page(
    location: Annotated[UUID, Query(alias="locationId")],
    sort: Literal["startAt,asc", "startAt,desc"] = "startAt,asc",
    limit: Annotated[int, Query(ge=0, le=1000)] = 50,
    offset: Annotated[int, Query(ge=0)] = 0,
) -> Response:
    async with app.state.pool.acquire() as connection:
        rows = await connection.fetch(PAGES[sort], location, limit, offset)
        count = await connection.fetchval(COUNT, location)
    by, direction = sort.split(",")
    return answer({
        "data": [item(row) for row in rows],
        "meta": {
            "offset": offset,
            "limit": limit,
            "count": count,
            "sort": [{"property": by, "direction": direction}],
        },
        "filter": [{"property": "locationId", "value": location}],
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
