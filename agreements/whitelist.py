"""The public whitelist: logins with their ids, companies' domains, and the time of the last change; nothing else."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from agreements.domains.canonical_form import canonical_domain


class WhitelistInvalid(Exception):
    """The text is no public whitelist; the message is one line: where, and what should be there."""


@dataclass(frozen=True, slots=True)
class Whitelist:
    """The account `ids` and `domains` of a public whitelist. It is a copy, perhaps an old one: a hint, never a decision."""

    ids: frozenset[int]
    domains: frozenset[str]


def read(body: bytes) -> Whitelist:
    """The account ids and canonical domains of a whitelist as `render` writes it. Raises WhitelistInvalid."""
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):  # Deeply nested JSON from elsewhere.
        raise WhitelistInvalid("it is not JSON") from None
    if not isinstance(content, dict):
        raise WhitelistInvalid("it is not an object")
    return Whitelist(
        frozenset(_id(person, path) for person, path in _items(content, "individuals")),
        frozenset(_domain(name, path) for name, path in _items(content, "corporate_domains")),
    )


def _items(content: Mapping[str, object], key: str) -> Iterator[tuple[object, str]]:
    found = content.get(key)
    if not isinstance(found, list):
        raise WhitelistInvalid(f"{key}: must be a list")
    return ((entry, f"{key}.{index}") for index, entry in enumerate(found))


def _id(person: object, path: str) -> int:
    found = person.get("id") if isinstance(person, dict) else None
    if not isinstance(found, int) or isinstance(found, bool):  # `True` is an int.
        raise WhitelistInvalid(f"{path}.id: must be a number")
    return found


def _domain(name: object, path: str) -> str:
    found = canonical_domain(name) if isinstance(name, str) else None
    if found is None:
        raise WhitelistInvalid(f"{path}: must be a domain")
    return found


def render(individuals: Iterable[tuple[str, int]], domains: Iterable[str], updated: datetime) -> bytes:
    """The public whitelist as UTF-8 JSON; `individuals` are (login, account id) pairs, `updated` needs a zone."""
    # Sorted: the same content gives the same bytes.
    return b"".join(pieces(_sorted(individuals), domains, updated, ids=True))


def render_logins(individuals: Iterable[tuple[str, int]], domains: Iterable[str], updated: datetime) -> bytes:
    """The same with logins alone, for scripts that know no ids: a login may be another's later."""
    return b"".join(pieces(_sorted(individuals), domains, updated, ids=False))


def pieces(
    individuals: Iterable[tuple[str, int]], domains: Iterable[str], updated: datetime, *, ids: bool
) -> Iterator[bytes]:
    """The same in pieces, as `individuals` come: in their order, each once. `ids`: with the ids of their accounts."""
    before = "\n    "
    yield b'{\n  "individuals": ['
    for login, account_id in individuals:
        name = json.dumps(login, ensure_ascii=False)
        person = f'{{\n      "login": {name},\n      "id": {account_id}\n    }}' if ids else name
        yield f"{before}{person}".encode()  # One by one: the list need not fit into memory.
        before = ",\n    "
    rest = {
        "corporate_domains": sorted(set(domains)),
        "last_updated": updated.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    end = "]" if before == "\n    " else "\n  ]"
    yield f"{end},{json.dumps(rest, ensure_ascii=False, indent=2).removeprefix('{')}\n".encode()


def _sorted(individuals: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    return sorted(set(individuals), key=lambda person: (person[0].lower(), person[1]))
