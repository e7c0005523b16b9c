"""Which accounts we serve: a login means whoever had it when it was first resolved."""

import pytest

from bot.flows.served import Served
from bot.hub.ports import Missing, Unreachable


def served(scene, *accounts):
    """A fresh start with these accounts configured."""
    return Served(accounts, scene.parts.hub, scene.sessions)


def test_numbers_count_at_once(scene):
    """An id needs no GitHub; no other id counts, nor the id as text."""
    ours = served(scene, str(scene.cann.id))
    scene.calls()

    assert ours.known == {scene.cann.id}
    assert scene.cann.id in ours
    assert scene.ada.id not in ours
    assert str(scene.cann.id) not in ours
    assert scene.calls() == []


@pytest.mark.parametrize("login", ["cann", "CANN"])
def test_a_login_is_resolved_once(scene, login):
    """GitHub is asked at the first question, and neither again nor after a new start."""
    ours = served(scene, login)
    assert ours.known is None
    scene.calls()

    assert scene.cann.id in ours
    assert scene.ada.id not in ours
    assert ours.known == {scene.cann.id}
    assert len(scene.calls()) == 1

    assert scene.cann.id in served(scene, login.lower())
    assert scene.calls() == []


def test_a_login_that_changed_hands_means_the_old_account(scene):
    """Renamed at GitHub, the login taken by a stranger: the old id still counts, the new holder does not."""
    assert scene.cann.id in served(scene, "cann")
    scene.world.rename_account(scene.cann, "cann-community")
    stranger = scene.world.organization("cann", admins=[scene.mia])

    ours = served(scene, "cann")

    assert scene.cann.id in ours
    assert stranger.id not in ours


def test_the_stranger_s_repository_is_not_judged(scene):
    """The whole way: an event of the new holder's repository leads to nothing."""
    scene.settle()
    scene.pull()
    scene.settle()
    scene.world.rename_account(scene.cann, "cann-community")
    stranger = scene.world.organization("cann", admins=[scene.mia])
    theirs = scene.world.repository(stranger, "ops")
    scene.world.install(scene.app, stranger, scene.mia)
    scene.settle()
    scene.calls()
    pull, _ = scene.pull(to=theirs, branch="theirs", who=scene.ada)
    scene.settle()

    assert scene.writes() == []
    assert scene.runs(pull) == []


def test_several_accounts_of_both_kinds(scene):
    """Organisations and people, logins and ids."""
    other = scene.world.organization("other", admins=[scene.ada])
    ours = served(scene, "cann", str(other.id), "mia")

    assert scene.cann.id in ours
    assert other.id in ours
    assert scene.mia.id in ours
    assert scene.ada.id not in ours
    assert ours.known == {scene.cann.id, other.id, scene.mia.id}


def test_a_login_that_nobody_has_is_an_error_and_no_answer(scene):
    """Missing: neither served nor not served, and asked again the next time."""
    ours = served(scene, "nobody-here", str(scene.cann.id))
    assert scene.cann.id in ours
    for _ in range(2):
        with pytest.raises(Missing):
            scene.ada.id in ours  # noqa: B015 - the question itself fails
    assert ours.known is None

    scene.world.user("nobody-here")
    assert scene.ada.id not in ours


def test_github_away_is_an_error_and_no_answer(scene):
    """Nobody is turned away for GitHub's sake: the question is asked again."""
    ours = served(scene, "cann")
    scene.weather.faults.append(("GET", "/app/installations", 502))
    with pytest.raises(Unreachable):
        scene.cann.id in ours  # noqa: B015 - the question itself fails
    scene.weather.faults.clear()

    assert scene.cann.id in ours
