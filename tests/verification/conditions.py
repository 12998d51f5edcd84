"""Conditions of the exceptions in `exceptions.toml`: whether the request that was sent is really at
fault. A condition looks at the bytes that were sent and, where only the store knows, reads the
records with requests of its own. A refused request has changed nothing, so what it reads is what the
refusal was based on."""

import json
import os
import re
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, unquote, urlsplit
from zoneinfo import available_timezones

import requests

BASE = os.environ["VERIFY_BASE"]
ADMINISTRATOR = os.environ["VERIFY_ADMINISTRATOR"]

LARGEST_HEAD = 32 * 1024

SIGNATURES = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"RIFF")

session = requests.Session()
session.trust_env = False
session.headers["Authorization"] = f"Bearer {os.environ['VERIFY_TOKEN']}"

# The requests that were sent with each Idempotency-Key.
keys = {}


class Sent:
    """A request as it was sent."""

    def __init__(self, response, operation):
        request = response.request
        url = urlsplit(request.url)
        self.method, self.url, self.headers = request.method, request.url, request.headers
        self.path = [unquote(part) for part in url.path.split("/")]
        self.query = parse_qs(url.query, keep_blank_values=True)
        body = request.body or b""
        self.content = body.encode() if isinstance(body, str) else body
        self.most_bytes = operation.definition.raw.get("requestBody", {}).get("x-maxBytes", 0)
        parts = operation.path.split("/")
        # The id in the path, which is in lower case in every answer.
        self.id = self.path[parts.index("{id}") + 1].lower() if "{id}" in parts else ""

    @property
    def body(self):
        return json.loads(self.content)

    def value(self, identifier):
        """The value at this place of the body, such as `steps[0].id`; None when it is absent."""
        found = self.body
        for index, name in re.findall(r"\[(\d+)\]|([^.\[\]]+)", identifier):
            if index and isinstance(found, list) and int(index) < len(found):
                found = found[int(index)]
            elif name and isinstance(found, dict):
                found = found.get(name)
            else:
                return None
        return found

    def values(self, identifier):
        """The values of this parameter, or the value at this place of the body."""
        return self.query.get(identifier) or [self.value(identifier)]

    def uuid(self, identifier):
        """The id at this place of the body, in lower case."""
        value = self.value(identifier)
        return value.lower() if isinstance(value, str) else None

    def fingerprint(self):
        return self.method, self.url, self.content


def read(path, **query):
    """A record or a list; None when the record does not exist."""
    response = session.get(f"{BASE}/{path}", params=query, timeout=120)
    if response.status_code == 404:
        return None
    response.raise_for_status()
    return response.json()


def execution(sent):
    return read(f"task-executions/{sent.id}")


def users():
    """All users."""
    return read("users")["data"]


def no_such_location(sent, field):
    id = sent.uuid(field)
    return id is not None and read(f"locations/{id}") is None


def no_such_user(sent, field):
    id = sent.uuid(field)
    return id is not None and read(f"users/{id}") is None


def no_such_active_user(sent, field):
    id = sent.uuid(field)
    return id is not None and (read(f"users/{id}") or {}).get("status") != "ACTIVE"


def no_such_point(sent, field):
    id = sent.uuid(field)
    return id is not None and read(f"locations/points/{id}") is None


def no_such_check_list(sent, field):
    id = sent.uuid(field)
    return id is not None and read(f"check-lists/{id}") is None


def no_such_task(sent, field):
    id = sent.uuid(field)
    return id is not None and read(f"scheduled-tasks/{id}") is None


def is_without_task(sent, field):
    """A new execution has no task, or its task has no location, and the body does not have it either."""
    task = sent.uuid("scheduledTaskId")
    is_missing = sent.value(field) is None
    if task is None or not is_missing:
        return is_missing
    return field == "locationId" and (read(f"scheduled-tasks/{task}") or {"locationId": ""})["locationId"] is None


def no_plan_of_the_location(sent, field):
    id = sent.uuid(field)
    location = read(f"locations/{sent.uuid('locationId')}") or {}
    return id is not None and id not in location.get("graphicPlanIds", [])


def is_unknown_key(sent, field):
    """A step or action is matched by its id, or in a series by its seriesId: by one of this
    execution or task, and each is named once. A new task has none."""
    key = sent.uuid(field)
    if key is None:
        return False
    member = field.rpartition(".")[2]
    steps = [] if sent.method == "POST" else read(f"{sent.path[2]}/{sent.id}")["steps"]
    is_step = "actions" not in field
    known = steps if is_step else [action for step in steps for action in step["actions"]]
    named = [step if is_step else action for step in sent.body["steps"]
             for action in ([step] if is_step else step.get("actions") or [])]
    times = [str(part.get(member)).lower() for part in named].count(key)
    return times > 1 or key not in [part[member] for part in known]


def is_other_series(sent, field):
    id = sent.uuid(field)
    return id is not None and id != execution(sent)["seriesId"]


def another_user_has_it(sent, field):
    """A number or email is that of another user, after all changes of this request."""
    value = sent.value(field)
    if not isinstance(value, str):
        return False
    entries = sent.body if isinstance(sent.body, list) else [sent.body | {"id": sent.id}]
    changes = {entry["id"].lower(): entry for entry in entries}
    index = re.match(r"\[(\d+)\]", field)
    own = entries[int(index[1]) if index else 0]["id"].lower()
    others = [user | changes.get(user["id"], {}) for user in users() if user["id"] != own]
    names = [other[name] for other in others for name in ("employeeNo", "email")]
    return value.lower() in [name.lower() for name in names if name]


def is_taken_id(sent, field):
    if sent.path[-1] == "graphic-plans":
        part = re.search(rb'name="id"[^\r]*\r\n(?:[^\r]+\r\n)*\r\n([^\r]*)\r\n', sent.content)
        return part is not None and read(f"locations/graphic-plans/{part[1].decode()}") is not None
    never = (f"{0:032x}", f"{2**128 - 1:032x}")
    return sent.uuid(field).replace("-", "") in never or read("/".join([*sent.path[2:], sent.uuid(field)])) is not None


def is_other_action(sent, field):
    """An action in the body has the id of one of another check-list, or of one before it. A new
    check-list or action has the id of no action."""
    key = sent.uuid(field)
    lists = read("check-lists")["data"]
    others = [one for one in lists if sent.method == "POST" or one["id"] != sent.id]
    if key in [action["id"] for one in others for action in one["actions"]]:
        return True
    index = re.search(r"\[(\d+)\]", field)
    before = sent.body["actions"][: int(index[1])] if index else []
    return key in [str(action.get("id")).lower() for action in before]


def is_below_minimum(sent, field):
    """maxValue is below minValue. In an execution or a scheduled task an absent bound is that of the action."""
    action = sent.value(field[: -len("maxValue")].rstrip("."))
    if sent.path[2] != "check-lists" and sent.method == "PUT":
        member = "seriesId" if sent.path[-1] == "series" else "id"
        record = read(f"{sent.path[2]}/{sent.id}")
        known = [one for step in record["steps"] for one in step["actions"]]
        key = str(action.get(member)).lower()
        same = [one for one in known if one[member] == key and one["type"] == action["type"]]
        action = {**(same[0] if same else {}), **action}
    low, high = action.get("minValue"), action.get("maxValue")
    return low is not None and high is not None and high < low


def is_in_use(sent, field):
    """Records of this kind name the location or the check-list, or points are placed on the plan."""
    if sent.path[-2] == "check-lists":
        tasks = (read(f"scheduled-tasks/{task['id']}") or {} for task in read("scheduled-tasks")["data"])
        return any(step["checkListId"] == sent.id for task in tasks for step in task.get("steps", []))
    location = sent.id
    if "graphic-plans" in sent.path:
        places = [place for point in read("locations/points")["data"] for place in point["graphicPlans"]]
        return sent.id in [place["id"] for place in places]
    if field == "graphicPlans":
        return bool(read(f"locations/{location}")["graphicPlanIds"])
    lists = {
        "points": "locations/points", "taskExecutions": "task-executions/info",
        "scheduledTasks": "scheduled-tasks", "users": "users",
    }
    return bool(read(lists[field], locationId=location, limit=1)["data"])


def another_point_has_it(sent, field):
    value = sent.value(field)
    if not isinstance(value, str):
        return False
    history = read("locations/points/history", q=value)["data"]
    others = {record["id"] for record in history} - ({sent.id} if sent.method == "PUT" else set())
    return any((read(f"locations/points/{id}") or {}).get(field) == value for id in others)


def is_named_before(sent, field):
    """An entry of a batch names the user of an earlier one."""
    index = int(re.match(r"\[(\d+)\]", field)[1])
    return sent.uuid(field) in [entry["id"].lower() for entry in sent.body[:index]]


def is_completed(sent, _):
    return execution(sent)["state"] == "COMPLETED"


def is_not_pending(sent, _):
    return execution(sent)["state"] != "PENDING"


def has_other_version(sent, _):
    """`If-Match` is not a list of tags that contains the version of the record."""
    value = sent.headers.get("If-Match")
    if value is None:
        return False
    value = value.decode("latin-1") if isinstance(value, bytes) else value
    kind = "/".join(sent.path[2 : 4 if sent.path[3] in ("points", "graphic-plans") else 3])
    tag = session.get(f"{BASE}/{kind}/{sent.id}", timeout=120).headers["ETag"]
    is_list = re.fullmatch(r'\s*(W/)?"[^"]*"(\s*,\s*(W/)?"[^"]*")*\s*', value)
    return value.strip() != "*" and not (is_list and tag in re.findall(r'(?<!W/)"[^"]*"', value))


def is_used_key(sent, _):
    key = sent.headers.get("Idempotency-Key")
    return key is not None and bool(keys[key] - {sent.fingerprint()})


def time(value):
    """The time, in UTC. Python knows no more than microseconds."""
    value = re.sub(r"(\.\d{1,6})\d*", r"\1", value.upper())
    return datetime.fromisoformat(value).astimezone(UTC)


def is_time(value):
    """Whether this date exists, in UTC too, between the years 1 and 9999."""
    try:
        time(re.sub(r"^(eq|ne|gt|gte|lt|lte):", "", value))
    except (ValueError, OverflowError):
        return False
    return True


def is_no_time(sent, field):
    return any(isinstance(value, str) and not is_time(value) for value in sent.values(field))


def ends_before_start(sent, _):
    if sent.method == "POST":
        start, end = time(sent.value("startAt")), sent.value("endAt")
        # Without an end, an execution of a task would last into the year 10,000.
        return start.year == 9999 if end is None else time(end) < start
    record = execution(sent)
    start = time(sent.value("startAt") or record["startAt"])
    end = time(sent.value("endAt") or record["endAt"])
    if end < start:
        return True
    if sent.path[-1] != "series":
        return False
    shift = start - time(record["startAt"])
    for other in read("task-executions/info", seriesId=record["seriesId"])["data"]:
        try:
            _ = time(other["startAt"]) + shift + (end - start)
        except OverflowError:
            return True
    return False


def is_past(sent, field):
    return time(sent.value(field)) <= datetime.now(UTC)


def is_no_zone(sent, field):
    return any(value not in available_timezones() for value in sent.values(field))


def is_no_period(sent, _):
    """The end is before the start; or, in a time zone, up to a day earlier or outside the years 1 to 9999."""
    bounds = [datetime.fromisoformat(sent.values(name)[0].upper()) for name in ("from", "to")]
    start, end = (bound if bound.tzinfo else bound.replace(tzinfo=UTC) for bound in bounds)
    outside = any(bound.year in (1, 9999) for bound in (start, end))
    return outside or end < start + timedelta(days=2)


def is_no_rule(sent, field):
    """Random texts do not name a frequency that is allowed."""
    frequency = r"(^|;)FREQ=(HOURLY|DAILY|WEEKLY|MONTHLY|YEARLY)(;|$)"
    return not re.search(frequency, sent.value(field).upper())


def has_schedule(sent, _):
    """A schedule makes executions of this series now."""
    record = execution(sent)
    task = read(f"scheduled-tasks/{record['scheduledTaskId']}") or {}
    return bool(task.get("schedule")) and task["seriesId"] == record["seriesId"]


def is_no_local_time(sent, field):
    try:
        datetime.fromisoformat(sent.value(field))
    except ValueError:
        return True
    return False


def is_before_start(sent, field):
    return sent.value(field) < sent.value("schedule.start")


def is_before_first_day(sent, field):
    return sent.value(field) < sent.value(field.removesuffix("to") + "from")


def has_many_sorts(sent, field):
    return len(set(sent.values(field))) > 8


def is_large(sent, _):
    return len(sent.content) > sent.most_bytes


def has_large_head(sent, _):
    lines = [sent.url, *(f"{name}: {value}\r\n" for name, value in sent.headers.items())]
    return sum(map(len, lines)) > LARGEST_HEAD


def is_no_image(sent, _):
    """No line of the form begins like an image of the allowed formats."""
    return not any(b"\n" + signature in sent.content for signature in SIGNATURES)


def is_of_no_known_kind(sent, _):
    """No line of the form begins like a file of a known kind."""
    known = (*SIGNATURES, b"%PDF-", b"ID3")
    return not any(b"\n" + signature in sent.content for signature in known)


def is_null_path(sent, _):
    return sent.id in ("none", "null")


def is_deleted(sent, _):
    """The path without `/events` is that of a record which does not exist."""
    return read("/".join(sent.path[2:-1])) is None


def is_no_medium(sent, field):
    medium = sent.uuid(field)
    return medium is not None and read(f"media/{medium}") is None


def names_its_id(sent, _):
    return b'name="id"' in sent.content


def needs_member(sent, field):
    """The entry lacks a member, or a value, that its type needs."""
    entry = sent.value(field.partition(".")[0])
    if field.endswith("]"):
        values = ("booleanValue", "numberValue", "textValue", "mediaIds")
        return entry["type"] == "RESULT" and all(entry.get(value) in (None, []) for value in values)
    name = field.rpartition(".")[2]
    types = {"stepId": ("SCAN", "RESULT", "FINISH_STEP"), "actionId": ("RESULT",), "technology": ("SCAN",)}
    return entry["type"] in types[name] and entry.get(name) is None


# What an exception names in `only`.
CONDITIONS = {
    "no such location": no_such_location,
    "no such user": no_such_user,
    "no such ACTIVE user": no_such_active_user,
    "no such medium": is_no_medium,
    "the type of the entry needs it": needs_member,
    "no such point": no_such_point,
    "no such scheduled task": no_such_task,
    "no scheduled task has it": is_without_task,
    "no plan of the location": no_plan_of_the_location,
    "no such check-list": no_such_check_list,
    "not in this record, or named twice": is_unknown_key,
    "not the series of this execution": is_other_series,
    "another user has it": another_user_has_it,
    "the id is taken": is_taken_id,
    "another action has it": is_other_action,
    "maxValue is below minValue": is_below_minimum,
    "others refer to the record": is_in_use,
    "another point has it": another_point_has_it,
    "an earlier entry names this user": is_named_before,
    "the execution is completed": is_completed,
    "the execution is not pending": is_not_pending,
    "the version is another": has_other_version,
    "the key was sent with another request": is_used_key,
    "the end is before the start": ends_before_start,
    "the time has passed": is_past,
    "a time does not exist": is_no_time,
    "no such time zone": is_no_zone,
    "the period ends before its start": is_no_period,
    "not a recurrence rule": is_no_rule,
    "a schedule has to follow": has_schedule,
    "a local time does not exist": is_no_local_time,
    "before the start of the schedule": is_before_start,
    "before the first day of the pause": is_before_first_day,
    "more than 8 different sorts": has_many_sorts,
    "the body is too large": is_large,
    "the head is too large": has_large_head,
    "not an image": is_no_image,
    "not a medium": is_of_no_known_kind,
    "another medium has the id": names_its_id,
    "null in the path": is_null_path,
    "the record does not exist": is_deleted,
}
