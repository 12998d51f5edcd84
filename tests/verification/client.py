"""Calls every operation with the client that openapi-python-client made of the API document.

mypy checks this file strictly: what an answer gives can be sent as it is. The end compares the
operations that were called with those of the client."""

import json
import os
import pkgutil
import sys
from datetime import UTC, datetime, timedelta
from importlib import import_module
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import TypeVar
from uuid import UUID, uuid4

import httpx
from patrol_client import AuthenticatedClient, api, models
from patrol_client.api.check_lists import (
    delete_check_list,
    delete_check_list_action,
    get_check_list,
    get_check_lists,
    post_check_list,
    post_check_list_action,
    put_check_list,
    put_check_list_action,
)
from patrol_client.api.events import (
    get_check_list_events,
    get_graphic_plan_events,
    get_medium_events,
    get_events,
    get_location_events,
    get_point_events,
    get_scheduled_task_events,
    get_task_execution_events,
    get_user_events,
)
from patrol_client.api.figures import get_figures
from patrol_client.api.graphic_plans import (
    delete_graphic_plan,
    get_graphic_plan,
    get_graphic_plan_image,
    get_graphic_plans,
    post_graphic_plan,
)
from patrol_client.api.locations import (
    delete_location,
    get_location,
    get_locations,
    post_location,
    put_location,
)
from patrol_client.api.points import (
    delete_point,
    get_point,
    get_point_history,
    get_point_label,
    get_points,
    post_point,
    put_point,
)
from patrol_client.api.media import get_medium, get_medium_file, post_media
from patrol_client.api.reports import get_reports, post_reports
from patrol_client.api.scheduled_tasks import (
    delete_scheduled_task,
    get_scheduled_task,
    get_scheduled_tasks,
    post_scheduled_task,
    post_scheduled_task_preview,
    put_scheduled_task,
)
from patrol_client.api.task_executions import (
    delete_task_execution,
    get_task_execution,
    get_task_executions,
    patch_task_execution,
    post_task_execution,
    post_task_execution_copy,
    put_task_execution,
    put_task_execution_series,
)
from patrol_client.api.tokens import delete_token, get_tokens, post_token
from patrol_client.api.users import (
    delete_user,
    delete_user_photo,
    get_me,
    get_user,
    get_user_photo,
    get_users,
    patch_user,
    post_user,
    post_user_batch,
    post_user_photo,
)
from patrol_client.types import File, Response

T = TypeVar("T")
sent: list[httpx.Request] = []
used: set[str] = set()

client = AuthenticatedClient(
    base_url=os.environ["VERIFY_BASE"],
    token=os.environ["VERIFY_TOKEN"],
    timeout=httpx.Timeout(60),
    httpx_args={"event_hooks": {"request": [sent.append]}},
    raise_on_unexpected_status=True,
)


def answered(operation: ModuleType, status: int, response: Response[T]) -> T | None:
    """The parsed body of a response with this status."""
    used.add(operation.__name__.rpartition(".")[2])
    assert response.status_code == status, (operation.__name__, response)
    return response.parsed


def body() -> object:
    """The last body that was sent."""
    return json.loads(sent[-1].content)


def executions() -> UUID:
    found = answered(get_task_executions, 200, get_task_executions.sync_detailed(client=client))
    assert isinstance(found, models.TaskExecutionList)
    assert not sent[-1].url.params, "a default was sent"
    assert len(found.data) == found.meta.count
    filtered = answered(
        get_task_executions,
        200,
        get_task_executions.sync_detailed(
            client=client,
            limit=1,
            sort=["startAt,desc", "id"],
            state=["in:PENDING"],
            start_at=["gt:2026-01-01T00:00:00Z", "lt:9999-01-01T00:00:00Z"],
            include_open_tasks=True,
        ),
    )
    assert isinstance(filtered, models.TaskExecutionList)
    [one] = filtered.data
    assert one.state is models.State.PENDING
    assert len(filtered.filter_) == 4
    return one.id


def one_execution(known: UUID) -> None:
    response = get_task_execution.sync_detailed(known, client=client)
    record = answered(get_task_execution, 200, response)
    assert isinstance(record, models.TaskExecution)
    version = response.headers["ETag"]
    unchanged = get_task_execution.sync_detailed(known, client=client, if_none_match=version)
    assert unchanged.status_code == 304

    steps = [
        models.StepPut(
            id=step.id,
            point_id=step.point_id,
            name=step.name,
            order=step.order,
            actions=[
                models.ActionPut(
                    id=action.id,
                    name=action.name,
                    type_=action.type_,
                    order=action.order,
                    required=action.required,
                    min_value=action.min_value,
                    max_value=action.max_value,
                )
                for action in step.actions
            ],
        )
        for step in record.steps
    ]
    content = models.TaskExecutionPut(
        location_id=record.location_id,
        name=record.name,
        start_at=record.start_at,
        end_at=record.end_at,
        steps=steps,
        assignee_ids=record.assignee_ids,
        description=record.description,
        priority=record.priority,
        tags=record.tags,
    )
    replaced = answered(
        put_task_execution,
        200,
        put_task_execution.sync_detailed(known, client=client, body=content, if_match=version),
    )
    assert isinstance(replaced, models.TaskExecutionReplaced)
    assert replaced.step_count == len(steps)
    stale = put_task_execution.sync_detailed(known, client=client, body=content, if_match=version)
    assert stale.status_code == 412 and isinstance(stale.parsed, models.Error)
    assert stale.parsed.code == models.ErrorCode.PRECONDITION_FAILED

    later = models.TaskExecutionPatch(end_at=record.end_at + timedelta(minutes=1))
    patched = answered(
        patch_task_execution,
        200,
        patch_task_execution.sync_detailed(known, client=client, body=later),
    )
    assert isinstance(patched, models.TaskExecutionSummary)
    assert patched.end_at == record.end_at + timedelta(minutes=1)
    assert list(later.to_dict()) == ["endAt"] and body() == later.to_dict()

    copies = models.CopyPost(task_ids=[known])
    copy = answered(
        post_task_execution_copy,
        200,
        post_task_execution_copy.sync_detailed(known, client=client, body=copies),
    )
    assert isinstance(copy, models.TaskExecutionCopy) and not copy.published
    assert body() == {"taskIds": [str(known)]}

    answered(
        delete_task_execution,
        204,
        delete_task_execution.sync_detailed(copy.id, client=client),
    )
    events = answered(
        get_task_execution_events,
        200,
        get_task_execution_events.sync_detailed(copy.id, client=client, limit=10),
    )
    assert isinstance(events, models.EventPage)
    assert [event.type_ for event in events.data] == [
        "taskExecution.created",
        "taskExecution.deleted",
    ]


def reports(execution: UUID) -> None:
    note = models.EntryPost(
        id=uuid4(),
        type_=models.EntryType.NOTE,
        at=datetime.now(UTC),
        text_value="Generated",
    )
    sent_once = post_reports.sync_detailed(execution, client=client, body=[note])
    answer = answered(post_reports, 200, sent_once)
    assert isinstance(answer, models.ReportAnswer)
    assert answer.entries[0].outcome is models.ReportOutcome.ACCEPTED
    listed = answered(
        get_reports,
        200,
        get_reports.sync_detailed(execution, client=client, id_query=[str(note.id)]),
    )
    assert isinstance(listed, models.ReportList) and listed.data[0].text_value == "Generated"


def figures() -> None:
    counted = answered(
        get_figures,
        200,
        get_figures.sync_detailed(
            client=client,
            from_="2000-01-01",
            to="2100-01-01",
            group_by=models.GetFiguresGroupBy.MONTH,
        ),
    )
    assert isinstance(counted, models.Figures)
    assert counted.total.planned == sum(row.planned for row in counted.data) > 0


def series() -> None:
    found = answered(
        get_task_executions,
        200,
        get_task_executions.sync_detailed(client=client, state=["PENDING"], sort=["startAt"]),
    )
    assert isinstance(found, models.TaskExecutionList)
    first = next(item for item in found.data if item.series_id is not None)
    record = answered(
        get_task_execution, 200, get_task_execution.sync_detailed(first.id, client=client)
    )
    assert isinstance(record, models.TaskExecution) and record.series_id is not None
    steps = [
        models.SeriesStepPut(
            name=step.name,
            series_id=step.series_id,
            point_id=step.point_id,
            actions=[
                models.SeriesActionPut(
                    name=action.name, type_=action.type_, series_id=action.series_id
                )
                for action in step.actions
            ],
        )
        for step in record.steps
    ]
    content = models.SeriesPut(
        series_id=record.series_id,
        location_id=record.location_id,
        name="New name",
        start_at=record.start_at,
        end_at=record.end_at,
        steps=steps,
    )
    rehearsed = answered(
        put_task_execution_series,
        200,
        put_task_execution_series.sync_detailed(
            first.id, client=client, body=content, dry_run=True
        ),
    )
    assert isinstance(rehearsed, models.Rehearsal) and rehearsed.deleted == []
    assert first.id in [item.id for item in rehearsed.changed]
    updated = answered(
        put_task_execution_series,
        200,
        put_task_execution_series.sync_detailed(first.id, client=client, body=content),
    )
    assert isinstance(updated, models.SeriesUpdated)
    assert updated.updating_series_id == record.series_id


def one_user() -> None:
    draft = models.UserPost(
        first_name="Ivo", last_name="Kask", role=models.Role.EMPLOYEE, tags=["generated"]
    )
    response = post_user.sync_detailed(client=client, body=draft)
    created = answered(post_user, 201, response)
    assert isinstance(created, models.User) and created.language == "en"
    assert response.headers["Location"] == f"/v1/users/{created.id}"
    response = get_user.sync_detailed(created.id, client=client)
    assert answered(get_user, 200, response) == created
    found = answered(
        get_users, 200, get_users.sync_detailed(client=client, q="kask", tags=["generated"])
    )
    assert isinstance(found, models.UserList) and found.data == [created]
    me = answered(get_me, 200, get_me.sync_detailed(client=client))
    assert isinstance(me, models.User) and me.role is models.Role.ADMIN
    tag = response.headers["ETag"]
    answered(delete_user, 204, delete_user.sync_detailed(created.id, client=client, if_match=tag))
    log = answered(get_user_events, 200, get_user_events.sync_detailed(created.id, client=client))
    assert isinstance(log, models.EventPage)
    assert [event.type_ for event in log.data] == ["user.created", "user.deleted"]


def users(user: UUID, picture: bytes) -> None:
    change = models.UserPatch(phone=None, tags=["night"])
    changed = answered(patch_user, 200, patch_user.sync_detailed(user, client=client, body=change))
    assert isinstance(changed, models.User) and changed.phone is None
    assert body() == {"phone": None, "tags": ["night"]}
    batch = [models.UserBatchEntry(id=changed.id, role=changed.role, language="de")]
    many = answered(post_user_batch, 200, post_user_batch.sync_detailed(client=client, body=batch))
    assert isinstance(many, list) and many[0].language == "de"
    photo = models.PhotoUpload(
        photo=File(payload=BytesIO(picture), file_name="photo.png", mime_type="image/png")
    )
    uploaded = answered(
        post_user_photo, 200, post_user_photo.sync_detailed(user, client=client, body=photo)
    )
    assert isinstance(uploaded, models.User) and uploaded.photo_id is not None
    response = get_user_photo.sync_detailed(user, client=client)
    image = answered(get_user_photo, 200, response)
    assert isinstance(image, File) and image.payload.read(4) == b"\x89PNG"
    assert response.headers["Content-Type"] == "image/png"
    answered(delete_user_photo, 204, delete_user_photo.sync_detailed(user, client=client))


def locations() -> None:
    draft = models.LocationPost(name="Depot", tags=["generated"])
    response = post_location.sync_detailed(client=client, body=draft)
    created = answered(post_location, 201, response)
    assert isinstance(created, models.Location) and created.address == ""
    assert response.headers["Location"] == f"/v1/locations/{created.id}"
    response = get_location.sync_detailed(created.id, client=client)
    assert answered(get_location, 200, response) == created
    tag = response.headers["ETag"]
    change = models.LocationPut(name="North depot", address="2 Mill Lane")
    response = put_location.sync_detailed(created.id, client=client, body=change, if_match=tag)
    changed = answered(put_location, 200, response)
    assert isinstance(changed, models.Location) and changed.tags == []
    answered(delete_location, 204, delete_location.sync_detailed(created.id, client=client))
    events = get_location_events.sync_detailed(created.id, client=client)
    log = answered(get_location_events, 200, events)
    assert isinstance(log, models.EventPage)
    kinds = ["location.created", "location.updated", "location.deleted"]
    assert [event.type_ for event in log.data] == kinds


def points() -> None:
    found = answered(
        get_locations,
        200,
        get_locations.sync_detailed(client=client, limit=1, with_graphic_plan=["true"]),
    )
    assert isinstance(found, models.LocationList)
    [location] = found.data
    draft = models.PointPut(
        location_id=location.id,
        name="Gate",
        type_=models.PointType.QR,
        graphic_plans=[models.PlanPlace(id=plan, x=0.5) for plan in location.graphic_plan_ids],
    )
    point = answered(post_point, 201, post_point.sync_detailed(client=client, body=draft))
    assert isinstance(point, models.Point)
    assert body() == draft.to_dict() and "latitude" not in draft.to_dict()
    response = get_points.sync_detailed(client=client, id=[str(point.id)])
    listed = answered(get_points, 200, response)
    assert isinstance(listed, models.PointList) and listed.data == [point]
    read = answered(get_point, 200, get_point.sync_detailed(point.id, client=client))
    assert read == point
    again = models.PointPut(
        location_id=point.location_id,
        name=point.name,
        type_=point.type_,
        latitude=point.latitude,
        longitude=point.longitude,
        graphic_plans=point.graphic_plans,
        rfid_code=point.rfid_code,
        qr_code=point.qr_code,
        tags=point.tags,
    )
    again.qr_code = "a code of the client"
    put = answered(put_point, 200, put_point.sync_detailed(point.id, client=client, body=again))
    label = answered(get_point_label, 200, get_point_label.sync_detailed(point.id, client=client))
    assert isinstance(label, File) and label.payload.read().startswith(b"<svg")
    assert isinstance(put, models.Point) and put.qr_code == again.qr_code
    answered(delete_point, 204, delete_point.sync_detailed(point.id, client=client))
    history = answered(
        get_point_history,
        200,
        get_point_history.sync_detailed(client=client, id=[str(point.id)], sort=["historyId"]),
    )
    assert isinstance(history, models.PointHistory)
    assert [record.operation for record in history.data] == ["CREATE", "UPDATE", "DELETE"]
    events = answered(
        get_point_events, 200, get_point_events.sync_detailed(point.id, client=client)
    )
    assert isinstance(events, models.EventPage) and not events.more


def graphic_plans(location: UUID, picture: bytes) -> None:
    file = File(payload=BytesIO(picture), file_name="plan.png", mime_type="image/png")
    upload = models.GraphicPlanUpload(name="Roof", image=file)
    made = answered(
        post_graphic_plan,
        201,
        post_graphic_plan.sync_detailed(location, client=client, body=upload),
    )
    assert isinstance(made, models.GraphicPlan) and made.content_type == "image/png"
    read = get_graphic_plan.sync_detailed(made.id, client=client)
    assert answered(get_graphic_plan, 200, read) == made
    image = answered(
        get_graphic_plan_image, 200, get_graphic_plan_image.sync_detailed(made.id, client=client)
    )
    assert isinstance(image, File) and image.payload.read(4) == b"\x89PNG"
    listed = answered(
        get_graphic_plans,
        200,
        get_graphic_plans.sync_detailed(location, client=client, id_query=[str(made.id)]),
    )
    assert isinstance(listed, models.GraphicPlanList) and listed.data == [made]
    deleted = delete_graphic_plan.sync_detailed(
        made.id, client=client, if_match=read.headers["ETag"]
    )
    answered(delete_graphic_plan, 204, deleted)
    events = answered(
        get_graphic_plan_events, 200, get_graphic_plan_events.sync_detailed(made.id, client=client)
    )
    assert isinstance(events, models.EventPage) and len(events.data) == 2


def media(picture: bytes) -> None:
    file = File(payload=BytesIO(picture), file_name="a.png", mime_type="image/png")
    upload = models.MediumUpload(file=file, id=uuid4())
    made = answered(post_media, 201, post_media.sync_detailed(client=client, body=upload))
    assert isinstance(made, models.Medium) and made.size == len(picture)
    read = answered(get_medium, 200, get_medium.sync_detailed(made.id, client=client))
    assert read == made
    content = answered(
        get_medium_file, 200, get_medium_file.sync_detailed(made.id, client=client)
    )
    assert isinstance(content, File) and content.payload.read() == picture
    events = answered(
        get_medium_events, 200, get_medium_events.sync_detailed(made.id, client=client)
    )
    assert isinstance(events, models.EventPage) and len(events.data) == 1


def check_lists(action: UUID) -> None:
    change = models.CheckListActionPut(type_=models.ActionType.TEXT)
    changed = answered(
        put_check_list_action,
        200,
        put_check_list_action.sync_detailed(action, client=client, body=change),
    )
    assert isinstance(changed, models.CheckListAction)
    assert body() == {"type": "TEXT"}
    answered(
        delete_check_list_action, 204, delete_check_list_action.sync_detailed(action, client=client)
    )
    draft = models.CheckListPost(
        name="Generated",
        actions=[
            models.CheckListActionPost(
                name="°C", type_=models.ActionType.NUMBER, min_value=-0.5, max_value=1
            )
        ],
    )
    made = answered(post_check_list, 201, post_check_list.sync_detailed(client=client, body=draft))
    assert isinstance(made, models.CheckList)
    read = get_check_list.sync_detailed(made.id, client=client)
    assert answered(get_check_list, 200, read) == made
    again = models.CheckListPut(
        name="Again",
        actions=[
            models.CheckListActionPost(
                id=action.id,
                name=action.name,
                type_=action.type_,
                order=action.order,
                required=action.required,
                min_value=action.min_value,
                max_value=action.max_value,
            )
            for action in made.actions
        ],
    )
    put = answered(
        put_check_list,
        200,
        put_check_list.sync_detailed(
            made.id, client=client, body=again, if_match=read.headers["ETag"]
        ),
    )
    assert isinstance(put, models.CheckList)
    assert put.name == "Again" and put.actions == made.actions
    one = models.CheckListActionPost(name="Remark", type_=models.ActionType.TEXT)
    added = answered(
        post_check_list_action,
        201,
        post_check_list_action.sync_detailed(made.id, client=client, body=one),
    )
    assert isinstance(added, models.FullCheckListAction) and added.order == 1
    listed = answered(
        get_check_lists, 200, get_check_lists.sync_detailed(client=client, id=[str(made.id)])
    )
    assert isinstance(listed, models.CheckListList)
    assert [len(found.actions) for found in listed.data] == [2]
    answered(delete_check_list, 204, delete_check_list.sync_detailed(made.id, client=client))
    events = answered(
        get_check_list_events, 200, get_check_list_events.sync_detailed(made.id, client=client)
    )
    assert isinstance(events, models.EventPage) and len(events.data) == 4


def scheduled_tasks(location: UUID) -> None:
    draft = models.ScheduledTaskPost(
        name="Generated round",
        location_id=location,
        steps=[models.PlannedStepPut(name="Gate")],
    )
    response = post_scheduled_task.sync_detailed(client=client, body=draft)
    created = answered(post_scheduled_task, 201, response)
    assert isinstance(created, models.ScheduledTask) and created.next_start_at is None
    assert response.headers["Location"] == f"/v1/scheduled-tasks/{created.id}"
    response = get_scheduled_task.sync_detailed(created.id, client=client)
    assert answered(get_scheduled_task, 200, response) == created
    content = models.ScheduledTaskPut(
        name="Round",
        location_id=location,
        steps=[models.PlannedStepPut(id=step.id, name="Main gate") for step in created.steps],
    )
    rehearsed = answered(
        put_scheduled_task,
        200,
        put_scheduled_task.sync_detailed(created.id, client=client, body=content, dry_run=True),
    )
    assert isinstance(rehearsed, models.Rehearsal) and rehearsed.created == []
    replaced = answered(
        put_scheduled_task,
        200,
        put_scheduled_task.sync_detailed(
            created.id, client=client, body=content, if_match=response.headers["ETag"]
        ),
    )
    assert isinstance(replaced, models.ScheduledTask)
    assert [step.id for step in replaced.steps] == [step.id for step in created.steps]
    run = models.TaskExecutionPost(
        scheduled_task_id=created.id,
        start_at=datetime.fromisoformat("2099-01-01T00:00:00+00:00"),
        steps=[models.StepPut(name="Another gate")],
    )
    made = post_task_execution.sync_detailed(client=client, body=run)
    execution = answered(post_task_execution, 201, made)
    assert isinstance(execution, models.TaskExecution) and made.headers["ETag"]
    assert execution.scheduled_task_id == created.id and execution.name == "Round"
    assert made.headers["Location"] == f"/v1/task-executions/{execution.id}"
    found = answered(
        get_scheduled_tasks,
        200,
        get_scheduled_tasks.sync_detailed(client=client, id=[str(created.id)]),
    )
    assert isinstance(found, models.ScheduledTaskList)
    assert [item.name for item in found.data] == ["Round"]
    answered(
        delete_scheduled_task, 204, delete_scheduled_task.sync_detailed(created.id, client=client)
    )
    log = answered(
        get_scheduled_task_events,
        200,
        get_scheduled_task_events.sync_detailed(created.id, client=client),
    )
    assert isinstance(log, models.EventPage) and len(log.data) == 3


def tokens(user: UUID) -> None:
    expiry = datetime.fromisoformat("2099-12-31T00:00:00+01:00")
    draft = models.TokenPost(name="generated", user_id=user, expires_at=expiry)
    issued = answered(post_token, 201, post_token.sync_detailed(client=client, body=draft))
    assert isinstance(issued, models.TokenIssued) and issued.expires_at == expiry
    listed = answered(get_tokens, 200, get_tokens.sync_detailed(client=client, user_id=user))
    assert isinstance(listed, models.TokenList)
    assert issued.id in [token.id for token in listed.data]
    answered(delete_token, 204, delete_token.sync_detailed(issued.id, client=client))
    log = answered(get_events, 200, get_events.sync_detailed(client=client, after=0, wait=0))
    assert isinstance(log, models.EventPage) and log.data


def schedules() -> None:
    schedule = models.SchedulePut(
        time_zone="Europe/Berlin",
        start="2027-03-27T02:30:00",
        duration_minutes=45,
        rrule="FREQ=DAILY;COUNT=5",
        pauses=[models.PausePut(from_="2027-03-29", to="2027-03-29")],
    )
    draft = models.PreviewPost(schedule=schedule, from_=datetime.fromisoformat("2027-03-28T00:00:00Z"))
    preview = answered(
        post_scheduled_task_preview,
        200,
        post_scheduled_task_preview.sync_detailed(client=client, body=draft),
    )
    assert isinstance(preview, models.Preview) and not preview.more
    starts = [occurrence.local_start for occurrence in preview.occurrences]
    assert starts == ["2027-03-28T03:30:00", "2027-03-30T02:30:00", "2027-03-31T02:30:00"]


def demo(kind: int, number: int) -> UUID:
    """The id of a record of the demo."""
    return UUID(f"0190de30-{kind:04x}-7000-8000-{number:012x}")


one_execution(executions())
reports(executions())
figures()
series()
one_user()
users(demo(4, 7), Path(sys.argv[1]).read_bytes())
locations()
points()
scheduled_tasks(demo(1, 1))
graphic_plans(demo(1, 2), Path(sys.argv[1]).read_bytes())
media(Path(sys.argv[1]).read_bytes())
check_lists(demo(6, 1))
schedules()
tokens(demo(4, 8))

operations = {
    operation
    for _, group, _ in pkgutil.iter_modules(api.__path__)
    for _, operation, _ in pkgutil.iter_modules(import_module(f"{api.__name__}.{group}").__path__)
}
assert used == operations, operations - used
print(f"{len(used)} operations")
