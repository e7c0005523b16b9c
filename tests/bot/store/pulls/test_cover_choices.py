"""A choice has an account and a pull request. A comment's choice is stored once; an account's newest choice counts."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import select

from agreements.facts import ChosenCover, Entry
from agreements.store.companies import companies
from agreements.store.companies.companies import CompanyDraft
from bot.store.pulls import cover_choices
from bot.store.pulls.cover_choices import CoverChoice
from tests.bot.store.pulls.test_overrides import posted
from tests.within import within

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def chosen(session, vault, pull_id, account_id, *, minutes=0, company=None, comment=None):
    """That account chooses; whether it was stored."""
    context = within(session, vault, NOON + timedelta(minutes=minutes), by=account_id)
    return cover_choices.add(context, pull_id, company, comment_id=comment) is not None


def firm(session, vault, name, domain, **changes):
    """A company with that domain; its id."""
    draft = {
        "party": "P",
        "agreement": "ccla",
        "version": "2.0",
        "signed_at": NOON,
        "countersigned_at": NOON,
        **changes,
    }
    context = within(session, vault, NOON)
    made = companies.add(context, CompanyDraft(name=name, **draft))
    companies.add_entry(context, made, Entry(domain=domain))
    return made.id


def test_the_newest_choice_of_each_account_counts_in_its_pull_request(sessions, vault):
    first, second = posted(sessions, 1), posted(sessions, 2)
    with sessions() as session:
        huawei = firm(session, vault, "Huawei", "huawei.com")
        assert chosen(session, vault, first, 11, minutes=2)
        assert chosen(session, vault, first, 11, minutes=1, company=huawei)
        assert chosen(session, vault, first, 12, company=huawei)
        assert chosen(session, vault, second, 11, company=huawei)
        rows = session.exec(select(CoverChoice).where(CoverChoice.pull_id == first)).all()
        assert cover_choices.newest(rows) == (ChosenCover(11, None), ChosenCover(12, huawei))
        assert cover_choices.of_account(session, first, 11) == ChosenCover(11, None)
        assert cover_choices.of_account(session, second, 12) is None


def test_a_comment_is_stored_once_and_the_page_as_often_as_wanted(sessions, vault):
    pull_id = posted(sessions, 1)
    with sessions() as session:
        assert [chosen(session, vault, pull_id, 11, comment=31) for _ in range(2)] == [True, False]
        assert [chosen(session, vault, pull_id, 11) for _ in range(2)] == [True, True]


@pytest.mark.parametrize("account_id", [None, 0])
def test_a_choice_needs_an_account(sessions, vault, account_id):
    pull_id = posted(sessions, 1)
    with sessions() as session, pytest.raises(ValueError, match="account"):
        chosen(session, vault, pull_id, account_id)
    with sessions() as session, pytest.raises(ValueError, match="account"):
        cover_choices.of_account(session, pull_id, account_id)


def test_a_domain_finds_the_companies_in_force_that_name_it_one_for_each_party(sessions, vault):
    later = NOON + timedelta(days=1)
    with sessions() as session:
        first = firm(session, vault, "Huawei", "huawei.com", ended_at=later)
        second = firm(session, vault, "Huawei", "huawei.com", party="Q")
        firm(session, vault, "Asked", "asked.com", countersigned_at=None)

        def found(domain, at=NOON):
            return cover_choices.companies_at(session, domain, at=at)

        assert found("huawei.com") == {first: "P", second: "Q"}
        assert found("huawei.com", later) == {second: "Q"}
        assert found("huawei.com", NOON - timedelta(seconds=1)) == {}
        for other in ("asked.com", "rd.huawei.com", "huawei.com.cn", "%"):
            assert found(other) == {}
