"""Webhooks to Apps: signed, delivered in order from one thread, each outcome kept for looking up and sending again."""

import hashlib
import hmac
import json
import queue
import threading
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from uuid import UUID

import requests

from bot.clock import Clock, new_id
from bot.demo.github.state import App, Json

_PATIENCE = 10.0
"""Seconds that GitHub waits for an answer."""


@dataclass(slots=True)
class Delivery:
    """One webhook: what was sent, and the status of each attempt (None: nobody answered)."""

    id: int
    guid: str
    app: App
    event: str
    action: str | None
    payload: bytes
    at: datetime
    statuses: list[int | None] = field(default_factory=list)

    @property
    def body(self) -> Json:
        """The payload, read."""
        read: Json = json.loads(self.payload)
        return read


def signature(secret: str, payload: bytes) -> str:
    """The value of X-Hub-Signature-256: HMAC-SHA256 over the raw bytes."""
    return "sha256=" + hmac.new(secret.encode(), payload, hashlib.sha256).hexdigest()


class Hooks:
    """The queue of webhooks and its one worker, which starts with the first delivery and ends with `close`."""

    def __init__(self, clock: Clock) -> None:
        self.log: list[Delivery] = []
        self.redelivered: list[Delivery] = []
        self._clock = clock
        self._ids = count(1_300_001)
        self._queue: queue.Queue[Delivery | None] = queue.Queue()
        self._worker: threading.Thread | None = None
        self._starting = threading.Lock()

    def send(self, app: App, event: str, payload: Json) -> str:
        """Queue one webhook and give its GUID; without an address it is only kept in the log."""
        body = json.dumps(payload, ensure_ascii=False).encode()
        delivery = Delivery(
            next(self._ids), str(UUID(new_id())), app, event, payload.get("action"), body, self._clock()
        )
        self.log.append(delivery)
        self._enqueue(delivery)
        return delivery.guid

    def redeliver(self, guid: str) -> None:
        """Send the same bytes again under the same GUID, as the button at GitHub does. KeyError when unknown."""
        again = self.find(guid)
        self.redelivered.append(again)
        self._enqueue(again)

    def find(self, guid: str) -> Delivery:
        """The delivery with that GUID. KeyError when unknown."""
        for delivery in self.log:
            if delivery.guid == guid:
                return delivery
        raise KeyError(guid)

    def settle(self) -> None:
        """Wait until everything queued so far has been tried."""
        self._queue.join()

    def close(self) -> None:
        """Stop the worker after what is queued; a later `send` starts a new one."""
        with self._starting:
            worker, self._worker = self._worker, None
        if worker is not None:
            self._queue.put(None)
            worker.join(timeout=_PATIENCE + 1)

    def _enqueue(self, delivery: Delivery) -> None:
        if not delivery.app.hook_url:
            return
        with self._starting:
            if self._worker is None:
                self._worker = threading.Thread(target=self._work, name="webhooks", daemon=True)
                self._worker.start()
        self._queue.put(delivery)

    def _work(self) -> None:
        with requests.Session() as session:
            session.trust_env = False
            while (delivery := self._queue.get()) is not None:
                delivery.statuses.append(_attempt(session, delivery))
                self._queue.task_done()
            self._queue.task_done()


def _attempt(session: requests.Session, delivery: Delivery) -> int | None:
    app = delivery.app
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
    try:
        answer = session.post(
            app.hook_url, data=delivery.payload, headers=headers, timeout=_PATIENCE, allow_redirects=False
        )
    except requests.RequestException:
        return None
    return answer.status_code
