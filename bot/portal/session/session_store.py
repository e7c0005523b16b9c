"""Flask's session kept on the server: the cookie holds a random word, the database its hash and sealed contents."""

import hashlib
import json
import secrets
from datetime import datetime
from typing import Any

import structlog
from flask import Flask, Request, Response
from flask.sessions import SessionInterface, SessionMixin
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session
from werkzeug.datastructures import CallbackDict

from agreements.store.ledger.transient_rows import RowRefused
from agreements.vault import DecryptionFailed, Vault, place, server_key_id
from bot.records.record_access import RecordAccess
from bot.store import portal_sessions
from bot.telemetry import security_log
from bot.telemetry.security_log import Event

_WORD_BYTES = 32
_MAX_COOKIE_CHARACTERS = 64  # Ours have 43.

log = structlog.get_logger()


class ServerSession(CallbackDict[str, Any], SessionMixin):
    """The contents of one session. `account` is the signed-in GitHub account: `{"id", "login"}`."""

    def __init__(self, contents: dict[str, Any] | None = None, word: str = "") -> None:
        super().__init__(contents, on_update=_changed)
        self.word = word
        self.modified = False
        self.renewed = False

    def renew(self) -> None:
        """Empty the session and give it a new word: at login, against session fixation."""
        self.clear()
        self.renewed = True


def _changed(session: CallbackDict[str, Any]) -> None:
    session.modified = True  # type: ignore[attr-defined]  # only ever a ServerSession


class ServerSessionInterface(SessionInterface):
    """Opens and keeps sessions; a cookie that is unknown, ended or forged opens an empty one."""

    def __init__(self, records: RecordAccess, *, secure: bool) -> None:
        self._records = records
        self._secure = secure
        # Browsers take a __Host- cookie only from https, for this host alone and the whole of it.
        self.cookie = "__Host-countersign" if secure else "countersign"

    def open_session(self, app: Flask, request: Request) -> ServerSession:  # noqa: ARG002 - Flask's signature
        """The session that the cookie names, or an empty one; without a database it is empty too."""
        word = request.cookies.get(self.cookie, "")
        if not word or len(word) > _MAX_COOKIE_CHARACTERS:
            return ServerSession()
        id_hash, sealed = _hash(word), None
        try:
            with self._records.sessions() as session:
                portal_session = portal_sessions.find(session, self._records.vault, id_hash, self._records.clock())
                sealed = portal_session.sealed if portal_session else None
            if sealed is not None:
                return ServerSession(opened(self._records.vault, id_hash, sealed), word)
        except SQLAlchemyError as error:
            log.warning("portal.visit_unreadable", why=type(error).__name__)
        except DecryptionFailed:
            # A ring that lacks the row's key is the operator's to mend; under a known key the row was changed.
            is_known = server_key_id(sealed or b"") in self._records.vault.ids
            self._refuse(word, RowRefused("visit", None, "wrong-code" if is_known else "unknown-key"))
        except RowRefused as refused:
            self._refuse(word, refused)
        return ServerSession()

    def _refuse(self, word: str, refused: RowRefused) -> None:
        """Log that the row was refused, and delete it, so that the browser's next request finds none."""
        security_log.tell(Event.ROW_REFUSED, table=refused.table, row=refused.row, why=refused.why)
        try:
            self._end(word)
        except SQLAlchemyError as error:
            log.warning("portal.visit_unreadable", why=type(error).__name__)

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:  # noqa: ARG002 - Flask's signature
        """Store a changed session; an emptied one is ended here and in the browser."""
        if not isinstance(session, ServerSession) or not (session.modified or session.renewed):
            return
        if not session:
            self._end(session.word)
            response.delete_cookie(self.cookie, path="/", secure=self._secure, httponly=True, samesite="Lax")
            return
        word = session.word
        if session.renewed or not word:
            # The old word must open nothing: another person may know it.
            self._end(word)
            word = secrets.token_urlsafe(_WORD_BYTES)
        self._keep(word, session)
        # Lax: the redirect back from GitHub has to bring the cookie, which Strict would keep away.
        response.set_cookie(self.cookie, word, path="/", secure=self._secure, httponly=True, samesite="Lax")

    def _keep(self, word: str, portal_session: ServerSession) -> None:
        id_hash = _hash(word)
        account = portal_session.get("account") or {}
        # Bound to its hash: a row that is copied over another does not open.
        sealed = self._records.vault.encrypt_for_server(json.dumps(dict(portal_session)).encode(), _about(id_hash))
        # One that was there when the request began, and was ended since, does not begin again.
        keep = portal_sessions.replace if word == portal_session.word else portal_sessions.keep
        try:
            with self._records.sessions() as session:
                keep(session, self._records.vault, id_hash, account.get("id"), sealed, self._records.clock())
        except RowRefused as refused:
            self._refuse(word, refused)

    def _end(self, word: str) -> None:
        if word:
            with self._records.sessions() as session:
                portal_sessions.end(session, _hash(word))


def ended(records: Session, vault: Vault, portal_session: Any, at: datetime) -> bool:
    """Whether Flask's present `session` has been ended on the server since the request began."""
    return portal_sessions.of_whom(records, vault, _hash(portal_session.word), at) is None


def opened(vault: Vault, id_hash: str, sealed: bytes) -> dict[str, Any]:
    """The contents of a session, opened. Raises DecryptionFailed."""
    remembered: dict[str, Any] = json.loads(vault.decrypt_for_server(sealed, _about(id_hash)))
    return remembered


def _hash(word: str) -> str:
    # Enough to find a row: the word has 256 random bits, and the row counts by its code (`portal_sessions.find`).
    return hashlib.sha256(word.encode()).hexdigest()


def _about(id_hash: str) -> str:
    return place("visit", "sealed", id_hash)
