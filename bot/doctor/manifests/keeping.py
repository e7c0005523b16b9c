"""Whether what Kubernetes manifests write stays: the database's files, and backups of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, Final

from bot.doctor.manifests import commands, containers
from bot.doctor.manifests.checklist import BACKUPS_KEY, Findings
from bot.doctor.manifests.containers import mapping
from bot.doctor.manifests.cron import ScheduleInvalid, longest_pause
from bot.doctor.manifests.workloads import Container, Object, Workload, is_scaled, scalers

HOME: Final = "/var/lib/countersign"
"""The folder that our image works in."""
_MAX_PAUSE_DAYS: Final = 7
"""Backups that are made less often than each week are none for a database that changes every day."""
_NOWHERE: Final = frozenset({"", "none", "no", "false", "todo", "tbd", "nowhere", "n/a", "-", "null"})
"""What an annotation says when backups are made nowhere."""


def judge(objects: Sequence[Object], found: Sequence[Workload]) -> Findings:
    """Every requirement about what has to stay."""
    return {"reliability.database": _databases(objects, found), "reliability.backups": list(_backups(found))}


def sqlite_file(part: Container) -> str | None:
    """The path of the SQLite file that a server of ours writes; None where it uses another database, or nobody can know."""
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
    said = url if is_set else "sqlite:///countersign.db"
    if not said or not said.startswith("sqlite:"):
        return None
    return str(PurePosixPath(home) / said.partition("///")[2].partition("?")[0])


def _databases(objects: Sequence[Object], found: Sequence[Workload]) -> list[str] | None:
    said: list[str] = []
    is_judged = False
    for one in (one for one in found if one.is_lasting):
        for part in one.containers:
            file = sqlite_file(part)
            is_judged |= file is not None or containers.is_store_server(part.spec.get("image"), part.command)
            said += [f"{one.name}, container {part.name}: {why}" for why in _lost(one, part, file)]
            is_copied = (
                one.replicas > 1
                or one.kind == "DaemonSet"
                or any(is_scaled(one, scaler) for scaler in scalers(objects))
            )
            said += [f"{one.name}: several pods would run, and SQLite is for one process"] if file and is_copied else []
    return said if is_judged else None


def _lost(one: Workload, part: Container, file: str | None) -> Iterator[str]:
    if file is not None:
        if not one.keeps(part, file):
            yield f"the SQLite file {file} is on no volume that stays, so the records are lost when the pod ends"
    elif (
        containers.is_store_server(part.spec.get("image"), part.command)
        and _is_database(part)
        and not one.has_volume(part)
    ):
        yield "the database's files are on no volume that stays, so the records are lost when the pod ends"


def _is_database(part: Container) -> bool:
    return any(
        name in str(part.spec.get("image")).lower() for name in ("postgres", "timescale")
    ) and "bouncer" not in str(part.spec.get("image"))


def _backups(found: Sequence[Workload]) -> Iterator[str]:
    meant = [
        (one, part)
        for one in found
        if one.kind == "CronJob"
        for part in one.containers
        if commands.says_backup([one.name, part.name, *part.command])
    ]
    why = [f"{one.name}, container {part.name}: {reason}" for one, part in meant if (reason := _idle(one, part))]
    if len(why) >= len({one.name for one, _ in meant}):
        yield from without_backups(why, (one.annotations for one in found))


def without_backups(why: Sequence[str], said: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Why no backups are made, unless an annotation or label says in words where they are; `why` is of what should make some."""
    if all(str(one.get(BACKUPS_KEY, "")).strip().lower() in _NOWHERE for one in said):
        yield from why or ["nothing makes backups of the database"]


def _idle(one: Workload, part: Container) -> str:
    """Why this part of a CronJob keeps no backup; "" where it does."""
    spec = mapping(one.object, "spec")
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
    return commands.no_backup(part.command, is_kept=lambda path: one.keeps(part, path), has_volume=one.has_volume(part))
