"""Bytes of any encoding become text without an error."""

import codecs
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.scan.decoding import decode, shown

MARKS = [codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE]


@pytest.mark.parametrize(
    ("data", "text", "amiss"),
    [
        (b"a\r\nb\rc", "a\nb\nc", ""),
        (b"\xef\xbb\xbfa", "a", ""),
        ("aé".encode("utf-16"), "aé", "UTF-16"),
        (b"\xfe\xff\x00a", "a", "UTF-16"),
        (b"\xe9", "é", "Latin-1"),
        (b"\xef\xbb\xbfa\xe9", "a\ufffd", "not UTF-8 (byte 5)"),
        (b"\xff\xfea\0b", "a\ufffd", "not UTF-16-LE (byte 5)"),
        (b"a\0b", "a\0b", "NUL"),
        (b"", "", ""),
    ],
)
def test_bytes_of_each_encoding_become_text_with_a_remark(data, text, amiss):
    found, said = decode(data)

    assert found == text
    assert amiss in said if amiss else said == ""


@given(st.builds(bytes.__add__, st.sampled_from([b"", *MARKS]), st.binary() | st.text().map(str.encode)))
def test_any_bytes_become_text(data):
    found, said = decode(data)

    assert found.encode().decode() == found
    assert "\r" not in found
    assert said or found == re.sub("\r\n?", "\n", data.decode("utf-8-sig"))


def test_a_name_that_is_not_utf8_can_be_shown():
    assert shown("a\udcff") == "a�"
