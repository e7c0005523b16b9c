"""Is this webhook GitHub's? A keyed hash over the raw bytes as they arrive, compared in constant time; verifying raises."""

import hashlib
import hmac
import json
import re
from collections.abc import Sequence
from typing import Final

# The words of a refusal; a running server of an earlier release says the same.
ABSENT: Final = "X-Hub-Signature-256 is missing or not of the form sha256=<64 hexadecimal digits>"
MISMATCH: Final = "X-Hub-Signature-256 does not fit the body under any webhook secret"

_HEADER = re.compile(r"sha256=([0-9a-f]{64})\Z")


class BadSignature(Exception):
    """The signature is missing, malformed or not ours; the message never holds any part of it."""


class WebhookSignature:
    """The HMAC-SHA256 that `X-Hub-Signature-256` promises, computed over a body piece by piece, under every secret.

    Several secrets are for the time of rotating.
    Source: GitHub's documentation, "Validating webhook deliveries".
    """

    def __init__(self, secrets: Sequence[bytes], header: str | None) -> None:
        """Raises `BadSignature` for a header that is no signature, before any body is read."""
        found = _HEADER.match(header or "")
        if found is None:
            raise BadSignature(ABSENT)
        self._promised = found.group(1)
        # No secret, or an empty one, seals nothing.
        self._running = [hmac.new(secret, digestmod=hashlib.sha256) for secret in secrets if secret]

    def update(self, piece: bytes) -> None:
        """Take the next bytes of the body."""
        for mac in self._running:
            mac.update(piece)

    def verify(self) -> None:
        """Return when all bytes fit the header under one of the secrets. Raises `BadSignature`."""
        # Every secret is compared, so that the time taken tells nothing about which one fits.
        fits = [hmac.compare_digest(mac.hexdigest(), self._promised) for mac in self._running]
        if not any(fits):
            raise BadSignature(MISMATCH)


def refusal(answer: str) -> str | None:
    """`ABSENT` or `MISMATCH`, if that is what the body of a 401 says; None for one not ours, as a proxy's."""
    try:
        said = json.loads(answer)
    except (ValueError, RecursionError):
        return None
    found = said.get("message") if isinstance(said, dict) else None
    return found if found in (ABSENT, MISMATCH) else None
