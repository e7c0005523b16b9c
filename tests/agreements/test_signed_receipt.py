"""A signed receipt is genuine as it was signed, by the key of its log alone; every other file is refused in one line."""

import base64
import copy
import json

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as some

from agreements import ledger, signed_receipt
from agreements.form_fields import MAX_ANSWER_CHARACTERS
from agreements.ledger import Checkpoint, MerkleTree
from agreements.signed_receipt import (
    FORMAT,
    MAX_RECEIPT_BYTES,
    SIGN_OFF_FORMAT,
    LogPlace,
    ReceiptForged,
    ReceiptUnreadable,
)

KEY, OTHER = (Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32) for seed in (7, 8))
PUBLIC = KEY.public_key().public_bytes_raw()
CONTENT = {"receipt": "K7QM", "name": "䶮 𠮷 Lovelace", "fields": {"country": "CN"}, "withdrawn_at": None}


def place_of(number, key=KEY):
    """The place of entry `number` of a log that this key signs."""
    public, tree = key.public_key().public_bytes_raw(), MerkleTree()
    for place in range(number):
        tree.add(ledger.leaf({"number": place}, ""))
    frontier, leaf = tuple(tree.frontier), ledger.leaf({"number": number}, "")
    checkpoint = Checkpoint(ledger.origin(public), number + 1, tree.add(leaf).root)
    return LogPlace(number, leaf, frontier, ledger.note(checkpoint, public, ledger.sign(checkpoint, key)))


def written(receipt):
    """The receipt as a file."""
    return json.dumps(receipt, ensure_ascii=False, indent=2).encode()


RECEIPT = signed_receipt.sign(CONTENT, place_of(5), KEY)
SHAS = ["a" * 40, "b" * 40]
SIGN_OFF = signed_receipt.sign({"commits": SHAS}, place_of(5), KEY, form=SIGN_OFF_FORMAT)


@pytest.mark.parametrize("number", [0, 1, 2, 6, 7, 40])
def test_a_receipt_is_genuine_at_each_place_of_the_log(number):
    found = signed_receipt.parse(written(signed_receipt.sign(CONTENT, place_of(number), KEY)))
    signed_receipt.verify(found, PUBLIC)

    assert (found["format"], found["log"]["entry"], found["name"]) == (FORMAT, number, CONTENT["name"])


def test_the_largest_receipt_that_a_form_can_give_is_read():
    answers = {f"field{number}": "𠀀" * MAX_ANSWER_CHARACTERS for number in range(20)}
    largest = signed_receipt.sign({**CONTENT, "fields": answers}, place_of(40), KEY)
    signed_receipt.verify(signed_receipt.parse(written(largest)), PUBLIC)


def test_the_order_and_white_space_of_the_file_change_nothing():
    shuffled = dict(reversed(RECEIPT.items()))
    signed_receipt.verify(signed_receipt.parse(json.dumps(shuffled).encode()), PUBLIC)


def _changes(value, path=()):
    """The paths of all single values of the receipt."""
    if isinstance(value, dict):
        return [found for name, part in value.items() for found in _changes(part, (*path, name))]
    if isinstance(value, list):
        return [found for number, part in enumerate(value) for found in _changes(part, (*path, number))]
    return [path]


@pytest.mark.parametrize("path", [path for path in _changes(RECEIPT) if path != ("format",)], ids=str)
@pytest.mark.parametrize("new", ["changed", None, 7, [], {}, 2**70, True], ids=str)
def test_each_changed_value_is_noticed(path, new):
    receipt = copy.deepcopy(RECEIPT)
    place = receipt
    for name in path[:-1]:
        place = place[name]
    if place[path[-1]] == new and type(place[path[-1]]) is type(new):
        return
    place[path[-1]] = new

    with pytest.raises((ReceiptForged, ReceiptUnreadable)) as refused:
        signed_receipt.verify(signed_receipt.parse(written(receipt)), PUBLIC)
    assert "\n" not in str(refused.value)


def test_a_value_added_or_left_out_is_noticed():
    for changed in ({**RECEIPT, "more": 1}, {name: value for name, value in RECEIPT.items() if name != "receipt"}):
        with pytest.raises(ReceiptForged, match="changed"):
            signed_receipt.verify(changed, PUBLIC)


def test_a_receipt_of_another_log_is_told_apart():
    foreign = signed_receipt.sign(CONTENT, place_of(5, OTHER), OTHER)
    with pytest.raises(ReceiptForged, match="another log"):
        signed_receipt.verify(foreign, PUBLIC)
    renamed = copy.deepcopy(foreign)
    renamed["log"]["origin"] = RECEIPT["log"]["origin"]
    with pytest.raises(ReceiptForged, match="changed"):
        signed_receipt.verify(renamed, PUBLIC)


def test_a_checkpoints_signature_is_no_receipts():
    note = RECEIPT["log"]["checkpoint"].split(" ")[-1].strip()
    stolen = base64.b64encode(base64.b64decode(note)[4:]).decode()

    with pytest.raises(ReceiptForged, match="changed"):
        signed_receipt.verify({**RECEIPT, "signature": stolen}, PUBLIC)


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (LogPlace(5, b"x" * 32, place_of(5).frontier, place_of(5).note), "not in the signed log"),
        (LogPlace(5, place_of(5).leaf, place_of(5).frontier, place_of(6).note), "not in the signed log"),
        (LogPlace(4, place_of(5).leaf, place_of(5).frontier, place_of(5).note), "cannot be verified"),
        (LogPlace(5, place_of(5).leaf, place_of(5).frontier, place_of(5, OTHER).note), "cannot be verified"),
    ],
)
def test_a_wrong_place_in_the_log_is_noticed_although_the_receipt_is_signed(place, said):
    with pytest.raises(ReceiptForged, match=said):
        signed_receipt.verify(signed_receipt.sign(CONTENT, place, KEY), PUBLIC)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[]", "not a receipt"),
        (b'{"format": "other"}', "not a receipt"),
        (b'{"format": ["countersign-receipt/2"]}', "not a receipt"),
        (b'{"format": "countersign-receipt/1"}', "not signed"),
        (b'{"format": "countersign-receipt/2", "signature": null}', "not signed"),
        (b"%PDF-1.7", "not JSON"),
        (b"[" * MAX_RECEIPT_BYTES, "not JSON"),
        (b'{"a":' * 10_000, "not JSON"),
        (b"1" * 5_000, "not JSON"),
        (b" " * (MAX_RECEIPT_BYTES + 1), "larger"),
        (written(RECEIPT).replace(b'"receipt":', b'"receipt": "A", "receipt":'), "twice"),
        (written(RECEIPT).replace(b'"CN"', b"NaN"), "number"),
        (written(RECEIPT).replace(b'"CN"', b"1.0"), "number"),
    ],
    ids=range(15),
)
def test_what_is_no_receipt_is_refused_in_one_line(data, said):
    with pytest.raises(ReceiptUnreadable, match=said) as refused:
        signed_receipt.parse(data)
    assert "\n" not in str(refused.value)


def test_half_a_letter_and_a_deep_value_are_refused():
    half = written(RECEIPT).replace(b'"CN"', b'"\\ud800"')
    deep = written(RECEIPT).replace(b'"CN"', b"[" * 300 + b"]" * 300)
    for data in (half, deep):
        with pytest.raises(ReceiptForged, match="changed"):
            signed_receipt.verify(signed_receipt.parse(data), PUBLIC)


@given(some.integers(0, len(written(RECEIPT)) - 1), some.integers(1, 255))
def test_no_changed_byte_gives_another_content(at, change):
    data = bytearray(written(RECEIPT))
    data[at] ^= change
    try:
        found = signed_receipt.parse(bytes(data))
        signed_receipt.verify(found, PUBLIC)
    except (ReceiptForged, ReceiptUnreadable):
        return
    assert ledger.canonical(found) == ledger.canonical(RECEIPT)


def test_a_receipt_of_ten_thousand_commits_is_read():
    many = signed_receipt.sign({"commits": SHAS * 5_000}, place_of(40), KEY, form=SIGN_OFF_FORMAT)
    signed_receipt.verify(signed_receipt.parse(written(many)), PUBLIC)


@pytest.mark.parametrize(
    ("hostile", "said"),
    [
        ({**SIGN_OFF, "commits": ["a" * 40, "c" * 40]}, "changed"),
        (signed_receipt.sign({"commits": SHAS}, place_of(5, OTHER), OTHER, form=SIGN_OFF_FORMAT), "another log"),
        (
            signed_receipt.sign(
                {"commits": SHAS}, LogPlace(5, b"x" * 32, place_of(5).frontier, place_of(5).note), KEY, form=SIGN_OFF_FORMAT
            ),
            "not in the signed log",
        ),
        ({**SIGN_OFF, "format": FORMAT}, "changed"),
        ({**RECEIPT, "format": SIGN_OFF_FORMAT}, "changed"),
        ({**SIGN_OFF, "format": "countersign-sign-off/2"}, "format that this release"),
        ({**SIGN_OFF, "signature": None}, "not signed"),
        ({**SIGN_OFF, "signature": RECEIPT["signature"]}, "changed"),
    ],
    ids=["commit", "other log", "not in the log", "as agreement", "as sign-off", "later format", "unsigned", "stolen"],
)  # fmt: skip
def test_a_hostile_receipt_of_a_sign_off_is_refused(hostile, said):
    with pytest.raises((ReceiptForged, ReceiptUnreadable), match=said):
        signed_receipt.verify(signed_receipt.parse(written(hostile)), PUBLIC)
