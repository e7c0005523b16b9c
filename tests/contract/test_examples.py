"""Every payload that GitHub published as an example of our events can be read, and says what it says."""

import json
from pathlib import Path

import pytest

from bot.webhook import event_parser, events

CASES = Path(__file__).resolve().parent.parent / "cases" / "github"
EXAMPLES = [
    pytest.param(file.stem, payload, id=f"{file.stem}-{number}-{payload.get('action', 'sent')}")
    for file in sorted(CASES.glob("*.json"))
    for number, payload in enumerate(json.loads(file.read_text(encoding="utf-8")))
]
APP = 29310  # the App of the examples


def as_an_app_gets_it(payload: dict) -> dict:
    """Many examples are of a repository's own webhook: an App's has the installation as well."""
    return {"installation": {"id": 5, "node_id": "x"}, **payload}


@pytest.mark.parametrize(("name", "payload"), EXAMPLES)
def test_every_published_example_is_read_or_passed_over(name, payload):
    sent = as_an_app_gets_it(payload)
    event = event_parser.parse(name, sent, app_id=APP)
    if event is not None:
        assert getattr(event, "installation", sent["installation"]["id"]) == sent["installation"]["id"]
        assert events.from_ids(json.loads(json.dumps(events.ids(event)))) == event


def asking(name: str, payload: dict) -> dict:
    """The example with what makes it ask something of us: a command, a changed rule file, our own check."""
    if name == "issue_comment":
        comment, issue = {**payload["comment"], "body": "/cla-check"}, {**payload["issue"], "pull_request": {}}
        return {**payload, "comment": comment, "issue": issue}
    if name == "push":
        changed = [{**commit, "modified": [".github/countersign.yml"]} for commit in payload["commits"]]
        return {**payload, "commits": changed}
    if name in {"check_run", "check_suite"}:
        return {**payload, name: {**payload[name], "app": {**payload[name]["app"], "id": APP}}}
    return payload


@pytest.mark.parametrize("name", sorted(event_parser.ROUTED))
def test_every_routed_event_has_an_example_that_is_read(name):
    payloads = [asking(name, parameters.values[1]) for parameters in EXAMPLES if parameters.values[0] == name]
    read = [event_parser.parse(name, as_an_app_gets_it(payload), app_id=APP) for payload in payloads]
    assert [event for event in read if event is not None]


def test_a_pull_request_is_read_with_number_repository_sender_and_head():
    for parameters in EXAMPLES:
        name, payload = parameters.values
        event = event_parser.parse(name, as_an_app_gets_it(payload), app_id=APP) if name == "pull_request" else None
        if event is not None:
            pull, repository = payload["pull_request"], payload["repository"]
            assert (event.number, event.repository.id) == (pull["number"], repository["id"])
            assert (event.sender.id, event.action) == (payload["sender"]["id"], payload["action"])
            pushed = payload["action"] in {"opened", "reopened", "synchronize"}
            assert event.after == (pull["head"]["sha"] if pushed else None)
