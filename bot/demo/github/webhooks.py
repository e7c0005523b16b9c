"""Webhooks to Apps: signed, delivered in order from one thread, each attempt kept in a log for looking up and sending again."""

import hashlib
import hmac
import json
import queue
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from uuid import UUID

import requests

from bot.clock import Clock, new_id
from bot.demo.github.state import Json, StoredApp

_TIMEOUT_SECONDS = 10.0  # GitHub waits no longer for an answer.
_DELIVERY_RETENTION = timedelta(days=3)  # As GitHub's log.


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """An attempt by `id` to send a webhook, `at` a time, with `sent_headers`; `status` None: no server answered.

    `seconds` is how long the answer took, `headers` and `body` are its own.
    """

    id: int
    at: datetime
    status: int | None
    seconds: float = 0.0
    sent_headers: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""

    @property
    def is_success(self) -> bool:
        """Whether it was answered with 2xx."""
        return self.status is not None and 200 <= self.status < 300

    @property
    def outcome(self) -> tuple[str, int]:
        """The attempt in GitHub's log, in words and as a status: without an answer, too, it has one of HTTP's."""
        if self.status is None:
            is_late = self.seconds >= _TIMEOUT_SECONDS
            return ("timed out", 504) if is_late else ("failed to connect to host", 502)
        return "OK" if self.is_success else f"Invalid HTTP Response: {self.status}", self.status


@dataclass(slots=True)
class SentDelivery:
    """A webhook by `guid` to an `app`: `event`, `action` if it has one, `payload`, and `attempts`, oldest first."""

    guid: str
    app: StoredApp
    event: str
    action: str | None
    payload: bytes
    attempts: list[Attempt] = field(default_factory=list)

    @property
    def body(self) -> Json:
        """The payload, read."""
        read: Json = json.loads(self.payload)
        return read

    @property
    def statuses(self) -> list[int | None]:
        """The status with which each attempt was answered."""
        return [attempt.status for attempt in self.attempts]


def signature(secret: str, payload: bytes) -> str:
    """The value of X-Hub-Signature-256: HMAC-SHA256 over the raw bytes."""
    return "sha256=" + hmac.new(secret.encode(), payload, hashlib.sha256).hexdigest()


class Hooks:
    """The queue of webhooks and its one worker, which starts with the first delivery and ends with `close`."""

    def __init__(self, clock: Clock) -> None:
        self.log: list[SentDelivery] = []
        self.redelivered: list[SentDelivery] = []
        self._clock = clock
        self._ids = count(1_300_001)
        self._queue: queue.Queue[SentDelivery | None] = queue.Queue()
        self._worker: threading.Thread | None = None
        self._starting = threading.Lock()

    def send(self, app: StoredApp, event: str, payload: Json) -> None:
        """Queue one webhook; without an address it is only kept in the log."""
        # As GitHub writes bodies: compact, and in UTF-8.
        body = json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()
        delivery = SentDelivery(str(UUID(new_id())), app, event, payload.get("action"), body)
        self.log.append(delivery)
        self._enqueue(delivery)

    def redeliver(self, again: SentDelivery) -> None:
        """Send the same bytes again under the same GUID, as the button at GitHub does."""
        self.redelivered.append(again)
        self._enqueue(again)

    def attempts(self, app: StoredApp) -> list[tuple[SentDelivery, Attempt]]:
        """The attempts to send to an App, the newest first; GitHub forgets them after three days."""
        since = self._clock() - _DELIVERY_RETENTION
        found = [
            (delivery, attempt)
            for delivery in self.log
            if delivery.app is app
            for attempt in delivery.attempts
            if attempt.at >= since
        ]
        return sorted(found, key=lambda entry: -entry[1].id)

    def log_failure(self, delivery: SentDelivery) -> None:
        """Log an unanswered attempt, without making it."""
        delivery.attempts.append(Attempt(id=next(self._ids), at=self._clock(), status=None))

    def drain(self) -> None:
        """Wait until everything queued so far has been tried."""
        self._queue.join()

    def close(self) -> None:
        """Stop the worker after what is queued; a later `send` starts a new one."""
        with self._starting:
            worker, self._worker = self._worker, None
        if worker is not None:
            self._queue.put(None)  # It ends after what is queued.
            worker.join(timeout=_TIMEOUT_SECONDS + 1)

    def _enqueue(self, delivery: SentDelivery) -> None:
        if not delivery.app.hook_url:
            return
        with self._starting:
            if self._worker is None:
                self._worker = threading.Thread(target=self._work, name="webhooks", daemon=True)
                self._worker.start()
        self._queue.put(delivery)

    def _work(self) -> None:
        with requests.Session() as session:
            session.trust_env = False  # Past any proxy: an App may be on this machine.
            while (delivery := self._queue.get()) is not None:
                delivery.attempts.append(self._attempt(session, delivery))
                self._queue.task_done()
            self._queue.task_done()

    def _attempt(self, session: requests.Session, delivery: SentDelivery) -> Attempt:
        app, start = delivery.app, time.monotonic()
        headers = {
            "Accept": "*/*",
            "Content-Type": "application/json",
            "User-Agent": "GitHub-Hookshot/c0ffee1",
            "X-GitHub-Delivery": delivery.guid,
            "X-GitHub-Event": delivery.event,
            "X-GitHub-Hook-ID": str(120000 + app.id),
            "X-GitHub-Hook-Installation-Target-ID": str(app.id),
            "X-GitHub-Hook-Installation-Target-Type": "integration",
            "X-Hub-Signature-256": signature(app.webhook_secret, delivery.payload),
        }
        number, at = next(self._ids), self._clock()
        try:
            # GitHub follows no redirect of a webhook's address.
            answer = session.post(
                app.hook_url, data=delivery.payload, headers=headers, timeout=_TIMEOUT_SECONDS, allow_redirects=False
            )
        except requests.RequestException:
            return Attempt(id=number, at=at, status=None, seconds=time.monotonic() - start, sent_headers=headers)
        return Attempt(
            id=number, at=at, status=answer.status_code, seconds=time.monotonic() - start, sent_headers=headers,
            headers=dict(answer.headers), body=answer.text,
        )  # fmt: skip
