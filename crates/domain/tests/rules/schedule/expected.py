"""Writes random.txt: random recurrence rules with what python-dateutil makes of them.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install python-dateutil==2.9.0.post0 tzdata==2026.6
    PYTHONTZPATH= /tmp/venv/bin/python expected.py > random.txt
    PYTHONTZPATH= /tmp/venv/bin/python expected.py 17 # what line 17 stands for

A line `@ZONE START FROM` holds for the lines after it: a rule, and the FNV-1a hash (32 bits) of its
first 20 occurrences and its first 10 from FROM. An occurrence is `UTC,LOCAL,OFFSET;` in seconds;
LOCAL is the time after moving it out of a gap. Only occurrences before 2101 are there.

Where python-dateutil and Patrol differ on purpose (ADR 37), this script does what Patrol does: the
start is always the first occurrence, and UNTIL in UTC is an instant. What python-dateutil reads
otherwise than RFC 5545 is not among the rules: BYDAY with and without numbers in one list, and
BYWEEKNO beyond 51 and -51: it takes the number of weeks of the last year from this one, and knows no
week 1 of the next year by its number from the end.
"""

import datetime
import random
import sys
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr

ZONES = [
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "America/Sao_Paulo",
    "Antarctica/Troll",
    "Africa/Casablanca",
]
BLOCKS, RULES = 125, 40
FIRST, LATER = 20, 10
DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
EPOCH = datetime.datetime(1970, 1, 1)
LAST_YEAR = 2100
# python-dateutil searches rules without occurrences up to this year.
datetime.MAXYEAR = LAST_YEAR


def pick(chance, low, high, most=3, signed=False):
    """A list of numbers for a BY part, or nothing."""
    if random.random() >= chance:
        return None
    numbers = random.sample(range(low, high + 1), min(random.randint(1, most), high - low + 1))
    if signed and random.random() < 0.4:
        numbers = [-number for number in numbers]
    return ",".join(map(str, numbers))


def weekdays(freq, has_weeks, has_months):
    days = random.sample(DAYS, random.randint(1, 3))
    if freq in ("MONTHLY", "YEARLY") and not has_weeks and random.random() < 0.6:
        most = 5 if freq == "MONTHLY" or has_months else 53
        numbers = [n for n in range(-most, most + 1) if n]
        days = [f"{random.choice(numbers)}{day}" for day in days]
    return ",".join(days)


def random_rule(start):
    freq = random.choice(["HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"])
    parts = {"FREQ": freq}
    if random.random() < 0.5:
        parts["INTERVAL"] = random.choice([2, 3, 4, 5, 6, 7, 12, random.randint(8, 60)])
    parts["BYMONTH"] = pick(0.25, 1, 12, 4)
    if freq == "YEARLY":
        parts["BYWEEKNO"] = pick(0.2, 1, 51, 3, signed=True)
        if random.random() < 0.05:
            parts["BYWEEKNO"] = random.choice(["51", "51,1", "50,51", "-1,1"])
    if freq in ("YEARLY", "HOURLY"):
        parts["BYYEARDAY"] = pick(0.12, 1, 366, 3, signed=True)
    if freq != "WEEKLY":
        parts["BYMONTHDAY"] = pick(0.25, 1, 31, 4, signed=True)
    if random.random() < 0.45:
        parts["BYDAY"] = weekdays(freq, parts.get("BYWEEKNO"), parts["BYMONTH"])
    if random.random() < 0.25 and freq != "HOURLY":
        parts["BYHOUR"] = pick(1, 0, 23, 3)
    elif freq == "HOURLY":
        parts["BYHOUR"] = pick(0.2, 0, 23, 8)
    parts["BYMINUTE"] = pick(0.15, 0, 59, 3)
    parts["BYSECOND"] = pick(0.05, 0, 59, 1)
    if random.random() < 0.25 and any(name[:2] == "BY" and value for name, value in parts.items()):
        parts["BYSETPOS"] = pick(1, 1, random.choice([2, 5, 30]), 3, signed=True)
    if random.random() < 0.2:
        parts["WKST"] = random.choice(DAYS)
    end = random.random()
    if end < 0.25:
        parts["COUNT"] = random.choice([1, 2, 7, 25, 100, random.randint(1, 999)])
    elif end < 0.45:
        until = start + datetime.timedelta(seconds=random.randint(0, 3 * 365 * 86400))
        parts["UNTIL"] = until.strftime("%Y%m%dT%H%M%S") + random.choice(["", "Z"])
    items = [f"{name}={value}" for name, value in parts.items() if value]
    if random.random() < 0.3:
        random.shuffle(items)
    return ";".join(items)


def local_times(rule, start):
    """The local times of a rule, from the start."""
    parts = dict(part.split("=") for part in rule.split(";"))
    count, until = parts.pop("COUNT", None), parts.get("UNTIL", "")
    if until.endswith("Z"):
        del parts["UNTIL"]
    rest = ";".join(f"{name}={value}" for name, value in parts.items())
    yield start
    left = int(count) - 1 if count else None
    try:
        times = rrulestr(rest, dtstart=start)
    except ValueError as error:
        if "empty set" not in str(error):
            raise
        return  # INTERVAL never reaches an hour of BYHOUR
    for time in times:
        if left == 0 or time.year > LAST_YEAR:
            return
        if time > start:
            yield time
            left = left and left - 1


def occurrences(rule, zone, start, after, most):
    """The first occurrences from the instant `after`: (UTC, local, offset)."""
    until = dict(part.split("=") for part in rule.split(";")).get("UNTIL", "")
    until = int(as_utc(until)) if until.endswith("Z") else None
    found = set()
    # A gap moves a time by two hours at most, so that later ones cannot come before these.
    wanted = most + 30
    for time in local_times(rule, start):
        at = int(time.replace(tzinfo=zone).timestamp())
        if until is not None and at > until and time != start:
            if at > until + 86400:
                break
            continue
        if at >= after:
            local = datetime.datetime.fromtimestamp(at, zone)
            offset = int(local.utcoffset().total_seconds())
            found.add((at, at + offset, offset))
            if len(found) == wanted:
                break
    return sorted(found)[:most]


def as_utc(text):
    time = datetime.datetime.strptime(text, "%Y%m%dT%H%M%SZ")
    return (time - EPOCH).total_seconds()


def fnv(text):
    value = 0x811C9DC5
    for byte in text.encode():
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value


def expected(rule, zone, start, after):
    found = occurrences(rule, zone, start, -(10**12), FIRST)
    found += occurrences(rule, zone, start, after, LATER)
    return "".join(f"{at},{local},{offset};" for at, local, offset in found)


def main():
    shown = int(sys.argv[1]) if len(sys.argv) > 1 else None
    random.seed(5545)
    line = 0
    for _ in range(BLOCKS):
        name = random.choice(ZONES)
        start = EPOCH + datetime.timedelta(days=random.randint(0, 125 * 365))
        hour = random.choice([random.randint(0, 3), random.randint(0, 23)])
        start += datetime.timedelta(hours=hour, minutes=random.choice([0, 30, random.randint(0, 59)]))
        after = start + datetime.timedelta(days=random.randint(1, 400))
        line += 1
        if shown is None:
            print(f"@{name} {start.isoformat()} {after.isoformat()}")
        for _ in range(RULES):
            rule = random_rule(start)
            line += 1
            if shown not in (None, line):
                continue
            after_utc = int((after - EPOCH).total_seconds())
            text = expected(rule, ZoneInfo(name), start, after_utc)
            if shown is None:
                print(f"{rule} {fnv(text):08x}")
            else:
                print(name, start.isoformat(), after.isoformat(), rule, *text.split(";"), sep="\n")


main()
