"""Whether what Kubernetes manifests write stays: the database's files, and backups of them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any, Final

from bot.doctor.manifests import command_lines, containers
from bot.doctor.manifests.checklist import BACKUPS_KEY, Findings
from bot.doctor.manifests.containers import mapping, mappings
from bot.doctor.manifests.workloads import Container, Object, Workload, is_scaled, scalers

_MACROS: Final = {
    "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0", "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
}  # fmt: skip
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS: Final = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_FIELDS: Final = ((0, 59, ()), (0, 23, ()), (1, 31, ()), (1, 12, _MONTHS), (0, 6, _DAYS))
_FIRST, _DAYS_LOOKED_AT = date(2024, 1, 1), 2 * (4 * 365 + 1)  # From a leap year on, every date comes twice.


class ScheduleInvalid(Exception):
    """Kubernetes would not take this schedule; the message says why."""


def longest_pause(schedule: str) -> int | None:
    """The most days from one firing to the next (1: daily or more often); None when it never fires. Raises ScheduleInvalid."""
    fields = _MACROS.get(schedule.strip(), schedule).split()
    if fields[:1] == ["@every"]:  # Kubernetes' parser (robfig/cron) takes a duration, too.
        hours = re.match(r"(\d+)h", "".join(fields[1:]))
        return max(1, -(-int(hours[1]) // 24)) if hours else 1
    if len(fields) != len(_FIELDS):
        raise ScheduleInvalid(f"`{schedule}` has {len(fields)} fields, not 5")
    _minutes, _hours, days, months, weekdays = (
        _values(field, low, high, names) for field, (low, high, names) in zip(fields, _FIELDS, strict=True)
    )
    every = [_FIRST + timedelta(count) for count in range(_DAYS_LOOKED_AT)]
    meant = any if not {"*", "?"} & {fields[2], fields[4]} else all  # Either is enough only where both are said
    fired = [day for day in every if day.month in months and meant((day.day in days, day.isoweekday() % 7 in weekdays))]
    return max(((later - earlier).days for earlier, later in pairwise(fired)), default=None)


def _values(field: str, low: int, high: int, names: tuple[str, ...]) -> set[int]:
    found: set[int] = set()
    for part in field.split(","):
        span, is_stepped, step = part.partition("/")
        first, is_span, last = span.partition("-")
        if span in ("*", "?"):
            start, end = low, high
        else:
            start = _number(first, low, names)
            end = _number(last, low, names) if is_span else (high if is_stepped else start)
        every = int(step) if step.isdecimal() else 0
        if not low <= start <= end <= high or (is_stepped and not every):
            raise ScheduleInvalid(f"`{part}` is not between {low} and {high}")
        found |= set(range(start, end + 1, every or 1))
    return found


def _number(text: str, low: int, names: tuple[str, ...]) -> int:
    if text.lower() in names:
        return names.index(text.lower()) + low
    if not text.isdecimal():
        raise ScheduleInvalid(f"`{text}` is no number")
    return int(text)


HOME: Final = "/var/lib/countersign"  # Our image works there.
_MAX_PAUSE_DAYS: Final = 7  # Backups made less often are none for a database that changes every day.
# An annotation says so when backups are made nowhere.
_NOWHERE: Final = frozenset({"", "none", "no", "false", "todo", "tbd", "nowhere", "n/a", "-", "null"})


def judge(objects: Sequence[Object], found: Sequence[Workload]) -> Findings:
    """Every requirement about what has to stay."""
    return {"reliability.database": _databases(objects, found), "reliability.backups": list(_backups(found))}


def sqlite_file(part: Container) -> str | None:
    """The path of the SQLite file that a server of ours writes; None where it uses another database, or that is not known."""
    if part.listens is None:
        return None
    url = part.variables.get("COUNTERSIGN_DATABASE_URL")
    is_elsewhere = "COUNTERSIGN_DATABASE_URL_FILE" in part.variables or part.has_more
    return path_of(
        url,
        str(part.spec.get("workingDir") or HOME),
        is_set="COUNTERSIGN_DATABASE_URL" in part.variables or is_elsewhere,
    )


def path_of(url: str | None, home: str, *, is_set: bool) -> str | None:
    """The file of a SQLite address; that of the default where no address is set; None for another database, or one unknown."""
    said = url if is_set else "sqlite:///countersign.db"  # The default of COUNTERSIGN_DATABASE_URL.
    if not said or not said.startswith("sqlite:"):
        return None
    return str(PurePosixPath(home) / said.partition("///")[2].partition("?")[0])


def _databases(objects: Sequence[Object], found: Sequence[Workload]) -> list[str] | None:
    said: list[str] = []
    is_judged = False
    for workload in (workload for workload in found if workload.is_lasting):
        for part in workload.containers:
            file = sqlite_file(part)
            is_judged |= file is not None or containers.is_store_server(part.spec.get("image"), part.command)
            said += [f"{workload.name}, container {part.name}: {why}" for why in _lost(workload, part, file)]
            is_copied = (
                workload.replicas > 1
                or workload.kind == "DaemonSet"
                or any(is_scaled(workload, scaler) for scaler in scalers(objects))
            )
            said += (
                [f"{workload.name}: several pods would run, and SQLite is for one process"]
                if file and is_copied
                else []
            )
    return said if is_judged else None


def _lost(workload: Workload, part: Container, file: str | None) -> Iterator[str]:
    if file is not None:
        if not workload.keeps(part, file):
            yield f"the SQLite file {file} is on no volume that stays, so the records are lost when the pod ends"
    elif (
        containers.is_store_server(part.spec.get("image"), part.command)
        and _is_database(part)
        and not workload.has_volume(part)
    ):
        yield "the database's files are on no volume that stays, so the records are lost when the pod ends"


def _is_database(part: Container) -> bool:
    # Of these servers Countersign uses PostgreSQL alone; PgBouncer may be called after it, and keeps nothing.
    return any(
        name in str(part.spec.get("image")).lower() for name in ("postgres", "timescale")
    ) and "bouncer" not in str(part.spec.get("image"))


def _backups(found: Sequence[Workload]) -> Iterator[str]:
    meant = [
        (workload, part, _idle(workload, part))
        for workload in found
        if workload.kind == "CronJob"
        for part in workload.containers
        if command_lines.says_backup([workload.name, part.name, *part.command])
    ]
    # One container that keeps a backup is enough.
    if all(reason for _, _, reason in meant):
        why = [f"{workload.name}, container {part.name}: {reason}" for workload, part, reason in meant]
        yield from without_backups(why, (workload.annotations for workload in found))


def without_backups(why: Sequence[str], said: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The reasons `why` no backups are made, unless an annotation or label says in words where they are."""
    if all(str(labels.get(BACKUPS_KEY, "")).strip().lower() in _NOWHERE for labels in said):
        yield from why or ["nothing makes backups of the database"]


def _idle(workload: Workload, part: Container) -> str:
    spec = mapping(workload.object, "spec")
    job = mapping(spec, "jobTemplate", "spec")
    if spec.get("suspend") or job.get("suspend"):
        return "suspend is true"
    if job.get("parallelism") == 0 or job.get("completions") == 0:
        return "its jobs run no pod (parallelism or completions is 0)"
    try:
        pause = longest_pause(str(spec.get("schedule", "")))
    except ScheduleInvalid as invalid:
        return f"schedule: {invalid}"
    if pause is None:
        return f"the schedule `{spec.get('schedule')}` never fires"
    if pause > _MAX_PAUSE_DAYS:
        return f"the schedule `{spec.get('schedule')}` leaves {pause} days without a backup"
    # What one container writes, another of the pod may take elsewhere.
    taken = {
        str(mount.get("name"))
        for other in workload.containers
        if command_lines.sends(other.command)
        for mount in mappings(other.spec.get("volumeMounts"))
    }
    return command_lines.no_backup(
        part.command,
        is_kept=lambda path: workload.volume_at(part, path) in workload.lasting_volumes | taken,
        has_volume=workload.has_volume(part),
    )
