"""The structure of an expression, without the library's own nodes."""

import pytest

from audit.licenses import aliases
from audit.licenses.expression_structure import ExpressionReader, Joined

READER = ExpressionReader(lambda name: aliases.ids().get(name.casefold()), aliases.exception_of)


@pytest.mark.parametrize(
    ("text", "structure"),
    [
        ("mit", "MIT"),
        ("MIT or ISC and Zlib", Joined("OR", ("MIT", Joined("AND", ("ISC", "Zlib"))))),
        ("(MIT OR ISC) AND Zlib", Joined("AND", (Joined("OR", ("MIT", "ISC")), "Zlib"))),
        ("GPL-2.0-only w/ Linux-syscall-note", Joined("WITH", ("GPL-2.0-only", "Linux-syscall-note"))),
        ("eCos-2.0", "GPL-2.0-or-later WITH eCos-exception-2.0"),
    ],
)
def test_operators_brackets_and_exceptions_give_the_structure(text, structure):
    assert READER.structure(text) == structure


@pytest.mark.parametrize(
    "text", ["", "MIT OR", "MIT ISC", "(MIT", "MIT)", "MIT/X11", "WITH", "no-such-id", "(" * 51 + "MIT" + ")" * 51]
)
def test_a_text_that_is_no_expression_gives_none(text):
    assert READER.structure(text) is None
