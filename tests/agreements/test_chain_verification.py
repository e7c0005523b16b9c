"""The log followed entry by entry: signed entries pass, and the first unsigned one is named."""

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agreements import ledger
from agreements.chain_verification import Chain, LogBroken, StoredCheckpoint
from agreements.ledger import Checkpoint, MerkleTree

KEY = Ed25519PrivateKey.from_private_bytes(b"\x07" * 32)
PUBLIC = KEY.public_key().public_bytes_raw()


def log(size, content="x", key=KEY):
    """That many entries, each with its checkpoint."""
    tree, previous, made = MerkleTree(), "", []
    for number in range(size):
        entry = {"number": number, "content": content}
        tree.add(ledger.leaf(entry, previous))
        point = Checkpoint(ledger.origin(PUBLIC), tree.size, tree.root)
        row = StoredCheckpoint(tree.size, tree.root.hex(), tree.frontier_text, ledger.sign(point, key))
        previous = ledger.signed_hash(*row)
        made.append((entry, row))
    return made


def follow(pairs, kept=None):
    """Follow all of it; the chain."""
    chain = Chain(PUBLIC, kept)
    for entry, checkpoint in pairs:
        chain.follow(entry, checkpoint)
    chain.end()
    return chain


def test_a_log_as_it_was_signed_passes():
    assert follow(log(9)).tree.size == 9
    assert follow([]).tree.size == 0


@pytest.mark.parametrize("place", [0, 4, 6, 8])
def test_a_log_can_be_followed_from_a_stored_checkpoint(place):
    pairs = log(9)
    chain = Chain(PUBLIC, None, pairs[place][1])
    for entry, checkpoint in pairs[place + 1 :]:
        chain.follow(entry, checkpoint)
    chain.end()
    assert chain.tree.root == follow(pairs).tree.root
    with pytest.raises(LogBroken, match="number 8"):
        Chain(PUBLIC, None, pairs[6][1]).follow(*pairs[8])


def change_entry(place, content):
    """A change of one entry."""

    def change(pairs):
        pairs[place][0]["content"] = content

    return change


def signed(place, **to):
    """A change of one signed root."""

    def change(pairs):
        pairs[place] = (pairs[place][0], pairs[place][1]._replace(**to))

    return change


@pytest.mark.parametrize(
    ("change", "entry", "what"),
    [
        (change_entry(3, "y"), 3, "it was changed, or is not in its place"),
        (signed(3, root="00" * 32), 3, "the signed root after it was changed"),
        (signed(3, frontier="[]"), 3, "the signed root after it was changed"),
        (signed(3, signature=b"x" * 64), 3, "the signed root after it was changed"),
        (signed(3, signature="text"), 3, "the signed root after it was changed"),
        (signed(8, signature=b"x" * 64), 8, "the root after it was not signed by the key of this log"),
        (lambda pairs: pairs.pop(4), 4, "it is missing: the next one has the number 5"),
        (lambda pairs: pairs.__setitem__(4, (pairs[4][0], None)), 4, "the signed root after it is missing"),
        (lambda pairs: pairs.__setitem__(slice(2, 4), [pairs[3], pairs[2]]), 2, "it is missing"),
    ],
)
def test_the_first_bad_entry_or_root_is_named(change, entry, what):
    pairs = log(9)
    change(pairs)
    with pytest.raises(LogBroken) as broken:
        follow(pairs)
    assert (broken.value.entry, broken.value.what[: len(what)]) == (entry, what)


def test_a_log_written_anew_with_another_key_is_refused():
    other = Ed25519PrivateKey.from_private_bytes(b"\x08" * 32)
    with pytest.raises(LogBroken, match="not signed"):
        follow(log(3, key=other))


def test_a_kept_checkpoint_tells_of_removed_entries_and_of_another_log():
    full = log(5)
    kept = Checkpoint(ledger.origin(PUBLIC), 5, bytes.fromhex(full[-1][1].root))

    assert follow(log(7), kept).tree.size == 7
    with pytest.raises(LogBroken, match=r"entry 4: .*counts 5"):
        follow(full[:4], kept)
    with pytest.raises(LogBroken, match="entry 4: it, or one before it, is not what"):
        follow(log(7, content="another history"), kept)
