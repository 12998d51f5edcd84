"""Hooks of schemathesis: the exceptions of `exceptions.toml`, the administrator who stays one, and
the figures that the test looks at afterwards."""

import atexit
import json
import os
import re
import sys
import tomllib
from collections import Counter
from itertools import count
from pathlib import Path

import schemathesis

FOLDER = Path(__file__).parent
sys.path.append(str(FOLDER))
from conditions import ADMINISTRATOR, CONDITIONS, Sent, keys  # noqa: E402

# The ADMINISTRATOR is the user whom the run's credential names. Changes of this user are sent to an id
# without a record. The credential is a JWT, which no request can revoke.
NO_RECORD = "00000000-0000-7000-8000-000000000000"

# The most seconds that a request for events waits; the short run has no time for 30.
LONGEST_WAIT = int(os.environ.get("VERIFY_LONGEST_WAIT", "30"))

EXCEPTIONS = tomllib.loads((FOLDER / "exceptions.toml").read_text())["exception"]

# Random ids name no record. So three of four ids of a request are those of the demo: by the name of
# the member, the kind and the number of records. A path is named by the record in it. Steps and
# actions get no id, which makes new ones.
DEMO = {
    "/task-executions/": (8, 300),
    "/users/": (4, 25),
    "/locations/": (1, 12),
    "/locations/points/": (3, 40),
    "/check-lists/actions/": (6, 10),
    "/check-lists/": (5, 4),
    "/locations/graphic-plans/": (2, 112),
    "locationId": (1, 12),
    "locationIds": (1, 12),
    "assigneeIds": (4, 25),
    "userId": (4, 25),
    "pointId": (3, 40),
}
UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")

# By operation: how often it was called, and how often it succeeded. By exception: how often it was
# needed.
called, succeeded, needed = Counter(), Counter(), Counter()

# schemathesis sends the same Idempotency-Key with most requests, which only the first of them may: so
# seven of eight keys are replaced by the next of these numbers.
KEY = re.compile("[!-~]{1,255}")
numbers = count(1)

# The records that no request deletes.
kept = set()


def name_of(case):
    return case.operation.definition.raw["operationId"]


def faults(response):
    """The code and the field of each fault in an error."""
    error = response.json()
    details = error.get("details") or [error]
    return [(detail["code"], detail.get("identifier", "")) for detail in details]


def known(name, sent, within=""):
    """The value that is sent in this place: an id may become one of the demo."""
    if isinstance(sent, list):
        return [known(name, value, within) for value in sent]
    if isinstance(sent, dict):
        return {member: known(member, value, name) for member, value in sent.items()}
    if not isinstance(sent, str) or not UUID.fullmatch(sent):
        return sent
    number = int(sent.replace("-", ""), 16)
    if number % 4 == 0:
        return sent
    if within in ("steps", "actions") and name in ("id", "seriesId"):
        return None
    if name not in DEMO:
        return sent
    kind, records = DEMO[name]
    return f"0190de30-{kind:04x}-7000-8000-{number // 4 % records + 1:012x}"


def excepted(check, case, response, code, field):
    """Whether an exception allows this fault for the request that was sent."""
    sent = Sent(response, case.operation)
    any_index = re.sub(r"\[\d+\]", "[]", field)
    for number, exception in enumerate(EXCEPTIONS):
        if (
            check == exception.get("check", "positive_data_acceptance")
            and name_of(case) in exception.get("operations", [name_of(case)])
            and response.status_code == exception["status"]
            and code == exception.get("code")
            and any_index in exception.get("fields", [""])
            and CONDITIONS[exception["only"]](sent, field)
        ):
            needed[number] += 1
            return True
    return False


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Drops a failure if every fault of the answer is an exception."""
    [check, *_] = [*failure.checks, ""]
    found = faults(response) if response.status_code >= 400 else [(None, "")]
    return not all(excepted(check, case, response, *fault) for fault in found)


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    if path_parameters and "id" in path_parameters:
        place = context.operation.path.partition("{")[0]
        path_parameters["id"] = known(place, path_parameters["id"])
    return path_parameters


@schemathesis.hook
def map_body(context, body):
    return known("", body)


@schemathesis.hook
def after_load_schema(context, schema):
    """Finds the records that the examples of reads and changes use, which have to stay."""
    for item in schema.raw_schema["paths"].values():
        for method, operation in item.items():
            for parameter in operation["parameters"]:
                if method != "delete" and parameter.get("in") == "path":
                    kept.add(parameter.get("example"))


def is_anonymous(case):
    """Whether schemathesis leaves the credential out; with another header it would send it again."""
    return case.meta is not None and getattr(case.meta.phase.data, "parameter", None) == "Authorization"


@schemathesis.hook
def before_call(context, case, kwargs):
    record = (case.path_parameters or {}).get("id")
    if case.method == "DELETE" and record in kept:
        case.path_parameters["id"] = NO_RECORD
    if name_of(case) in ("patchUser", "deleteUser") and record == ADMINISTRATOR:
        case.path_parameters["id"] = NO_RECORD
    if name_of(case) == "postUserBatch" and isinstance(case.body, list):
        for entry in case.body:
            if isinstance(entry, dict) and entry.get("id") == ADMINISTRATOR:
                entry["id"] = NO_RECORD
    key = (case.headers or {}).get("Idempotency-Key")
    if isinstance(key, str) and KEY.fullmatch(key) and not is_anonymous(case):
        number = next(numbers)
        if number % 8:
            case.headers["Idempotency-Key"] = str(number).rjust(len(key), "0")
    query = case.query or {}
    if isinstance(query.get("wait"), int) and LONGEST_WAIT < query["wait"] <= 30:
        query["wait"] = LONGEST_WAIT


@schemathesis.hook
def after_call(context, case, response):
    called[name_of(case)] += 1
    succeeded[name_of(case)] += 200 <= response.status_code < 300
    sent = Sent(response, case.operation)
    if key := sent.headers.get("Idempotency-Key"):
        keys.setdefault(key, set()).add(sent.fingerprint())


@atexit.register
def write_figures():
    report = os.environ.get("VERIFY_REPORT")
    if report:
        unused = [e["reason"] for number, e in enumerate(EXCEPTIONS) if not needed[number]]
        Path(report).write_text(
            json.dumps({"called": called, "succeeded": succeeded, "unused": unused}, indent=1)
        )
