"""The parts that an Enterprise Server lacks, by its version and by its refusals."""

import json
from pathlib import Path

import graphql
import pytest

from bot.github.client.graphql_errors import Unavailable
from bot.github.client.server_features import (
    FEATURES,
    NEWEST_PUBLISHED,
    OLDEST_SUPPORTED,
    ServerFeatures,
    ServerVersion,
    undefined_names,
)
from bot.github.connection import connect
from bot.github.ports import Missing, Unsupported
from bot.settings import load
from tests.bot.github.conftest import HERE
from tests.contract import enterprise
from tests.contract.contract import DATA

MERGE_QUEUES, _, MERGE_GROUP_EVENT, ACTIVITY, _, _, SBOM_REPORTS, FOLLOW_RENAMES = FEATURES
LACKING = json.loads((DATA / "github-enterprise-server.json").read_text(encoding="utf-8"))
VERSIONS = [version for version in LACKING["versions"] if version != "ghec"]


def of(version):
    """What is known of a server with that version."""
    known = ServerFeatures()
    known.saw(version)
    return known


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("3.14.2", (3, 14, 2)),
        ("3.9", (3, 9, 0)),
        ("enterprise-server@3.20.0", (3, 20, 0)),
        ("GitHub Enterprise 3.7.1 (build 9)", (3, 7, 1)),
        ("", None),
        (None, None),
        ("unknown", None),
        (["3.14"], (3, 14, 0)),
    ],
)
def test_versions_are_read_in_every_form(text, version):
    assert ServerVersion.read(text) == version


@pytest.mark.parametrize("version", VERSIONS)
def test_the_calls_that_a_version_lacks_are_those_of_its_description(version):
    known = of(version)
    for operation in enterprise_operations():
        path = operation.split()[1].replace("{branch}", "main")
        is_lacking = version in LACKING["operations"].get(operation, ())
        if operation == "GET /user/{account_id}":  # it was served long before it was described
            is_lacking = False
        assert _refused(known, path) == (f"this GitHub Enterprise Server {version}.0 has no " if is_lacking else ""), (
            operation
        )


def _refused(known, path):
    """How it begins to say so; "" where it does not."""
    try:
        known.check(path)
    except Unsupported as error:
        return str(error)[: str(error).index(" no ") + 4]
    return ""


def enterprise_operations():
    """Operations that Countersign or a story calls."""
    text = (Path(enterprise.__file__).parent / "wanted" / "operations.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize("version", VERSIONS)
def test_permissions_and_events_are_those_of_the_versions_description(version):
    known = of(version)
    missing = [feature for feature in FEATURES if not known.is_published(feature)]
    described = {name for name, versions in LACKING["permissions"].items() if version in versions}
    assert {feature.permission for feature in missing if feature.permission} == described - {"email_addresses"}
    if version not in LACKING["without webhooks"]:
        events = {name for name, versions in LACKING["webhooks"].items() if version in versions}
        assert {feature.event for feature in missing if feature.event} == (
            {"merge_group"} if "merge-group-destroyed" in events else set()
        )


def test_the_oldest_and_newest_versions_are_those_of_the_data():
    assert VERSIONS[-1] == f"{NEWEST_PUBLISHED.major}.{NEWEST_PUBLISHED.minor}"
    oldest = f"{OLDEST_SUPPORTED.major}.{OLDEST_SUPPORTED.minor}"
    wanted = [name for name in LACKING["operations"] if "sbom" not in name]
    assert not [name for name in wanted if oldest in LACKING["operations"][name]]
    assert LACKING["permissions"]["merge_queues"][-1] == VERSIONS[VERSIONS.index(oldest) - 1]
    assert {feature.what for feature in of(oldest).lacking()} == {SBOM_REPORTS.what, MERGE_GROUP_EVENT.what}


def test_names_left_out_of_documents_are_those_that_an_old_schema_lacks():
    names = {name for feature in FEATURES for name in feature.names}
    lacking = {field.rpartition(".")[2].partition("(")[0] for field in LACKING["graphql before 3.4"]}
    assert lacking <= {*names, "repository"}
    assert "Query.repository(followRenames:)" in LACKING["graphql before 3.4"]


def test_a_server_without_a_version_lacks_nothing():
    known = ServerFeatures()
    known.saw(None)
    known.check("/repos/cann/ops/activity")
    assert (known.version, known.lacking()) == (None, ())
    assert all(known.is_published(feature) for feature in FEATURES)


def test_a_version_later_than_all_descriptions_is_asked_for_everything():
    known = of("3.42.0")
    assert known.lacking() == ()
    assert [feature for feature in FEATURES if not known.is_published(feature)] == [MERGE_GROUP_EVENT, SBOM_REPORTS]


@pytest.mark.parametrize("document", enterprise.all_documents())
def test_documents_without_the_lacking_names_are_still_valid(contract, document):
    known = of("3.11.0")
    known.learn({"followRenames"})
    if "mergeQueue(" in document:
        with pytest.raises(Unsupported, match=r"this GitHub Enterprise Server 3\.11\.0 has no merge queues"):
            known.supported(document)
        return
    leaner = known.supported(document)
    assert contract.check_graphql(leaner) == []
    assert "mergeQueue" not in leaner
    assert "followRenames" not in leaner
    graphql.parse(leaner)


def test_a_refused_name_is_learned_until_the_servers_version_changes():
    known = of("3.30.0")
    assert known.learn({"mergeQueueEntry"})
    assert not known.learn({"mergeQueueEntry"})
    assert not known.learn({"somethingElse"})
    assert known.lacking() == (MERGE_QUEUES,)
    assert not known.is_published(MERGE_QUEUES)
    known.saw("3.30.0")
    assert known.lacking() == (MERGE_QUEUES,)
    known.saw("3.31.0")
    assert known.lacking() == ()


def test_unsupported_is_a_kind_of_missing():
    with pytest.raises(Missing):
        of("3.10.1").check("/repos/cann/ops/activity")
    assert ACTIVITY in of("3.10.1").lacking()
    assert FOLLOW_RENAMES in of("3.11.0").lacking(), "no schema before that of 3.12 is known to have it"
    assert FOLLOW_RENAMES not in of("3.12.0").lacking()


@pytest.mark.parametrize(
    ("error", "names"),
    [
        (
            {
                "message": "Field 'mergeQueueEntry' doesn't exist on type 'PullRequest'",
                "extensions": {"code": "undefinedField", "typeName": "PullRequest", "fieldName": "mergeQueueEntry"},
            },
            {"mergeQueueEntry"},
        ),
        ({"message": "Field 'mergeQueue' doesn't exist on type 'Repository'"}, {"mergeQueue"}),
        ({"message": "Field 'repository' doesn't accept argument 'followRenames'"}, {"followRenames"}),
        ({"message": "x", "extensions": {"code": "argumentNotAccepted", "name": "repository", "argumentName": "followRenames"}}, {"followRenames"}),
        ({"message": "No such type MergeQueueEntry, so it can't be a fragment condition"}, {"MergeQueueEntry"}),
        ({"message": "Could not resolve to a Repository", "type": "NOT_FOUND"}, set()),
        ({"message": None, "extensions": "odd"}, set()),
        ({"message": "Variable $branch is declared by Q but not used", "extensions": {"code": "variableNotUsed"}}, set()),
        ({"message": "y", "extensions": {"code": "undefinedField", "fieldName": 7}}, set()),
    ],
)  # fmt: skip
def test_names_that_a_schema_lacks_are_read_from_githubs_error(error, names):
    assert undefined_names([error]) == names


UNDEFINED = "Field '{}' doesn't exist on type 'PullRequest'"
ONE = {"nodes": [{"__typename": "Repository", "pullRequests": {
    "nodes": [{"number": 3, "headRefOid": "a" * 40, "updatedAt": "2026-11-21T09:00:00Z", "baseRefName": "main"}],
    "pageInfo": {"hasNextPage": False, "endCursor": None},
}}]}  # fmt: skip


def test_a_part_that_is_refused_is_left_out_from_then_on(github, hub):
    github.graphql(errors=[{"message": UNDEFINED.format("mergeQueueEntry")}])
    github.graphql(ONE)
    for _ in range(2):
        (pull,) = hub.open_pulls(77, ["R_1"])["R_1"].pulls
        assert (pull.number, pull.trial_sha) == (3, "")
    sent = [body["query"] for body in github.bodies("POST", "/graphql")]
    assert ["mergeQueueEntry" in query for query in sent] == [True, False, False]
    with pytest.raises(Unsupported, match="this GitHub has no merge queues"):
        hub.merge_queue(HERE, "main")
    assert len(github.sent("POST", "/graphql")) == 3


def test_a_name_that_belongs_to_no_part_makes_graphql_useless(github, hub):
    github.graphql(errors=[{"message": UNDEFINED.format("isDraft")}])
    with pytest.raises(Unavailable, match="GitHub's GraphQL API does not know isDraft"):
        hub.open_pulls(77, ["R_1"])
    assert len(github.sent("POST", "/graphql")) == 1


def test_a_part_is_left_out_before_another_name_makes_graphql_useless(github, hub):
    github.graphql(errors=[{"message": UNDEFINED.format(name)} for name in ("mergeQueueEntry", "isDraft")])
    github.graphql(errors=[{"message": UNDEFINED.format("isDraft")}])
    with pytest.raises(Unavailable, match="isDraft"):
        hub.open_pulls(77, ["R_1"])
    assert len(github.sent("POST", "/graphql")) == 2


@pytest.mark.parametrize(
    ("web", "rest", "graphql_url"),
    [
        (
            "https://octo.ghe.com",
            "https://api.octo.ghe.com:443/app/installations",
            "https://api.octo.ghe.com:443/graphql",
        ),
        (
            "https://ghe.corp.example",
            "https://ghe.corp.example:443/api/v3/app/installations",
            "https://ghe.corp.example:443/api/graphql",
        ),
        ("https://github.com", "https://api.github.com:443/app/installations", "https://api.github.com:443/graphql"),
    ],
)
def test_each_kind_of_server_is_asked_at_its_own_addresses(key, github, web, rest, graphql_url):
    settings = load({"COUNTERSIGN_GITHUB_URL": web})
    base = rest.removesuffix("/app/installations")
    token = {"token": "ghs_x", "expires_at": "2099-01-01T00:00:00Z", "permissions": {}}
    github.mock.add("POST", f"{base}/app/installations/77/access_tokens", json=token, status=201)
    github.mock.add("GET", rest, json=[])
    github.mock.add("POST", graphql_url, json={"data": ONE})
    hub = connect(app_id=1, server=settings.github_server, api_url=settings.github_api_url, private_key=key)
    try:
        assert hub.open_pulls(77, ["R_1"])["R_1"].pulls[0].number == 3
        assert hub.installations() == ()
    finally:
        hub.close()
