"""Every method of the hub against the small GitHub with real git; all on the wire is held against GitHub's contract."""

from datetime import timedelta

import pytest

from agreements.completeness import MOVED, REST_ONLY
from agreements.facts import Account as Who
from agreements.facts import Coauthor
from bot import clock
from bot.demo.github.authentication import key_pair
from bot.github.availability import AppRefused
from bot.github.connection import connect
from bot.github.ports import CheckRun, Files, Missing, Moved, Refused, RuleFile, Team
from tests.bot.demo.github import github_deeds

LABELS = ("cla-signed", "cla-required")
MARK = "<!-- countersign:1:1 -->"


@pytest.mark.parametrize("rest", [False, True], ids=["graphql", "rest"])
def test_graphql_and_rest_read_the_same_pull_request(scene, rest):
    noreply = scene.ada.noreply
    pull, _ = scene.pull("One", f"Two\n\nCo-authored-by: Ada <{noreply}>")
    scene.hub.create_label(scene.place, "cla-signed", "0e8a16", "covered")
    scene.down += [1] if rest else []

    snapshot = scene.hub.fetch_snapshot(scene.place, pull.number, LABELS)
    history = scene.hub.history(snapshot)

    assert (snapshot.place, snapshot.owner_id, snapshot.owner_type, snapshot.private) == (
        scene.place,
        scene.cann.id,
        "Organization",
        False,
    )
    assert (snapshot.state, snapshot.draft, snapshot.opener) == ("open", False, Who(scene.mia.id, "mia"))
    assert (snapshot.base, snapshot.head, snapshot.head_sha, snapshot.head_repository) == (
        "main",
        "topic",
        pull.head_sha,
        "mia/ops",
    )
    assert (snapshot.base_sha, snapshot.changed_files, snapshot.known_labels) == (pull.base_sha, 2, {"cla-signed"})
    assert snapshot.rule_files.organization.text == "version: 1\n"
    assert (snapshot.rule_files.repository.text, snapshot.rule_files.dco.text) == (None, "require:\n  members: false\n")
    assert snapshot.mailmap.startswith("Mia <mia@")
    assert (history.complete, history.count, history.doubt) == (True, 2, "")
    first, second = history.commits
    assert (first.author.email, first.author_account) == ("mia@home.example", Who(scene.mia.id, "mia"))
    assert first.coauthors == ()
    assert second.coauthors == (Coauthor("Ada", noreply, Who(scene.ada.id, "" if rest else "ada")),)
    assert second.parents == (first.sha,)


@pytest.mark.parametrize("rest", [False, True], ids=["graphql", "rest"])
def test_an_unverified_address_belongs_to_no_account(scene, rest):
    author = ("Mia", "mia@huawei.com")
    pull, _ = scene.pull("One\n\nCo-authored-by: Mia <mia@huawei.com>", "Two", author=author)
    scene.down += [1] if rest else []

    history = scene.hub.history(scene.hub.fetch_snapshot(scene.place, pull.number, LABELS))

    assert [commit.author_account for commit in history.commits] == [None, None]
    assert history.complete is not rest


@pytest.mark.slow
@pytest.mark.parametrize(("rest", "complete"), [(False, True), (True, False)], ids=["graphql", "rest"])
def test_a_pull_request_of_251_commits_is_whole_by_graphql_and_incomplete_by_rest(scene, rest, complete):
    pull, _ = scene.pull(*[f"Change {number}" for number in range(251)])
    scene.down += [1] if rest else []

    history = scene.hub.history(scene.hub.fetch_snapshot(scene.place, pull.number, LABELS))

    assert (history.complete, history.count) == (complete, 251)
    assert complete or history.doubt == REST_ONLY


@pytest.mark.slow
def test_a_push_between_snapshot_and_history_is_noticed(scene):
    pull, clone = scene.pull(*[f"Change {number}" for number in range(101)])
    snapshot = scene.hub.fetch_snapshot(scene.place, pull.number, LABELS)
    clone.commit("One more")
    clone.push()

    assert scene.hub.history(snapshot).doubt == MOVED


def test_a_rename_is_followed_by_reads_and_told_by_writes(scene):
    pull, _ = scene.pull("One")
    old = scene.place
    scene.world.rename(scene.ops, "kernels", scene.ada)

    assert scene.hub.open_numbers(old) == (pull.number,)
    with pytest.raises(Moved):
        scene.hub.create_comment(old, pull.number, "x")
    snapshot = scene.hub.fetch_snapshot(old, pull.number, LABELS)
    assert snapshot.place == scene.place != old
    scene.hub.create_comment(snapshot.place, pull.number, "x")

    scene.world.repository(scene.cann, "ops")
    assert scene.hub.fetch_snapshot(old, pull.number, LABELS).place == scene.place
    scene.world.delete(scene.ops)
    with pytest.raises(Missing):
        scene.hub.fetch_snapshot(old, pull.number, LABELS)


@pytest.mark.slow
@pytest.mark.parametrize("rest", [False, True], ids=["graphql", "rest"])
def test_the_dot_github_repository_out_of_reach_is_absent_only_on_all_repositories(scene, rest):
    pull, _ = scene.pull("One")
    scene.down += [1] if rest else []

    def files():
        found = scene.hub.fetch_snapshot(scene.place, pull.number, LABELS).rule_files
        assert scene.hub.rule_files(scene.place) == found
        alone = scene.hub.organization_file(scene.installation.id, Who(scene.cann.id, "cann", "Organization"))
        assert alone == (found.organization or found.unread)
        return found

    assert files().organization.text == "version: 1\n"
    rules = scene.world.find_repository("cann", ".github")
    rules.private = True
    scene.world.choose(scene.installation, scene.ada, removed=[rules])
    assert (files().organization, files().unread) == (None, "not-covered")
    rules.private = False
    assert files().organization.text == "version: 1\n"
    scene.world.rename(rules, "old-rules", scene.ada)
    assert (files().organization, files().unread) == (None, "not-covered")

    github_deeds.choose_all(scene.world, scene.installation, scene.ada)
    assert files().organization == RuleFile(".github/countersign.yml", None)
    scene.world.delete(rules)
    assert files().organization == RuleFile(".github/countersign.yml", None)
    scene.world.repository(scene.cann, ".github", private=True)
    assert files().organization == RuleFile(".github/countersign.yml", None)


def test_check_runs_are_created_completed_and_found_again(scene):
    pull, _ = scene.pull("One")
    run = CheckRun(name="Countersign", head_sha=pull.head_sha, external_id="countersign:1:1",
                   details_url="https://c.example/pr", title="Checking", summary="…")  # fmt: skip
    made = scene.hub.create_check(scene.place, run)
    done = CheckRun(name="Countersign", head_sha=pull.head_sha, external_id="countersign:1:1", title="Green",
                    details_url="https://c.example/pr", summary="All covered", text="| a |", conclusion="success")  # fmt: skip
    scene.hub.update_check(scene.place, made, done)

    assert scene.world.check_runs[made].conclusion == "success"
    assert scene.hub.find_check(scene.place, pull.head_sha, "countersign:1:1".__eq__) == made
    assert scene.hub.find_check(scene.place, pull.head_sha, "countersign:1:2".__eq__) is None
    with pytest.raises(Missing):
        scene.hub.update_check(scene.place, made + 1, done)


@pytest.mark.slow
def test_comments_labels_reactions_and_files_are_written_and_read(scene):
    pull, _ = scene.pull("One", "Two")
    scene.world.comment(pull, scene.mia, f"look: {MARK}")
    assert scene.hub.find_comment(scene.place, pull.number, MARK) is None

    made = scene.hub.create_comment(scene.place, pull.number, f"Hello {MARK}")
    scene.hub.update_comment(scene.place, made, f"Bye {MARK}")
    scene.hub.react(scene.place, made, "eyes")
    said = scene.world.comment(pull, scene.mia, "/recheck")
    there = scene.hub.comment(scene.place, said.id)
    assert (there.number, there.author, there.body, there.edited) == (
        pull.number, Who(scene.mia.id, "mia"), "/recheck", False)  # fmt: skip
    for _ in range(2):
        scene.hub.create_label(scene.place, "cla-signed", "#0e8a16", "covered")
    scene.hub.add_label(scene.place, pull.number, "cla-signed")

    assert scene.hub.find_comment(scene.place, pull.number, MARK) == made
    assert [comment.body for comment in pull.comments][1:] == [f"Bye {MARK}", "/recheck"]
    assert scene.hub.fetch_snapshot(scene.place, pull.number, LABELS).labels == ("cla-signed",)
    for _ in range(2):
        scene.hub.remove_label(scene.place, pull.number, "cla-signed")
    assert scene.hub.fetch_snapshot(scene.place, pull.number, LABELS).labels == ()
    found = scene.hub.fetch_snapshot(scene.place, pull.number, LABELS)
    assert scene.hub.files(found) == Files(("topic0.txt", "topic1.txt"), added=("topic0.txt", "topic1.txt"))
    assert scene.hub.rule_files(scene.place) == found.rule_files
    with pytest.raises(Missing):
        scene.hub.update_comment(scene.place, made + 100, "x")


def test_roles_members_reach_and_identity_go_by_id(scene):
    hub, world = scene.hub, scene.world

    assert hub.role(scene.place, Who(scene.mia.id, "mia")) == "none"
    assert hub.role(scene.place, Who(999_999, "nobody-here")) == "none"
    scene.ops.collaborators[scene.mia.id] = "maintain"
    assert hub.role(scene.place, Who(scene.mia.id, "mia")) == "maintain"
    assert hub.role(scene.place, Who(scene.ada.id, "ada")) == "admin"
    assert hub.role(scene.place, Who(scene.mia.id, "ada")) == "maintain", "the id decides, the login is a label"
    assert hub.members(scene.place) == {scene.ada.id}
    made = world.team(scene.cann, "cla-admins", [scene.mia])
    assert hub.team_by_name("CANN", "cla-admins") == Team(scene.cann.id, made.id)
    assert hub.team_members(Team(scene.cann.id, made.id)) == {scene.mia.id}
    with pytest.raises(Missing):
        hub.team_by_name("cann", "others")
    assert scene.place in [repository.place for repository in hub.listed(scene.installation.id)]
    assert (hub.identity().id, hub.identity().slug) == (scene.app.id, "countersign")
    (installed,) = hub.installations()
    assert (installed.id, installed.account, installed.suspended) == (
        scene.installation.id, Who(scene.cann.id, "cann", "Organization"), False)  # fmt: skip
    assert hub.account_by_login("CANN").id == scene.cann.id
    assert hub.account_by_login("mia") == Who(scene.mia.id, "mia")
    aged = hub.account_with_age("mia")
    assert (aged.account, aged.created_at) == (Who(scene.mia.id, "mia"), scene.mia.created_at)
    world.suspend(scene.installation, scene.ada)
    assert [installation.suspended for installation in hub.installations()] == [True]
    with pytest.raises(Refused):
        hub.open_numbers(scene.place)


def test_an_unknown_app_id_is_one_clear_line(scene, key):
    other = connect(
        api_url=scene.server.api_url, app_id=scene.app.id + 1, server=scene.world.server, private_key=key, pause=0
    )

    with pytest.raises(Refused, match=rf"^App {scene.app.id + 1} does not exist at GitHub[^\n]*$"):
        other.identity()
    other.close()


def test_a_wrong_key_is_one_clear_line(scene):
    wrong, _ = key_pair()
    other = connect(
        api_url=scene.server.api_url, app_id=scene.app.id, server=scene.world.server, private_key=wrong, pause=0
    )

    with pytest.raises(AppRefused, match=rf"^[^\n]*App {scene.app.id}[^\n]*$"):
        other.identity()
    other.close()


@pytest.mark.parametrize("off", [timedelta(hours=1), timedelta(hours=-1)], ids=["behind", "ahead"])
def test_a_clock_that_is_an_hour_off_makes_nothing_late_or_refused(scene, off):
    scene.world.clock = lambda: clock.now() + off
    assert scene.hub.identity().id == scene.app.id
    assert scene.hub.open_numbers(scene.place) == ()
    scene.world.clock = clock.now

    assert scene.hub.identity(again=True).id == scene.app.id
    assert scene.hub.open_numbers(scene.place) == ()
    assert {state.condition for state in scene.hub.states()} == {"healthy"}
