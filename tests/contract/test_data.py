"""The vendored data are those that were derived, bear their licence, and are cut as far as they can be."""

import hashlib
import json
import re
from pathlib import Path

import pytest

from tests.contract import derive

HERE = Path(__file__).resolve().parent
README = (HERE / "data" / "README.md").read_text(encoding="utf-8")
SUMS = {file: total for total, file in re.findall(r"^([0-9a-f]{64})  (\S+)$", README, re.MULTILINE)}


@pytest.mark.parametrize("file", sorted(SUMS))
def test_file_is_the_one_that_was_derived(file):
    """The SHA-256 of the file is the recorded one."""
    assert hashlib.sha256((HERE.parent / file).read_bytes()).hexdigest() == SUMS[file]


def test_every_file_is_recorded():
    """No data file without a sum."""
    files = [*(HERE / "data").glob("github*"), *(HERE.parent / "cases" / "github").iterdir()]
    assert {str(file.relative_to(HERE.parent)) for file in files} == set(SUMS)


def test_origin_and_licence_are_told():
    """Package, version, date and the MIT notice of each."""
    for package in (derive.OPENAPI, derive.EXAMPLES, derive.GRAPHQL):
        name, _, version = package.rpartition("@")
        row = next(line for line in README.splitlines() if line.startswith("|") and name in line)
        assert re.search(rf"\| {re.escape(version)} \| \d{{4}}-\d\d-\d\d \| MIT \|", row), row
        assert f"- `{name}`: " in README
    assert "Permission is hereby granted, free of charge" in README


def test_cutting_again_changes_nothing():
    """What is wanted is all there, and nothing else: the cut of the cut is the same, to the byte."""
    rest = (HERE / "data" / "github-openapi.json").read_text(encoding="utf-8")
    again = derive.slim_rest(json.loads(rest), derive.wanted("operations"), derive.wanted("webhooks"))
    assert derive.lines(again, 3) + "\n" == rest
    document = (HERE / "data" / "github.graphql").read_text(encoding="utf-8")
    assert derive.slim_graphql(document, derive.wanted("types")) + "\n" == document


def test_schema_is_whole():
    """The cut GraphQL schema is valid by itself."""
    import graphql

    document = (HERE / "data" / "github.graphql").read_text(encoding="utf-8")
    assert graphql.validate_schema(graphql.build_schema(document)) == []
