"""Pages are made by threads, and a slow sender or reader holds none."""

import asyncio
import contextvars
import threading
import time
from contextlib import contextmanager

import pytest
from flask import Flask, Response, request

from bot.server.exchange import Exchange, Rejected
from bot.server.wsgi_bridge import BUFFERED_BODY_BYTES, SEND_CHUNK_BYTES, WsgiBridge
from tests.asgi import Client, run


def client_for(application, **more):
    """A client of that WSGI application behind the bridge."""
    bridge = WsgiBridge(application, **more)

    async def asgi(scope, receive, send):
        await bridge(Exchange(scope, receive, send))

    return Client(asgi)


def length(size):
    """The header that announces a body."""
    return [("Content-Length", str(size))]


@pytest.fixture(name="flask")
def _flask():
    return Flask("bridge-under-test")


def test_flask_sees_the_whole_request_without_underscore_headers(flask):
    @flask.post("/页/<name>")
    def page(name):
        return {
            "name": name, "query": request.args["q"], "form": request.form.to_dict(), "cookies": request.cookies,
            "host": request.host, "address": request.remote_addr, "for": request.headers.get("X-Forwarded-For"),
            "many": request.headers["X-Many"], "scheme": request.scheme, "type": request.content_type,
        }  # fmt: skip

    answer = run(
        client_for(flask).ask(
            "POST",
            "/页/ö?q=%E9%A1%B5",
            [
                ("Host", "cla.example.org"), ("Cookie", "a=1"), ("Cookie", "b=2"), ("X_Forwarded_For", "6.6.6.6"),
                ("X-Many", "1"), ("X-Many", "2"), ("Content-Type", "application/x-www-form-urlencoded"), *length(7),
            ],
            [b"x=1", b"&y=2"],
        )
    )  # fmt: skip

    assert answer.get_json() == {
        "name": "ö", "query": "页", "form": {"x": "1", "y": "2"}, "cookies": {"a": "1", "b": "2"},
        "host": "cla.example.org", "address": "127.0.0.1", "for": None, "many": "1,2", "scheme": "http",
        "type": "application/x-www-form-urlencoded",
    }  # fmt: skip


def test_flasks_status_and_headers_are_sent_and_head_has_no_body(flask):
    flask.add_url_rule("/", "page", lambda: ("teapot", 418, {"X-Tea": "green"}))

    answer = client_for(flask).open("HEAD", "/")

    assert (answer.status_code, answer.headers["X-Tea"], answer.headers["Content-Length"]) == (418, "green", "6")
    assert answer.data == b""


def test_a_slow_sender_holds_no_thread(flask):
    flask.add_url_rule("/", "page", lambda: "here", methods=["GET", "POST"])

    async def story():
        client = client_for(flask, threads=1)
        slow = [asyncio.create_task(client.ask("POST", "/", length(9), [b"x", None])) for _ in range(20)]
        await asyncio.sleep(0.01)
        answer = await asyncio.wait_for(client.ask("GET", "/"), 2)
        for task in slow:
            task.cancel()
        await asyncio.gather(*slow, return_exceptions=True)
        return answer.data

    assert run(story()) == b"here"


def test_a_slow_reader_holds_no_thread(flask):
    closed = threading.Event()

    def long():
        try:
            while True:
                yield b"x" * SEND_CHUNK_BYTES
        finally:
            closed.set()

    flask.add_url_rule("/long", "long", lambda: Response(long()))
    flask.add_url_rule("/", "page", lambda: "here")

    async def story():
        client = client_for(flask, threads=1, reader_seconds=0.3)

        async def never(message):
            if message["type"] == "http.response.body":
                await asyncio.Event().wait()

        slow = asyncio.create_task(client.ask("GET", "/long", taken=never))
        await asyncio.sleep(0.05)
        answer = await asyncio.wait_for(client.ask("GET", "/"), 2)
        assert (answer.data, closed.is_set()) == (b"here", False)
        return await asyncio.wait_for(slow, 5)

    assert run(story()).is_cut
    assert closed.wait(2)


@contextmanager
def hanging(flask):
    """A page that hangs until the block ends, as the only thing its thread does; `/` counts how often it was made."""
    go_on, made = threading.Event(), []
    flask.add_url_rule("/hangs", "hangs", lambda: str(go_on.wait(10)))
    flask.add_url_rule("/", "page", lambda: made.append(1) or "here")
    try:
        yield made
    finally:
        go_on.set()


def test_no_page_is_made_for_clients_that_have_gone(flask):
    async def story(client, made):
        hangs = asyncio.create_task(client.ask("GET", "/hangs"))
        await asyncio.sleep(0.05)
        gone = asyncio.Event()
        left = [asyncio.create_task(client.ask("GET", "/", gone=gone)) for _ in range(50)]
        await asyncio.sleep(0.05)
        gone.set()
        done, _ = await asyncio.wait(left, timeout=2)
        assert (len(done), made) == (50, [])
        hangs.cancel()

    with hanging(flask) as made:
        client = client_for(flask, threads=1)
        run(story(client, made))


def test_requests_beyond_the_queue_for_threads_are_503(flask):
    async def story(client):
        waiting = [asyncio.create_task(client.ask("GET", path)) for path in ("/hangs", "/", "/")]
        await asyncio.sleep(0.05)
        with pytest.raises(Rejected) as refused:
            await client.ask("GET", "/")
        for task in waiting:
            task.cancel()
        return refused.value.status

    with hanging(flask):
        assert run(story(client_for(flask, threads=1, waiting=2))) == 503


def test_a_loop_that_ends_waits_for_no_page(flask):
    async def story(client):
        hangs = [asyncio.create_task(client.ask("GET", "/hangs")) for _ in range(3)]
        await asyncio.sleep(0.05)
        return len(hangs)

    with hanging(flask):
        begun = time.monotonic()
        run(story(client_for(flask, threads=1)))
        assert time.monotonic() - begun < 2


def test_over_the_memory_for_answers_the_slowest_reader_is_cut(flask):
    flask.add_url_rule("/", "page", lambda: b"x" * SEND_CHUNK_BYTES * 3)

    async def story():
        client = client_for(flask, answers=SEND_CHUNK_BYTES * 4)

        async def never(message):
            if message["type"] == "http.response.body":
                await asyncio.Event().wait()

        slow = asyncio.create_task(client.ask("GET", "/", taken=never))
        await asyncio.sleep(0.05)
        fast = await client.ask("GET", "/")
        return await asyncio.wait_for(slow, 2), fast

    slow, fast = run(story())
    assert (slow.is_cut, fast.is_cut, len(fast.data)) == (True, False, SEND_CHUNK_BYTES * 3)


def test_one_answer_may_be_larger_than_the_whole_memory_for_answers(flask):
    sizes = []
    flask.add_url_rule("/", "page", lambda: b"x" * (SEND_CHUNK_BYTES * 5 + 1))

    async def story():
        async def seen(message):
            sizes.append(len(message.get("body", b"")))

        return await client_for(flask, answers=SEND_CHUNK_BYTES).ask("GET", "/", taken=seen)

    answer = run(story())
    assert (len(answer.data), answer.is_cut, max(sizes)) == (SEND_CHUNK_BYTES * 5 + 1, False, SEND_CHUNK_BYTES)


def test_an_abandoned_stream_is_closed(flask):
    closed, made = threading.Event(), []

    def stream():
        try:
            for _ in range(1000):
                made.append(1)
                yield b"x" * SEND_CHUNK_BYTES
        finally:
            closed.set()

    flask.add_url_rule("/", "page", lambda: Response(stream()))

    async def story():
        gone = asyncio.Event()

        async def leaves(message):
            if len(made) == 3:
                gone.set()
            await asyncio.sleep(0.01)

        await client_for(flask).ask("GET", "/", taken=leaves, gone=gone)

    run(story())
    assert closed.wait(2)
    assert len(made) < 10


def test_an_answer_that_breaks_off_is_cut_and_its_generator_closed(flask):
    def breaks():
        yield b"x" * SEND_CHUNK_BYTES
        raise ValueError("midway")

    flask.add_url_rule("/", "page", lambda: Response(breaks()))

    answer = client_for(flask).get("/")

    assert (answer.status_code, len(answer.data), answer.is_cut) == (200, SEND_CHUNK_BYTES, True)


def test_a_streaming_answer_stays_in_its_request(flask):
    mine = contextvars.ContextVar("mine", default="nobody's")

    def stream():
        for _ in range(5):
            yield f"{mine.get()};".encode() + b" " * SEND_CHUNK_BYTES

    @flask.get("/<name>")
    def page(name):
        before = mine.get()
        mine.set(f"{before}>{name}")
        return Response(stream())

    async def story():
        client = client_for(flask, threads=3)
        return await asyncio.gather(*[client.ask("GET", f"/{name}") for name in "abcdef"])

    for name, answer in zip("abcdef", run(story()), strict=True):
        assert answer.data.replace(b" ", b"").decode() == f"nobody's>{name};" * 5


def test_an_upload_is_read_only_as_far_as_it_is_wanted(flask):
    @flask.post("/take")
    def take():
        return {"size": len(request.get_data())}

    @flask.post("/refuse")
    def refuse():
        request.max_content_length = 10
        return {"size": len(request.get_data())}

    pieces = [b"x" * 50_000] * 5

    async def story():
        client = client_for(flask)
        taken = await client.ask("POST", "/take", length(250_000), list(pieces))
        refused = await client.ask("POST", "/refuse", length(250_000), [*pieces[:2], None])
        return taken, refused

    taken, refused = run(story())
    assert taken.get_json() == {"size": 250_000}
    assert refused.status_code == 413


def test_an_upload_that_is_cut_short_is_400(flask):
    flask.add_url_rule("/", "page", lambda: str(len(request.get_data())), methods=["POST"])

    answer = run(
        client_for(flask).ask(
            "POST", "/", length(BUFFERED_BODY_BYTES * 3), [b"x" * BUFFERED_BODY_BYTES, b"x" * 10, b""]
        )
    )

    assert answer.status_code == 400


def test_an_application_that_fails_before_its_answer_raises():
    def broken(_environ, _start):
        raise ValueError("x")

    with pytest.raises(ValueError, match="x"):
        client_for(broken).get("/")
