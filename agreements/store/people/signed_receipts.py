"""Signs a receipt with the key of the log, with the entry that records the signature; only what the log confirms is signed."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy.exc import NoResultFound
from sqlmodel import Session, SQLModel, col, select

from agreements import ledger, signed_receipt
from agreements.ledger import Checkpoint, MerkleTree
from agreements.signed_receipt import FORMAT, SIGN_OFF_FORMAT, LogPlace, ReceiptForged
from agreements.store.ledger import row_macs, stored_ledger
from agreements.store.people import signatures
from agreements.store.people.signatures import ReceiptView
from agreements.store.tables.ledger_records import LedgerCheckpoint, LedgerEntry, RowMac
from agreements.store.tables.records import PartyRecord, PortalSignoffRecord, SignatureRecord, Withdrawal
from agreements.vault import Vault


class ReceiptNotLogged(Exception):
    """The receipt cannot be signed: the log does not confirm it; the message names no person."""


def sign(session: Session, vault: Vault, view: ReceiptView, content: Mapping[str, object]) -> dict[str, Any]:
    """The receipt of that signature with `content`, signed. Raises ReceiptNotLogged, DecryptionFailed."""
    return _signed(session, vault, _confirmed(session, vault, view), content, FORMAT)


def sign_off(session: Session, vault: Vault, row: PortalSignoffRecord, content: Mapping[str, object]) -> dict[str, Any]:
    """The receipt of that sign-off with `content`, signed. Raises ReceiptNotLogged."""
    return _signed(session, vault, _entry_number(session, vault, row), content, SIGN_OFF_FORMAT)


def _signed(session: Session, vault: Vault, entry: int, content: Mapping[str, object], form: str) -> dict[str, Any]:
    public = stored_ledger.public_key(session, vault)
    if public is None:
        raise ReceiptNotLogged("the log has no key")
    try:
        place = _place(session, public, entry)
        receipt = signed_receipt.sign(content, place, stored_ledger.signing_key(session, vault)[0], form=form)
        signed_receipt.verify(receipt, public)
    except (ReceiptForged, NoResultFound, ValueError):
        raise ReceiptNotLogged("its entry in the log was changed: run countersign ledger verify") from None
    return receipt


def _confirmed(session: Session, vault: Vault, view: ReceiptView) -> int:
    """The number of the signature's entry. Raises ReceiptNotLogged unless all rows of the receipt are as the log says."""
    # A person who can only write to the database must not get our signature for a forged row.
    row = session.get(SignatureRecord, view.id)  # While it is held, the session gives this very row again.
    shown = signatures.opened(session, vault, view.id)
    wanted = select(RowMac).where(
        col(RowMac.key) == view.id,
        col(RowMac.table_name).in_([SignatureRecord.__tablename__, Withdrawal.__tablename__]),
    )
    macs = session.exec(wanted).all()
    was_ended = Withdrawal.__tablename__ in {mac.table_name for mac in macs}
    ended = session.get(Withdrawal, view.id) if was_ended else None
    # A withdrawal that the log names does not go away.
    if row is None or shown != view or was_ended != (ended is not None) or view.withdrawn_at != (ended and ended.at):
        raise ReceiptNotLogged("a row of it is not as the log says: run countersign ledger verify")
    if row.party is None and view.draft.party is not None:  # It was found later, and has a row of its own.
        found = session.exec(select(PartyRecord).where(col(PartyRecord.signature_id) == view.id)).first()
        if found is None or found.party != view.draft.party:
            raise ReceiptNotLogged("its party changed meanwhile")
        _entry_number(session, vault, found)
    if ended is not None:
        _entry_number(session, vault, ended)
    return _entry_number(session, vault, row)


def _entry_number(session: Session, vault: Vault, row: SQLModel) -> int:
    change = stored_ledger.written(row)
    named = session.get(RowMac, (change.table, change.id))
    if named is not None and named.sha256 == change.sha256:
        message = row_macs.message(change.table, change.id, named.entry, named.sha256)
        if vault.is_authentic(named.ring_key_id, named.mac, message):
            return named.entry
    raise ReceiptNotLogged(f"the log does not confirm its row of {change.table}: run countersign ledger verify")


def _place(session: Session, public_key: bytes, number: int) -> LogPlace:
    entry, wanted = session.get_one(LedgerEntry, number), col(LedgerCheckpoint.size).in_((number, number + 1))
    *roots, after = session.exec(select(LedgerCheckpoint).where(wanted).order_by(col(LedgerCheckpoint.size)))
    before = roots[0] if roots else None
    tree = MerkleTree.parse(before.size, before.frontier) if before else MerkleTree()
    previous = ledger.signed_hash(**before.model_dump()) if before else ""
    # Its hash alone: the entry names rows of other people, too.
    leaf = ledger.leaf(stored_ledger.columns(entry), previous)
    root = Checkpoint(ledger.origin(public_key), after.size, bytes.fromhex(after.root))
    return LogPlace(number, leaf, tree.frontier, ledger.note(root, public_key, after.signature))
