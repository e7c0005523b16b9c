"""A served account's login keeps its first meaning, and its rulebook is kept as last read."""

from datetime import UTC, datetime, timedelta

from bot.store import owners
from bot.store.owners import Owner
from bot.store.pulls.posts import PullRequestIdentity, post
from tests.bot.jobs.inline import InlineEngine

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
LATER = NOON + timedelta(hours=1)


def remember(sessions, *rules):
    """Rulebooks read one after the other: (account, text, when)."""
    for account_id, text, at in rules:
        with sessions() as session:
            owners.remember_rules(session, account_id, text, valid=True, at=at)


def read(sessions, account_id):
    """What is kept."""
    with sessions() as session:
        return owners.rules(session, account_id)


def test_a_login_is_found_in_lower_case_and_keeps_its_first_meaning(sessions):
    with sessions() as session:
        owners.remember_login(session, "CANN", 7)
        owners.remember_login(session, "other", 2**53)
    with sessions() as session:
        owners.remember_login(session, "renamed", 7)
    with sessions() as session:
        assert owners.resolved(session) == {"cann": 7, "other": 2**53}


def test_a_login_that_means_another_account_leaves_the_old_one_its_rules(sessions):
    remember(sessions, (7, "version: 1", NOON))
    with sessions() as session:
        owners.remember_login(session, "cann", 7)
        owners.remember_login(session, "other", 8)
    with sessions() as session:
        owners.remember_login(session, "CANN", 9)
    with sessions() as session:
        assert owners.resolved(session) == {"cann": 9, "other": 8}
        assert session.get(Owner, 7).login == ""
    assert read(sessions, 7) == "version: 1"


def test_a_resolved_login_is_added_to_the_row_of_its_rules(sessions):
    remember(sessions, (7, "version: 1", NOON))
    with sessions() as session:
        assert owners.resolved(session) == {}
        owners.remember_login(session, "cann", 7)
    with sessions() as session:
        assert owners.resolved(session) == {"cann": 7}
    assert read(sessions, 7) == "version: 1"


def test_rules_are_kept_by_owner_as_last_read(sessions):
    remember(sessions, (7, "one", NOON), (8, "two", LATER))

    assert (read(sessions, 7), read(sessions, 8), read(sessions, 9)) == ("one", "two", None)

    remember(sessions, (7, None, LATER + timedelta(hours=1)))
    assert read(sessions, 7) is None, "the file is gone"


def test_the_last_valid_rulebook_stays_beside_one_with_mistakes(sessions):
    def kept(text, *, valid):
        with sessions() as session:
            owners.remember_rules(session, 7, text, valid=valid, at=NOON)
        with sessions() as session:
            row = owners.last_read(session, 7)
            return row.rules, row.last_valid

    assert kept("wrong", valid=False) == ("wrong", None)
    assert kept("one", valid=True) == ("one", "one")
    assert kept("wrong", valid=False) == ("wrong", "one")
    assert kept("wrong again", valid=False) == ("wrong again", "one")
    assert kept("wrong again", valid=True) == ("wrong again", "wrong again"), "what it names was released meanwhile"
    assert kept(None, valid=True) == (None, None)


def test_the_moment_of_reading_changes_only_with_the_text(sessions):
    with sessions() as session:
        owners.remember_login(session, "cann", 7)
    remember(sessions, (7, None, NOON), (7, None, LATER))
    with sessions() as session:
        assert session.get(Owner, 7).read_at == NOON
    remember(sessions, (7, "one", LATER), (7, "one", LATER + timedelta(hours=1)))
    with sessions() as session:
        assert session.get(Owner, 7).read_at == LATER
        assert owners.resolved(session) == {"cann": 7}


def test_accounts_whose_rulebook_was_read_are_given_in_the_order_of_the_settings(sessions):
    with sessions() as session:
        owners.remember_login(session, "Beta", 2)
        owners.remember_login(session, "unread", 3)
        for number in (2, 1):
            owners.remember_rules(session, number, None, valid=True, at=datetime(2026, 1, 2, tzinfo=UTC))
    with sessions() as session:
        found = owners.known(session, ("unread", "Beta", "1", "3")).served(("unread", "Beta", "1", "3"))
        assert list(found.items()) == [(2, "beta"), (1, "1")]


def test_an_account_is_named_by_its_newest_pull_request_or_setting_or_id(sessions):
    with sessions() as session:
        owners.remember_login(session, "Beta", 2)
        owners.remember_login(session, "gamma", 4)
        for number, login in ((1, "old"), (2, "new"), (3, "New")):
            place = PullRequestIdentity(
                repository_id=number, number=1, installation_id=5, owner_id=4, owner=login, name="x"
            )
            post(session, InlineEngine(), place)
    with sessions() as session:
        names = owners.names_of(session, [2, 3, 4])
        known = owners.known(session, ("3", "beta", "GAMMA"))

        assert names == {2: "beta", 3: "3", 4: "New"} == {name: owners.name_of(session, name) for name in names}
        assert known.names == names
        assert list(known.configured(("3", "beta", "GAMMA", "nobody")).items()) == [(3, "3"), (2, "beta"), (4, "New")]


def test_every_rulebook_text_is_given_once(sessions):
    remember(sessions, (7, "version: 1", NOON), (8, "version: 1", NOON), (9, None, NOON), (10, "version: 1\n", LATER))
    with sessions() as session:
        assert owners.all_rules(session) == ("version: 1", "version: 1\n")


def test_a_configured_account_is_found_by_its_first_and_its_present_login(sessions):
    with sessions() as session:
        owners.remember_login(session, "CANN", 7)
        identity = PullRequestIdentity(
            repository_id=1, number=1, installation_id=1, owner_id=7, owner="Ascend", name="ge"
        )
        post(session, InlineEngine(), identity)
        known = owners.known(session, ("CANN", "8"))

    assert [known.find(login, ("CANN", "8")) for login in ("cann", "ASCEND", "8", "", "other")] == [7, 7, 8, None, None]
    assert known.find("cann", ("8",)) is None


def test_a_login_that_another_configured_account_has_by_now_means_that_account(sessions):
    with sessions() as session:
        owners.remember_login(session, "cann", 7)
        owners.remember_login(session, "other", 8)
        for number, (owner_id, name) in enumerate(((7, "ascend"), (8, "cann")), start=1):
            identity = PullRequestIdentity(
                repository_id=number, number=1, installation_id=1, owner_id=owner_id, owner=name, name="ge"
            )
            post(session, InlineEngine(), identity)
        known = owners.known(session, ("cann", "other"))

    assert [known.find(login, ("cann", "other")) for login in ("cann", "ascend", "other")] == [8, 7, 8]
