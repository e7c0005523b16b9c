"""Verifies the encrypted details of each log entry: they must decrypt, and match the hash in the entry."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from sqlmodel import Session, col, func, select

from agreements import ledger
from agreements.store.ledger.row_serialization import NotUtf8, refusing
from agreements.store.ledger.stored_ledger import DETAILS_KEY, about_detail, server_key
from agreements.store.tables.ledger_records import LedgerEntry
from agreements.vault import DataKey, DecryptionFailed, Vault, WrappedKey

ERASURES = ("erasure.shredded", "erasure.deleted")
"""The kinds of entries that explain why older details about a person cannot be opened any more."""

_HEAD, _MIDDLE = b'{"salt":"', f'","{DETAILS_KEY}":'.encode()  # Canonical JSON of `log_writer`'s two keys.
_SALT = len(_HEAD)
_SALT_END = _SALT + 64  # 32 bytes in hexadecimal
_DETAILS = _SALT_END + len(_MIDDLE)


class DetailsDecryptor:
    """Opens the details of entries; erased subjects and the server's key are read once."""

    def __init__(self, session: Session, vault: Vault) -> None:
        """Raises DecryptionFailed when the server's key was exchanged."""
        self._vault, self._server = vault, server_key(session, vault)
        self._erased = _erased(session)

    def wrong(self, entry: Mapping[str, Any], wrapped: WrappedKey | None) -> str | None:
        """The complaint about that entry's details, or None. `wrapped` is its subject's key, None if there is none."""
        try:
            opened = self._opened(entry, wrapped)
        except (DecryptionFailed, ValueError):
            # Only an erasure after the entry explains it.
            if self._erased.get(entry["subject_id"], -1) >= entry["number"]:
                return None
            return "its details cannot be decrypted, and no later entry says that they were erased"
        if not _fits(opened, entry["commitment"]):
            return "its details do not match its commitment"
        return None

    def _opened(self, entry: Mapping[str, Any], wrapped: WrappedKey | None) -> bytes:
        about = about_detail(entry["id"])
        kind, subject_id = entry["subject_kind"], entry["subject_id"]
        if wrapped is not None and kind != "server":
            try:
                key = self._vault.unwrap(wrapped, kind, subject_id)
                return self._vault.decrypt(key, entry["detail"], about)
            # The subject may have had no key then: such details are sealed with the server's.
            except DecryptionFailed:
                pass
        return self._vault.decrypt(self._server or DataKey(b""), entry["detail"], about)


def _erased(session: Session) -> dict[str, int]:
    """The erased subjects, each with the number of the last entry that says so."""
    number, subject, such = col(LedgerEntry.number), col(LedgerEntry.subject_id), col(LedgerEntry.kind).in_(ERASURES)
    with suppress(NotUtf8), refusing():
        return dict(session.exec(select(subject, func.max(number)).where(such).group_by(subject)).all())
    # One entry that cannot be read must not hide all others: read one by one, it alone says nothing.
    found: dict[str, int] = {}
    for entry_number in session.exec(select(number).where(such).order_by(number)).all():
        with suppress(NotUtf8), refusing():
            found[session.exec(select(subject).where(number == entry_number)).one()] = entry_number
    return found


def _fits(opened: bytes, commitment: str) -> bool:
    # Parsed JSON would be spelled again; the hash is of the bytes as they stand.
    if opened[:_SALT] != _HEAD or opened[_SALT_END:_DETAILS] != _MIDDLE or opened[-1:] != b"}":
        return False
    try:
        return ledger.digest(bytes.fromhex(opened[_SALT:_SALT_END].decode()), opened[_DETAILS:-1]) == commitment
    except ValueError:
        return False
