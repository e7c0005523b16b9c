"""The wire against a real server on loopback: repeats, redirects, waits, broken answers."""

import json
import re
import threading
import time

import pytest
from github import Requester

from bot.github.availability import CircuitOpen, Paced, write_priority
from bot.github.client.admission_control import AdmissionControl
from bot.github.client.failures import Limited
from bot.github.client.requester_pool import RequesterPool
from bot.github.client.transport import Transport, Unavailable
from bot.github.client.write_pacer import WriteBudget
from bot.github.ports import HubError, Moved, Refused, Unreachable
from bot.github.reading import Garbled
from tests.http_server import LoopbackServer, QuietHandler

SECONDARY = {"message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}


class _Answers(QuietHandler):
    """Says the next of the prepared answers: status, headers, body; or hangs up."""

    protocol_version = "HTTP/1.1"

    def _do(self):
        self.body()
        self.server.heard.append((self.command, self.path, self.client_address[1]))
        time.sleep(self.server.slow)
        answers = self.server.answers
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if answer is None:
            self.close_connection = True
            return
        status, headers, body = answer
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.answer(status, data, {"Content-Type": "application/json", **headers})

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _do


@pytest.fixture(name="server")
def _server():
    with LoopbackServer(_Answers).running() as made:
        made.answers, made.heard, made.slow = [(200, {}, {})], [], 0
        yield made


@pytest.fixture(name="line")
def _line(server):
    """A line without credentials whose patience is one second."""
    pool = RequesterPool(f"http://127.0.0.1:{server.server_port}/api/v3", patience=1, pause=0)
    yield Transport(pool)
    pool.close()


def test_a_date_that_comes_twice_is_read_with_its_zone(server, line):
    """A proxy may add a Date header of its own."""
    server.answers = [(200, {"Date": "Sat, 28 Nov 2026 09:00:00 GMT"}, {})]
    shown = line.date("/rate_limit")
    assert shown.tzinfo is not None


@pytest.mark.parametrize("number", ["inf", "nan", "5000, 5000", "many", "9" * 400])
def test_a_rate_limit_that_is_no_number_fails_nothing(server, line, number):
    server.answers = [
        (200, {"X-RateLimit-Limit": number, "X-RateLimit-Remaining": number, "X-RateLimit-Reset": number}, {"ok": 1})
    ]
    assert line.read("/x") == {"ok": 1}


@pytest.mark.parametrize("verb", ["GET", "PATCH", "PUT", "DELETE"])
@pytest.mark.parametrize("bad", [(502, {}, {}), (503, {}, b"<html>"), None], ids=["502", "503", "hang up"])
def test_reads_and_updates_are_repeated_up_to_three_times(server, line, verb, bad):
    server.answers = [bad, bad, bad, (200, {}, {"ok": 1})]

    found = line.read("/x") if verb == "GET" else line.write(verb, "/x", {})

    assert found["ok"] == 1
    assert len(server.heard) == 4


@pytest.mark.parametrize(
    "bad", [(502, {}, {}), (429, {}, {}), (403, {"Retry-After": "0"}, {}), None], ids=["502", "429", "403", "hang up"]
)
def test_a_post_is_never_repeated(server, line, bad):
    server.answers = [bad, (200, {}, {})]

    with pytest.raises(Unreachable):
        line.write("POST", "/x", {})

    assert len(server.heard) == 1


@pytest.mark.parametrize("status", [500, 502, 504])
def test_a_server_that_stays_broken_is_unreachable(server, line, status):
    server.answers = [(status, {}, {"message": "oops"})]

    with pytest.raises(Unreachable, match=str(status)):
        line.read("/x")

    assert len(server.heard) == (1 if status == 500 else 4)


@pytest.mark.parametrize(
    "answer",
    [(429, {"Retry-After": "3600"}, {}), (403, {"Retry-After": "3600"}, {}), (503, {"Retry-After": "3600"}, {})],
)
def test_a_wait_beyond_our_patience_is_left_to_the_caller(server, line, answer):
    server.answers = [answer]

    with pytest.raises(Unreachable) as caught:
        line.read("/x")

    assert isinstance(caught.value, Limited) is (answer[0] != 503)
    assert caught.value.retry_after == 3600
    assert len(server.heard) == 1


@pytest.mark.parametrize("message", [SECONDARY["message"], "API rate limit exceeded for installation ID 77."])
def test_a_limit_without_retry_after_is_left_to_the_caller_too(server, line, message):
    reset = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "99999999999"} if message.startswith("API") else {}
    server.answers = [(403, reset, {"message": message})]

    with pytest.raises(Limited) as caught:
        line.write("PATCH", "/x", {})

    assert caught.value.retry_after >= 60
    assert len(server.heard) == 1


def test_a_short_wait_is_waited(server, line):
    server.answers = [(403, {"Retry-After": "1"}, {"message": "slow down"}), (200, {}, {"ok": 1})]

    assert line.read("/x")["ok"] == 1


def test_a_plain_403_is_not_repeated(server, line):
    server.answers = [(403, {}, {"message": "Resource not accessible by integration"})]

    with pytest.raises(Refused, match="not accessible"):
        line.read("/x")

    assert len(server.heard) == 1


@pytest.mark.parametrize("status", [301, 302, 307, 308])
@pytest.mark.parametrize("verb", ["GET", "PATCH"])
def test_no_redirect_is_followed(server, line, verb, status):
    """PyGithub would follow 301 without the query and take 307 for success."""
    server.answers = [
        (status, {"Location": f"http://127.0.0.1:{server.server_port}/api/v3/repositories/1"}, {"message": "Moved"})
    ]

    with pytest.raises(Moved):
        line.read("/repos/a/b", {"page": 2}) if verb == "GET" else line.write(verb, "/repos/a/b", {})

    assert len(server.heard) == 1


@pytest.mark.parametrize("body", [b"<html>proxy</html>", b"{broken"])
def test_an_answer_that_is_no_json_is_garbled(server, line, body):
    server.answers = [(200, {}, body)]

    with pytest.raises(Garbled, match="not JSON"):
        line.read("/x")


def test_an_answer_without_content_is_garbled(server, line):
    for answer in (b"", b"null"):
        server.answers = [(200, {}, answer)]
        with pytest.raises(Garbled, match="empty"):
            line.read("/x")


def test_an_error_that_is_no_json_keeps_its_status(server, line):
    server.answers = [(404, {}, b"<html>ann@example.org</html>")]

    with pytest.raises(HubError, match="404") as caught:
        line.read("/x")

    assert "ann" not in str(caught.value)


def test_pages_end_with_the_last_link(server, line):
    link = {"Link": '<http://evil.example/steal?page=2>; rel="next", <http://x>; rel="last"'}
    server.answers = [(200, link, list(range(100))), (200, {"Link": '<http://x>; rel="first"'}, list(range(100)))]

    assert len(list(line.pages("/x", {"state": "open"}))) == 200
    assert [path for _, path, _ in server.heard] == [f"/api/v3/x?page={n}&per_page=100&state=open" for n in (1, 2)]


def test_full_pages_without_any_link_go_on(server, line):
    """A proxy may strip the Link header."""
    server.answers = [(200, {}, {"runs": list(range(100))}), (200, {}, {"runs": [1]})]

    assert len(list(line.pages("/x", under="runs"))) == 101


@pytest.mark.parametrize("totals", [(250, 249, 249), (250, 250, 249), (250, 249, 250), (250, 0, 250)])
def test_a_list_that_became_shorter_between_two_pages_is_not_taken_for_whole(server, line, totals):
    pages = [list(range(100)), list(range(101, 201)), list(range(201, 250))]
    server.answers = [
        (200, {}, {"total_count": total, "runs": page}) for total, page in zip(totals, pages, strict=True)
    ]

    with pytest.raises(Unreachable, match="the list of runs changed while it was being read"):
        list(line.pages("/x", under="runs"))


@pytest.mark.parametrize("totals", [(101, 101), (101, 102), (None, 101), (None, None)])
def test_a_list_that_stays_or_grows_is_read_to_its_end(server, line, totals):
    pages = [list(range(100)), [100]]
    server.answers = [
        (200, {}, {"total_count": total, "runs": page}) for total, page in zip(totals, pages, strict=True)
    ]

    assert list(line.pages("/x", under="runs")) == list(range(101))


def test_an_answer_that_is_no_list_is_garbled(server, line):
    for answer in ({"message": "odd"}, None, 7):
        server.answers = [(200, {}, answer)]
        with pytest.raises(Garbled):
            list(line.pages("/x", under="runs"))


def test_graphql_stands_beside_the_rest_address(server, line):
    server.answers = [(200, {}, {"data": {"a": 1}, "errors": [{"message": "x"}]})]

    answer = line.query("{a}", {})

    assert (answer.data, answer.errors) == ({"a": 1}, ({"message": "x"},))
    assert server.heard[0][:2] == ("POST", "/api/graphql")


@pytest.mark.parametrize(
    "answer",
    [
        (502, {}, {}),
        (404, {}, {}),
        None,
        (200, {}, b"<html>"),
        (200, {}, {"data": None}),
        (200, {}, [1]),
        (200, {}, {"data": 5}),
    ],
    ids=["502", "404", "hang up", "page", "nothing", "list", "number"],
)
def test_graphql_that_does_not_answer_is_down(server, line, answer):
    server.answers = [answer]

    with pytest.raises(Unavailable):
        line.query("{a}", {})

    assert len(server.heard) <= 2


def test_graphql_survives_one_bad_moment(server, line):
    server.answers = [(502, {}, {}), (200, {}, {"data": {"a": 1}})]

    assert line.query("{a}", {}).data == {"a": 1}


@pytest.mark.parametrize(
    ("answer", "kind"),
    [((401, {}, {"message": "Bad credentials"}), Refused), ((403, {}, SECONDARY), Limited), ((429, {}, {}), Limited),
     ((301, {"Location": "http://x/"}, {}), Refused)],
)  # fmt: skip
def test_a_refusal_by_graphql_is_not_taken_as_graphql_being_down(server, line, answer, kind):
    server.answers = [answer]

    with pytest.raises(kind) as caught:
        line.query("{a}", {})

    assert not isinstance(caught.value, Unavailable)
    assert len(server.heard) == 1


@pytest.fixture(name="hasty")
def _hasty(server):
    """A maker of lines that wait for nothing, all under the same control."""
    pools = []

    def made(control, caller=77, **more):
        pools.append(RequesterPool(f"http://127.0.0.1:{server.server_port}/api/v3", patience=0, pause=0, **more))
        return Transport(pools[-1], control=control, caller=caller)

    yield made
    for pool in pools:
        pool.close()


def called(line, times=1, verb="GET"):
    """What so many calls came to: the names of their errors, or `ok`."""
    found = []
    for _ in range(times):
        try:
            line.read("/x") if verb == "GET" else line.write(verb, "/x", {})
            found.append("ok")
        except Unreachable as error:
            found.append(type(error).__name__)
    return found


def test_sixty_refusals_are_not_fetched(server, hasty):
    line = hasty(AdmissionControl())
    server.answers = [(403, {"Retry-After": "60"}, SECONDARY)] * 60 + [(200, {}, {})]
    found = []
    threads = [threading.Thread(target=lambda: found.extend(called(line, 60 // 8 + 1))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(found) == 64
    assert set(found) <= {"Limited", "CircuitOpen"}
    assert len(server.heard) <= 8


def test_a_limit_of_two_periods_brings_one_refusal_for_each(server, hasty):
    told = []
    line = hasty(AdmissionControl(on_recovery=told.append))
    server.answers = [(403, {"Retry-After": "1"}, SECONDARY)] * 2 + [(200, {}, {"ok": 1})]
    until = time.monotonic() + 10
    while called(line) != ["ok"]:
        assert time.monotonic() < until
        time.sleep(0.01)

    assert len(server.heard) == 3
    assert told == [77]


@pytest.mark.parametrize("verb", ["GET", "PATCH", "POST"])
def test_an_outage_opens_the_circuit(server, hasty, verb):
    line = hasty(AdmissionControl())
    server.answers = [(502, {}, {})]

    found = called(line, 20, verb)

    assert found[-1] == "CircuitOpen"
    assert len(server.heard) == (3 if verb == "POST" else 5)
    with pytest.raises(CircuitOpen, match=rf"^GitHub does not answer: 502 to {verb} /…, since .* UTC$"):
        line.read("/x")


def test_refusals_do_not_open_the_circuit(server, hasty):
    line = hasty(AdmissionControl())
    for status in (401, 403, 404, 409, 422, 301):
        server.answers = [(status, {}, {"message": "no"})]
        for _ in range(4):
            with pytest.raises(HubError) as caught:
                line.read("/x")
            assert not isinstance(caught.value, Unreachable)

    assert len(server.heard) == 24


def test_graphqls_own_failures_leave_the_way_to_rest_and_its_limits_do_not(server, hasty):
    control = AdmissionControl()
    line = hasty(control)
    server.answers = [(502, {}, {})]
    for _ in range(5):
        with pytest.raises(Unavailable):
            line.query("{a}", {})
    assert control.state(77).condition == "healthy"

    server.answers = [(200, {"Retry-After": "9"}, {"data": None, "errors": [{"type": "RATE_LIMITED", "message": "x"}]})]
    with pytest.raises(Limited) as caught:
        line.query("{a}", {})
    assert caught.value.retry_after == 9
    with pytest.raises(CircuitOpen):
        line.query("{a}", {})
    assert len(server.heard) == 11


def test_one_unexplained_403_is_not_yet_a_limit_of_all(server, hasty):
    control = AdmissionControl()
    server.answers = [(403, {}, b"")]

    assert called(hasty(control), 2) == ["Limited", "Limited"]
    assert control.state(77).condition == "failing"
    assert called(hasty(control), 2) == ["Limited", "CircuitOpen"]


def test_a_query_too_heavy_for_graphql_is_no_dead_network(server, hasty):
    control = AdmissionControl()
    line = hasty(control, timeout=0.05)
    server.slow = 0.2
    for _ in range(3):
        with pytest.raises(Unavailable):
            line.query("{a}", {})

    assert {state.condition for state in control.states()} == {"healthy"}
    assert called(line, 4)[-1] == "CircuitOpen"


def test_a_limit_of_one_kind_of_question_stops_no_other(server, hasty):
    """The dependency graph allows a hundred SBOMs a minute, for example."""
    control = AdmissionControl()
    reset = {
        "X-RateLimit-Remaining": "0",
        "X-RateLimit-Reset": "99999999999",
        "X-RateLimit-Resource": "dependency_sbom",
    }
    server.answers = [(403, reset, {"message": "API rate limit exceeded"})]

    assert called(hasty(control)) == ["Limited"]
    assert control.state(77).condition == "healthy"


def test_writes_wait_for_their_turn_unless_urgent(server, hasty):
    line = hasty(AdmissionControl(WriteBudget(2, 10, reserved_per_minute=1)))
    line.write("PATCH", "/x/check-runs/1", {})
    with pytest.raises(Paced) as caught:
        line.write("PATCH", "/x/check-runs/2", {})
    assert 50 < caught.value.retry_after <= 60
    line.read("/x")
    with write_priority("urgent"):
        line.write("POST", "/x/check-runs", {"head_sha": "a" * 40})

    assert [verb for verb, _, _ in server.heard] == ["PATCH", "GET", "POST"]


@pytest.mark.parametrize("proxy", ["", "http://ada:secret@127.0.0.1:9"])
def test_a_closed_port_is_unreachable_in_one_line_that_names_the_server(server, hasty, monkeypatch, proxy):
    server.shutdown()
    server.server_close()
    monkeypatch.setenv("HTTP_PROXY", proxy)
    monkeypatch.setenv("NO_PROXY", "")
    control = AdmissionControl()
    line, where = hasty(control), rf"GitHub at 127\.0\.0\.1:{server.server_port} cannot be reached"
    where += r" through a proxy \(ProxyError\)" if proxy else r" \(\w+\)"

    with pytest.raises(Unreachable, match=rf"^GET /…: {where}$"):
        line.read("/x")
    assert re.match(f"{where}, since", control.state(77).cause)


def test_connections_are_kept(server, line):
    for _ in range(10):
        line.read("/x")

    assert len({port for _, _, port in server.heard}) == 1


def test_pygithubs_own_requesters_stay_as_they_are(line):
    assert line is not None
    assert Requester.HTTPSRequestsConnectionClass.__module__ == "github.Requester"
    assert Requester.Requester._Requester__httpsConnectionClass is Requester.HTTPSRequestsConnectionClass


@pytest.mark.parametrize("status", [201, 202])
def test_a_202_is_not_waited_for(server, line, status):
    """PyGithub would ask again and again by itself."""
    server.answers = [(status, {}, b"")]

    assert line.fetch_redirected("/x", 10) is None
    with pytest.raises(Garbled):
        line.read("/x")
    assert len(server.heard) == 2


def test_a_download_follows_a_302_alone_and_within_a_bound(server, line):
    away = f"http://127.0.0.1:{server.server_port}/away"
    server.answers = [
        (302, {"Location": away}, b""),
        (200, {}, b"here"),
        (302, {"Location": away}, b""),
        (200, {}, b"here"),
    ]
    assert line.fetch_redirected("/x", 4) == b"here"
    assert [path for _, path, _ in server.heard] == ["/api/v3/x", "/away"]
    with pytest.raises(Refused):
        line.fetch_redirected("/x", 3)
    for status in (301, 307):
        server.answers = [(status, {"Location": away}, b"")]
        with pytest.raises(Moved):
            line.fetch_redirected("/repos/o/n/x", 4)
