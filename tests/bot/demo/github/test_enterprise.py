"""The small GitHub as an Enterprise Server lacks what GitHub's descriptions of that version lack, and nothing else."""

import json

import pytest

from bot.demo.github import enterprise
from bot.demo.github.graphql.query import parse
from bot.github.documents import MERGE_QUEUE, OPEN_PULLS, SNAPSHOT_QUERY
from bot.github.permissions import in_manifest
from tests.contract.contract import DATA
from tests.contract.derive import wanted

LACKING = json.loads((DATA / "github-enterprise-server.json").read_text(encoding="utf-8"))
VERSIONS = [version for version in LACKING["versions"] if version != "ghec"]


@pytest.mark.parametrize("version", VERSIONS)
def test_an_old_version_lacks_the_calls_that_its_description_lacks(version):
    for operation in wanted("operations"):
        lacks = version in LACKING["operations"].get(operation, ()) and operation != "GET /user/{account_id}"
        assert enterprise.lacks_operation(f"{version}.1", operation.split()[1]) is lacks, operation


@pytest.mark.parametrize("version", VERSIONS)
def test_an_old_version_refuses_permissions_and_events_unknown_to_it(version):
    permissions = {name for name, versions in LACKING["permissions"].items() if version in versions}
    assert enterprise.unknown_in_manifest(f"{version}.1") == set(in_manifest(dict.fromkeys(permissions, ""))) | {
        "merge_group"
    }


@pytest.mark.parametrize(
    ("version", "document", "names"),
    [
        ("3.12.0", OPEN_PULLS, []),
        ("3.11.9", OPEN_PULLS, ["mergeQueueEntry"]),
        ("3.11.0", MERGE_QUEUE, ["mergeQueue"]),
        ("3.3.0", SNAPSHOT_QUERY, ["followRenames"]),
        ("3.4.0", SNAPSHOT_QUERY, []),
    ],
)
def test_a_document_with_an_unknown_name_is_refused_as_a_whole(version, document, names):
    errors = enterprise.refuses(version, [(field.name, field.arguments) for field in parse(document).fields()])
    found = [error["extensions"].get("fieldName") or error["extensions"]["argumentName"] for error in errors]
    assert found == names
    assert all(f"'{name}'" in error["message"] for name, error in zip(names, errors, strict=True))


def test_each_version_serves_its_versions_of_the_api():
    assert enterprise.api_versions("") == ["2022-11-28", "2026-03-10"]
    assert [enterprise.api_versions(version) for version in ("3.8.1", "3.20.0")] == [[], ["2022-11-28"]]
    assert enterprise.api_versions("3.21.0") == ["2022-11-28", "2026-03-10"]
