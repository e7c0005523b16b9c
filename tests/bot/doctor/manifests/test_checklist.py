"""The checklist's ids are an interface; every item says what holds and what to do."""

from bot.doctor.doctor_report import WEIGHTS
from bot.doctor.manifests.checklist import CHECKLIST

PUBLISHED = [
    "observability.logs", "observability.metrics", "observability.tracing", "reliability.anti-affinity",
    "reliability.autoscaling", "reliability.backups", "reliability.database", "reliability.disruption-budget",
    "reliability.probes", "reliability.replicas", "reliability.resources", "reliability.restart", "reliability.selectors",
    "reliability.topology-spread", "security.capabilities", "security.confinement", "security.exposure",
    "security.host-namespaces", "security.host-paths", "security.host-ports", "security.image", "security.namespace",
    "security.network-policy", "security.non-root", "security.privilege-escalation", "security.privileged",
    "security.proc-mount", "security.rbac", "security.read-only-root", "security.seccomp", "security.secrets",
    "security.service-account-token", "security.shared-processes", "security.sysctls", "security.tls",
]  # fmt: skip


def test_the_ids_of_the_checklist_stay():
    assert sorted(CHECKLIST) == PUBLISHED


def test_every_item_has_a_weight_and_a_remedy():
    for value in CHECKLIST.values():
        assert value.severity in WEIGHTS
        assert value.said
        assert value.kubernetes or value.compose
        assert not {text[-1] for text in (value.kubernetes, value.compose) if text} - {"."}
