"""Addresses are masked and invisible characters escaped in every text for the public."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agreements.domains import masking

D253 = ".".join(["a" * 63] * 3 + ["a" * 61])


@pytest.mark.parametrize(("address", "shown"), [
    ("alice@huawei.com", "a…e@huawei.com"), ("ada@x.org", "a…a@x.org"), ("bo@x.org", "b…@x.org"), ("b@x.org", "b…@x.org"), ("", ""), ("@x.org", "…@x.org"),
    ("nobody", "n…y"), ("a@b@x.org", "a…b@x.org"), ("ad\u200b@x.org", "a…\\u200b@x.org"), ("ada@x\n.org", "a…a@x\\n.org"),
    ("ada＠x.org", "a…a@x.org"), ("ada﹫x.org", "a…a@x.org"),
    (f"ada@{D253}", f"a…a@{D253}"), (f"ada@{D253}b", f"a…a@{D253}…"), ("ada@" + "\u200b" * 400, "a…a@" + ("\\u200b" * 43)[:253] + "…"),
])  # fmt: skip
def test_a_masked_address_shows_the_first_and_last_character_of_its_local_part(address, shown):
    assert masking.masked(address) == shown


TEXTS = {
    "every address": ("Signed-off-by:ada@x.org <ada@x.org>,bo@y.org 张三＠x.org", "Signed-off-by:a…a@x.org <a…a@x.org>,b…@y.org 张…@x.org"), "the last word": ("by ada@x.org", "by a…a@x.org"), "none": ("A\u200bda", "A\\u200bda"),
    "an escape at the end": ("<ada\u200b@x.org>", "<a…\\u200b@x.org>"), "an escape in front": ("<\xadada@x.org>", "<\\xad…a@x.org>"), "no escape": ("<a…ada@x.org>", "<a…a@x.org>"),
    "no word": ("", ""), "longest": ("a" * 1000, "a" * 1000), "one more": ("a" * 1001, " …"), "whole words": (f"{'a' * 900} {'b' * 97} ccc", f"{'a' * 900} …"), "all that fits": (f"{'a' * 900} {'b' * 96} ccc", f"{'a' * 900} {'b' * 96} …"),
    "no half of an address": (f"{'a' * 990} adalovelace@x.org", f"{'a' * 990} …"), "an address that fits": (f"{'a' * 900} ada@x.org {'b' * 200}", f"{'a' * 900} a…a@x.org …"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "shown"), TEXTS.values(), ids=TEXTS)
def test_every_address_in_free_text_is_masked_and_masking_again_changes_nothing(text, shown):
    assert masking.masked_text(text) == masking.masked_text(shown) == shown


@pytest.mark.parametrize(("text", "expected"), [
    ("ada@x.org", True), ("fix-for-ada@x.org/2", True), ("a;ada@x.org;b", True), ("ada＠x.org", True), ("v@1@x.org.", True), ("Ada@X.ORG", True), ("ada@x.org-", True), ("ada@-.x.org..", True),
    ("main", False), ("release@2.0", False), ("v1@main", False), ("@", False), ("", False), ("x.org", False), ("pkg@1.2.3-rc.1", False),
])  # fmt: skip
def test_a_mailbox_is_told_from_a_version_behind_an_at_sign(text, expected):
    assert masking.names_mailbox(text) is expected


@pytest.mark.parametrize(("text", "shown"), [
    ("Ada Löf", "Ada Löf"), ("张三", "张三"), ("A\u200bda", "A\\u200bda"), ("A\xa0b", "A\\xa0b"), ("a\u202eb", "a\\u202eb"), ("a b\n", "a b\\n"),
    ("\u3164", "\\u3164"), ("a\ufe0fb", "a\\ufe0fb"), ("a\ufe00b", "a\\ufe00b"), ("\ufe10", "\ufe10"), ("葛\U000e0100", "葛\\U000e0100"), ("\U000e0041", "\\U000e0041"), ("tab\t", "tab\\t"), ("\ud800", "\\ud800"),
])  # fmt: skip
def test_invisible_characters_are_escaped_and_letters_of_any_script_stay(text, shown):
    assert masking.visible(text) == shown


@settings(deadline=None)
@given(st.text(st.sampled_from("abcdefgh"), min_size=3, max_size=9), st.sampled_from(["@", "＠", "﹫"]), st.text(st.sampled_from(' <>,;:"()'), max_size=9))  # fmt: skip
def test_a_mask_shows_only_the_first_and_last_character_of_a_local_part(local, at, behind):
    for shown in (masking.masked(f"{local}{at}1.2"), masking.masked_text(f"{behind}{local}{at}1.2{behind}")):
        assert [char for char in shown if char.isalpha()] == [local[0], local[-1]]
