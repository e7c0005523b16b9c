"""The production checklist over all deployments of a folder, as items: the worst deployment decides about each."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bot.doctor.doctor_report import DoctorCheck, DoctorResult, Report
from bot.doctor.manifests import compose, compose_file, kubernetes, manifest_documents
from bot.doctor.manifests.checklist import CHECKLIST, Findings, Requirement
from bot.doctor.manifests.manifest_documents import Deployment
from bot.doctor.manifests.manifest_files import ManifestsInvalid
from bot.doctor.manifests.workloads import of_kind, shown

_MAX_PLACES: Final = 5  # Places of one item that are named.
_READABLE: Final = DoctorCheck("manifests.readable", "high")  # Files whose format or kind is not supported.
# Kinds of Argo CD, Flux and K3s that make a cluster fetch manifests from elsewhere.
_DEPLOYERS: Final = ("Application", "ApplicationSet", "HelmRelease", "HelmChart", "Kustomization")
Judged = tuple[Deployment, Findings]


def assess(folder: Path) -> Report:
    """Judge every deployment of the folder. Raises ManifestsInvalid, also when nothing there could be judged."""
    found = manifest_documents.read(folder)
    if not any(deployment.is_ours for deployment in found):
        if unread := [why for deployment in found for why in (*deployment.unread, deployment.missing) if why]:
            raise ManifestsInvalid(f"nothing in {folder} could be judged: {_listed(unread)}")
        raise ManifestsInvalid(
            f"{folder} contains no pod and no compose service of Countersign (an image or a command of that name, or a setting COUNTERSIGN_…)"
        )
    return judge(found)


def judge(found: Sequence[Deployment]) -> Report:
    """Judge what was read. A deployment that Countersign is no part of is left out, and named."""
    judged: list[Judged] = [(deployment, _findings(deployment)) for deployment in found if deployment.is_ours]
    items = [_item(name, requirement, judged, is_many=len(judged) > 1) for name, requirement in CHECKLIST.items()]
    return Report((_readable(found), *items))


def _findings(deployment: Deployment) -> Findings:
    if deployment.compose is None:
        return kubernetes.judge(deployment.objects)
    found = compose.judge(deployment.compose)
    return found | {"security.secrets": [*(found["security.secrets"] or ()), *deployment.exposed]}


def _item(name: str, requirement: Requirement, judged: list[Judged], *, is_many: bool) -> DoctorResult:
    check = DoctorCheck(name, requirement.severity)
    places, remedies, is_judged = [], [], False
    for deployment, findings in judged:
        said = findings.get(name)
        if said is None:
            continue
        is_judged = True
        places += [f"{deployment.source}: {place}" if is_many else place for place in dict.fromkeys(said)]
        if said:
            remedies.append(requirement.kubernetes if deployment.compose is None else requirement.compose)
    if places:
        return check.failed(_listed(places), " ".join(dict.fromkeys(remedies)))
    return check.passed(requirement.said) if is_judged else check.not_applicable("does not apply here")


def _readable(found: Sequence[Deployment]) -> DoctorResult:
    # Parts that other files or tools add may be worse than all that was read: they count as not judged.
    unread = [why for deployment in found for why in deployment.unread]
    unread += [
        f"{deployment.source}: {key}"
        for deployment in found
        if deployment.compose
        for key in compose_file.unread(deployment.compose)
    ]
    unread += [
        f"{shown(deployer)} deploys what is not in these files"
        for part in found
        for deployer in of_kind(part.objects, *_DEPLOYERS)
        if not str(deployer.get("apiVersion")).startswith("app.k8s.io/")  # That kind only describes.
    ]
    if unread:
        remedy = "Render it first (`kubectl kustomize DIR`, `helm template`, `docker compose config`), then check the result."
        return _READABLE.failed(f"could not be checked: {_listed(unread)}", remedy)
    if missing := [deployment.missing for deployment in found if deployment.missing]:
        return _READABLE.unknown(
            f"could not be rendered: {_listed(missing)}",
            "Install what is missing, then run `countersign doctor` again.",
        )
    said = [deployment.read_by for deployment in found if deployment.is_ours]
    said += [
        f"{deployment.source} was left out, since Countersign is no part of it"
        for deployment in found
        if not deployment.is_ours
    ]
    return _READABLE.passed(_listed(said))


def _listed(places: list[str]) -> str:
    more = len(places) - _MAX_PLACES
    return "; ".join(places[:_MAX_PLACES]) + (f"; and {more} more" if more > 0 else "")
