"""Headers of GGUF files: whole, cut off and invalid ones."""

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


def test_licence_and_base_models_are_read_from_a_gguf_header():
    found = read("a.gguf", header(
        text("general.architecture", "llama"), ("general.file_type", 4, b"\1\0\0\0"), ("x.list", 9, struct.pack("<IQ", 5, 2) + bytes(8)),
        text("general.license", "llama3.1"), text("general.base_model.0.repo_url", "https://huggingface.co/meta-llama/Llama-3.1-8B"),
    ))  # fmt: skip
    assert (found.license.expression, found.license.place.path) == (
        "LicenseRef-scancode-llama-3.1-license-2024",
        "a.gguf",
    )
    assert [model.name for model in found.base_models] == ["meta-llama/Llama-3.1-8B"]


def test_a_gguf_licence_is_read_by_its_name_as_in_a_card():
    found = read("a.gguf", header(text("general.license", "other"), text("general.license.name", "tongyi-qianwen")))
    assert found.license.expression == "LicenseRef-scancode-tongyi-qianwen-2023"


def texts(*values, count=None):
    """A list of strings."""
    return struct.pack("<IQ", 8, len(values) if count is None else count) + b"".join(map(string, values))


@pytest.mark.parametrize(
    "tags",
    [
        texts(),
        texts("a"),
        texts("llama", "", "x" * 5000),
        struct.pack("<IQ", 9, 0),
        struct.pack("<IQ", 9, 2) + texts("a") + texts(),
    ],
)
def test_a_licence_behind_a_list_is_read(tags):
    rows = [("general.tags", 9, tags), ("general.languages", 9, texts("en", "de")), text("general.license", "mit")]
    assert read("a.gguf", header(*rows)).license.expression == "MIT"


@pytest.mark.parametrize(
    "tokens",
    [
        texts("a", count=2),
        texts(count=2**64 - 1),
        struct.pack("<IQQ", 8, 1, 2**63),
        struct.pack("<IQ", 7777, 1),
        struct.pack("<IQ", 9, 1) * 2000,
    ],
)
def test_a_list_that_ends_nowhere_or_is_nested_too_deeply_ends_the_reading(tokens):
    found = read("a.gguf", header(("tokens", 9, tokens), text("general.license", "mit")))
    assert (found.license.expression, found.is_model) == (None, True)


@pytest.mark.parametrize("data", [b"", b"version https://git-lfs.github.com/spec/v1", b"GGU"])
def test_a_file_without_a_gguf_header_states_nothing(data):
    assert read("a.gguf", data) == NOTHING


def test_a_first_edition_header_and_endless_sizes_give_no_licence():
    assert read("a.gguf", header(text("general.license", "mit"), version=1)).license.expression is None
    assert read("a.gguf", header(("general.license", 8, struct.pack("<Q", 2**63)))).license.expression is None
    assert (
        read(
            "a.gguf", header(("x", 9, struct.pack("<IQ", 12, 2**62)), text("general.license", "mit"))
        ).license.expression
        is None
    )


@given(st.binary(max_size=400))
def test_any_bytes_after_the_magic_are_read_without_failing(rest):
    assert read("a.gguf", b"GGUF" + rest).is_model
    assert HEADER_BYTES > len(rest)
