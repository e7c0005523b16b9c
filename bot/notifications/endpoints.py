"""The servers that get webhooks, by the file COUNTERSIGN_WEBHOOKS, and what is stored for each in the transaction that caused it."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final, get_args
from urllib.parse import urlsplit

from sqlmodel import Session

from agreements.store.record_context import RecordContext
from bot.network.addresses import is_loopback
from bot.notifications import chat_formats, payloads
from bot.notifications.chat_formats import CHAT_FORMATS, ChatFormat
from bot.notifications.payloads import Event, Notification
from bot.records.record_access import RecordAccess
from bot.report.words.templates import Language
from bot.rulebook import yaml_document
from bot.rulebook.yaml_document import DocumentInvalid, YamlDocument
from bot.store import outgoing_webhooks

Notify = Callable[[Session, Iterable[Notification]], None]
"""Stores webhooks with the caller's transaction."""

NEWS_INTERVAL: Final = timedelta(seconds=3)
"""The pause between two looks at the log."""
BATCH_ENTRIES: Final = 100
"""Entries of the log that one transaction reads."""

EVENTS: Final[tuple[Event, ...]] = get_args(Event)
MAX_ENDPOINTS: Final = 20
"""Endpoints in one file; each event is stored for each of them."""
SHORTEST_SECRET: Final = 16
"""Characters: a shorter one could be guessed from a single delivery."""

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_KEYS: Final = frozenset({"url", "url_file", "secret", "secret_file", "events", "format", "language"})
_LANGUAGES: Final = get_args(Language)
_ADDRESS: Final = re.compile(r"[A-Za-z]+://[^\s']+")

Body = Callable[[bytes], bytes]
"""Makes what an endpoint gets of the JSON of an event (docs/reference/outgoing-webhooks.schema.json)."""
FORMATS: Final[dict[str, Body | ChatFormat]] = {}
"""The formats that an endpoint may ask for, by name."""


def register(name: str, form: Body | ChatFormat) -> None:
    """Add a format. Raises ValueError for a name that exists."""
    if name in FORMATS:
        raise ValueError(f"the format {name} exists already")
    FORMATS[name] = form


# Our own like a plugin's.
register("countersign", bytes)
for _name, _chat in CHAT_FORMATS.items():
    register(_name, _chat)


class EndpointsInvalid(Exception):
    """The file cannot be used; one line that says where and why, without a secret."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server that is told of `events`, by its `name`; `url` and `secret` are never shown.

    `body` makes what is sent of what is stored. A `chat` gets a message in its `language` instead. In `files` stand the
    address and the secret, if not beside the name.
    """

    name: str
    url: str = field(repr=False)
    secret: bytes = field(repr=False)
    events: frozenset[Event]
    body: Body = bytes
    chat: ChatFormat | None = None
    language: Language = "en"
    files: tuple[Path, ...] = ()

    def request(self, event: bytes, *, site: str, at: datetime) -> tuple[str, bytes]:
        """The address and the body for an event; `site` is our public address, to which messages lead."""
        if self.chat is None:
            return self.url, self.body(event)
        written = chat_formats.message(event, self.language, site=site)
        return self.chat.request(written, url=self.url, secret=self.secret, at=at)


def load(path: Path | None) -> tuple[Endpoint, ...]:
    """The endpoints in the file, none without a file. Raises EndpointsInvalid."""
    if path is None:
        return ()
    try:
        document = yaml_document.read(_text(path))
    except ValueError as error:
        raise EndpointsInvalid(f"cannot read {path}: {error}") from None
    except DocumentInvalid as error:
        # What YAML repeats of the file may be an address that stands in a wrong place.
        raise EndpointsInvalid(f"{path}, {_ADDRESS.sub('…', error.errors[0])}") from None
    listed = document.data.get("webhooks") if isinstance(document.data, Mapping) else None
    if not isinstance(listed, Mapping) or set(document.data) != {"webhooks"} or not 0 < len(listed) <= MAX_ENDPOINTS:
        raise EndpointsInvalid(f"{path}: must contain only `webhooks:`, with 1 to {MAX_ENDPOINTS} names below it")
    return tuple(_endpoint(path, document, name, entry) for name, entry in listed.items())


def _endpoint(path: Path, document: YamlDocument, name: object, entry: object) -> Endpoint:
    where = ("webhooks", str(name))
    is_named = isinstance(name, str) and _NAME.fullmatch(name) is not None
    shown = f"webhooks.{name}" if is_named else "webhooks"  # Else it may be an address that stands in a wrong place.

    def wrong(said: str, *key: str) -> EndpointsInvalid:
        return EndpointsInvalid(f"{path}, {document.error((*where, *key), f'{shown}: {said}')}")

    if not isinstance(name, str) or not is_named:
        raise wrong("a name must be 1 to 40 lower-case letters, digits and hyphens")
    if not isinstance(entry, Mapping) or not set(entry) <= _KEYS:
        raise wrong(
            "must have url or url_file, events, secret or secret_file, format and language if need be, and nothing else"
        )
    events = entry.get("events")
    if not isinstance(events, list) or not events or not all(event in EVENTS for event in events):
        raise wrong(f"events must list some of {', '.join(EVENTS)}", "events")
    form = FORMATS.get(str(entry.get("format", "countersign")))
    if form is None:
        raise wrong(f"format must be one of {', '.join(FORMATS)}", "format")
    chat, body = (form, bytes) if isinstance(form, ChatFormat) else (None, form)
    language = entry.get("language", "en")
    if language not in _LANGUAGES or ("language" in entry and chat is None):
        raise wrong(
            f"language must be one of {', '.join(_LANGUAGES)}, with a format of {', '.join(CHAT_FORMATS)}", "language"
        )
    try:
        url = _url(path, entry)
    except ValueError as error:
        raise wrong(str(error), "url" if "url" in entry else "url_file") from None
    try:
        secret = _secret(path, entry, is_needed=chat is None)
    except ValueError as error:
        raise wrong(str(error)) from None
    files = tuple(path.parent / entry[key] for key in ("url_file", "secret_file") if key in entry)
    return Endpoint(name, url, secret, frozenset(events), body, chat, language, files)


def _given(path: Path, entry: Mapping[str, Any], key: str) -> object:
    """The value at the key, or the text of the file that is named at `<key>_file`; None without both."""
    named = f"{key}_file"
    if key in entry and named in entry:
        raise ValueError(f"needs either {key} or {named}")
    if named not in entry:
        return entry.get(key)
    file = entry[named]
    if not isinstance(file, str) or not file:
        raise ValueError(f"{named} must be a path")
    try:
        return _text(path.parent / file).strip()  # An absolute path stays one.
    except ValueError as error:
        # The path is not repeated: who is in a hurry writes the secret itself there.
        raise ValueError(f"{named}: cannot read the file that it names: {error}") from None


def _secret(path: Path, entry: Mapping[str, Any], *, is_needed: bool) -> bytes:
    secret = _given(path, entry, "secret")
    if secret is None and not {"secret", "secret_file"} & set(entry):
        if is_needed:
            raise ValueError("needs either secret or secret_file")
        return b""  # The address of a chat is a secret itself.
    if not isinstance(secret, str) or len(secret) < SHORTEST_SECRET:
        raise ValueError(f"the secret must be text of at least {SHORTEST_SECRET} characters")
    return secret.encode()


def _url(path: Path, entry: Mapping[str, Any]) -> str:
    # The address may hold a token, so no message repeats it.
    url = _given(path, entry, "url")
    if not isinstance(url, str) or not url.isascii() or not url.isprintable() or " " in url:
        raise ValueError("url must be an https address")
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname or "", parts.port
    except ValueError:
        raise ValueError("url must be an https address") from None
    if parts.username is not None or parts.fragment:
        raise ValueError("url must have no user name and no fragment")
    # Else anyone on the way could read it.
    if not host or not (parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host))):
        raise ValueError("url must begin with https:// (http:// only on loopback)")
    return url


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(error.strerror) from None
    except ValueError:
        raise ValueError("not UTF-8 text") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhooks:
    """Stores what the `endpoints` have chosen. Without endpoints nothing is stored."""

    endpoints: tuple[Endpoint, ...]
    records: RecordAccess

    def enqueue(self, session: Session, notifications: Iterable[Notification]) -> None:
        """Store each for those who chose its event; sent once the caller's transaction is committed."""
        for notification in notifications:
            chosen = [endpoint.name for endpoint in self.endpoints if notification.event in endpoint.events]
            context = RecordContext(session, self.records.vault, None, notification.at, self.records.new_id)
            outgoing_webhooks.add(
                context,
                notification.body,
                endpoints=chosen,
                event=notification.event,
                account_id=notification.account_id,
            )

    def follow_log(self) -> None:
        """Store webhooks for all changes of the records: the transaction of each change wrote it into their log."""
        if not self.endpoints:
            with self.records.sessions() as session:
                outgoing_webhooks.stop_following(session)  # An endpoint that is named later gets what is new then.
            return
        with self.records.sessions() as session:
            is_behind = outgoing_webhooks.begin_following(session)
        kinds = payloads.SIGNED | payloads.WITHDRAWN | payloads.COMPANY | set(payloads.ATTENTION)
        while is_behind:
            # The place in the log moves on in the transaction that stores the webhooks: none is lost, none comes twice.
            with self.records.sessions() as session:
                read = outgoing_webhooks.news(session, kinds, most=BATCH_ENTRIES)
                for change in read.changes:
                    self.enqueue(session, payloads.of_records(change))
            is_behind = read.entries == BATCH_ENTRIES  # A full lot: there may be more.


def tell_undelivered(notify: Notify) -> Callable[[Session, datetime], None]:
    """A function that stores a webhook about an e-mail that was given up."""
    return lambda session, at: notify(session, [payloads.of_mail(at)])
