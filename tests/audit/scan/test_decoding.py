"""Bytes of any encoding become text without an error."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.scan.decoding import decode, shown


@pytest.mark.parametrize(
    ("data", "text", "amiss"),
    [
        (b"a\r\nb\rc", "a\nb\nc", ""),
        (b"\xef\xbb\xbfa", "a", ""),
        ("aé".encode("utf-16"), "aé", "UTF-16"),
        (b"\xfe\xff\x00a", "a", "UTF-16"),
        (b"\xe9", "é", "Latin-1"),
        (b"a\0b", "a\0b", "NUL"),
        (b"", "", ""),
    ],
)
def test_bytes_of_each_encoding_become_text_with_a_remark(data, text, amiss):
    found, said = decode(data)

    assert found == text
    assert amiss in said if amiss else said == ""


@given(st.binary())
def test_any_bytes_become_text(data):
    decode(data)[0].encode("utf-8", "replace")


def test_a_name_that_is_not_utf8_can_be_shown():
    assert shown("a\udcff") == "a�"
