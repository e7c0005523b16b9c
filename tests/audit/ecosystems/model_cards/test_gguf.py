"""Headers of GGUF files, whole, cut off and made up."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.ecosystems.model_cards.card_statement import NOTHING
from audit.ecosystems.model_cards.gguf import HEADER_BYTES, read


def string(value):
    """A string as the format has it."""
    return struct.pack("<Q", len(value)) + value.encode()


def header(*rows, version=3):
    """A header with these rows of key, type, and value in bytes."""
    body = b"".join(string(key) + struct.pack("<I", kind) + value for key, kind, value in rows)
    return b"GGUF" + struct.pack("<IQQ", version, 0, len(rows)) + body


def text(key, value):
    """A row whose value is a string."""
    return key, 8, string(value)


def test_a_header():
    """Strings of general keys; numbers and lists of numbers between them are passed over."""
    found = read("a.gguf", header(
        text("general.architecture", "llama"), ("general.file_type", 4, b"\1\0\0\0"), ("x.list", 9, struct.pack("<IQ", 5, 2) + bytes(8)),
        text("general.license", "llama3.1"), text("general.base_model.0.repo_url", "https://huggingface.co/meta-llama/Llama-3.1-8B"),
    ))  # fmt: skip
    assert (found.license.expression, found.license.place.path) == (
        "LicenseRef-scancode-llama-3.1-license-2024",
        "a.gguf",
    )
    assert [one.name for one in found.base_models] == ["meta-llama/Llama-3.1-8B"]


def test_a_licence_by_its_name():
    """As in a card."""
    found = read("a.gguf", header(text("general.license", "other"), text("general.license.name", "tongyi-qianwen")))
    assert found.license.expression == "LicenseRef-scancode-tongyi-qianwen-2023"


def test_what_comes_after_the_vocabulary_is_not_read():
    """Lists of strings are long."""
    found = read(
        "a.gguf", header(("tokens", 9, struct.pack("<IQ", 8, 1) + string("a")), text("general.license", "mit"))
    )
    assert (found.license.expression, found.is_model) == (None, True)


@pytest.mark.parametrize("data", [b"", b"version https://git-lfs.github.com/spec/v1", b"GGU"])
def test_no_gguf(data):
    """A pointer of git-lfs for one."""
    assert read("a.gguf", data) == NOTHING


def test_the_first_edition_and_sizes_without_end():
    """Nothing is read of the first; a length beyond the file ends it."""
    assert read("a.gguf", header(text("general.license", "mit"), version=1)).license.expression is None
    assert read("a.gguf", header(("general.license", 8, struct.pack("<Q", 2**63)))).license.expression is None
    assert (
        read(
            "a.gguf", header(("x", 9, struct.pack("<IQ", 12, 2**62)), text("general.license", "mit"))
        ).license.expression
        is None
    )


@given(st.binary(max_size=400))
def test_any_bytes(rest):
    """Give an answer."""
    assert read("a.gguf", b"GGUF" + rest).is_model
    assert HEADER_BYTES > len(rest)
