"""Public answers are compressed; those with a session, form or token of a visitor never are."""

import gzip
import itertools

import pytest
import requests
from werkzeug.test import Client
from werkzeug.wrappers import Request, Response

from bot.portal.compression import MIN_BYTES, Compression, accepts_gzip
from tests.bot.server.served import served

ASKS = {"Accept-Encoding": "gzip, deflate, br"}
PUBLIC = ("/", "/guide", "/faq", "/dco", "/static/style.css", "/whitelist.json", "/dco.txt", "/api/v1/openapi.json")


def answered(response, cookie="session", **asked):
    """What a client of an app that answers so gets."""

    @Request.application
    def app(_request):
        return response

    return Client(Compression(app, cookie), use_cookies=False).get("/", **{"headers": ASKS, **asked})


@pytest.mark.parametrize("path", PUBLIC)
def test_public_pages_are_sent_compressed_to_clients_that_ask_for_it(portal, path):
    browser = portal.signed_in()
    browser.post("/sign/icla", data=portal.form(browser))
    with served(portal.app) as home:
        small = requests.get(home + path, headers=ASKS, stream=True, timeout=60)
        sent = small.raw.read(decode_content=False)
        plain = requests.get(home + path, headers={"Accept-Encoding": "identity"}, timeout=60)

    assert gzip.decompress(sent) == plain.content
    assert small.headers["Content-Encoding"] == "gzip"
    assert path == "/whitelist.json" or len(sent) < len(plain.content) * 0.55
    assert "Content-Encoding" not in plain.headers
    for answer in (small, plain):
        assert "accept-encoding" in answer.headers["Vary"].lower()
        assert small.headers["Content-Type"] == answer.headers["Content-Type"]


@pytest.mark.parametrize(
    ("headers", "asked"),
    [
        ({"Set-Cookie": "session=new"}, {}),
        ({}, {"headers": {**ASKS, "Cookie": "session=old"}}),
        ({}, {"headers": {**ASKS, "Authorization": "Bearer word"}}),
        ({"Content-Encoding": "br"}, {}),
        ({"Content-Type": "image/png"}, {}),
    ],
)
def test_answers_of_a_session_or_token_and_compressed_content_are_left_alone(headers, asked):
    response = Response(b"x" * 5000, content_type="text/html", headers={})
    response.headers.update(headers)
    answer = answered(response, **asked)

    assert answer.headers.get("Content-Encoding") == headers.get("Content-Encoding")
    assert answer.data == b"x" * 5000


@pytest.mark.parametrize(
    "response",
    [
        Response(b"x" * (MIN_BYTES - 1), content_type="text/html"),
        Response(b'<input name="csrf_token">' + b"x" * 5000, content_type="text/html"),
        Response(b"x" * 5000, content_type="text/html", status=404),
        Response(b"x" * 5000, content_type="text/html", status=206),
    ],
)
def test_short_answers_forms_errors_and_ranges_are_sent_as_they_are_with_vary(response):
    answer = answered(response)

    assert "Content-Encoding" not in answer.headers
    assert answer.headers["Vary"] == "Accept-Encoding"
    assert answer.data == response.data


def test_a_compressed_answer_has_a_weak_etag_and_no_headers_of_its_plain_bytes():
    response = Response(
        b"x" * 5000, content_type="text/css", headers={"ETag": '"a"', "Vary": "Cookie", "Accept-Ranges": "bytes"}
    )
    answer = answered(response)

    assert answer.headers["ETag"] == 'W/"a"'
    assert answer.headers["Vary"] == "Cookie, Accept-Encoding"
    assert "Accept-Ranges" not in answer.headers
    assert "Content-Length" not in answer.headers
    assert gzip.decompress(answer.data) == b"x" * 5000


def test_a_stream_is_compressed_piece_by_piece_and_closed_with_its_answer():
    made, closed = [], []

    def pieces():
        try:
            for number in itertools.count():
                made.append(number)
                yield bytes(str(number), "ascii") * 20_000
        finally:
            closed.append(True)

    answer = answered(Response(pieces(), content_type="application/json"), buffered=False)
    rest = answer.iter_encoded()
    assert next(rest).startswith(b"\x1f\x8b")
    assert len(made) < 100
    answer.close()
    assert closed == [True]


@pytest.mark.parametrize(
    ("header", "takes"),
    [
        ("gzip", True),
        ("br, gzip;q=0.1", True),
        ("*", True),
        ("", False),
        ("br", False),
        ("gzip;q=0", False),
        ("identity", False),
    ],
)
def test_gzip_is_used_only_if_the_accept_encoding_header_allows_it(header, takes):
    assert accepts_gzip(header) is takes
