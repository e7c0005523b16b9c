"""Pull requests by GraphQL."""

import pytest

from agreements.completeness import AUTHORS, CHANGED, COAUTHORS, DIFFERS, MOVED, NO_HEAD, REPEATED
from agreements.facts import Account, Coauthor
from bot.github.by_graphql import MAX_AUTHOR_PAGES, fetch_snapshot
from bot.github.client.graphql_errors import GraphqlAnswer, Unavailable, Withheld
from bot.github.ports import UNREADABLE, Missing, Refused, RepositoryPlace, RuleFile, Unreachable
from tests.bot.github.shapes import (
    actor,
    blob,
    commit_node,
    connection,
    look_data,
    more_data,
    rest_file,
    rest_repository,
    sha,
)

HERE = RepositoryPlace(77, "cann", "ops", 900)
LABELS = ("cla-signed", "cla-required")
ONE = connection([1], 1)


class Told:
    """A line that gives one answer and remembers the question; `rest` is what REST answers by path, else it finds nothing."""

    def __init__(self, data, errors=(), rest=None):
        self.answer = GraphqlAnswer(data, tuple(errors))
        self.rest = rest or {}
        self.variables = None

    def query(self, document, variables):
        self.variables = variables
        return self.answer

    def read(self, path, parameters=None):
        answer = self.rest.get(path, Missing("404"))
        if isinstance(answer, Exception):
            raise answer
        return answer


def seen(**changes):
    """The look at an answer with changes."""
    return fetch_snapshot(Told(look_data(ONE, head=sha(1), **changes)), HERE, 3, LABELS)


def test_all_fields_of_a_snapshot_come_from_one_answer():
    line = Told(look_data(ONE, head=sha(1)))

    found = fetch_snapshot(line, HERE, 3, LABELS)

    assert {"owner": "cann", "name": "ops", "number": 3}.items() <= line.variables.items()
    assert (found.place, found.owner_id, found.owner_type, found.private) == (HERE, 500, "Organization", False)
    assert (found.title, found.state, found.draft, found.opener) == ("Fix ops", "open", False, Account(11, "ann"))
    assert (found.base, found.base_sha, found.head, found.head_sha) == ("main", sha(0xBA5E), "topic", sha(1))
    assert (found.head_repository, found.changed_files) == ("ann/ops", 2)
    assert (found.labels, found.known_labels) == (("cla-signed", "bug"), {"cla-signed"})
    assert found.rule_files.organization == RuleFile(".github/countersign.yml", "version: 1\n")
    assert found.rule_files.repository == RuleFile(".github/countersign.yml", None)
    assert found.rule_files.dco == RuleFile(".github/dco.yml", "require:\n  members: false\n")
    assert found.mailmap.startswith("Ann <ann@")
    assert (found.commit_count, found.cursor, found.doubt) == (1, None, "")
    assert found.created_at.isoformat() == "2026-11-01T09:00:00+00:00"


def test_coauthors_are_the_authors_beyond_the_git_author():
    people = [actor(), actor("Bo", "bo@x.org", None), actor("Cy", "cy@x.org", {"databaseId": 12, "login": "cy"})]
    node = commit_node(1, authors={"pageInfo": {"hasNextPage": False}, "nodes": people})

    found = fetch_snapshot(Told(look_data(connection([node], 1), head=sha(1))), HERE, 3, LABELS)

    assert found.commits[0].coauthors == (Coauthor("Bo", "bo@x.org"), Coauthor("Cy", "cy@x.org", Account(12, "cy")))


def with_authors(nodes, cursor=None):
    """A page of a commit's authors."""
    return {"pageInfo": {"hasNextPage": cursor is not None, "endCursor": cursor}, "nodes": nodes}


def person(number):
    """A co-author with an account."""
    return actor(
        f"P{number}", f"p{number}@x.org", {"__typename": "User", "databaseId": 100 + number, "login": f"p{number}"}
    )


def authors_data(*pages):
    """What GraphQL answers about further authors, a commit after the other."""
    found = {f"commit{slot}": {"oid": sha(1), "authors": page} for slot, page in enumerate(pages)}
    return {"repository": {"databaseId": 900, **found}}


def crowded(github, *, trailers=""):
    """A commit by twenty people, with more to come."""
    first = with_authors([actor(), *map(person, range(1, 20))], "a1")
    node = commit_node(1, message=f"Change\n\n{trailers}", authors=first)
    github.graphql(look_data(connection([node], 1), head=sha(1)))


def test_authors_beyond_the_first_page_are_read_and_counted_once(hub, github):
    crowded(github, trailers="Co-authored-by: P21 <p21@x.org>\nCo-authored-by: Zed <zed@x.org>")
    github.graphql(authors_data(with_authors([person(20), person(21)], "a2")))
    github.graphql(authors_data(with_authors([person(22), person(22)])))

    found = hub.history(hub.fetch_snapshot(HERE, 3, LABELS))

    assert found.complete
    by_name = {who.name: who.account and who.account.id for who in found.commits[0].coauthors}
    assert by_name == {**{f"P{number}": 100 + number for number in range(1, 23)}, "Zed": None}
    assert len(found.commits[0].coauthors) == len(by_name)
    asked = [body["variables"] for body in github.bodies("POST", "/graphql")][1:]
    assert [(question["oid0"], question["after0"]) for question in asked] == [(sha(1), "a1"), (sha(1), "a2")]


@pytest.mark.parametrize(
    "odd", [None, actor("Nn", "n@x.org", {"__typename": "User", "databaseId": None, "login": "n"})]
)
def test_an_author_who_is_left_out_is_a_doubt(hub, github, odd):
    crowded(github)
    github.graphql(authors_data(with_authors([person(20), odd])))

    assert hub.history(hub.fetch_snapshot(HERE, 3, LABELS)).doubt == COAUTHORS


def test_further_authors_are_not_read_where_they_do_not_matter(hub, github):
    crowded(github)

    found = hub.history(hub.fetch_snapshot(HERE, 3, LABELS), coauthors=False)

    assert (found.doubt, found.has_all_commits, len(github.sent("POST", "/graphql"))) == (AUTHORS, True, 1)


def test_a_page_of_authors_that_comes_again_is_a_doubt(hub, github):
    crowded(github)
    github.graphql(authors_data(with_authors([person(20)], "a1")))

    assert hub.history(hub.fetch_snapshot(HERE, 3, LABELS)).doubt == AUTHORS


def test_the_last_page_that_is_read_may_end_the_list(hub, github):
    crowded(github)
    for page in range(MAX_AUTHOR_PAGES):
        cursor = f"b{page}" if page < MAX_AUTHOR_PAGES - 1 else None
        github.graphql(authors_data(with_authors([person(100 + page)], cursor)))

    assert hub.history(hub.fetch_snapshot(HERE, 3, LABELS)).complete


def test_authors_without_end_are_a_doubt(hub, github):
    crowded(github)
    for page in range(MAX_AUTHOR_PAGES):
        github.graphql(authors_data(with_authors([person(100 + page)], f"b{page}")))

    assert hub.history(hub.fetch_snapshot(HERE, 3, LABELS)).doubt == AUTHORS
    assert len(github.sent("POST", "/graphql")) == 1 + MAX_AUTHOR_PAGES


@pytest.mark.parametrize(
    "answer", [{"repository": {"databaseId": 901}}, {"repository": {"databaseId": 900, "commit0": None}}]
)
def test_a_commit_that_disappeared_meanwhile_gives_no_history(hub, github, answer):
    crowded(github)
    github.graphql(answer)

    with pytest.raises(Missing):
        hub.history(hub.fetch_snapshot(HERE, 3, LABELS))


def test_a_deleted_opener_a_deleted_fork_and_a_null_base_are_understood():
    found = seen(pull={"author": None, "headRepository": None, "baseRef": None, "state": "MERGED"})

    assert (found.opener, found.head_repository, found.mailmap, found.state) == (None, None, "", "merged")


@pytest.mark.parametrize("changes", [{"isTruncated": True}, {"isBinary": True}, {"text": None}, {"__typename": "Tree"}])
def test_an_unreadable_rule_file_is_never_absent(changes):
    bad = blob("version: 1\n", **changes)

    found = seen(
        repository={"rulebook": bad, "dco": bad},
        rules={"name": ".github", "owner": {"databaseId": 500}, "rulebook": bad},
        pull={"baseRef": {"target": {"file": {"object": bad}}}},
    )

    files = found.rule_files
    assert {UNREADABLE} == {files.organization.text, files.repository.text, files.dco.text}
    assert found.mailmap == ""


SAML = {"extensions": {"saml_failure": True}}


@pytest.mark.parametrize(
    ("errors", "why"),
    [
        ([("NOT_FOUND", ["rules"])], "not-found"),
        ([("NOT_FOUND", ["rules", "rulebook"])], "no-answer"),
        ([("FORBIDDEN", ["rules"])], "refused"),
        ([("FORBIDDEN", ["rules", "rulebook"])], "refused"),
        ([("NOT_FOUND", ["rules"]), ("FORBIDDEN", ["rules"])], "refused"),
        ([("NOT_FOUND", ["rules"]), ("NOT_FOUND", ["rules", "rulebook"])], "no-answer"),
        ([("", ["rules"])], "no-answer"),
        ([("SERVICE_UNAVAILABLE", ["rules"])], "no-answer"),
        ([], "no-answer"),
    ],
)
def test_an_organisation_file_out_of_reach_is_not_absent(errors, why):
    data = {**look_data(ONE, head=sha(1)), "rules": None}
    line = Told(data, [{"type": kind, "path": path, "message": "no", **SAML} for kind, path in errors])

    files = fetch_snapshot(line, HERE, 3, LABELS).rule_files
    assert (files.organization, files.unread) == (None, why)


@pytest.mark.parametrize("kind", ["NOT_FOUND", "FORBIDDEN", "INTERNAL", ""])
@pytest.mark.parametrize("path", [["rules", "rulebook"], ["rules", "rulebook", "text"]])
def test_an_organisation_file_that_graphql_withholds_is_asked_by_rest(kind, path):
    data = {**look_data(ONE, head=sha(1)), "rules": {"name": ".github", "owner": {"databaseId": 500}, "rulebook": None}}
    where = "/repos/cann/.github"
    file = f"{where}/contents/.github/countersign.yml"
    there = {where: rest_repository(901, "cann", ".github")}

    def files(**rest):
        return fetch_snapshot(Told(data, [{"type": kind, "path": path}], there | rest), HERE, 3, LABELS).rule_files

    assert files(**{file: rest_file("version: 1\n")}).organization == RuleFile(
        ".github/countersign.yml", "version: 1\n"
    )
    assert files(**{file: Refused("403")}).unread == "refused"
    if kind == "FORBIDDEN":
        assert files().unread == "refused"
    with pytest.raises(Unreachable, match=r"the rulebook.*502"):
        files(**{file: Unreachable("502")})


def test_a_readable_dot_github_without_the_file_means_absence():
    found = seen(rules={"name": ".github", "owner": {"databaseId": 500}, "rulebook": None})

    assert found.rule_files.organization == RuleFile(".github/countersign.yml", None)


def test_a_dot_github_of_another_account_does_not_rule_here():
    """An attacker may take over the organisation's old name and write rules there."""
    files = seen(rules={"name": ".github", "owner": {"databaseId": 666}, "rulebook": blob("version: 1")}).rule_files
    assert (files.organization, files.unread) == (None, "no-answer")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"type": "NOT_FOUND", "path": ["repository"]}, Missing),
        ({"type": "NOT_FOUND", "path": ["repository", "pullRequest"]}, Missing),
        ({"type": "FORBIDDEN", "path": ["repository", "pullRequest"]}, Withheld),
        ({"type": "NOT_FOUND", "path": ["repository", "pullRequest", "changedFiles"]}, Withheld),
        ({"message": "Something went wrong while executing your query."}, Unavailable),
        ({"message": "Field 'x' doesn't exist", "extensions": {"code": "undefinedField"}}, Withheld),
        ({"message": "Resource limits for this query exceeded"}, Withheld),
        ({"type": "SOMETHING_NEW", "path": ["repository", "owner"]}, Withheld),
        ({"type": "INTERNAL", "path": ["repository", "pullRequest", "commits", "nodes", 0, "commit", "oid"]}, Withheld),
    ],
)
def test_a_graphql_answer_with_errors_is_never_taken_as_complete(error, kind):
    with pytest.raises(kind):
        fetch_snapshot(Told(look_data(ONE, head=sha(1)), [{"message": "no", **error}]), HERE, 3, LABELS)


@pytest.mark.parametrize("data", [{"repository": None}, {}, {"repository": {"pullRequest": None}}])
def test_a_null_repository_or_pull_request_is_missing(data):
    with pytest.raises(Missing):
        fetch_snapshot(Told(data), HERE, 3, LABELS)


@pytest.mark.parametrize("broken", [{"headRefOid": None, "commits": {}}, {"createdAt": "yesterday"}, {"state": "ODD"}])
def test_an_answer_of_another_shape_gives_no_snapshot(broken):
    with pytest.raises(Unreachable, match="not in the expected format"):
        seen(pull=broken)


def pages(github, *answers):
    """A first page of 100 of 250 commits, then these."""
    github.graphql(look_data(connection(range(1, 101), 250, "c1"), head=sha(250)))
    for answer in answers:
        github.graphql(answer)


def test_all_pages_are_read_beyond_a_hundred(hub, github):
    pages(github, more_data(connection(range(101, 201), 250, "c2"), head=sha(250)),
          more_data(connection(range(201, 251), 250), head=sha(250)))  # fmt: skip

    found = hub.history(hub.fetch_snapshot(HERE, 3, LABELS))

    assert (found.complete, found.count, len(found.commits), found.doubt) == (True, 250, 250, "")
    assert [body["variables"].get("after") for body in github.bodies("POST", "/graphql")] == [None, "c1", "c2"]


@pytest.mark.parametrize(
    ("second", "why"),
    [
        (more_data(connection(range(101, 251), 250), head=sha(251)), MOVED),
        (more_data(connection(range(101, 252), 251), head=sha(250)), CHANGED),
        (more_data(connection(range(101, 250), 250), head=sha(250)), DIFFERS),
        (more_data(connection([*range(101, 250), 249], 250), head=sha(250)), DIFFERS),
        (more_data(connection(range(100, 251), 250, "c1"), head=sha(250)), REPEATED),
        (more_data(connection([*range(101, 250), 999], 250), head=sha(250)), NO_HEAD),
    ],
)
def test_pages_that_do_not_add_up_make_the_history_incomplete(hub, github, second, why):
    pages(github, second)

    found = hub.history(hub.fetch_snapshot(HERE, 3, LABELS))

    assert not found.complete
    assert found.doubt == why


def test_another_repository_on_the_second_page_gives_no_history(hub, github):
    """The name may be given to another repository between two pages."""
    pages(github, more_data(connection(range(101, 251), 250), head=sha(250), databaseId=901))

    with pytest.raises(Missing):
        hub.history(hub.fetch_snapshot(HERE, 3, LABELS))
