"""A campaign knows who signed only older versions, and is started once, reminded weekly, ended once."""

from datetime import timedelta

import pytest
from sqlmodel import select

from agreements.facts import Account
from agreements.store.people import campaigns, person_rows, signatures, withdrawals
from agreements.store.people.campaigns import Addressee, CampaignProgress, CampaignRefused
from agreements.store.tables.records import PersonRecord
from tests.agreements.store.behind import behind
from tests.within import within

PARTIES = frozenset({"The CANN Authors"})


@pytest.fixture(name="signs")
def _signs(session, vault, at, draft, fresh):
    """Lets an account sign a version; gives the receipt."""

    def signs(account_id, version, *, days=0, **changes):
        context = within(session, vault, at + timedelta(days=days), fresh)
        person = person_rows.ensure(context, Account(account_id, f"u{account_id}"))
        made = draft(version=version, **({"email": f"u{account_id}@example.org"} | changes))
        return signatures.add(context, person, made, receipt=f"R-{fresh()}").row.receipt

    return signs


@pytest.fixture(name="started")
def _started(session, at):
    """A campaign for ICLA 3.0."""
    return campaigns.start(
        within(session, None, at, "k1", by=90), agreement="icla", version="3.0", until=at + timedelta(days=90)
    )


def test_a_campaign_waits_for_people_with_only_an_older_version_in_force(session, vault, at, signs):
    signs(1, "2.0")
    signs(2, "2.0")
    signs(2, "3.0")
    signs(3, "1.0")
    signs(3, "2.0")
    signs(4, "10.0")
    signs(5, "1.0", agreement="ccla")
    withdrawn = signs(6, "2.0")
    withdrawals.withdraw(within(session, vault, at, by=6), withdrawn)
    restricted, erased = (signs(number, "2.0") and person_rows.find(session, number) for number in (7, 8))
    restricted.restricted_at = at
    erased.wrapped_key = b""
    session.flush()

    assert campaigns.waiting(session, "icla", "3.0", parties=PARTIES) == (1, 3)
    assert campaigns.progress(session, "icla", "3.0", parties=PARTIES) == CampaignProgress(
        again=1, waiting=2, older={"1.0": 1, "2.0": 2}
    )
    assert campaigns.waiting(session, "icla", "1.0", parties=PARTIES) == ()
    assert campaigns.waiting(session, "none", "1.0", parties=PARTIES) == ()


def test_those_of_given_accounts_who_signed_any_version_are_counted_once(session, vault, at, signs):
    signs(1, "1.0")
    signs(1, "2.0")
    signs(2, "9.0")
    signs(3, "2.0", party="Others")
    signs(4, "2.0", agreement="ccla")
    withdrawals.withdraw(within(session, vault, at, by=5), signs(5, "2.0"))
    signs(6, "2.0")
    session.flush()
    wanted = select(PersonRecord.account_id).where(PersonRecord.account_id < 6)

    assert campaigns.count_signed(session, wanted, "icla", "2.0", parties=PARTIES) == (5, 2)
    assert campaigns.count_signed(session, wanted, "none", "2.0", parties=PARTIES) == (5, 0)
    assert campaigns.count_signed(session, wanted, "icla", "2.0", parties=()) == (5, 0)


def test_a_campaign_writes_to_the_newest_signature_s_address_in_its_language(session, vault, signs):
    signs(1, "2.0", language="zh")
    assert campaigns.addressee(session, vault, 1, "icla", parties=PARTIES) == Addressee(
        1, "u1@example.org", "zh", "2.0"
    )
    assert "u1@" not in repr(campaigns.addressee(session, vault, 1, "icla", parties=PARTIES))
    assert campaigns.addressee(session, vault, 2, "icla", parties=PARTIES) is None

    person_rows.find(session, 1).wrapped_key = b""
    assert campaigns.addressee(session, vault, 1, "icla", parties=PARTIES) is None


def test_a_campaign_writes_of_the_newest_signature_in_force(session, vault, at, signs):
    signs(1, "1.0")
    withdrawn = signs(1, "3.0", days=1, email="new@example.org", language="zh")
    assert campaigns.addressee(session, vault, 1, "icla", parties=PARTIES).version == "3.0"

    withdrawals.withdraw(within(session, vault, at + timedelta(days=2), by=1), withdrawn)
    session.flush()
    assert campaigns.waiting(session, "icla", "3.0", parties=PARTIES) == (1,)
    assert campaigns.addressee(session, vault, 1, "icla", parties=PARTIES) == Addressee(
        1, "u1@example.org", "en", "1.0"
    )


def test_no_person_waits_whose_older_version_is_enough(session, signs):
    for account_id, held in ((1, ("1.0",)), (2, ("2.0",)), (3, ("1.0", "2.0")), (4, ("2.0", "3.0"))):
        for version in held:
            signs(account_id, version)
    assert campaigns.older(session, "icla", "3.0") == ["1.0", "2.0"]
    for enough, found in (((), (1, 2, 3)), (("1.0",), (2,)), (("2.0",), (1,)), (("1.0", "2.0"), ())):
        assert campaigns.waiting(session, "icla", "3.0", parties=PARTIES, enough=enough) == found


def test_a_second_campaign_for_an_agreement_waits_until_the_first_has_ended(session, at, started):
    assert campaigns.listed(session, running=True) == [started]
    context = within(session, None, at + timedelta(days=1), "k2", by=90)
    again = {"agreement": "icla", "version": "3.1", "until": at}
    with pytest.raises(CampaignRefused, match="running"):
        campaigns.start(context, **again)

    campaigns.end(started, at=at)
    assert campaigns.start(context, **again).id == "k2"
    assert [row.id for row in campaigns.listed(session)] == ["k2", "k1"]
    assert [row.id for row in campaigns.listed(session, running=True)] == ["k2"]
    assert campaigns.find(session, "k1").ended_at == at


def test_a_reminder_is_due_once_a_week_until_the_end(at, started):
    with pytest.raises(CampaignRefused, match="too-soon"):
        campaigns.remind(started, at=at + timedelta(days=6))
    campaigns.remind(started, at=at + timedelta(days=7))
    with pytest.raises(CampaignRefused, match="too-soon"):
        campaigns.remind(started, at=at + timedelta(days=13))

    campaigns.end(started, at=at)
    for change in (campaigns.remind, campaigns.end):
        with pytest.raises(CampaignRefused, match="ended"):
            change(started, at=at + timedelta(days=30))


def test_of_two_campaigns_started_at_once_for_an_agreement_one_runs(sessions, at):
    def starts(name, agreement="icla"):
        context = {"agreement": agreement, "version": "3.0", "until": at}
        return lambda session: campaigns.start(within(session, None, at, name, by=90), **context)

    assert isinstance(behind(sessions, starts("k1"), starts("k2")).exception(), CampaignRefused)
    assert behind(sessions, starts("k3", "ccla"), starts("k4", "dco")).result().id == "k4"
    with sessions() as session:
        assert [row.id for row in campaigns.listed(session)] == ["k1", "k3", "k4"]


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        (campaigns.remind, campaigns.remind, "too-soon"),
        (campaigns.end, campaigns.end, "ended"),
        (campaigns.end, campaigns.remind, "ended"),
    ],
)
def test_of_two_changes_of_a_campaign_at_once_the_second_sees_the_first(sessions, at, first, second, reason):
    with sessions() as session:
        campaigns.start(within(session, None, at, "k1", by=90), agreement="icla", version="3.0", until=at)

    def does(change):
        return lambda session: change(campaigns.locked(session, "k1"), at=at + timedelta(days=7))

    with pytest.raises(CampaignRefused, match=reason):
        behind(sessions, does(first), does(second)).result()
