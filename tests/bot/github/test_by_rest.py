"""Pull requests by REST, while GraphQL is down."""

import pytest

from agreements.completeness import COAUTHORS, MOVED, NO_HEAD, REST_ONLY
from agreements.facts import Account, Coauthor
from bot.github.by_rest import segment
from bot.github.ports import UNREADABLE, WITHHELD, HubError, Missing, RepositoryPlace, RuleFile
from tests.bot.github.shapes import (
    connection,
    look_data,
    next_page,
    rest_commit,
    rest_file,
    rest_pull,
    rest_repository,
    sha,
)

HERE = RepositoryPlace(77, "cann", "ops", 900)
PULL = "/repos/cann/ops/pulls/3"
FILES = ("/repos/cann/.github/contents/.github/countersign.yml", "/repos/cann/ops/contents/.github/countersign.yml",
         "/repos/cann/ops/contents/.github/dco.yml", "/repos/cann/ops/contents/.mailmap")  # fmt: skip
GONE = {"message": "Not Found", "documentation_url": "https://docs.github.com"}


@pytest.fixture(name="rest")
def _rest(github):
    """A GitHub without GraphQL; a pull request is set up by calling this."""

    def told(numbers, total=None, *, pull=None, files=None, messages=None):
        commits = [rest_commit(number, (messages or {}).get(number, "")) for number in numbers]
        github.graphql(status=502)
        github.on("GET", PULL, rest_pull(total or len(commits), sha(numbers[-1]), **(pull or {})))
        for start in range(0, len(commits), 100):
            link = {"Link": next_page(f"{PULL}/commits", start // 100 + 1)}
            last = start + 100 >= len(commits)
            github.mock.add("GET", github.api + f"{PULL}/commits", json=commits[start : start + 100],
                            headers={} if last else link, match=[page(start // 100 + 1)])  # fmt: skip
        github.on("GET", "/repos/cann/.github", rest_repository(902, "cann", ".github"))
        github.on("GET", "/repos/cann/ops/labels/cla-signed", {"name": "cla-signed"})
        for path in FILES:
            answer = (files or {}).get(path)
            github.on("GET", path, answer or GONE, status=200 if answer else 404)

    return told


def page(number):
    """Matches that page of a list."""
    from responses.matchers import query_param_matcher

    return query_param_matcher({"page": str(number), "per_page": "100"})


def test_a_snapshot_by_rest_equals_the_one_by_graphql(hub, github, rest):
    rest([1, 2], files={FILES[0]: rest_file("version: 1\n"), FILES[3]: rest_file("A <a@b.org>\n")})

    found = hub.fetch_snapshot(HERE, 3, ("cla-signed",))

    assert (found.place, found.owner_id, found.owner_type, found.private) == (HERE, 500, "Organization", False)
    assert (found.title, found.state, found.draft) == ("Fix ops", "open", False)
    assert (found.opener, found.changed_files) == (Account(11, "ann"), 2)
    assert (found.base, found.base_sha, found.head, found.head_sha) == ("main", sha(0xBA5E), "topic", sha(2))
    assert (found.head_repository, found.labels, found.known_labels) == ("ann/ops", ("bug",), {"cla-signed"})
    assert found.rule_files.organization == RuleFile(".github/countersign.yml", "version: 1\n")
    assert found.rule_files.repository.text is None
    assert (found.mailmap, found.commit_count, found.cursor) == ("A <a@b.org>\n", 2, None)
    assert [commit.verified for commit in found.commits] == [False, False]
    assert github.sent("GET", ".mailmap")[0].url.endswith(f"ref={sha(0xBA5E)}")
    assert hub.history(found).complete


def test_a_deleted_opener_a_deleted_fork_and_empty_accounts_mean_none(hub, rest, github):
    rest([2], pull={"user": {"id": 10137, "login": "ghost", "type": "User"}, "merged_at": "2026-11-03T00:00:00Z",
                    "head": {"ref": "topic", "sha": sha(2), "repo": None}})  # fmt: skip
    github.mock.replace("GET", github.api + f"{PULL}/commits", json=[rest_commit(2, author={}, committer=None)])

    found = hub.fetch_snapshot(HERE, 3, ())

    assert (found.opener, found.head_repository, found.state) == (None, None, "merged")
    assert (found.commits[0].author_account, found.commits[0].committer_account) == (None, None)
    assert found.commits[0].author.email == "ann@example.org"


@pytest.mark.parametrize(
    "odd", [{"encoding": "none", "content": ""}, {"content": "////"}, {"content": "AAAA"}, {"type": "symlink"}]
)
def test_an_unreadable_rule_file_is_never_absent(hub, rest, odd):
    rest([1], files=dict.fromkeys(FILES, rest_file("x", **odd)))

    found = hub.fetch_snapshot(HERE, 3, ())

    files = found.rule_files
    assert {UNREADABLE} == {files.organization.text, files.repository.text, files.dco.text}
    assert found.mailmap == ""


LIST = "/installation/repositories"
ALL = {"total_count": 1, "repository_selection": "all", "repositories": [rest_repository()]}
AWAY = {"Location": "https://api.github.com/repositories/902"}


@pytest.mark.parametrize(
    ("status", "listed", "unread"),
    [
        (404, {**ALL, "repository_selection": "selected"}, "not-covered"),
        (404, {**ALL, "repositories": [rest_repository(902, "cann", ".github")]}, "listed"),
        (404, {**ALL, "total_count": 2}, "no-answer"),
        (404, None, "no-answer"),
        (301, {**ALL, "repository_selection": "selected"}, "not-covered"),
    ],
)
def test_a_dot_github_out_of_reach_is_not_an_absent_rulebook(hub, rest, github, status, listed, unread):
    rest([1])
    github.mock.replace("GET", github.api + "/repos/cann/.github", json=GONE, status=status, headers=AWAY)
    github.on("GET", LIST, listed or {"message": "no"}, status=200 if listed else 403)

    files = hub.fetch_snapshot(HERE, 3, ()).rule_files
    assert (files.organization, files.unread) == (None, unread)


@pytest.mark.parametrize("status", [404, 301])
def test_a_dot_github_missing_from_the_installations_list_is_absent(hub, rest, github, status):
    rest([1])
    github.mock.replace("GET", github.api + "/repos/cann/.github", json=GONE, status=status, headers=AWAY)
    assert hub.fetch_snapshot(HERE, 3, (), organization=False).rule_files.unread == "not-found"

    github.on("GET", LIST, ALL)
    assert hub.fetch_snapshot(HERE, 3, ()).rule_files.organization == RuleFile(".github/countersign.yml", None)


@pytest.mark.parametrize("status", [500, 429])
def test_a_failed_request_proves_no_absence(hub, rest, github, status):
    rest([1])
    github.elsewhere.add("/repos/cann/.github")  # 451, say
    github.mock.replace("GET", github.api + "/repos/cann/.github", json={"message": "no"}, status=status)
    with pytest.raises(HubError):
        hub.fetch_snapshot(HERE, 3, ())
    assert github.sent("GET", LIST) == []


@pytest.mark.parametrize("status", [403, 451])
@pytest.mark.parametrize("path", ["", "/contents/.github/countersign.yml"])
def test_a_refused_dot_github_is_withheld_and_the_list_is_not_asked(hub, rest, github, status, path):
    rest([1], files={FILES[0]: rest_file("version: 1\n")})
    github.elsewhere.add("/repos/cann/.github" + path)
    github.mock.replace("GET", github.api + "/repos/cann/.github" + path, json={"message": "no"}, status=status)

    files = hub.fetch_snapshot(HERE, 3, ()).rule_files
    assert (files.organization, files.unread) == (None, "refused")
    assert github.sent("GET", LIST) == []


@pytest.mark.parametrize("path", [".github/countersign.yml", ".github/dco.yml"])
def test_a_refused_file_of_the_repository_is_withheld(hub, rest, github, path):
    rest([1])
    github.mock.replace("GET", f"{github.api}/repos/cann/ops/contents/{path}", json={"message": "no"}, status=403)

    files = hub.fetch_snapshot(HERE, 3, ()).rule_files
    assert WITHHELD in (files.repository.text, files.dco.text)


def test_refused_labels_and_mailmap_do_not_stop_the_snapshot(hub, rest, github):
    rest([1])
    for path in ("/labels/cla-signed", "/contents/.mailmap"):
        github.elsewhere.add(f"/repos/cann/ops{path}")
        github.mock.replace("GET", f"{github.api}/repos/cann/ops{path}", json={"message": "no"}, status=403)

    found = hub.fetch_snapshot(HERE, 3, ("cla-signed",))
    assert (found.known_labels, found.mailmap) == (frozenset(), "")


def test_a_dot_github_of_another_account_does_not_rule_here(hub, rest, github):
    rest([1], files={FILES[0]: rest_file("version: 1\n")})
    other = {**rest_repository(902, "cann", ".github"), "owner": {"id": 666, "login": "cann", "type": "Organization"}}
    github.mock.replace("GET", github.api + "/repos/cann/.github", json=other)

    files = hub.fetch_snapshot(HERE, 3, ()).rule_files
    assert (files.organization, files.unread) == (None, "no-answer")


def test_a_history_of_250_commits_is_complete(hub, rest):
    rest(range(1, 251))

    found = hub.history(hub.fetch_snapshot(HERE, 3, ()))

    assert (found.complete, len(found.commits), found.count, found.doubt) == (True, 250, 250, "")


def test_a_history_of_251_commits_is_incomplete_and_not_read(hub, rest):
    """REST lists at most 250 commits of a pull request."""
    rest(range(1, 251), 251)

    found = hub.history(hub.fetch_snapshot(HERE, 3, ()))

    assert not found.complete
    assert found.doubt == REST_ONLY


def test_a_head_that_moves_between_pages_makes_the_history_incomplete(hub, rest, github):
    rest(range(1, 151))
    github.on("GET", PULL, rest_pull(150, sha(777)))

    found = hub.history(hub.fetch_snapshot(HERE, 3, ()))

    assert (found.complete, found.doubt) == (False, MOVED)


def test_commits_of_another_head_are_incomplete(hub, rest, github):
    rest([1, 2], pull={"head": {"ref": "topic", "sha": sha(777), "repo": None}})

    assert hub.history(hub.fetch_snapshot(HERE, 3, ())).doubt == NO_HEAD


def test_a_coauthor_without_a_known_account_makes_the_history_incomplete(hub, rest):
    """REST tells no accounts of co-authors."""
    rest(range(1, 102), messages={101: "x\n\nCo-authored-by: Bo <bo@x.org>"})

    found = hub.history(hub.fetch_snapshot(HERE, 3, ()))

    assert found.doubt == COAUTHORS
    assert found.commits[100].coauthors == (Coauthor("Bo", "bo@x.org"),)


def test_a_coauthor_in_doubt_on_the_only_page_makes_the_history_incomplete(hub, rest):
    rest([1], messages={1: "x\n\nCo-authored-by: Bo <bo@x.org>"})

    assert hub.history(hub.fetch_snapshot(HERE, 3, ())).doubt == COAUTHORS


def test_a_coauthor_whom_github_names_elsewhere_is_known(hub, rest):
    trailers = "x\n\nCo-authored-by: A <Ann@example.org>\nCo-authored-by: B <12+bo@users.noreply.github.com>"
    rest([1], messages={1: trailers})

    found = hub.history(hub.fetch_snapshot(HERE, 3, ()))

    assert found.complete
    assert [who.account for who in found.commits[0].coauthors] == [Account(11, "ann"), Account(12)]


def test_rest_reads_everything_anew_when_graphql_goes_down_in_the_middle(hub, rest, github):
    rest(range(1, 151))
    github.mock.remove("POST", github.api + "/graphql")
    github.graphql(look_data(connection(range(1, 101), 150, "c1"), head=sha(150)))
    github.graphql(status=503)

    found = hub.history(hub.fetch_snapshot(HERE, 3, ()))

    assert (found.complete, len(found.commits)) == (True, 150)


def test_a_pull_request_that_is_not_there_is_missing(hub, github):
    github.graphql(status=404)
    github.on("GET", PULL, GONE, status=404)
    github.on("GET", "/repositories/900", rest_repository())

    with pytest.raises(Missing):
        hub.fetch_snapshot(HERE, 3, ())


def test_a_name_with_odd_characters_stays_one_segment_of_the_path():
    assert segment("a/b?c[d] 中") == "a%2Fb%3Fc%5Bd%5D%20%E4%B8%AD"
