"""Sealed bytes open only with their key, only in their place, only unchanged; a bad ring gets one clear line."""

import base64
import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreements.vault import (
    WRAPPED_BYTES,
    DecryptionFailed,
    KeyDestroyed,
    KeyRing,
    KeysInvalid,
    Vault,
    WrappedKey,
    place,
    receipt_number,
)

ABOUT = place("signature", "evidence", "a1")
KEY = base64.b64encode(bytes(range(32))).decode()
OTHER = base64.b64encode(bytes(range(1, 33))).decode()


def ring(*ids):
    return KeyRing.parse("\n".join(KeyRing.generate(key_id) for key_id in ids))


@pytest.fixture(name="vault")
def _vault():
    return Vault(ring("k1"))


def test_a_generated_ring_parses_and_its_first_key_is_the_current_one():
    lines = [KeyRing.generate("2026-11"), KeyRing.generate("old")]
    assert KeyRing.parse("# comment\n\n" + "\r\n".join(lines) + "\n").ids == ("2026-11", "old")
    assert KeyRing.generate("x") != KeyRing.generate("x")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the key ring is empty: make a key with `countersign keys generate`"),
        ("# only a comment\n", "the key ring is empty"),
        (KEY, "line 1: must have the form id:base64"),
        (f":{KEY}", "line 1: the id must be 1 to 32 letters"),
        (f"a b:{KEY}", "line 1: the id must be 1 to 32 letters"),
        (f"{'k' * 33}:{KEY}", "line 1: the id must be 1 to 32 letters"),
        (f"\nk1:{KEY[:-3]}*==", "line 2: what follows the colon is not base64"),
        ("k1:é", "line 1: what follows the colon is not base64"),
        (f"k1:{base64.b64encode(bytes(16)).decode()}", "line 1: the key has 16 bytes, it must have 32"),
        ("k1:", "line 1: the key has 0 bytes, it must have 32"),
        (f"k1:{KEY}\nk1:{OTHER}", "line 2: the id 'k1' is used twice"),
        (f"k1:{KEY}\nk2:{KEY}", "line 2: the same key as an earlier line"),
    ],
)
def test_each_mistake_in_a_ring_is_one_numbered_line_without_the_key(text, message):
    with pytest.raises(KeysInvalid, match=re.escape(message)) as caught:
        KeyRing.parse(text)
    assert "\n" not in str(caught.value)
    assert KEY[:12] not in str(caught.value)


def test_a_key_id_that_could_not_be_read_again_is_refused():
    with pytest.raises(KeysInvalid, match="1 to 32"):
        KeyRing.generate("k:1")


def test_printed_keys_hide_their_secrets():
    held = KeyRing.parse(f"k1:{KEY}")
    data_key, wrapped = Vault(held).new_data_key("person", "p1")
    assert "x01" not in repr(held)
    assert repr(data_key) == "DataKey()"
    assert repr(wrapped) == "WrappedKey(ring_key_id='k1')"


@pytest.mark.slow
@given(plaintext=st.binary(max_size=300))
def test_sealed_bytes_open_again_and_are_never_the_same_twice(plaintext):
    vault = Vault(KeyRing.parse(f"k1:{KEY}"))
    data_key, _ = vault.new_data_key("person", "p1")
    first, second = (vault.encrypt(data_key, plaintext, ABOUT) for _ in range(2))
    assert vault.decrypt(data_key, first, ABOUT) == plaintext
    assert first != second
    assert first[0] == 1
    assert len(plaintext) < 8 or plaintext not in first


def test_every_flipped_bit_is_noticed(vault):
    data_key, _ = vault.new_data_key("person", "p1")
    sealed = vault.encrypt(data_key, b"Ada", ABOUT)
    for position in range(len(sealed) * 8):
        changed = bytearray(sealed)
        changed[position // 8] ^= 1 << position % 8
        with pytest.raises(DecryptionFailed):
            vault.decrypt(data_key, bytes(changed), ABOUT)


@pytest.mark.parametrize("sealed", [b"", b"\x01", b"\x01" * 13, b"\x02" * 60])
def test_bytes_that_are_no_seal_fail_to_decrypt(vault, sealed):
    data_key, _ = vault.new_data_key("person", "p1")
    with pytest.raises(DecryptionFailed):
        vault.decrypt(data_key, sealed, ABOUT)
    with pytest.raises(DecryptionFailed):
        vault.decrypt_for_server(sealed, ABOUT)


@pytest.mark.parametrize(
    "elsewhere", [("proof", "evidence", "a1"), ("signature", "other", "a1"), ("signature", "evidence", "a2")]
)
def test_bytes_moved_to_another_table_column_or_row_do_not_open(vault, elsewhere):
    data_key, _ = vault.new_data_key("person", "p1")
    sealed = vault.encrypt(data_key, b"Ada", ABOUT)
    with pytest.raises(DecryptionFailed, match="does not belong here"):
        vault.decrypt(data_key, sealed, place(*elsewhere))


def test_another_person_s_key_does_not_open(vault):
    ada, _ = vault.new_data_key("person", "ada")
    bo, _ = vault.new_data_key("person", "bo")
    with pytest.raises(DecryptionFailed):
        vault.decrypt(bo, vault.encrypt(ada, b"Ada", ABOUT), ABOUT)


def test_a_wrapped_key_opens_for_its_own_subject_only(vault):
    key, wrapped = vault.new_data_key("person", "ada")
    assert vault.unwrap(wrapped, "person", "ada") == key
    for purpose, subject in (("person", "bo"), ("company", "ada")):
        with pytest.raises(DecryptionFailed):
            vault.unwrap(wrapped, purpose, subject)


def test_older_keys_open_while_rotating_and_the_first_key_seals():
    old, new = KeyRing.generate("old"), KeyRing.generate("new")
    before, during, after = (Vault(KeyRing.parse(text)) for text in (old, f"{new}\n{old}", new))
    key, wrapped = before.new_data_key("person", "p1")
    assert during.unwrap(wrapped, "person", "p1") == key
    assert during.new_data_key("person", "p1")[1].ring_key_id == "new"
    assert during.decrypt_for_server(before.encrypt_for_server(b"x", ABOUT), ABOUT) == b"x"
    with pytest.raises(DecryptionFailed, match="not in the key ring"):
        after.unwrap(wrapped, "person", "p1")
    with pytest.raises(DecryptionFailed, match="not in the key ring"):
        after.decrypt_for_server(before.encrypt_for_server(b"x", ABOUT), ABOUT)


def test_a_ring_key_exchanged_under_its_id_is_noticed():
    _, wrapped = Vault(KeyRing.parse(f"k1:{KEY}")).new_data_key("person", "p1")
    with pytest.raises(DecryptionFailed):
        Vault(KeyRing.parse(f"k1:{OTHER}")).unwrap(WrappedKey("k1", wrapped.sealed), "person", "p1")


def test_server_seals_open_in_their_own_place_only(vault):
    sealed = vault.encrypt_for_server(b"visit", place("visit", "sealed", "v1"))
    assert vault.decrypt_for_server(sealed, place("visit", "sealed", "v1")) == b"visit"
    with pytest.raises(DecryptionFailed):
        vault.decrypt_for_server(sealed, place("visit", "sealed", "v2"))
    assert b"visit" not in sealed


def test_blind_indexes_are_equal_only_for_the_same_kind_value_and_ring(vault):
    index = vault.blind_index("email", "ada@huawei.com")
    assert index == vault.blind_index("email", "ada@huawei.com")
    assert (len(index), index[0]) == (33, 1)
    others = {vault.blind_index("name", "ada@huawei.com"), vault.blind_index("email", "ada@huawei.co")}
    others |= {vault.blind_index("emai", "l\0ada@huawei.com"), Vault(ring("k1")).blind_index("email", "ada@huawei.com")}
    assert index not in others
    assert len(others) == 4


def test_blind_indexes_under_all_keys_find_rows_while_rotating():
    old, new = KeyRing.generate("old"), KeyRing.generate("new")
    during = Vault(KeyRing.parse(f"{new}\n{old}"))
    assert during.blind_indexes("email", "a@b.org")[0] == during.blind_index("email", "a@b.org")
    assert Vault(KeyRing.parse(old)).blind_index("email", "a@b.org") in during.blind_indexes("email", "a@b.org")


class Keys(dict):
    """Erasure keys in memory."""

    def find(self, subject_id):
        """That one's."""
        return self.get(subject_id)

    def give(self, subject_ids, *, anew):
        """Theirs."""
        made = {subject_id: os.urandom(32) for subject_id in subject_ids if anew or subject_id not in self}
        self.update(made)
        return {subject_id: self[subject_id] for subject_id in subject_ids}


def test_a_data_key_with_an_erasure_key_needs_both_it_and_the_ring():
    held, keys = ring("k1"), Keys()
    vault = Vault(held, erasure_keys=keys)
    key, wrapped = vault.new_data_key("person", "p1")
    assert vault.unwrap(wrapped, "person", "p1") == key
    assert len(wrapped.sealed) > WRAPPED_BYTES
    for without in (Vault(held), Vault(held, erasure_keys=Keys())):
        with pytest.raises(KeyDestroyed, match="erasure key of a person is missing"):
            without.unwrap(wrapped, "person", "p1")
    with pytest.raises(DecryptionFailed):
        Vault(ring("k1"), erasure_keys=keys).unwrap(wrapped, "person", "p1")
    keys["p1"], old = os.urandom(32), keys["p1"]
    with pytest.raises(DecryptionFailed):
        vault.unwrap(wrapped, "person", "p1")
    keys["p1"] = old
    assert vault.unwrap(wrapped, "person", "p1") == key


def test_only_people_have_erasure_keys():
    """A company is not erased, and a row about several people neither."""
    held, keys = ring("k1"), Keys()
    before = Vault(held).new_data_key("person", "p1")
    vault = Vault(held, erasure_keys=keys)
    _, company = vault.new_data_key("company", "c1")

    assert len(company.sealed) == WRAPPED_BYTES
    assert keys == {}
    assert vault.unwrap(before[1], "person", "p1") == before[0]


def test_many_data_keys_open_in_order_with_one_read_of_erasure_keys():
    vault = Vault(ring("k1"), erasure_keys=Keys())
    made = vault.new_data_keys("person", ["p1", "p2"])

    assert [vault.unwrap(wrapped, "person", name) for name, (_, wrapped) in zip(("p1", "p2"), made, strict=True)] == [
        key for key, _ in made
    ]
    assert vault.new_data_keys("person", []) == []


def test_a_rotation_keeps_erasure_keys_and_adds_missing_ones():
    old, new = KeyRing.generate("old"), KeyRing.generate("new")
    keys, before = Keys(), KeyRing.parse(old)
    first, wrapped = Vault(before, erasure_keys=keys).new_data_key("person", "p1")
    second, bare = Vault(before).new_data_key("person", "p2")
    its = keys["p1"]
    both = Vault(KeyRing.parse(f"{new}\n{old}"), erasure_keys=keys)
    moved = both.rewrap({"p1": wrapped, "p2": bare}, "person")
    alone = Vault(KeyRing.parse(new), erasure_keys=keys)

    assert {value.ring_key_id for value in moved.values()} == {"new"}
    assert keys["p1"] == its
    assert [alone.unwrap(moved[name], "person", name) for name in ("p1", "p2")] == [first, second]
    del keys["p2"]
    with pytest.raises(KeyDestroyed):
        alone.unwrap(moved["p2"], "person", "p2")
    keys.clear()
    assert Vault(KeyRing.parse(f"{new}\n{old}")).rewrap({"p1": wrapped}, "person"), "the ring alone can move it"


@pytest.mark.parametrize(("kind", "value"), [("", "a@b.org"), ("email", ""), ("email", None)])
def test_an_empty_value_has_no_blind_index(vault, kind, value):
    """An empty key would match every row without a value."""
    with pytest.raises(ValueError, match="needs a kind and a value"):
        vault.blind_index(kind, value)


@pytest.mark.parametrize("parts", [("", "c", "r"), ("t", "", "r"), ("t", "c", ""), ("t|c", "r", "x")])
def test_a_place_with_an_empty_part_or_a_bar_in_a_part_is_refused(parts):
    """Otherwise two places could look the same."""
    with pytest.raises(ValueError, match="a place needs"):
        place(*parts)


def test_a_seal_without_a_place_is_refused(vault):
    """Without a place sealed bytes could be moved anywhere."""
    with pytest.raises(ValueError, match="what they are about"):
        vault.encrypt_for_server(b"x", "")


def test_receipt_numbers_have_a_hundred_random_bits_and_no_confusable_letters():
    numbers = {receipt_number() for _ in range(1000)}
    assert len(numbers) == 1000
    assert all(re.fullmatch(r"[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){4}", number) for number in numbers)


@pytest.fixture(name="failures")
def _failures():
    """One entry a failure."""
    return []


@pytest.fixture(name="noticing")
def _noticing(failures):
    """A vault that says when it could not open something."""
    return Vault(KeyRing.parse(KeyRing.generate("k1")), on_failure=lambda: failures.append(True))


def test_a_successful_opening_counts_no_failure(noticing, failures):
    vault = noticing
    key, wrapped = vault.new_data_key("person", "p")
    assert vault.unwrap(wrapped, "person", "p").secret == key.secret
    assert vault.decrypt(key, vault.encrypt(key, b"x", "row"), "row") == b"x"
    assert vault.decrypt_for_server(vault.encrypt_for_server(b"y", "visit"), "visit") == b"y"
    assert failures == []


def test_a_failed_opening_counts_one_failure(noticing, failures):
    vault = noticing
    key, wrapped = vault.new_data_key("person", "p")
    sealed, session = (
        vault.encrypt(key, b"x", "row"),
        Vault(KeyRing.parse(KeyRing.generate("k1"))).encrypt_for_server(b"y", "visit"),
    )
    for attempt in (
        lambda: vault.unwrap(wrapped, "person", "other"),
        lambda: vault.decrypt(key, sealed, "another row"),
        lambda: vault.decrypt_for_server(session, "visit"),
    ):
        failures.clear()
        with pytest.raises(DecryptionFailed):
            attempt()
        assert failures == [True]


class Destroyed:
    """Erasure keys of which none is left once the person was erased."""

    def __init__(self):
        self.keys = {}

    def give(self, subject_ids, *, anew):
        """A key each."""
        assert anew
        self.keys |= dict.fromkeys(subject_ids, b"k" * 32)
        return dict(self.keys)

    def find(self, subject_id):
        """The key, unless it was destroyed."""
        return self.keys.get(subject_id)


def test_a_destroyed_key_counts_no_failure(failures):
    kept = Destroyed()
    vault = Vault(KeyRing.parse(KeyRing.generate("k1")), erasure_keys=kept, on_failure=lambda: failures.append(True))
    _, wrapped = vault.new_data_key("person", "p")
    kept.keys.clear()
    with pytest.raises(KeyDestroyed):
        vault.unwrap(wrapped, "person", "p")
    assert failures == []
