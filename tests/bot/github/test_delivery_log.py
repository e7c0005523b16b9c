"""GitHub's log of our webhooks: what failed, each once; what it will not send again is no error."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.github import delivery_log
from bot.github.ports import Unreachable
from bot.github.reading import Garbled
from tests.bot.github.shapes import INVALID

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
LOG = "/app/hook/deliveries"


def attempt(number, guid, *, ago=1, status=502, event="pull_request", repository=900, said="failed to connect to host"):
    """One attempt as GitHub lists it, so many minutes before noon."""
    return {"id": number, "guid": guid, "event": event, "repository_id": repository, "status_code": status, "status": said,
            "delivered_at": (NOON - timedelta(minutes=ago)).isoformat()}  # fmt: skip


def test_each_delivery_counts_once_by_its_newest_attempt_the_oldest_first(hub, github):
    github.on("GET", LOG, [attempt(5, "b", ago=1), attempt(4, "a", ago=2), attempt(3, "b", ago=3)])
    found = hub.failed_deliveries(NOON - timedelta(hours=1))
    assert [(delivery.id, delivery.guid, delivery.attempts) for delivery in found] == [(4, "a", 1), (5, "b", 2)]
    assert (found[0].event, found[0].repository_id) == ("pull_request", 900)


@pytest.mark.parametrize(
    ("status", "said", "read"),
    [
        (502, "failed to connect to host", 0),
        (502, "failed to connect", 0),
        (504, "timed out", 0),
        (502, "Peer certificate cannot be authenticated with given CA certificates", 0),
        (0, "timed out", 0),
        (502, "Invalid HTTP Response: 502", 502),
        (504, "Invalid HTTP Response: 504", 504),
        (401, "Invalid HTTP Response: 401", 401),
        (200, "OK", 200),
    ],
)
def test_an_attempt_without_an_answer_is_told_from_a_proxys_answer(hub, github, status, said, read):
    github.on("GET", LOG, [attempt(1, "a", status=status, said=said)])
    assert [delivery.status for delivery in hub.newest_deliveries()] == [read]


def test_older_and_successful_deliveries_are_left_out(hub, github):
    github.on("GET", LOG, [attempt(3, "a", status=202), attempt(2, "b"), attempt(1, "c", ago=90)])
    assert [delivery.guid for delivery in hub.failed_deliveries(NOON - timedelta(hours=1))] == ["b"]


def test_successful_deliveries_are_listed_back_to_the_moment_asked_for(hub, github):
    github.on(
        "GET",
        LOG,
        [
            attempt(4, "a", status=202),
            attempt(3, "b"),
            attempt(2, "c", status=200),
            attempt(1, "d", ago=90, status=202),
        ],
    )
    assert hub.taken_deliveries(NOON - timedelta(hours=1)) == {"a", "c"}
    assert "status=success" in github.sent("GET", "deliveries")[0].url


def test_the_log_is_read_only_as_far_as_asked(hub, github):
    """A busy log of three days has tens of thousands of deliveries."""
    more = {"Link": '<https://api.github.com/app/hook/deliveries?per_page=100&status=success&cursor=v1_1>; rel="next"'}
    many = [attempt(number, f"g{number}", status=202) for number in range(delivery_log.MAX_OVERLAP_DELIVERIES)]
    github.on("GET", LOG, many, headers=more)
    assert len(hub.taken_deliveries(NOON - timedelta(hours=1))) == delivery_log.MAX_OVERLAP_DELIVERIES
    assert len(github.sent("GET", "deliveries")) == 1


def test_pages_are_followed_by_their_cursors(hub, github):
    """GitHub's list has no numbered pages: page 2 would bring the first one again."""
    more = {
        "Link": '<https://api.github.com/app/hook/deliveries?per_page=100&status=failure&cursor=v1_1%2B2>; rel="next"'
    }
    github.on("GET", LOG, [attempt(2, "b")], headers=more)
    github.on("GET", LOG, [attempt(1, "a", ago=2)])
    assert [delivery.guid for delivery in hub.failed_deliveries(NOON - timedelta(hours=1))] == ["a", "b"]
    assert "cursor=v1_1%2B2" in github.sent("GET", "deliveries")[1].url


@pytest.mark.parametrize(("status", "taken"), [(202, True), (422, False), (404, False)])
def test_a_delivery_is_sent_again_unless_github_refuses(hub, github, status, taken):
    github.on("POST", f"{LOG}/7/attempts", {} if taken else INVALID, status=status)
    assert hub.redeliver(7) is taken


def test_a_server_without_a_delivery_log_lists_nothing(hub, github):
    github.on("GET", LOG, {"message": "Not Found"}, status=404, elsewhere=True)
    assert hub.failed_deliveries(NOON) == ()
    assert hub.taken_deliveries(NOON) == frozenset()


def test_a_log_that_does_not_answer_is_not_taken_as_empty(hub, github):
    github.on("GET", LOG, {"message": "bad"}, status=502)
    with pytest.raises(Unreachable):
        hub.failed_deliveries(NOON)


def test_the_newest_attempts_are_listed_in_githubs_order(hub, github):
    github.on("GET", LOG, [attempt(3, "b", ago=1, status=202), attempt(2, "a", ago=2, status=0)])
    assert [(delivery.id, delivery.guid, delivery.status) for delivery in hub.newest_deliveries()] == [
        (3, "b", 202),
        (2, "a", 0),
    ]
    assert "per_page=100" in github.sent("GET", "deliveries")[0].url


@pytest.mark.parametrize("answer", [None, 5, {"message": "odd"}, [{}]])
def test_a_log_of_another_shape_is_an_error(hub, github, answer):
    github.on("GET", LOG, answer)
    with pytest.raises(Garbled):
        hub.newest_deliveries()


def test_the_payload_is_rebuilt_byte_by_byte_as_github_sent_it(hub, github):
    request = {
        "headers": {"X-Hub-Signature-256": "sha256=ab", "Accept": "*/*"},
        "payload": {"zen": "\x1f\\u00ff\n 数", "action": None},
    }
    answer = {"headers": {}, "payload": '{"message": "accepted"}'}
    github.on("GET", f"{LOG}/7", {**attempt(7, "a"), "request": request, "response": answer})
    found = hub.sent_webhook(7)
    assert found.answer == '{"message": "accepted"}'
    assert found.signature == "sha256=ab"
    assert found.body == r'{"zen":"\u001F\\u00ff\n 数","action":null}'.encode()


@pytest.mark.parametrize("headers", [None, {"Accept": "*/*"}])
def test_an_app_without_a_secret_has_unsigned_payloads(hub, github, headers):
    github.on("GET", f"{LOG}/7", {**attempt(7, "a"), "request": {"headers": headers, "payload": None}})
    assert (hub.sent_webhook(7).signature, hub.sent_webhook(7).body) == ("", b"null")
