"""Accounts, repositories and installations of the small GitHub have GitHub's names and times."""

from bot.demo.github.state import timestamp
from tests.bot.demo.github import github_deeds


def test_a_timestamp_is_utc_to_the_second(place):
    assert timestamp(place.clock()) == "2026-11-21T09:00:00Z"
    assert timestamp(None) is None


def test_full_names_and_addresses_follow_a_rename(place):
    assert place.runtime.full_name == "cann/runtime"
    github_deeds.rename_account(place.world, place.cann, "lab")
    assert place.runtime.full_name == "lab/runtime"
    assert place.mia.noreply == f"{place.mia.id}+mia@users.noreply.127.0.0.1"


def test_an_installation_covers_all_or_the_chosen_repositories_of_its_account(place):
    fork = place.world.fork(place.runtime, place.mia)
    assert place.installation.covers(place.runtime)
    assert not place.installation.covers(fork)
    place.installation.repositories = set()
    assert not place.installation.covers(place.runtime)
