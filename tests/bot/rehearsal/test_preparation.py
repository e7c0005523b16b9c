"""Each condition of a rehearsal that is not met is one line, and nothing was written."""

from dataclasses import replace

import pytest

from bot.github.ports import Missing, Refused
from bot.rehearsal import observation, preparation
from bot.rehearsal.preparation import CannotRehearse
from bot.rulebook.text_files import shipped
from tests.bot.demo.github import github_deeds
from tests.bot.rehearsal.conftest import BRANCH


def refused(stage, **settings):
    """Why it cannot begin; nothing was written."""
    scene = stage.scene
    scene.calls()
    with pytest.raises(CannotRehearse) as caught:
        preparation.prepare(
            scene.hub, stage.person, replace(scene.settings, **settings), ("cann", "ops"), None, shipped
        )
    assert scene.writes() == []
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_plan_says_place_person_judge_and_rules(stage):
    plan = stage.plan()
    assert (plan.place, plan.app.id, plan.me.login) == (stage.scene.place, stage.scene.app.id, "ada")
    assert (plan.rule.require, plan.sources, plan.tip) == (
        "dco",
        (".github/countersign.yml",),
        stage.person.tip("main"),
    )
    text = preparation.as_text(plan, BRANCH, observation.REQUIRED["dco"])
    for part in ("cann/ops as ada", "countersign", BRANCH, "a sign-off (DCO) is required", "close the pull request"):
        assert part in text
    assert max(map(len, text.splitlines())) <= 100


def test_the_rulebook_of_a_file_counts(stage):
    scene = stage.scene
    given = ("rules.yml", 'version: 1\nrepositories: [{match: ["*"], require: none}]\n')
    plan = preparation.prepare(scene.hub, stage.person, scene.settings, ("CANN", "Ops"), given, shipped)
    assert (plan.rule.require, plan.sources) == ("none", ("rules.yml",))


def test_a_place_without_the_app_is_told_with_the_way_out(stage):
    scene, world = stage.scene, stage.scene.world
    assert "cann is not served: add it to COUNTERSIGN_ACCOUNTS" in refused(stage, accounts=("other",))
    scene.weather.faults[:] = [("GET", "/installation$", 301)]
    assert "cann/ops was renamed or transferred" in refused(stage)
    scene.weather.faults.clear()
    github_deeds.uninstall(world, scene.installation, scene.ada)
    said = refused(stage)
    assert "the App countersign is not installed on cann/ops" in said
    assert f"{scene.settings.github_url}/apps/countersign/installations/new" in said


@pytest.mark.parametrize(
    ("rulebook", "said"),
    [
        ('version: 1\nrepositories: [{match: ["*"], mode: shadow}]\n', "cann/ops is in shadow mode"),
        ("version: 1\nrepositry: []\n", "the rulebook of cann/ops cannot be used"),
    ],
)
def test_shadow_mode_and_a_broken_rulebook_are_refused(stage_with, rulebook, said):
    assert said in refused(stage_with(rulebook=rulebook))


def test_a_person_who_cannot_write_there_is_told_why(stage):
    scene = stage.scene
    stage.ops.archived = True
    assert "cann/ops is archived" in refused(stage)
    stage.ops.archived = False
    scene.cann.members.clear()
    assert "ada may not push to cann/ops" in refused(stage)
    stage.ops.owner.members[scene.ada.id] = "admin"
    stage.ops.default_branch = "trunk"
    assert "cann/ops has no commit on trunk" in refused(stage)
    scene.weather.faults[:] = [("GET", "/user$", 401)]
    said = refused(stage)
    assert said.startswith("GitHub does not take the token (")
    assert "Contents and Pull requests: read and write" in said
    assert f"{scene.settings.github_url}/settings/personal-access-tokens/new" in said


def test_a_private_repository_out_of_the_tokens_reach_is_missing_for_the_person(stage):
    stage.ops.private = True
    stage.ops.owner.members.clear()
    assert "the token does not reach cann/ops (" in refused(stage)


@pytest.mark.parametrize(
    ("error", "is_permission"),
    [(Refused("GitHub answered 403 to POST /x: no"), True), (Missing("GitHub answered 404 to POST /x"), True), (Refused("GitHub answered 422 to POST /x: no"), False)],
)  # fmt: skip
def test_the_needed_permission_is_named_only_where_it_is_missing(stage, error, is_permission):
    said = preparation.remedy(error, stage.scene.settings, "cann/ops")
    assert ("Contents and Pull requests: read and write" in said) == is_permission


def test_branches_of_rehearsals_have_random_names():
    assert preparation.new_branch("0123456789abcdef") == "countersign-rehearsal-01234567"
