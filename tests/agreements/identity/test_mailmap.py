"""A .mailmap names people the way git does."""

import pytest

from agreements.facts import Identity
from agreements.identity import mailmap

TEXT = """# who is who
Ada Lovelace <ada@new.org>
<bo@new.org> <bo@old.org>
Cy Young <cy@new.org> <cy@old.org>
Di Ray <di@new.org> Shared <team@old.org> # only this name
broken line
Ada <> <x@y.org>
"""


@pytest.mark.parametrize(("name", "email", "expected"), [
    ("ada", "ADA@new.org", Identity("Ada Lovelace", "ADA@new.org")), ("Bo", "bo@old.org", Identity("Bo", "bo@new.org")),
    ("cy", "cy@old.org", Identity("Cy Young", "cy@new.org")), ("shared", "team@old.org", Identity("Di Ray", "di@new.org")),
    ("Else", "team@old.org", Identity("Else", "team@old.org")), ("Eve", "eve@old.org", Identity("Eve", "eve@old.org")),
    ("Ada", "x@y.org", Identity("Ada", "x@y.org")),
])  # fmt: skip
def test_the_four_forms(name, email, expected):
    """Name, address, both, or both for one name only; anything else changes nothing."""
    assert mailmap.read(TEXT).resolve(Identity(name, email)) == expected
