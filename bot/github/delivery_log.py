"""The App's webhook log at GitHub: which deliveries we did not take, what was sent, and having it sent again."""

import json
import re
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice, takewhile
from typing import Final

from bot.github.ports import Missing, Refused
from bot.github.reading import Json, moment, understanding
from bot.github.renames import RepositoryClient

_LOG = "/app/hook/deliveries"
_ESCAPE: Final = re.compile(r"\\(?:u[0-9a-f]{4}|.)")  # GitHub escapes control characters with capital digits.
MAX_OVERLAP_DELIVERIES: Final = 1000  # Ten pages: what we took before is sent once more, which does no harm.


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryAttempt:
    """GitHub's attempt `id` to send the webhook `guid`, an `event` of `repository_id` (None: of none), `at` a time.

    `status`: of the answer, 0 if GitHub got none. `attempts`: how many of that webhook have failed up to this one.
    """

    id: int
    guid: str
    event: str
    repository_id: int | None
    at: datetime
    status: int
    attempts: int = 1

    @property
    def is_accepted(self) -> bool:
        """Whether it was answered with 2xx."""
        return 200 <= self.status < 300


@dataclass(frozen=True, slots=True)
class SentWebhook:
    """A sent webhook: its `signature` ("" for none), its `body`, written again from GitHub's log, and its `answer`.

    A signature that fits the body proves the secret. One that does not fit proves nothing: GitHub documents the log as
    JSON, not as the bytes that it signed.
    """

    signature: str
    body: bytes = field(repr=False)
    answer: str = field(repr=False)


class GitHubDeliveries(RepositoryClient):
    """The App's webhook log at GitHub, which reaches three days back."""

    def failed_deliveries(self, since: datetime) -> tuple[DeliveryAttempt, ...]:
        """The deliveries that failed since then, each GUID once by its newest attempt, the oldest first. A GUID may have arrived later.

        Empty where this GitHub has no such log (an older GitHub Enterprise Server).
        """
        newest: dict[str, DeliveryAttempt] = {}
        # An older server ignores `status`, so each status code is looked at.
        for attempt in self._attempts("failure", since):
            if not attempt.is_accepted:
                known = newest.get(attempt.guid)
                newest[attempt.guid] = attempt if known is None else replace(known, attempts=known.attempts + 1)
        return tuple(sorted(newest.values(), key=lambda attempt: attempt.at))

    def taken_deliveries(self, since: datetime) -> frozenset[str]:
        """GUIDs of what we took since then, of the newest `MAX_OVERLAP_DELIVERIES` alone: a busy log is long."""
        found = self._attempts("success", since, MAX_OVERLAP_DELIVERIES)
        return frozenset(attempt.guid for attempt in found if attempt.is_accepted)

    def _attempts(self, status: str, since: datetime, most: int | None = None) -> list[DeliveryAttempt]:
        items = self._pool.app().pages(_LOG, {"status": status}, by_cursor=True)
        try:
            return list(islice(takewhile(lambda attempt: attempt.at >= since, map(_attempt, items)), most))
        except Missing:  # An older Enterprise Server has no such log.
            return []

    def newest_deliveries(self) -> tuple[DeliveryAttempt, ...]:
        """The newest attempts, up to a hundred, the newest first. `Missing` where this GitHub has no such log."""
        items = self._pool.app().read(_LOG, {"per_page": 100})
        with understanding():
            return tuple(map(_attempt, items))

    def sent_webhook(self, attempt_id: int) -> SentWebhook:
        """The request and the answer of that attempt. `Missing` when the log has it no more."""
        answer = self._pool.app().read(f"{_LOG}/{attempt_id}")
        with understanding():
            sent = answer["request"]
            headers = {str(name).lower(): str(value) for name, value in (sent["headers"] or {}).items()}
            # As GitHub writes bodies: compact, in its order, and with its escapes of control characters.
            text = json.dumps(sent["payload"], ensure_ascii=False, separators=(",", ":"))
            answered = (answer.get("response") or {}).get("payload")
        body = _ESCAPE.sub(lambda found: found[0][:2] + found[0][2:].upper(), text).encode()
        said = answered if isinstance(answered, str) else json.dumps(answered)
        return SentWebhook(headers.get("x-hub-signature-256", ""), body, said)

    def redeliver(self, delivery_id: int) -> bool:
        """Have GitHub send that delivery again; False when it will not, because it is older than three days."""
        try:
            self._pool.app().write("POST", f"{_LOG}/{delivery_id}/attempts")
        except (Missing, Refused):  # GitHub keeps its log for three days.
            return False
        return True


def _attempt(item: Json) -> DeliveryAttempt:
    with understanding():
        # Where no answer came, GitHub writes 502 ("failed to connect to host") or 504 ("timed out").
        is_unanswered = item["status_code"] in (502, 504) and not item["status"].startswith("Invalid HTTP Response")
        return DeliveryAttempt(
            id=int(item["id"]),
            guid=str(item["guid"]),
            event=str(item["event"]),
            repository_id=item["repository_id"],
            at=moment(item["delivered_at"]),
            status=0 if is_unanswered else int(item["status_code"]),
        )
