"""A request as the server hands it over, and the answers to it."""

import pytest

from bot.server.exchange import Disconnected, Exchange, Rejected
from tests.asgi import Client, run


def answered(endpoint, **request):
    """What a client reads when that endpoint answers."""

    async def application(scope, receive, send):
        await endpoint(Exchange(scope, receive, send))

    return run(Client(application).ask(**{"method": "POST", "path": "/", **request}))


def test_headers_with_underscores_are_dropped():
    """A header with an underscore would override one of the proxy."""
    seen = []

    async def endpoint(exchange):
        seen.append((exchange.header("x-forwarded-for"), exchange.header("x-a"), exchange.header("x-b")))
        await exchange.answer(200, {})

    answered(
        endpoint, headers=[("X-Forwarded-For", "10.0.0.1"), ("X_Forwarded_For", "6.6.6.6"), ("X-A", "1"), ("X-A", "2")]
    )

    assert seen == [("10.0.0.1", "1, 2", None)]


@pytest.mark.parametrize("length", ["-1", "+1", "1e3", "٣", "9" * 19, "1, 1"])
def test_a_length_that_is_no_number_is_refused(length):
    async def endpoint(exchange):
        with pytest.raises(Rejected):
            assert exchange.length
        await exchange.answer(200, {})

    answered(endpoint, headers=[("Content-Length", length.encode().decode("latin-1"))])


def test_an_answer_in_json_has_its_length_and_a_rejection_ends_the_connection():
    async def endpoint(exchange):
        await exchange.reject(Rejected(405, "not so", ("Allow", "GET")))

    answer = answered(endpoint)
    assert (answer.status_code, answer.get_json(), answer.is_cut) == (405, {"message": "not so"}, False)
    assert (answer.headers["Connection"], answer.headers["Allow"]) == ("close", "GET")
    assert answer.headers["Content-Length"] == str(len(answer.data))


def test_nothing_is_received_from_a_client_that_has_gone():
    seen = []

    async def endpoint(exchange):
        with pytest.raises(Disconnected):
            await exchange.receive()
        seen.append(exchange.is_begun)

    answered(endpoint, pieces=[])

    assert seen == [False]


@pytest.mark.parametrize(("pieces", "left"), [([b"x"] * 3, 0), ([b"x" * 16_000_000] * 5, 2), ([b"x", None], 0)])
def test_a_rejected_body_is_read_unless_it_is_endless(pieces, left):
    """The answer would be lost with a connection that ends too early."""
    rest = list(pieces)

    async def application(scope, receive, send):
        async def counted():
            message = await receive()
            rest.pop()
            return message

        await Exchange(scope, counted, send).reject(Rejected(401, "no"))

    length = str(sum(len(piece or b"x") for piece in pieces))
    answer = run(Client(application).ask("POST", "/", [("Content-Length", length)], pieces))

    assert answer.status_code == 401
    assert len(rest) == (left if None not in pieces else 1)
