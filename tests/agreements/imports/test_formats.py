"""Every import format answers any file with entries, refusals or one clear line."""

import json

import pytest
from hypothesis import given as examples
from hypothesis import strategies as st

from agreements.imports.entries import ImportDefaults, UnreadableImport
from agreements.imports.formats import FORMATS
from tests.agreements.imports.conftest import NOW

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20)
KEYS = st.sampled_from(
    [
        "individuals",
        "github",
        "id",
        "signed_at",
        "signed_version",
        "signedContributors",
        "name",
        "created_at",
        "contributors",
    ]
) | st.text(max_size=8)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=6))
CELLS = st.sampled_from(
    [
        "User Name",
        "GitHub Username",
        "Signed Date",
        "Approved",
        "Signed",
        "DomainApprovalList",
        "*.x.org",
        "true",
        "ada",
    ]
) | st.text(max_size=8)
TABLES = st.lists(st.lists(CELLS, min_size=1, max_size=5), max_size=5).map(
    lambda rows: "\n".join(",".join(row) for row in rows).encode("utf-8", "replace")
)


@pytest.mark.parametrize("name", FORMATS)
@examples(content=st.binary(max_size=60) | VALUES.map(lambda value: json.dumps(value).encode()) | TABLES)
def test_any_file_gives_entries_refusals_or_one_printable_line(name, content):
    try:
        found = FORMATS[name](content, ImportDefaults(now=NOW, version="1.0", signed_at=NOW))
    except UnreadableImport as refused:
        lines = [str(refused)]
    else:
        lines = [
            f"{rejected_entry.where} {rejected_entry.who} {rejected_entry.reason}" for rejected_entry in found.refused
        ] + list(found.remarks)
    for line in lines:
        assert "\n" not in line
        line.encode()
