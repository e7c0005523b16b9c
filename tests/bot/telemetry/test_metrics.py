"""The numbers of a process: there from the start where their labels are known, and measured also where something raises."""

import pytest
from prometheus_client.parser import text_string_to_metric_families

from bot import __version__
from bot.telemetry import metrics


def samples():
    """(name, labels) → value, as a scrape reads it."""
    families = text_string_to_metric_families(metrics.exposition().decode())
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value for family in families for sample in family.samples
    }


def test_series_with_known_labels_are_there_from_the_start():
    """An alert on an event that never happened then finds a 0."""
    found = samples()
    for name, *labels in (
        ("countersign_deliveries_total", ("outcome", "not_stored")),
        ("countersign_verdicts_total", ("conclusion", "action_required"), ("kind", "review")),
        ("countersign_github_calls_total", ("caller", "installation"), ("outcome", "limited")),
        ("countersign_http_requests_total", ("endpoint", "webhook"), ("status", "5xx")),
        ("countersign_decrypt_failures_total",),
    ):
        assert (name, *labels) in found
    assert not [name for name, *_ in found if name.endswith("_created")]
    assert found["process_resident_memory_bytes",] > 1_000_000


def test_a_process_says_its_role_and_its_release():
    metrics.describe("web")
    metrics.describe("worker")
    said = [dict(labels) for name, *labels in samples() if name == "countersign_info"]
    assert said == [{"role": "worker", "version": __version__}]


def test_a_call_that_raises_is_measured_too():
    before = samples().get(("countersign_github_call_seconds_count", ("caller", "app")), 0)
    with pytest.raises(ValueError, match="no"), metrics.GITHUB_SECONDS.labels("app").time():
        raise ValueError("no")
    assert samples()["countersign_github_call_seconds_count", ("caller", "app")] == before + 1
