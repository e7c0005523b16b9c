"""Pages are made by threads, and nobody who sends or reads slowly holds one."""

import asyncio
import contextvars
import threading

import pytest
from flask import Flask, Response, request

from bot.server.exchange import Exchange
from bot.server.wsgi_bridge import FORM, PIECE, WsgiBridge
from tests.asgi import Client


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


def test_what_flask_sees(flask):
    """Method, path in any script, query, headers, cookies, form, address; nothing by a header with an underscore."""

    @flask.post("/页/<name>")
    def page(name):
        return {
            "name": name, "query": request.args["q"], "form": request.form.to_dict(), "cookies": request.cookies,
            "host": request.host, "address": request.remote_addr, "for": request.headers.get("X-Forwarded-For"),
            "many": request.headers["X-Many"], "scheme": request.scheme, "type": request.content_type,
        }  # fmt: skip

    answer = asyncio.run(
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


def test_head_and_statuses(flask):
    """Flask's own status and headers; HEAD has no body."""
    flask.add_url_rule("/", "page", lambda: ("teapot", 418, {"X-Tea": "green"}))

    answer = client_for(flask).open("HEAD", "/")

    assert (answer.status_code, answer.headers["X-Tea"], answer.headers["Content-Length"]) == (418, "green", "6")
    assert answer.data == b""


def test_a_slow_sender_holds_no_thread(flask):
    """With one thread, half a form of somebody else keeps nobody waiting."""
    flask.add_url_rule("/", "page", lambda: "here", methods=["GET", "POST"])

    async def story():
        client = client_for(flask, threads=1)
        slow = [asyncio.create_task(client.ask("POST", "/", length(9), [b"x", None])) for _ in range(20)]
        await asyncio.sleep(0.01)
        answer = await asyncio.wait_for(client.ask("GET", "/"), 2)
        for one in slow:
            one.cancel()
        await asyncio.gather(*slow, return_exceptions=True)
        return answer.data

    assert asyncio.run(story()) == b"here"


def test_a_slow_reader_holds_no_thread(flask):
    """With one thread, an answer that is not taken keeps nobody waiting; after a while it is cut and let go of."""
    closed = threading.Event()

    def long():
        try:
            while True:
                yield b"x" * PIECE
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

    assert asyncio.run(story()).is_cut
    assert closed.wait(2)


def test_an_answer_that_breaks_off(flask):
    """Is cut, whole pieces of it are there, and the generator is closed."""

    def breaks():
        yield b"x" * PIECE
        raise ValueError("midway")

    flask.add_url_rule("/", "page", lambda: Response(breaks()))

    answer = client_for(flask).get("/")

    assert (answer.status_code, len(answer.data), answer.is_cut) == (200, PIECE, True)


def test_a_streaming_answer_stays_in_its_request(flask):
    """Its pieces may come from several threads; what Flask bound to the request is there, and nowhere else."""
    mine = contextvars.ContextVar("mine", default="nobody's")

    def stream():
        for _ in range(5):
            yield f"{mine.get()};".encode() + b" " * PIECE

    @flask.get("/<name>")
    def page(name):
        before = mine.get()
        mine.set(f"{before}>{name}")
        return Response(stream())

    async def story():
        client = client_for(flask, threads=3)
        return await asyncio.gather(*[client.ask("GET", f"/{name}") for name in "abcdef"])

    for name, answer in zip("abcdef", asyncio.run(story()), strict=True):
        assert answer.data.replace(b" ", b"").decode() == f"nobody's>{name};" * 5


def test_an_upload_is_read_as_far_as_it_is_wanted(flask):
    """Beyond 64 KiB a thread reads; an application that refuses by the length reads no further."""

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

    taken, refused = asyncio.run(story())
    assert taken.get_json() == {"size": 250_000}
    assert refused.status_code == 413


def test_an_upload_that_is_cut_short(flask):
    """Is no upload: 400."""
    flask.add_url_rule("/", "page", lambda: str(len(request.get_data())), methods=["POST"])

    answer = asyncio.run(client_for(flask).ask("POST", "/", length(FORM * 3), [b"x" * FORM, b"x" * 10, b""]))

    assert answer.status_code == 400


def test_an_application_that_fails_before_its_answer():
    """Raises, so that whoever called can say so."""

    def broken(_environ, _start):
        raise ValueError("x")

    with pytest.raises(ValueError, match="x"):
        client_for(broken).get("/")
