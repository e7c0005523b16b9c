"""The production checklist over all deployments of a folder, as items: the worst deployment decides about each."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bot.doctor.manifests import compose, documents, kubernetes
from bot.doctor.manifests.checklist import CHECKLIST, Findings, Requirement
from bot.doctor.manifests.documents import Deployment, ManifestsInvalid
from bot.doctor.manifests.workloads import workloads
from bot.doctor.report import DoctorCheck, DoctorResult, Report

_MAX_PLACES: Final = 5
"""So many places of one item are named."""
_READABLE: Final = DoctorCheck("manifests.readable", "high")
"""About what could not be judged since nobody here understands it."""
Judged = tuple[Deployment, Findings]


def assess(folder: Path) -> Report:
    """Judge every deployment of the folder. Raises ManifestsInvalid, also when nothing there would run."""
    found = documents.read(folder)
    if not any(workloads(one.objects) or compose.services(one.compose or {}) for one in found):
        raise ManifestsInvalid(f"{folder} contains no pod and no compose service")
    return judge(found)


def judge(found: Sequence[Deployment]) -> Report:
    """Judge what was read."""
    judged: list[Judged] = []
    unread: list[str] = []
    for one in found:
        unread += one.unread
        if one.compose is None:
            judged.append((one, kubernetes.judge(one.objects)))
        else:
            judged.append((one, compose.judge(one.compose)))
            unread += [f"{one.source}: {key}" for key in compose.unread(one.compose)]
    items = [_item(name, requirement, judged, is_many=len(found) > 1) for name, requirement in CHECKLIST.items()]
    return Report((_readable(unread), *items))


def _item(name: str, requirement: Requirement, judged: list[Judged], *, is_many: bool) -> DoctorResult:
    check = DoctorCheck(name, requirement.severity)
    places, remedies, is_judged = [], [], False
    for one, findings in judged:
        said = findings.get(name)
        if said is None:
            continue
        is_judged = True
        places += [f"{one.source}: {place}" if is_many else place for place in said]
        if said:
            remedies.append(requirement.kubernetes if one.compose is None else requirement.compose)
    if places:
        return check.failed(_listed(places), " ".join(dict.fromkeys(remedies)))
    return check.passed(requirement.said) if is_judged else check.not_applicable("does not apply here")


def _readable(unread: list[str]) -> DoctorResult:
    """What other files or tools would add may make everything worse: it is no pass."""
    if not unread:
        return _READABLE.passed("every file in the folder was read")
    remedy = "Render it first (`kubectl kustomize DIR`, `docker compose config`), then check the result."
    return _READABLE.failed(f"could not be checked: {_listed(unread)}", remedy)


def _listed(places: list[str]) -> str:
    more = len(places) - _MAX_PLACES
    return "; ".join(places[:_MAX_PLACES]) + (f"; and {more} more" if more > 0 else "")
