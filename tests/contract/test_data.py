"""The vendored data are those that were derived, bear their licence, and are cut as far as they can be."""

import hashlib
import json
import re
from pathlib import Path

import pytest

from tests.contract import derive, enterprise

HERE = Path(__file__).resolve().parent
README = (HERE / "data" / "README.md").read_text(encoding="utf-8")
SUMS = {file: total for total, file in re.findall(r"^([0-9a-f]{64})  (\S+)$", README, re.MULTILINE)}


@pytest.mark.parametrize("file", sorted(SUMS))
def test_the_file_is_the_one_that_was_derived(file):
    assert hashlib.sha256((HERE.parent / file).read_bytes()).hexdigest() == SUMS[file]


def test_every_data_file_has_a_recorded_sum():
    files = [*(HERE / "data").glob("github*"), *(HERE.parent / "cases" / "github").iterdir()]
    assert {str(file.relative_to(HERE.parent)) for file in files} == set(SUMS)


def test_the_origin_and_licence_of_each_package_are_told():
    for package in (derive.OPENAPI, derive.EXAMPLES, derive.GRAPHQL):
        name, _, version = package.rpartition("@")
        row = next(line for line in README.splitlines() if line.startswith("|") and name in line)
        assert re.search(rf"\| {re.escape(version)} \| \d{{4}}-\d\d-\d\d \| MIT \|", row), row
        assert f"- `{name}`: " in README
    assert "Permission is hereby granted, free of charge" in README


def test_cutting_again_changes_nothing():
    rest = (HERE / "data" / "github-openapi.json").read_text(encoding="utf-8")
    again = derive.slim_rest(json.loads(rest), derive.wanted("operations"), derive.wanted("webhooks"))
    assert derive.lines(again, 3) + "\n" == rest
    document = (HERE / "data" / "github.graphql").read_text(encoding="utf-8")
    assert derive.slim_graphql(document, derive.wanted("types")) + "\n" == document


def test_the_cut_graphql_schema_is_valid():
    import graphql

    document = (HERE / "data" / "github.graphql").read_text(encoding="utf-8")
    assert graphql.validate_schema(graphql.build_schema(document)) == []


def test_lacks_of_enterprise_servers_are_those_of_used_names():
    lacking = json.loads((HERE / "data" / "github-enterprise-server.json").read_text(encoding="utf-8"))
    row = next(line for line in README.splitlines() if "github-enterprise-server.json" in line)
    assert all(package in row for package in enterprise.OPENAPI)
    assert enterprise.GRAPHQL.rpartition("@")[0] in README
    assert set(lacking["versions"]) == {version for versions in enterprise.OPENAPI.values() for version in versions}
    assert set(lacking["operations"]) <= set(derive.wanted("operations"))
    assert not [
        name for kind in ("operations", "permissions", "webhooks") for name, of in lacking[kind].items() if "ghec" in of
    ]


def test_names_that_a_schema_lacks_are_found():
    today = (HERE / "data" / "github.graphql").read_text(encoding="utf-8")
    assert enterprise.unknown_names(today) == []
    older = today.replace("followRenames: Boolean = true, ", "").replace("mergeQueueEntry: MergeQueueEntry\n", "\n")
    assert older != today
    assert "PullRequest.mergeQueueEntry" in enterprise.unknown_names(older)
