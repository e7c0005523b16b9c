"""An incident is told from the log alone; a trace from a collector; an outage fills no disk."""

import json
import time

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from sqlalchemy import make_url

from tests.bot.relay import Relay
from tests.http_server import LoopbackServer, QuietHandler

pytestmark = pytest.mark.slow

STEM = "qvogelzaun"


def lines(play):
    """Every line of the log: each of them is JSON, from the first on."""
    return [json.loads(line) for line in (play.stage.folder / "serve.log").read_text().splitlines()]


def about(play, pull):
    """What an operator finds who looks for a pull request."""
    return [
        line
        for line in lines(play)
        if (line.get("repository"), line.get("number")) == (pull.repository.full_name, pull.number)
    ]


def test_the_log_tells_why_a_pull_request_is_red(play):
    play.person("x", "x@example.org")
    ada = play.person("ada", f"{STEM}@example.org", name=STEM)
    _, pull = play.opens(ada)
    play.judged(pull, "failure")

    [opened] = [line for line in about(play, pull) if line.get("action") == "opened"]
    way = [line for line in about(play, pull) if line.get("delivery") == opened["delivery"]]
    assert [(line["event"], line.get("item"), line.get("shows")) for line in way] == [
        ("webhook.accepted", None, None),
        ("review.begun", None, None),
        ("published", "check-run", "failure"),
        ("published", "label", "cla-required"),
        ("published", "comment", ""),
        ("review.judged", None, None),
    ]
    assert {line.get("head") for line in way} == {pull.head_sha}
    assert [list(line)[:6] for line in way] == [["timestamp", "level", "event", "delivery", "repository", "number"]] * 6
    # Our own label that comes back is told at debug. One that is back before it is noted as ours is looked at, for nothing.
    others = {line["event"] for line in about(play, pull) if line not in way}
    assert others <= {"review.begun", "review.judged"}
    assert opened["delivery"] in {delivery.guid for delivery in play.world.hooks.log}
    verdict = way[-1]
    assert (verdict["conclusion"], verdict["reasons"], verdict["checks"]) == (
        "failure", ["cla/not-covered"], {"CLA": "failure"},
    )  # fmt: skip
    assert 0 < verdict["seconds"] <= verdict["waited"] + 1
    assert not [line for line in lines(play) if STEM in json.dumps(line)]


def test_the_log_tells_why_a_pull_request_is_not_judged(play):
    ada = play.person("ada", "ada@example.org")
    play.calm()
    play.outage.lasts = True
    _, pull = play.opens(ada)
    play.until(lambda: any(line["event"] == "review.postponed" for line in about(play, pull)))
    play.outage.lasts = False
    play.judged(pull, "failure")

    said = [line for line in about(play, pull) if line["event"].startswith("review.")]
    postponed = next(line for line in said if line["event"] == "review.postponed")
    assert "GitHub answered 502 to " in postponed["why"]
    assert said[-1]["event"] == "review.judged"
    assert {line["delivery"] for line in said} == {postponed["delivery"]}


class Collector:
    """What OpenTelemetry sends, by OTLP over HTTP: whole requests, and the spans in them."""

    def __init__(self):
        self.bodies = []
        outer = self

        class Handler(QuietHandler):
            def do_POST(self):
                assert (self.path, self.headers["Content-Type"]) == ("/v1/traces", "application/x-protobuf")
                outer.bodies.append(self.body())
                self.answer(200)

        self.server = LoopbackServer(Handler)
        self.url = self.server.url

    def spans(self):
        """All so far."""
        found = []
        for body in self.bodies:
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                found += [span for scope in resource.scope_spans for span in scope.spans]
        return found


@pytest.fixture(name="collector")
def _collector():
    made = Collector()
    with made.server.running():
        yield made


def attributes(span):
    """Of a span, plain."""
    return {attribute.key: attribute.value.string_value or attribute.value.int_value for attribute in span.attributes}


def test_a_delivery_is_one_trace(staged, collector):
    play = staged(settings={"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_BSP_SCHEDULE_DELAY": "200"})
    play.community()
    play.stage.serve()
    ada = play.person(f"{STEM}-login", f"{STEM}@example.org", name=STEM)
    _, pull = play.opens(ada)
    play.judged(pull, "failure")
    [opened] = [line for line in about(play, pull) if line.get("action") == "opened"]

    def trace():
        return [span for span in collector.spans() if span.trace_id.hex() == opened["trace"]]

    play.until(lambda: any(span.name == "review" for span in trace()))
    spans = trace()
    [root] = [span for span in spans if not span.parent_span_id]
    [review] = [span for span in spans if span.name == "review"]
    calls = [span for span in spans if span.parent_span_id == review.span_id]

    assert root.name == "webhook"
    assert attributes(root) == {
        "countersign.delivery": opened["delivery"], "countersign.github_event": "pull_request",
        "countersign.repository": "cann/ops-math", "countersign.number": pull.number, "countersign.head": pull.head_sha,
    }  # fmt: skip
    assert review.parent_span_id == root.span_id
    assert attributes(review)["countersign.conclusion"] == "failure"
    assert {len(spans), len(calls) + 2} == {len(spans)}
    assert {"POST /…/graphql", "POST /repos/…/…/check-runs"} & {span.name for span in calls}
    assert {line["trace"] for line in about(play, pull) if line.get("delivery") == opened["delivery"]} == {
        opened["trace"]
    }
    assert STEM.encode() not in b"".join(collector.bodies)


@pytest.mark.nightly
def test_an_outage_of_the_database_is_one_line_and_one_a_delivery(staged, postgres_url):
    url = make_url(postgres_url)
    relay = Relay(url.port)
    through = url.set(host="127.0.0.1", port=relay.port).render_as_string(hide_password=False)
    play = staged(settings={"COUNTERSIGN_DATABASE_URL": through})
    play.community()
    play.stage.serve()
    play.calm()
    before = len(lines(play))

    relay.close()
    time.sleep(10)
    during = lines(play)[before:]
    size = sum(len(json.dumps(line)) for line in during)
    print(f"ten seconds without PostgreSQL: {len(during)} lines, {size} bytes")
    back = Relay(url.port, port=relay.port)
    try:
        play.until(lambda: any(line["event"] == "database.back" for line in lines(play)[before:]), within=40)
        after = lines(play)[before:]
    finally:
        play.stage.stop()
        back.close()

    assert [line["event"] for line in during if line["event"] != "database.away"] == []
    assert [line["event"] for line in during] == ["database.away"]
    assert size < 1000
    [told] = [line for line in after if line["event"] == "database.back"]
    assert told["seconds"] >= 9
    assert told["left_out"] > 5
