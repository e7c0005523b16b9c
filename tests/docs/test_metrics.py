"""Names and labels of metrics; docs/reference/metrics.csv is made of them."""

from bot.monitoring.metrics_endpoint import GitHubNumbers
from bot.telemetry.metrics import REGISTRY

LABELS = {"version", "role", "level", "endpoint", "status", "outcome", "queue", "job", "kind", "conclusion", "caller", "reason", "scope", "installation", "chore", "what"}  # fmt: skip
"""What a series may be told apart by: short lists, and the installations that are served."""


def metrics():
    """Name → type and labels, of our own."""
    made = {}
    for collector in REGISTRY._collector_to_names:
        if not hasattr(collector, "_labelnames"):  # what the library itself says of the process
            continue
        for family in collector.describe():
            name = f"{family.name}_total" if family.type == "counter" else family.name
            made[name] = (family.type, tuple(collector._labelnames))
    for family in GitHubNumbers(tuple).collect():
        made[family.name] = (family.type, tuple(family._labelnames))
    return made


def test_a_metrics_name_says_its_unit_and_no_label_names_a_person():
    for name, (kind, labels) in metrics().items():
        assert name.startswith("countersign_"), name
        assert (kind == "counter") == name.endswith("_total"), name
        assert kind != "histogram" or name.endswith("_seconds"), name
        assert LABELS.issuperset(labels), name
