"""What the world may see: logins with their ids, companies' domains, and the time of the last change; nothing else."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from hashlib import sha256


def render(individuals: Iterable[tuple[str, int]], domains: Iterable[str], updated: datetime) -> bytes:
    """The public whitelist as UTF-8 JSON; the same content gives the same bytes, whatever its order.

    `individuals` are (login, account id) pairs, `updated` needs a zone and is written in UTC to the second.
    """
    people = sorted(set(individuals), key=lambda person: (person[0].lower(), person[1]))
    content = {
        "individuals": [{"login": login, "id": account_id} for login, account_id in people],
        "corporate_domains": sorted(set(domains)),
        "last_updated": updated.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    return json.dumps(content, ensure_ascii=False, indent=2).encode() + b"\n"


def etag(body: bytes) -> str:
    """The HTTP entity tag of these bytes, with its quotes (RFC 9110, 8.8.3)."""
    return f'"{sha256(body).hexdigest()[:32]}"'
