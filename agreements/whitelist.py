"""What the world may see: logins with their ids, companies' domains, and the time of the last change; nothing else."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256

from agreements.domains.domains import canonical_domain


class WhitelistInvalid(Exception):
    """It is no public whitelist; the text is one line: where, and what should be there."""


@dataclass(frozen=True, slots=True)
class Whitelist:
    """What a public whitelist names. It is a copy, perhaps an old one: a hint, never a decision."""

    ids: frozenset[int]
    domains: frozenset[str]


def read(body: bytes) -> Whitelist:
    """The account ids and canonical domains of a whitelist as `render` writes it. Raises WhitelistInvalid."""
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        raise WhitelistInvalid("it is not JSON") from None
    if not isinstance(content, dict):
        raise WhitelistInvalid("it is not an object")
    return Whitelist(
        frozenset(_id(person, path) for person, path in _items(content, "individuals")),
        frozenset(_domain(name, path) for name, path in _items(content, "corporate_domains")),
    )


def _items(content: Mapping[str, object], key: str) -> Iterator[tuple[object, str]]:
    """The items of a list, each with its place."""
    found = content.get(key)
    if not isinstance(found, list):
        raise WhitelistInvalid(f"{key}: must be a list")
    return ((one, f"{key}.{index}") for index, one in enumerate(found))


def _id(person: object, path: str) -> int:
    found = person.get("id") if isinstance(person, dict) else None
    if not isinstance(found, int) or isinstance(found, bool):
        raise WhitelistInvalid(f"{path}.id: must be a number")
    return found


def _domain(name: object, path: str) -> str:
    found = canonical_domain(name) if isinstance(name, str) else None
    if found is None:
        raise WhitelistInvalid(f"{path}: must be a domain")
    return found


def render(individuals: Iterable[tuple[str, int]], domains: Iterable[str], updated: datetime) -> bytes:
    """The public whitelist as UTF-8 JSON; the same content gives the same bytes, whatever its order.

    `individuals` are (login, account id) pairs, `updated` needs a zone and is written in UTC to the second.
    """
    return _json(individuals, domains, updated, ids=True)


def render_logins(individuals: Iterable[tuple[str, int]], domains: Iterable[str], updated: datetime) -> bytes:
    """The same with nothing but the login of each individual, for scripts that know no ids: a login may be another's later."""
    return _json(individuals, domains, updated, ids=False)


def _json(individuals: Iterable[tuple[str, int]], domains: Iterable[str], updated: datetime, *, ids: bool) -> bytes:
    people = sorted(set(individuals), key=lambda person: (person[0].lower(), person[1]))
    content = {
        "individuals": [{"login": login, "id": account_id} if ids else login for login, account_id in people],
        "corporate_domains": sorted(set(domains)),
        "last_updated": updated.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    return json.dumps(content, ensure_ascii=False, indent=2).encode() + b"\n"


def etag(body: bytes) -> str:
    """The HTTP entity tag of these bytes, with its quotes (RFC 9110, 8.8.3)."""
    return f'"{sha256(body).hexdigest()[:32]}"'
