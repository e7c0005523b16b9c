"""Each request finds its endpoint; what two servers could read in two ways finds none."""

import asyncio

import pytest

from bot.server.asgi import AsgiApplication
from bot.server.exchange import Disconnected, Rejected
from tests.asgi import Client, run


async def here(exchange):
    """Says where it is."""
    await exchange.answer(200, {"endpoint": "here"})


async def elsewhere(exchange):
    """Says where it is."""
    await exchange.answer(200, {"endpoint": "elsewhere"})


def client(endpoint=here):
    """A client of two endpoints."""
    return Client(AsgiApplication({"/here": endpoint}, elsewhere))


@pytest.mark.parametrize(
    ("path", "endpoint"), [("/here", "here"), ("/here?x=1", "here"), ("/here/", "elsewhere"), ("/", "elsewhere")]
)
def test_an_endpoint_is_found_by_the_whole_path(path, endpoint):
    assert client().get(path).get_json() == {"endpoint": endpoint}


@pytest.mark.parametrize(
    "headers", [[("Transfer-Encoding", "chunked")], [("Host", "a"), ("Host", "b")], [("Transfer-Encoding", "")]]
)
def test_an_ambiguous_head_is_400_and_ends_the_connection(headers):
    answer = run(client().ask("POST", "/here", headers))

    assert (answer.status_code, answer.headers["Connection"]) == (400, "close")


@pytest.mark.parametrize(
    ("error", "status"), [(Rejected(413, "too long"), 413), (ValueError("secret@example.org"), 500)]
)
def test_an_endpoints_error_is_answered_without_its_words(error, status):
    async def broken(_exchange):
        raise error

    answer = client(broken).get("/here")

    assert answer.status_code == status
    assert b"secret" not in answer.data


def test_a_client_that_has_gone_is_no_failure():
    async def gone(_exchange):
        raise Disconnected

    assert client(gone).get("/here").status_code is None


@pytest.mark.parametrize("error", [ValueError("x"), Rejected(400, "x")])
def test_an_answer_that_breaks_off_never_looks_whole(error):
    async def breaks(exchange):
        await exchange.begin(200, [])
        await exchange.send(b"half", more=True)
        raise error

    answer = client(breaks).get("/here")

    assert (answer.status_code, answer.data, answer.is_cut) == (200, b"half", True)


def test_draining_waits_for_the_last_answer():
    async def story():
        go_on = asyncio.Event()

        async def slow(exchange):
            await go_on.wait()
            await exchange.answer(200, {})

        application = AsgiApplication({"/here": slow}, elsewhere)
        await application.drained()
        asked = asyncio.create_task(Client(application).ask("GET", "/here"))
        await asyncio.sleep(0.01)
        waiting = asyncio.create_task(application.drained())
        await asyncio.sleep(0.01)
        assert not waiting.done()
        go_on.set()
        await asyncio.wait_for(waiting, 1)
        return (await asked).status_code

    assert run(story()) == 200
