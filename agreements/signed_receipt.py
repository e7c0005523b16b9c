"""A receipt of an agreement or a sign-off as JSON that the key of the log signs, with its place in the log; and what tells a genuine one from any other."""

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agreements import ledger
from agreements.ledger import MerkleTree, NoteInvalid

FORMAT = "countersign-receipt/2"
"""The format of an agreement's receipts; those of format 1 were not signed."""

SIGN_OFF_FORMAT = "countersign-sign-off/1"
"""The format of a sign-off's receipts."""

MAX_RECEIPT_BYTES = 490 * 1024
"""Bytes of a receipt that is read: a sign-off of ten thousand commits takes 480 KB, an agreement's receipt less than 120."""

_SIGNATURE, _LOG = "signature", "log"
_FORMATS = (FORMAT, SIGN_OFF_FORMAT)


class ReceiptUnreadable(Exception):
    """The bytes are no receipt that can be verified; the message is one line and quotes nothing of them."""


class ReceiptForged(Exception):
    """The receipt was not signed by this log's key as it is; the message is one line and quotes nothing of it."""


@dataclass(frozen=True, slots=True)
class LogPlace:
    """The place of a receipt's entry in the log: its `number`, its `leaf`, the `frontier` before it, and the signed root after it (`note`)."""

    number: int
    leaf: bytes
    frontier: Sequence[bytes]
    note: str


def sign(
    content: Mapping[str, object], place: LogPlace, key: Ed25519PrivateKey, *, form: str = FORMAT
) -> dict[str, Any]:
    """The receipt of that format (`form`): the content with format, place in the log, and signature."""
    log = {
        "origin": ledger.origin(key.public_key().public_bytes_raw()),
        "entry": place.number,
        "leaf": place.leaf.hex(),
        "frontier": [root.hex() for root in place.frontier],
        "checkpoint": place.note,
    }
    receipt: dict[str, Any] = {"format": form, **content, _LOG: log}
    return {**receipt, _SIGNATURE: base64.b64encode(key.sign(_message(receipt))).decode()}


def parse(data: bytes) -> dict[str, Any]:
    """The receipt in these bytes, not verified. Raises ReceiptUnreadable."""
    if len(data) > MAX_RECEIPT_BYTES:
        raise ReceiptUnreadable(f"it is larger than any receipt ({MAX_RECEIPT_BYTES // 1024} KiB)")
    try:
        found = json.loads(data.decode(), object_pairs_hook=_object, parse_float=_refuse, parse_constant=_refuse)
    except _NotSigned as error:
        raise ReceiptUnreadable(str(error)) from None
    except (ValueError, RecursionError):  # Nested too deeply.
        raise ReceiptUnreadable("it is not JSON as receipts are written") from None
    form = found.get("format") if isinstance(found, dict) else None
    if form == "countersign-receipt/1" or (form in _FORMATS and not found.get(_SIGNATURE)):
        raise ReceiptUnreadable("this receipt is not signed: its signer can download it again")
    if form not in _FORMATS:
        raise ReceiptUnreadable("it is not a receipt of a format that this release knows")
    return dict(found)


def verify(receipt: Mapping[str, Any], public_key: bytes) -> None:
    """Raises ReceiptForged unless the log with that key signed the receipt as it is, and its place in the log is right."""
    log = receipt.get(_LOG)
    if not isinstance(log, dict) or log.get("origin") != ledger.origin(public_key):
        raise ReceiptForged("it names another log than the one of this key")
    unsigned = {name: value for name, value in receipt.items() if name != _SIGNATURE}
    try:
        signature = base64.b64decode(str(receipt[_SIGNATURE]), validate=True)
        message = _message(unsigned)
    except (KeyError, TypeError, ValueError):  # Numbers and letters that no JSON of ours has.
        raise ReceiptForged("it, or its signature, was changed") from None
    if not ledger.valid_signature(public_key, signature, message):
        raise ReceiptForged("it, or its signature, was changed")
    _check_place(log, public_key)


def _check_place(log: Mapping[str, Any], public_key: bytes) -> None:
    try:
        tree = MerkleTree(log["entry"], [bytes.fromhex(root) for root in log["frontier"]])
        tree.add(bytes.fromhex(log["leaf"]))
        signed = ledger.read_note(log["checkpoint"], public_key)
    except (NoteInvalid, KeyError, TypeError, ValueError, AttributeError):
        raise ReceiptForged("its place in the log cannot be verified") from None
    if (signed.size, signed.root) != (tree.size, tree.root):
        raise ReceiptForged("its entry is not in the signed log")


def _message(receipt: Mapping[str, object]) -> bytes:
    # The same key signs checkpoints: these begin with the log's origin, so neither passes as the other.
    return f"{receipt['format']}\n".encode() + ledger.canonical(receipt)


class _NotSigned(ValueError):
    """The JSON says something twice, or in a way that has no one spelling."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):  # Programs differ in which of the two counts.
        raise _NotSigned("it has the same key twice")
    return found


def _refuse(_text: str) -> NoReturn:
    raise _NotSigned("it has a number that no receipt has")
