"""One trace a delivery: its parts find each other by the GUID alone, in every process; off, nothing is loaded."""

import subprocess
import sys

import pytest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from bot.telemetry import tracing

GUID, OTHER = "72d3162e-cc78-11e3-81ab-4c9367dc0958", "82d3162e-cc78-11e3-81ab-4c9367dc0958"


@pytest.fixture(name="spans")
def _spans():
    """What was sent, while tracing is on; the collector itself is not there."""
    tracing.begin("http://127.0.0.1:9", "all")
    kept = InMemorySpanExporter()
    provider = tracing._provider
    provider._active_span_processor._span_processors[0].shutdown()
    provider._active_span_processor._span_processors = (SimpleSpanProcessor(kept),)
    yield kept.get_finished_spans
    tracing.end()


def test_the_parts_of_a_delivery_are_one_trace_across_processes(spans):
    with tracing.job("review", [GUID], {"number": 9, "head": None}):
        assert len(tracing.current()) == 32
        with tracing.call("GET /repos/…", "installation"):
            pass
    with tracing.delivery_received(GUID):
        tracing.annotate(repository="cann/ops-math")
    call, job, root = spans()

    assert {span.context.trace_id for span in (call, job, root)} == {root.context.trace_id}
    assert (root.parent, job.parent.span_id, call.parent.span_id) == (None, root.context.span_id, job.context.span_id)
    assert dict(root.attributes) == {"countersign.delivery": GUID, "countersign.repository": "cann/ops-math"}
    assert dict(job.attributes) == {"countersign.delivery": GUID, "countersign.number": 9}
    assert [span.kind.name for span in (root, job, call)] == ["SERVER", "CONSUMER", "CLIENT"]


def test_another_delivery_is_another_trace_with_a_link(spans):
    for guid in (GUID, OTHER):
        with tracing.delivery_received(guid):
            pass
    with tracing.job("review", [OTHER, GUID], {}):
        pass
    first, second, job = spans()

    assert first.context.trace_id != second.context.trace_id
    assert job.context.trace_id == second.context.trace_id
    assert [link.context.span_id for link in job.links] == [first.context.span_id]


def test_work_without_a_delivery_has_no_trace(spans):
    with tracing.job("review", [], {}), tracing.call("GET /rate_limit", "nobody"):
        assert tracing.current() is None
        tracing.annotate(conclusion="success")
    assert spans() == ()


def test_of_an_error_only_its_kind_is_told(spans):
    """The text of an error may hold values."""
    with pytest.raises(ValueError, match="huawei"), tracing.delivery_received(GUID):
        raise ValueError("ada@huawei.com")
    (span,) = spans()
    assert (span.status.status_code.name, span.status.description, span.events) == ("ERROR", "ValueError", ())
    assert "huawei" not in span.to_json()


def test_without_an_endpoint_opentelemetry_is_not_loaded():
    program = """
import sys
from bot.telemetry import tracing
tracing.begin("", "all")
with tracing.delivery_received("g"), tracing.job("review", ["g"], {}), tracing.call("GET /", "app"):
    tracing.annotate(a=1)
    print(tracing.current(), "opentelemetry" in sys.modules)
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "None False\n"
