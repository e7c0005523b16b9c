"""Accounts served: a login's first meaning stays, a rulebook is kept as last read."""

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


def test_a_login_keeps_its_first_meaning(sessions):
    """Found in lower case; the same account under another configured login keeps the first one."""
    with sessions() as session:
        owners.remember_login(session, "CANN", 7)
        owners.remember_login(session, "other", 2**53)
    with sessions() as session:
        owners.remember_login(session, "renamed", 7)
    with sessions() as session:
        assert owners.resolved(session) == {"cann": 7, "other": 2**53}


def test_a_login_means_one_account(sessions):
    """Resolved anew to another account, in any case: the old one is left without it, but keeps its rules."""
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


def test_a_login_for_an_account_whose_rules_we_read_before(sessions):
    """The row is there already without a login: it gets one and keeps its rules."""
    remember(sessions, (7, "version: 1", NOON))
    with sessions() as session:
        assert owners.resolved(session) == {}
        owners.remember_login(session, "cann", 7)
    with sessions() as session:
        assert owners.resolved(session) == {"cann": 7}
    assert read(sessions, 7) == "version: 1"


def test_rules_as_last_read(sessions):
    """Each owner's own; none for an owner who was never read."""
    remember(sessions, (7, "one", NOON), (8, "two", LATER))

    assert (read(sessions, 7), read(sessions, 8), read(sessions, 9)) == ("one", "two", None)

    remember(sessions, (7, None, LATER + timedelta(hours=1)))
    assert read(sessions, 7) is None, "the file is gone"


def test_a_rulebook_with_mistakes_takes_nothing_away(sessions):
    """The last one without any stays beside it, until the account has another one or none."""

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


def test_the_same_rules_are_not_written_again(sessions):
    """The moment of reading moves only with the text; rules do not take a login away."""
    with sessions() as session:
        owners.remember_login(session, "cann", 7)
    remember(sessions, (7, None, NOON), (7, None, LATER))
    with sessions() as session:
        assert session.get(Owner, 7).read_at == NOON
    remember(sessions, (7, "one", LATER), (7, "one", LATER + timedelta(hours=1)))
    with sessions() as session:
        assert session.get(Owner, 7).read_at == LATER
        assert owners.resolved(session) == {"cann": 7}


def test_accounts_whose_rulebook_was_read(sessions):
    """In the order of the settings; one that was only resolved is none of them, one without a login or a pull request has its id."""
    with sessions() as session:
        owners.remember_login(session, "Beta", 2)
        owners.remember_login(session, "unread", 3)
        for number in (2, 1):
            owners.remember_rules(session, number, None, valid=True, at=datetime(2026, 1, 2, tzinfo=UTC))
    with sessions() as session:
        found = owners.known(session, ("unread", "Beta", "1", "3")).served(("unread", "Beta", "1", "3"))
        assert list(found.items()) == [(2, "beta"), (1, "1")]


def test_the_names_of_accounts(sessions):
    """As the newest pull request has it, else as it was configured, else the id; together and one by one."""
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

        assert names == {2: "beta", 3: "3", 4: "New"} == {one: owners.name_of(session, one) for one in names}
        assert known.names == names
        assert list(known.configured(("3", "beta", "GAMMA", "nobody")).items()) == [(3, "3"), (2, "beta"), (4, "New")]


def test_every_rulebook_as_last_read(sessions):
    """Each text once; an owner without one adds nothing."""
    remember(sessions, (7, "version: 1", NOON), (8, "version: 1", NOON), (9, None, NOON), (10, "version: 1\n", LATER))
    with sessions() as session:
        assert owners.all_rules(session) == ("version: 1", "version: 1\n")
