"""A command is answered with a reaction that never delays or changes the verdict."""

from datetime import timedelta

import pytest

from agreements.facts import Account
from agreements.store import log_listing
from agreements.store.log_listing import EntryFilter
from agreements.store.people import person_rows
from bot.demo.github.refusal import ErrorResponse
from bot.flows.command_reply import react_to_command
from bot.store import inbox
from tests.within import within


def command(scene, pull, text="/cla-check"):
    """Mia comments; gives the comment and its delivery's guid."""
    said = scene.world.comment(pull, scene.mia, text)
    return said, scene.hear()[-1].guid


def reactions(said):
    """(login, what) of each reaction."""
    return [(who.login, content) for _, who, content, _ in said.reactions]


def test_a_command_gets_one_reaction_even_if_its_job_runs_twice(scene):
    pull, _ = scene.pull()
    said, guid = command(scene, pull)
    scene.jobs.run_all()
    react_to_command(guid, scene.services)

    assert reactions(said) == [("countersign[bot]", "eyes")]
    with scene.sessions() as session:
        assert inbox.ids(session, guid) is None, "the review has answered the delivery"


@pytest.mark.parametrize("text", ["/cla-override @mia left", "/cla exemt @mia left", "/dco-check now"])
def test_a_misspelt_command_gets_one_reaction_and_judges_nothing(scene, text):
    pull, _ = scene.pull()
    scene.settle()
    scene.calls()
    said, guid = command(scene, pull, text)
    scene.jobs.run_all()
    react_to_command(guid, scene.services)
    judged = [call for call in scene.calls() if "/reactions" not in str(call) and call[0] != "POST"]
    after, _ = command(scene, pull)
    scene.jobs.run_all()

    assert reactions(said) == [("countersign[bot]", "confused")]
    assert judged == []
    assert reactions(after) == [("countersign[bot]", "eyes")]
    with scene.sessions() as session:
        assert inbox.ids(session, guid) is None, "the delivery is done"


def test_a_comment_that_mentions_a_command_gets_no_reaction(scene):
    pull, _ = scene.pull()
    said, _ = command(scene, pull, "I love /cla-check")
    scene.settle()

    assert reactions(said) == []


@pytest.mark.parametrize("status", [404, 403, 502])
def test_a_reaction_that_fails_is_not_tried_again(scene, status):
    pull, _ = scene.pull()
    said, _ = command(scene, pull)
    scene.weather.faults.append(("POST", "/reactions", status))
    scene.jobs.run_all()

    assert reactions(said) == []
    assert scene.conclusion(pull) == "failure"
    assert scene.jobs.waiting == ()


def test_a_command_on_an_account_that_is_not_served_gets_no_reaction(scene):
    other = scene.world.organization("elsewhere", admins=[scene.ada])
    theirs = scene.world.repository(other, "ops")
    scene.world.install(scene.app, other, scene.ada)
    pull, _ = scene.pull(to=theirs)
    said, _ = command(scene, pull)
    scene.settle()

    assert reactions(said) == []


def test_an_unknown_delivery_and_one_without_a_command_ask_github_nothing(scene):
    scene.pull()
    (opened,) = [delivery for delivery in scene.hear() if delivery.event == "pull_request"]
    scene.calls()
    react_to_command("nobody-knows-it", scene.services)
    react_to_command(opened.guid, scene.services)

    assert scene.calls() == []


def test_any_person_may_press_the_button_that_judges_a_failed_run_again(scene):
    pull, _ = scene.pull()
    scene.settle()
    (run,) = scene.world.check_runs.values()
    assert [action["label"] for action in run.actions] == ["Check again"]
    scene.sign(scene.mia)
    scene.shift += timedelta(seconds=30)
    scene.world.request_action(run, scene.world.user("passer-by"), "check-again")
    scene.settle()

    assert scene.conclusion(pull) == "success"
    assert run.actions == []
    with pytest.raises(ErrorResponse):
        scene.world.request_action(run, scene.mia, "check-again")


@pytest.mark.parametrize(("text", "login"), [("/cla-check me", "mia"), ("/cla-check", "before")])
def test_a_changed_login_is_followed_and_logged_when_its_owner_joins(scene, text, login):
    vault = scene.services.vault
    pull, _ = scene.pull()
    scene.settle()
    with scene.sessions() as session:
        person_rows.ensure(within(session, vault, scene.clock(), "p1"), Account(scene.mia.id, "before"))
    command(scene, pull, text)
    scene.jobs.run_all()

    with scene.sessions() as session:
        assert person_rows.find(session, scene.mia.id).login == login
        kinds = [log_entry.kind for log_entry in log_listing.page(session, EntryFilter(), skip=0, most=9)]
    assert kinds == (["person.renamed"] if login == "mia" else []) + ["person.added"]
