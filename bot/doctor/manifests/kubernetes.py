"""The checklist over Kubernetes objects: for each requirement what does not meet it, as clauses that name the object."""

from collections.abc import Sequence

from bot.doctor.manifests import access, availability, keeping, pod_security, probes, traffic
from bot.doctor.manifests.checklist import Findings
from bot.doctor.manifests.workloads import Object, settled, workloads


def judge(objects: Sequence[Object]) -> Findings:
    """Every requirement over these objects, which are one deployment."""
    together = settled(objects)
    found = workloads(together)
    judged = pod_security.judge(together, found)
    for part in (access, traffic, probes, keeping, availability):
        judged |= part.judge(together, found)
    return judged
