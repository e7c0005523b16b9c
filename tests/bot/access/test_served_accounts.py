"""A login in the settings means the account that had it when it was first resolved."""

import threading
from dataclasses import replace
from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from bot.access.served_accounts import RETRY_UNKNOWN_AFTER, ServedAccounts, unknown
from bot.github.ports import Unreachable
from bot.job_queue import Job
from bot.runner import make_runner
from tests.bot.demo.github import github_deeds


def served(scene, *accounts):
    """A fresh start with these accounts configured."""
    return ServedAccounts(accounts, scene.services.hub, scene.sessions, engine=scene.jobs, clock=scene.clock)


def test_numbers_count_at_once_and_as_numbers_only(scene):
    ours = served(scene, str(scene.cann.id))
    scene.calls()

    assert ours.known == {scene.cann.id}
    assert scene.cann.id in ours
    assert scene.ada.id not in ours
    assert str(scene.cann.id) not in ours
    assert scene.calls() == []


@pytest.mark.parametrize("login", ["cann", "CANN"])
def test_a_login_is_resolved_once(scene, login):
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
    assert scene.cann.id in served(scene, "cann")
    github_deeds.rename_account(scene.world, scene.cann, "cann-community")
    stranger = scene.world.organization("cann", admins=[scene.mia])

    ours = served(scene, "cann")

    assert scene.cann.id in ours
    assert stranger.id not in ours


def test_a_repository_of_the_logins_new_holder_is_not_judged(scene):
    scene.settle()
    scene.pull()
    scene.settle()
    github_deeds.rename_account(scene.world, scene.cann, "cann-community")
    stranger = scene.world.organization("cann", admins=[scene.mia])
    theirs = scene.world.repository(stranger, "ops")
    scene.world.install(scene.app, stranger, scene.mia)
    scene.settle()
    scene.calls()
    pull, _ = scene.pull(to=theirs, branch="theirs", who=scene.ada)
    scene.settle()

    assert scene.writes() == []
    assert scene.runs(pull) == []


def test_organisations_and_people_are_served_by_login_and_id(scene):
    other = scene.world.organization("other", admins=[scene.ada])
    ours = served(scene, "cann", str(other.id), "mia")

    assert scene.cann.id in ours
    assert other.id in ours
    assert scene.mia.id in ours
    assert scene.ada.id not in ours
    assert ours.known == {scene.cann.id, other.id, scene.mia.id}


@pytest.mark.parametrize("accounts", [("Nobody-Here", "cann"), ("cann", "Nobody-Here"), ("Nobody-Here", "zz", "cann")])
def test_an_unknown_login_holds_up_no_other_account(scene, accounts):
    ours = served(scene, *accounts)
    with capture_logs() as log:
        assert scene.cann.id in ours
        assert scene.ada.id not in ours

    assert ours.known == {scene.cann.id}
    assert ours.unknown == tuple(sorted({"Nobody-Here", "zz"} & set(accounts)))
    assert not ours.is_settled
    [told] = [mutable_mapping for mutable_mapping in log if mutable_mapping.get("login") == "Nobody-Here"]
    assert (told["event"], told["log_level"], told["setting"]) == (
        "accounts.unknown",
        "warning",
        "COUNTERSIGN_ACCOUNTS",
    )
    assert told["why"] == (
        "COUNTERSIGN_ACCOUNTS: GitHub knows no account 'Nobody-Here': "
        "correct COUNTERSIGN_ACCOUNTS, or use the account's numeric id"
    )


def test_an_unknown_login_is_asked_again_from_time_to_time(scene):
    ours = served(scene, "cann", "later-org")
    ours.refresh()
    scene.calls()
    for _ in range(3):
        assert scene.ada.id not in ours
        ours.refresh()
    assert scene.calls() == []

    later = scene.world.organization("Later-Org", admins=[scene.ada])
    scene.shift += RETRY_UNKNOWN_AFTER - timedelta(seconds=1)
    assert later.id not in ours
    scene.shift += timedelta(seconds=2)
    ours.refresh()
    assert ours.known == {scene.cann.id, later.id}
    assert (ours.unknown, ours.is_settled) == ((), True)
    assert scene.jobs.waiting == (Job("account", (later.id,), "later"),)


def test_an_organisation_that_was_created_later_is_judged_without_a_restart(scene):
    ours = served(scene, "cann", "later-org")
    scene.jobs.start(make_runner(replace(scene.services, served=ours)))
    ours.refresh()
    later = scene.world.organization("later-org", admins=[scene.ada])
    rules = "version: 1\nrepositories: [{match: ['*'], require: cla}]\n"
    scene.world.repository(later, ".github", files={".github/countersign.yml": rules})
    theirs = scene.world.repository(later, "tool")
    scene.world.install(scene.app, later, scene.ada)
    pull, _ = scene.pull(to=theirs, branch="theirs")
    scene.settle()
    assert scene.runs(pull) == []

    scene.shift += RETRY_UNKNOWN_AFTER
    ours.refresh()
    scene.settle()
    assert scene.conclusion(pull) == "failure"


def test_open_pull_requests_of_an_account_that_is_added_later_are_judged(scene):
    served(scene, "cann", "ada").refresh()
    assert scene.jobs.waiting == ()

    served(scene, "cann", "ada", "mia").refresh()
    assert scene.jobs.waiting == (Job("account", (scene.mia.id,), "later"),)


def test_an_account_that_another_process_resolved_is_not_asked_again(scene):
    web, worker = served(scene, "later-org"), served(scene, "later-org")
    web.refresh()
    later = scene.world.organization("later-org", admins=[scene.ada])
    worker.refresh()
    scene.calls()

    assert later.id in web
    assert scene.calls() == []
    assert scene.jobs.waiting == (), "no delivery was dropped: the process that resolved the login always knew it"


def test_while_one_login_is_open_resolved_accounts_are_served_and_others_wait(scene):
    scene.weather.faults.append(("GET", "/users/", 502))
    ours = served(scene, "cann", "mia")

    assert scene.cann.id in ours
    for _ in range(2):
        with pytest.raises(
            Unreachable, match=r"COUNTERSIGN_ACCOUNTS: GitHub has not said who mia is: GitHub .*502 to GET /users/"
        ):
            scene.mia.id in ours  # noqa: B015 - the question itself fails
    assert (ours.known, ours.unknown) == (None, ())
    assert ours.may_be(scene.ada.id, "ada")

    scene.weather.faults.clear()
    scene.wait()
    assert scene.mia.id in ours
    assert scene.ada.id not in ours


def test_an_unknown_login_stays_so_while_github_is_away(scene):
    ours = served(scene, "nobody-here")
    ours.refresh()
    scene.weather.faults.append(("GET", "/app/installations", 502))
    scene.shift += RETRY_UNKNOWN_AFTER
    ours.refresh()
    assert (ours.known, ours.unknown) == (frozenset(), ("nobody-here",))

    scene.weather.faults.clear()
    made = scene.world.user("nobody-here")
    assert made.id in ours


def test_an_account_may_be_served_by_its_id_or_an_unresolved_login(scene):
    ours = served(scene, "CANN", "Later-Org")
    scene.calls()
    assert ours.may_be(10**9, "stranger")
    assert scene.calls() == []
    ours.refresh()

    assert ours.may_be(scene.cann.id, "renamed")
    assert ours.may_be(10**9, "later-org")
    assert not ours.may_be(10**9, "stranger")


@pytest.mark.slow
def test_threads_that_ask_at_once_share_their_findings(scene):
    logins = [scene.world.user(f"u{number}").login for number in range(4)]
    ours = served(scene, *logins, "nobody-here")
    said = []
    threads = [threading.Thread(target=lambda: said.extend(ours.ask())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(ours.known) == 4
    assert ours.unknown == ("nobody-here",)
    assert said == ["nobody-here"]


def test_the_line_for_the_operator_is_one_line():
    assert "\n" not in unknown("a\nb")


def test_an_outage_of_github_is_an_error_and_no_answer(scene):
    ours = served(scene, "cann")
    scene.weather.faults.append(("GET", "/app/installations", 502))
    with pytest.raises(Unreachable):
        scene.cann.id in ours  # noqa: B015 - the question itself fails
    scene.weather.faults.clear()

    assert scene.cann.id in ours
