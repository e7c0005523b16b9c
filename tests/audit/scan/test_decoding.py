"""Bytes become text, in whatever encoding, and never an error."""

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
def test_encodings(data, text, amiss):
    """What was amiss is said."""
    found, said = decode(data)

    assert found == text
    assert amiss in said if amiss else said == ""


@given(st.binary())
def test_any_bytes(data):
    """Are some text."""
    decode(data)[0].encode("utf-8", "replace")


def test_odd_names():
    """A name that is no UTF-8 can be shown."""
    assert shown("a\udcff") == "a�"
