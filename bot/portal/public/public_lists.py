"""The public lists as they are asked for: made once for each change, kept compressed, sent in pieces."""

import threading
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Final

from flask import Response, current_app, render_template, request
from flask.typing import ResponseReturnValue

import bot
from agreements import whitelist
from agreements.store import public_records
from bot.portal import compression
from bot.portal.forms.typed_values import page_number
from bot.portal.portal_services import PortalServices, portal_services, reading

PUBLISHED: Final = {
    "Cache-Control": "public, max-age=60",  # As often as changes by date are looked for.
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
"""The headers of files that are made to be read by other sites' pages and tools."""

PAGE_PEOPLE: Final = 100
"""People on one page."""

MAX_LOGIN_CHARACTERS: Final = 100
"""Characters that a page looks for; a login has fewer."""

PIECE_BYTES: Final = 64 * 1024
"""Bytes that are sent at a time."""


def listing() -> ResponseReturnValue:
    """Logins, ids and domains as JSON; 304 to the tag of a list that cannot have changed."""
    return _answer(ids=True)


def logins() -> ResponseReturnValue:
    """The same for scripts that know logins alone."""
    return _answer(ids=False)


def people_page() -> ResponseReturnValue:
    """The list for people: logins, a page at a time or found by how they begin, and the domains."""
    services, number = portal_services(), page_number()
    wanted = request.args.get("login", "").strip().removeprefix("@")[:MAX_LOGIN_CHARACTERS]
    first = (number - 1) * PAGE_PEOPLE
    with reading() as (records, _vault, at):
        # One more tells whether a page follows.
        found = list(public_records.individuals(records, at, begins=wanted, part=slice(first, first + PAGE_PEOPLE + 1)))
        domains = public_records.domains(records, services.catalog.accepted(), at)
        updated = public_records.updated(records, at)
    return render_template(
        "public/signers.html",
        people=found[:PAGE_PEOPLE],
        more=len(found) > PAGE_PEOPLE,
        number=number,
        wanted=wanted,
        domains=domains,
        updated=updated if updated > public_records.NEVER else None,
    )


@dataclass(frozen=True, slots=True)
class ListState:
    """The state that a list depends on: what is recorded (`change`), when things began or ended (`updated`), our `texts`."""

    change: int
    updated: datetime
    texts: str

    def tag(self, *, ids: bool) -> str:
        """The entity tag, without quotes: the same in every process."""
        said = (bot.__version__, ids, self.change, self.updated.isoformat(), self.texts)
        return sha256(repr(said).encode()).hexdigest()[:32]


class PublicLists:
    """Both lists of the present state. A hundred thousand people take about a second to be read, and 1.4 MB compressed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # A request that comes meanwhile takes what the first one makes.
        self._asked: tuple[int, datetime, datetime] | None = None
        self._kept: dict[bool, tuple[ListState, bytes]] = {}

    def state(self, services: PortalServices) -> ListState:
        """The present state."""
        at, texts = services.clock(), repr(sorted(services.catalog.accepted()))
        # What begins or ends by its date alone is noticed within a minute: to look for it reads every person.
        minute = at.replace(second=0, microsecond=0)
        with services.sessions() as records:
            change = public_records.newest_change(records)
            known = self._asked
            if known is None or known[:2] != (change, minute):
                known = self._asked = (change, minute, public_records.updated(records, at))
        return ListState(change, known[2], sha256(texts.encode()).hexdigest())

    def compressed(self, services: PortalServices, state: ListState, *, ids: bool) -> bytes:
        """The list as gzip; at least as new as that state."""
        with self._lock:
            known, body = self._kept.get(ids, (None, b""))
            if known != state:
                body = b"".join(compression.compressed(_pieces(services, ids=ids)))
                self._kept[ids] = (state, body)
        return body


def _pieces(services: PortalServices, *, ids: bool) -> Iterator[bytes]:
    at, accepted = services.clock(), services.catalog.accepted()
    # One transaction, a part of the people at a time: all of one state, and never all in memory.
    with services.sessions() as records:
        domains, updated = public_records.domains(records, accepted, at), public_records.updated(records, at)
        yield from whitelist.pieces(public_records.individuals(records, at), domains, updated, ids=ids)


def _answer(*, ids: bool) -> ResponseReturnValue:
    services = portal_services()
    lists: PublicLists = current_app.extensions.setdefault("countersign.public-lists", PublicLists())
    state = lists.state(services)
    response = Response(mimetype="application/json", headers=PUBLISHED)
    # Weak: the same tag for the bytes with gzip and without (RFC 9110, section 8.8.1).
    response.set_etag(state.tag(ids=ids), weak=True)
    response.vary.add("Accept-Encoding")  # Also with a 304 (RFC 9110, section 15.4.5).
    if request.if_none_match.contains_weak(state.tag(ids=ids)):
        response.status_code = 304
        return response
    body = lists.compressed(services, state, ids=ids)
    if compression.accepts_gzip(request.headers.get("Accept-Encoding", "")):
        response.headers["Content-Encoding"] = "gzip"
        response.content_length = len(body)
        response.response = (body[start : start + PIECE_BYTES] for start in range(0, len(body), PIECE_BYTES))
    else:
        response.response = _opened(body)
    return response


def _opened(body: bytes) -> Iterator[bytes]:
    # Opened while it is sent: no request holds the whole list.
    reader, rest = zlib.decompressobj(compression.GZIP_WINDOW), body
    while rest:
        yield reader.decompress(rest, PIECE_BYTES)
        rest = reader.unconsumed_tail
    yield reader.flush()
