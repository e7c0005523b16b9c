"""The explain page shows each viewer their own part of the evidence alone."""

import re
from dataclasses import replace

import pytest

from agreements.facts import (
    Account,
    ChosenCover,
    Commit,
    Company,
    Entry,
    Facts,
    Identity,
    PullRequest,
    Sender,
    Signature,
)
from agreements.judge import judge
from agreements.rulebook.rules import RepositoryRule, Rules
from agreements.store.companies import companies
from agreements.store.tables.company_records import CompanyManager
from bot import verdict_codes
from bot.github.ports import RuleFile, RuleFiles
from bot.rulebook.facts_replay import known_facts
from bot.rulebook.recorded_facts import pack, unpack
from bot.store.pulls import stored_facts, verdicts
from tests.bot.portal.company import office
from tests.drafts import company_draft
from tests.logged import log_rows
from tests.within import within

PAGE = "/pr/cann/ops-math/7"
BY = "<dt>Deciding address</dt><dd>b…b@one-works.com</dd>"
RULEBOOK = "version: 1\norganization: The CANN Authors\nrepositories:\n  - {match: ['*'], require: cla}\n"
BY_ADA = Identity("Ada", "ada@example.com")
WORKS = Entry(domain="one-works.com")
ADA, BOB, CAROL = Account(11, "ada"), Account(12, "bob"), Account(13, "carol")


@pytest.fixture(name="judged")
def _judged(portal, request):
    """A pull request of ada, to which bob and carol pushed: ada withdrew, bob is covered by One's domain, carol by Two."""
    at = portal.at
    facts = Facts(
        rules=Rules(organization="The CANN Authors", repositories=(RepositoryRule(("*",), "cla"),)),
        repository="cann/ops-math",
        pull_request=PullRequest(number=7, opener=ADA, head_sha="a" * 40, base="main", created_at=at),
        commit_count=1,
        commits=(Commit(sha="a" * 40, author=BY_ADA, committer=BY_ADA, author_account=ADA, committer_account=ADA),),
        senders=(Sender(BOB), Sender(CAROL)),
        signatures=(Signature(agreement="icla", version="2.0", account_id=11, signed_at=at, withdrawn_at=at),),
        companies=(
            Company(name="One", agreement="ccla", version="2.0", signed_at=at, covers=(WORKS,)),
            Company(name="Two", agreement="ccla", version="2.0", signed_at=at, covers=(Entry(account_id=13),)),
        ),
        emails={11: ("ada@private.example",), 12: ("bob@one-works.com", "bob@private.example")},
        now=at,
    )
    pull_id = portal.pull(7, of=(11, 12, 13))
    files = RuleFiles(
        RuleFile("countersign.yml", getattr(request, "param", RULEBOOK)),
        RuleFile("countersign.yml", None),
        RuleFile("dco.yml", None),
    )
    vault = portal.services.vault
    with portal.services.sessions() as session:
        packed = stored_facts.encrypt(vault, pull_id, pack(facts, files))
        stored_facts.keep(session, pull_id, "a" * 40, packed, at=at)
        verdicts.add(session, pull_id, "a" * 40, judge(facts), at=at)
        for number, (name, member) in enumerate([("One", WORKS), ("Two", Entry(account_id=13))]):
            draft = company_draft(name, at, countersigned=True)
            row = companies.add(within(session, vault, new_id=f"c{number}"), draft)
            companies.add_entry(within(session, vault, at, f"e{number}"), row, member)
        session.add(CompanyManager(id="m", company_id="c0", account_id=77, login="boss", since=at, added_by=77))
        log_rows(session, vault)
    return portal


def seen(portal, **user):
    """Which of the private facts a visitor sees."""
    browser = portal.signed_in(**user) if user else portal.browser()
    page = browser.get(PAGE).text
    private = ("withdrawn", "ada@private.example", "covered by <code>One", BY, "covered by <code>Two")
    for never in ("bob@one-works.com", "bob@private.example", "b…b@private.example"):
        assert never not in page
    return {fact for fact in private if fact in page}


@pytest.mark.parametrize(
    ("user", "expected"),
    [
        ({}, set()),
        ({"id": 14, "login": "stranger"}, set()),
        ({"id": 11, "login": "ada"}, {"withdrawn", "ada@private.example"}),
        ({"id": 12, "login": "bob"}, {"covered by <code>One", BY}),
        ({"id": 77, "login": "boss"}, {"covered by <code>One", BY}),
    ],
)
def test_a_person_and_their_companys_manager_see_their_own_evidence_alone(judged, user, expected):
    assert seen(judged, **user) == expected


@pytest.mark.parametrize("user", [{"id": 90, "login": "root"}, {"id": 91, "login": "eye"}])
def test_administrators_and_auditors_see_all_evidence(judged, user):
    assert len(seen(judged, **user)) == 5


BOTH = RULEBOOK + "agreements: {corporate: {employees: sign-too}}\n"


@pytest.mark.parametrize("judged", [BOTH], indirect=True)
def test_a_manager_reads_only_of_the_company_where_both_are_required(judged):
    assert seen(judged, id=77, login="boss") == {"covered by <code>One", BY}
    assert "has not signed" not in judged.signed_in(id=77, login="boss").get(PAGE).text


def test_a_manager_out_of_office_sees_no_evidence(judged):
    with judged.services.sessions() as session:
        session.get(CompanyManager, "m").until = judged.at
    assert seen(judged, id=77, login="boss") == set()


def test_the_page_is_public_as_before_when_its_evidence_cannot_be_opened(judged):
    with judged.services.sessions() as session:
        session.get(stored_facts.StoredFacts, 1).sealed = b"\x01" * 64
    assert seen(judged, id=11, login="ada") == set()
    assert judged.signed_in().get(PAGE).status_code == 200


def test_a_person_who_could_enrol_is_told_so_and_other_viewers_are_not(judged):
    with judged.services.sessions() as session:
        draft = company_draft("Three", judged.at, countersigned=True)
        row = companies.add(within(session, judged.services.vault, new_id="c3"), draft)
        companies.add_entry(within(session, judged.services.vault, judged.at, "e3"), row, Entry(domain="example.com"))
    advice = "your address at example.com to confirm that you work there"

    page = judged.signed_in(id=11, login="ada").get(PAGE).text
    assert advice in page
    assert page.count('class="button" href=') == 1
    assert 'class="button" href="/enrol?pr=' in page
    for who in ({"id": 12, "login": "bob"}, {"id": 77, "login": "boss"}, {"id": 90, "login": "root"}):
        assert advice not in judged.signed_in(**who).get(PAGE).text


def test_a_company_at_a_verified_address_is_named_to_its_person_alone(judged):
    office.company(judged, Entry(domain="two-works.com"), name="Works", key="c7", managers=(), domains="enrolled")
    office.works(judged, "ada@two-works.com")
    ada, stranger = judged.signed_in(id=11, login="ada"), judged.signed_in(id=14, login="stranger")
    page = ada.get(PAGE).text

    assert "Works has signed. We send a code to your address at two-works.com" in page
    assert '<form method="post" action="/company/c7/enrol?pr=cann/ops-math/7">' in page
    assert 'name="email" value="ada@two-works.com"' in page
    for browser in (judged.browser(), stranger):
        assert "Works" not in browser.get(PAGE).text


def test_a_listed_address_leads_its_person_to_the_page_that_says_what_is_missing(judged):
    office.company(judged, Entry(email="ada@two-works.com"), name="Works", key="c7", managers=(), domains="enrolled")
    office.works(judged, "ada@two-works.com")
    page = judged.signed_in(id=11, login="ada").get(PAGE).text

    assert "Works has signed. See what is missing" in page
    assert 'class="button" href="/employer?pr=cann/ops-math/7"' in page


@pytest.mark.parametrize(
    ("user", "rule"),
    [
        ({"id": 11, "login": "ada"}, "a withdrawn signature"),
        ({"id": 12, "login": "bob"}, "a company that lists the domain of the address"),
        ({"id": 13, "login": "carol"}, "a company that lists the account"),
        ({"id": 77, "login": "boss"}, "a company that lists the domain of the address"),
        ({"id": 14, "login": "stranger"}, ""),
    ],
)
def test_the_deciding_rule_is_shown_to_the_person_and_their_companys_manager(judged, user, rule):
    page = judged.signed_in(**user).get(PAGE).text

    assert re.findall(r"<dt>Deciding rule</dt><dd>([^<]*)</dd>", page) == ([rule] if rule else [])


def test_each_code_by_which_cover_stands_or_fails_has_a_rule_in_words():
    covers = {"cla/individual", "cla/grace", "cla/exempt", "cla/member", "cla/overridden", "cla/small-change"}
    by_company = {f"cla/company-{way}" for way in ("account", "email", "domain")}
    assert verdict_codes.each("rule", "en").keys() == verdict_codes.uncovered() | covers | by_company


CHOICES = (ChosenCover(11, None), ChosenCover(12, "c0"))


def test_for_whom_a_person_contributes_is_shown_to_them_and_to_administrators_alone(judged):
    portal, vault = judged, judged.services.vault
    with portal.services.sessions() as session:
        row = session.get(stored_facts.StoredFacts, 1)
        kept = unpack(stored_facts.decrypt(vault, row), portal.services.server)
        packed = stored_facts.encrypt(vault, 1, pack(replace(known_facts(kept), choices=CHOICES), kept.files))
        stored_facts.keep(session, 1, "a" * 40, packed, at=portal.at)
    said = "<dt>Contributes here for</dt><dd>"

    def shown(**user):
        return re.findall(f"{said}([^<]*)<", portal.signed_in(**user).get(PAGE).text)

    assert shown(id=11, login="ada") == ["themselves"]
    assert shown(id=12, login="bob") == ["One"]
    assert sorted(shown(id=90, login="root")) == ["One", "themselves"]
    assert shown(id=13, login="carol") == shown(id=77, login="boss") == shown(id=14, login="eve") == []
    assert said not in portal.browser().get(PAGE).text
