"""A person's token at GitHub, on the small GitHub with real git."""

import pytest

from agreements.facts import Account
from bot.demo.github.git import bare_repository
from bot.github.connection import connect_person
from bot.github.ports import HubError, Missing, Refused
from bot.rehearsal.person import GitHubPerson
from tests.bot.demo.github import github_deeds
from tests.bot.rehearsal.conftest import BRANCH


def test_the_person_and_the_newest_commit_of_the_repository_are_read(stage):
    ops, person = stage.ops, stage.person
    assert person.account() == Account(stage.scene.ada.id, "ada")
    found = person.sandbox()
    assert (found.id, found.full_name, found.default_branch) == (ops.id, "cann/ops", "main")
    assert (found.page, found.is_archived, found.may_push) == (f"{stage.scene.server.url}/cann/ops", False, True)
    assert person.tip("main") == bare_repository.resolve(ops.git, "refs/heads/main")
    assert person.tip("none") is None


def test_a_commit_becomes_a_closed_pull_request(stage):
    person, scene = stage.person, stage.scene
    sha, made_at = person.commit(person.tip("main"), BRANCH)
    person.create_branch(BRANCH, sha)
    opened = person.open_pull(BRANCH, "main", "Title", "Body")
    comment, said_at = person.comment(opened.number, "/cla-check")
    (pull,) = scene.ops.pulls.values()
    commit = bare_repository.commit(scene.ops.git, sha)
    assert (commit.author.name, "signed-off-by" in commit.message.lower()) == ("Ada", False)
    assert (pull.number, pull.head_sha, pull.opener, pull.title) == (opened.number, sha, scene.ada, "Title")
    assert (opened.is_open, opened.opener.id, made_at <= opened.opened_at <= said_at) == (True, scene.ada.id, True)
    assert [(comment.id, comment.body, comment.user) for comment in pull.comments] == [
        (comment, "/cla-check", scene.ada)
    ]
    assert person.rehearsal_branches() == {BRANCH: sha}
    assert person.committed_at(sha) == made_at
    assert [pull.number for pull in person.pulls(BRANCH)] == [opened.number]

    assert person.close(opened.number) == pull.closed_at
    assert [pull.is_open for pull in person.pulls(BRANCH)] == [False]
    person.delete_branch(BRANCH)
    person.delete_branch(BRANCH)
    assert person.rehearsal_branches() == {}
    with pytest.raises(Refused):
        person.delete_branch("main")


def test_an_apps_token_is_refused(scene):
    token = github_deeds.fine_grained_token(scene.world, scene.app.bot, {"contents": "write"})
    for text in (token, "x" * 40):
        with connect_person(scene.server.api_url, text) as transport, pytest.raises(Refused):
            GitHubPerson(transport, "cann", "ops").account()


def test_a_repository_that_the_token_does_not_reach_is_told(stage_with):
    stage = stage_with(permissions={"contents": "read"})
    with pytest.raises(Refused, match="403"):
        stage.person.commit(stage.person.tip("main"), BRANCH)
    stage.scene.weather.faults.append(("GET", "/repos/cann/ops$", 404))
    with pytest.raises(Missing):
        stage.person.sandbox()
    stage.scene.weather.faults[:] = [("DELETE", "", 502)]
    with pytest.raises(HubError):
        stage.person.delete_branch("main")
