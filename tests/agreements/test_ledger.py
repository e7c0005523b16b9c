"""The log's arithmetic: RFC 6962's tree, commitments that cannot be guessed, notes that only our key signs."""

import base64
import hashlib
import json

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as some

from agreements import ledger
from agreements.ledger import Checkpoint, MerkleTree, NoteInvalid, RowChange

KEY = Ed25519PrivateKey.from_private_bytes(b"\x07" * 32)
PUBLIC = KEY.public_key().public_bytes_raw()
ORIGIN = ledger.origin(PUBLIC)


def slow_root(leaves):
    """RFC 6962, 2.1, word for word."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    half = 1
    while half * 2 < len(leaves):
        half *= 2
    return hashlib.sha256(b"\x01" + slow_root(leaves[:half]) + slow_root(leaves[half:])).digest()


@pytest.mark.parametrize("size", range(70))
def test_the_growing_tree_has_the_root_of_the_recursive_definition(size):
    leaves = [ledger.leaf({"number": number}, "") for number in range(size)]
    tree = MerkleTree()
    for leaf in leaves:
        tree = MerkleTree(tree.size, tree.frontier).add(leaf)

    assert tree.root == slow_root(leaves)
    assert tree.size == size


def test_the_first_roots_are_those_of_certificate_transparency():
    one_empty_leaf = hashlib.sha256(b"\x00").digest()

    assert MerkleTree().root.hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert (
        MerkleTree().add(one_empty_leaf).root.hex()
        == "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"
    )


def test_a_frontier_of_the_wrong_size_is_refused():
    with pytest.raises(ValueError, match="frontier"):
        MerkleTree(3, [b"x" * 32])


def test_a_signed_note_reads_back_with_origin_size_and_root():
    checkpoint = Checkpoint(ORIGIN, 5, b"r" * 32)
    text = ledger.note(checkpoint, PUBLIC, ledger.sign(checkpoint, KEY))

    assert ledger.read_note(text, PUBLIC) == checkpoint
    assert text.split("\n")[:3] == [ORIGIN, "5", base64.b64encode(b"r" * 32).decode()]
    assert text.split("\n")[3] == ""
    assert text.split("\n")[4].startswith(f"— {ORIGIN} ")
    assert ledger.verifier_key(PUBLIC).startswith(ORIGIN + "+")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda text: text.replace("\n5\n", "\n6\n"), "not signed by the key"),
        (lambda text: text.replace(ORIGIN, "other/log"), "another log"),
        (lambda text: text.partition("\n\n")[0] + "\n\n", "not signed by the key"),
        (lambda text: text.replace("\n5\n", "\nfive\n"), "not a checkpoint"),
        (lambda _text: "", "not a checkpoint"),
        (lambda text: text[:-4] + "!!!\n", "not base64"),
    ],
)
def test_each_change_of_a_note_is_named(change, says):
    checkpoint = Checkpoint(ORIGIN, 5, b"r" * 32)
    text = ledger.note(checkpoint, PUBLIC, ledger.sign(checkpoint, KEY))
    with pytest.raises(NoteInvalid, match=says):
        ledger.read_note(change(text), PUBLIC)


def test_a_note_of_another_key_is_refused_even_under_a_copied_name():
    other = Ed25519PrivateKey.from_private_bytes(b"\x08" * 32)
    checkpoint = Checkpoint(ORIGIN, 5, b"r" * 32)
    text = ledger.note(checkpoint, PUBLIC, ledger.sign(checkpoint, other))
    with pytest.raises(NoteInvalid, match="not signed by the key"):
        ledger.read_note(text, PUBLIC)


def test_the_same_detail_has_another_commitment_each_time():
    """Two entries must not show that they say the same."""
    assert ledger.commitment(b"a" * 32, {"x": 1}) != ledger.commitment(b"b" * 32, {"x": 1})
    assert ledger.commitment(b"a" * 32, {"x": 1, "y": 2}) == ledger.commitment(b"a" * 32, {"y": 2, "x": 1})


def test_rows_go_there_and_back_and_a_deleted_row_has_no_hash():
    rows = (RowChange("signature", "s1", "ab"), RowChange("proof", "p1", None))

    assert ledger.rows_of(ledger.rows_text(rows)) == rows
    with pytest.raises(ValueError, match="not the rows"):
        ledger.rows_of('[["signature"]]')


TEXTS = some.text(some.characters(exclude_categories=["Cs"]))
PLAIN = some.recursive(
    some.none() | some.booleans() | some.integers(-(2**63), 2**63 - 1) | TEXTS,
    lambda part: some.lists(part) | some.dictionaries(TEXTS, part),
)


@pytest.mark.slow
@given(PLAIN)
def test_the_canonical_text_is_that_of_the_json_module(value):
    """A verifier elsewhere needs no library of this project."""
    spelled = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()

    assert ledger.canonical(value) == spelled


def test_a_verifier_key_reads_back_and_a_mistyped_one_is_refused():
    written = ledger.verifier_key(PUBLIC)
    assert ledger.read_verifier_key(f" {written}\n") == PUBLIC

    for wrong in (
        "",
        "a+b",
        written[:-5],
        written.replace("+", "+0", 1),
        written + "A",
        written.upper(),
        "ü" + written,
    ):
        with pytest.raises(ValueError, match="public key of a log"):
            ledger.read_verifier_key(wrong)
