"""Compresses answers that hold nothing secret: a page's size would tell of a word in it to who can choose other words of it (BREACH)."""

import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from werkzeug.datastructures import Headers
from werkzeug.http import parse_accept_header, parse_cookie
from werkzeug.wsgi import ClosingIterator

MIN_BYTES: Final = 1000
"""A shorter answer fits into one packet as it is."""
GZIP_LEVEL: Final = 6
GZIP_WINDOW: Final = 16 + zlib.MAX_WBITS
"""Tells zlib to write the head and the end of gzip."""
_TYPES: Final = frozenset(
    {"application/json", "image/svg+xml", "text/css", "text/html", "text/javascript", "text/markdown", "text/plain"}
)
_FORM_WORD: Final = b"csrf_token"
"""A word in every page with a form of ours. Such a page has a session, too: this holds where that is ever forgotten."""

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class Compression:
    """A WSGI application around the portal's: gzip for what neither reads nor begins a session and carries no token."""

    def __init__(self, application: Application, session_cookie: str) -> None:
        self._application = application
        self._session_cookie = session_cookie

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        """Answer one request (PEP 3333)."""
        begun: list[Any] = []  # Held back: the headers depend on what the answer holds.
        pieces = self._application(environ, lambda *given: begun.extend(given))
        status, given, *error = begun
        headers = Headers(given)
        is_text = headers.get("Content-Type", "").partition(";")[0] in _TYPES and "Content-Encoding" not in headers
        if environ["REQUEST_METHOD"] != "GET" or not self._is_public(environ, headers) or not is_text:
            start(*begun)
            return pieces
        # Tell caches that another client may get other bytes.
        names = [part.strip() for part in headers.get("Vary", "").split(",") if part.strip()]
        if "accept-encoding" not in map(str.lower, names):
            headers["Vary"] = ", ".join([*names, "Accept-Encoding"])
        first, rest = b"", iter(pieces)
        # A part (206) is one of the plain bytes.
        if status.startswith("200") and accepts_gzip(environ.get("HTTP_ACCEPT_ENCODING", "")):
            try:
                first = _beginning(rest)
            except BaseException:  # PEP 3333: `close` in any case.
                _close(pieces)
                raise
            if len(first) >= MIN_BYTES and _FORM_WORD not in first:
                _mark(headers)
                rest = compressed(_joined(first, rest))
                first = b""
        start(status, headers.to_wsgi_list(), *error)
        return ClosingIterator(_joined(first, rest), lambda: _close(pieces))

    def _is_public(self, environ: dict[str, Any], headers: Headers) -> bool:
        """Whether neither the request nor the answer says who the visitor is."""
        named = "HTTP_AUTHORIZATION" in environ or self._session_cookie in parse_cookie(environ)
        return not named and "Set-Cookie" not in headers


def accepts_gzip(accept_encoding: str) -> bool:
    """Whether who sends this header takes gzip; a client that names nothing may not."""
    return parse_accept_header(accept_encoding).quality("gzip") > 0


def _mark(headers: Headers) -> None:
    headers["Content-Encoding"] = "gzip"
    headers.remove("Content-Length")  # Not known before it is packed.
    headers.remove("Accept-Ranges")  # Parts would be of other bytes.
    tag = headers.get("ETag", "")
    if tag.startswith('"'):
        headers["ETag"] = f"W/{tag}"  # Weak: the same meaning in other bytes (RFC 9110, section 8.8.1).


def _beginning(rest: Iterator[bytes]) -> bytes:
    """The beginning of the answer, enough to know whether it is long; all of a short one."""
    first = b""
    for piece in rest:
        first += piece
        if len(first) >= MIN_BYTES:
            break
    return first


def compressed(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes as gzip, in pieces as they come."""
    packer = zlib.compressobj(GZIP_LEVEL, zlib.DEFLATED, GZIP_WINDOW)
    for piece in pieces:
        if packed := packer.compress(piece):
            yield packed
    yield packer.flush()


def _joined(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    if first:
        yield first
    yield from rest


def _close(pieces: Iterable[bytes]) -> None:
    if close := getattr(pieces, "close", None):
        close()
