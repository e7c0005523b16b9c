"""Is this webhook GitHub's? A keyed hash over the raw bytes, compared in constant time; verifying raises."""

import hashlib
import hmac
import re
from collections.abc import Sequence

_HEADER = re.compile(r"sha256=([0-9a-f]{64})\Z")


class BadSeal(Exception):  # noqa: N818 - reads as what happened
    """The signature is missing, malformed or not ours; the message never holds any part of it."""


def verify(secrets: Sequence[bytes], body: bytes, header: str | None) -> None:
    """Return when `header` (`X-Hub-Signature-256`) is the HMAC-SHA256 of `body` under one of the secrets.

    Several secrets are for the time of rotating. No secret, or an empty one, seals nothing: that is `BadSeal` too.
    Source: GitHub's documentation, "Validating webhook deliveries".
    """
    found = _HEADER.match(header or "")
    if found is None:
        raise BadSeal("X-Hub-Signature-256 is missing or not of the form sha256=<64 hexadecimal digits>")
    expected = [hmac.new(secret, body, hashlib.sha256).hexdigest() for secret in secrets if secret]
    # Every secret is compared, so that the time taken tells nothing about which one fits.
    fits = [hmac.compare_digest(candidate, found.group(1)) for candidate in expected]
    if not any(fits):
        raise BadSeal("X-Hub-Signature-256 does not fit the body under any webhook secret")
