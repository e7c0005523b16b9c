"""Guards every look-up: a query key that is missing or empty is an error, never `IS NULL`, never everybody."""

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import zip_longest
from typing import TypeVar

from agreements.domains.domains import canonical_address, with_parents
from agreements.vault import Vault

NewId = Callable[[], str]
"""Makes the id of a new row; no two are the same."""

MAX_KEYS_PER_QUERY = 500
"""How many keys one query takes; well below what SQLite (32,766) and PostgreSQL (65,535) allow."""


def account_key(account_id: int | None) -> int:
    """The account id, checked to be one: a positive whole number. Raises ValueError."""
    if not isinstance(account_id, int) or isinstance(account_id, bool) or account_id < 1:
        raise ValueError("a look-up needs an account id")
    return account_id


def text_key(text: str | None) -> str:
    """The text, checked not to be missing or blank. Raises ValueError."""
    if not isinstance(text, str) or not text.strip():
        raise ValueError("a look-up needs a key that is not empty")
    return text


def canonical_key(address: str | None) -> str:
    """The address in its one spelling. Raises ValueError for what is no valid address; the message never repeats it."""
    canonical = canonical_address(text_key(address))
    if canonical is None:
        raise ValueError("a look-up needs a valid e-mail address")
    return canonical


def account_chunks(account_ids: Collection[int]) -> Iterator[list[int]]:
    """The distinct ids, checked, in order, in batches of at most MAX_KEYS_PER_QUERY; no ids, no lots."""
    return _chunks(sorted({account_key(account_id) for account_id in account_ids}))


def text_chunks(texts: Collection[str]) -> Iterator[list[str]]:
    """The distinct texts, checked, in order, in batches of at most MAX_KEYS_PER_QUERY."""
    return _chunks(sorted({text_key(text) for text in texts}))


def byte_chunks(keys: Collection[bytes]) -> Iterator[list[bytes]]:
    """The distinct fingerprints in order, in batches of at most MAX_KEYS_PER_QUERY. An empty one raises ValueError."""
    if not all(keys):
        raise ValueError("a look-up needs a key that is not empty")
    return _chunks(sorted(set(keys)))


def keys_of_people(
    vault: Vault, account_ids: Collection[int], addresses: Collection[str], *, kind: str
) -> Iterator[dict[str, Sequence[object]]]:
    """In lots, the keys that together find every entry about these people; no kind of key is empty.

    `accounts` are ids, `addresses` blind indexes of that `kind`, `domains` those of the addresses and all above them.
    """
    if any(address is None for address in addresses):
        raise ValueError("a look-up needs addresses, not None")
    wanted = {canonical for address in addresses if (canonical := canonical_address(address))}
    indexes = [index for address in wanted for index in vault.blind_indexes(kind, address)]
    domains = {domain for address in wanted for domain in with_parents(address.rpartition("@")[2])}
    chunks = (account_chunks(account_ids), byte_chunks(indexes), text_chunks(domains))
    for lots in zip_longest(*chunks, fillvalue=()):
        yield {name: lot for name, lot in zip(("accounts", "addresses", "domains"), lots, strict=True) if lot}


_Key = TypeVar("_Key")


def _chunks(keys: list[_Key]) -> Iterator[list[_Key]]:
    for start in range(0, len(keys), MAX_KEYS_PER_QUERY):
        yield keys[start : start + MAX_KEYS_PER_QUERY]
