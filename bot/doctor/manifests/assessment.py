"""The production checklist over all deployments of a folder, as items: the worst deployment decides about each."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bot.doctor.manifests import compose, documents, kubernetes
from bot.doctor.manifests.checklist import CHECKLIST, Requirement
from bot.doctor.manifests.documents import Deployment, ManifestsInvalid
from bot.doctor.manifests.workloads import workloads
from bot.doctor.report import Item, Report, Status

_SHOWN: Final = 5
"""So many places of one item are named."""
READABLE: Final = "manifests.readable"
"""The item about what could not be judged since nobody here understands it."""


def assess(folder: Path) -> Report:
    """Judge every deployment of the folder. Raises ManifestsInvalid, also when nothing there would run."""
    found = documents.read(folder)
    if not any(workloads(one.objects) or compose.services(one.compose or {}) for one in found):
        raise ManifestsInvalid(f"{folder} contains no pod and no compose service")
    return judge(found)


def judge(found: Sequence[Deployment]) -> Report:
    """Judge what was read."""
    judged = [_judged(one) for one in found]
    unread = [place for one in found for place in _unread(one)]
    items = [_item(name, requirement, judged, is_many=len(found) > 1) for name, requirement in CHECKLIST.items()]
    return Report((_readable(unread), *items))


Judged = tuple[Deployment, dict[str, list[str] | None]]


def _judged(one: Deployment) -> Judged:
    if one.compose is not None:
        return one, compose.judge(one.compose)
    return one, {name: None if said is None else list(said) for name, said in kubernetes.judge(one.objects).items()}


def _unread(one: Deployment) -> list[str]:
    inherited = [f"{one.source}: {key}" for key in compose.unread(one.compose)] if one.compose is not None else []
    return [*one.unread, *inherited]


def _item(name: str, requirement: Requirement, judged: list[Judged], *, is_many: bool) -> Item:
    places, remedies, is_judged = [], [], False
    for one, findings in judged:
        said = findings.get(name)
        if said is None:
            continue
        is_judged = True
        places += [f"{one.source}: {place}" if is_many else place for place in said]
        if said:
            remedies.append(requirement.kubernetes if one.compose is None else requirement.compose)
    status: Status = "fail" if places else "pass" if is_judged else "not-applicable"
    message = _listed(places) if places else requirement.said if is_judged else "does not apply here"
    category = name.partition(".")[0]
    return Item(name, category, requirement.severity, status, message, " ".join(dict.fromkeys(remedies)))


def _readable(unread: list[str]) -> Item:
    """What other files or tools would add may make everything worse: it is no pass."""
    if not unread:
        return Item(READABLE, "manifests", "high", "pass", "every file in the folder was read")
    return Item(
        READABLE, "manifests", "high", "fail", f"could not be checked: {_listed(unread)}",
        "Render it first (`kubectl kustomize DIR`, `docker compose config`), then check the result.",
    )  # fmt: skip


def _listed(places: list[str]) -> str:
    more = len(places) - _SHOWN
    return "; ".join(places[:_SHOWN]) + (f"; and {more} more" if more > 0 else "")
