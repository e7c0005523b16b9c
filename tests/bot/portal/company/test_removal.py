"""A removal is tried without writing: who loses the company's cover, who keeps it and which pull requests turn red."""

from datetime import timedelta

import pytest
from sqlalchemy import text

from agreements.facts import Account, Commit, Entry, Facts, Identity, PullRequest, Sender
from agreements.store.companies import rosters
from bot.github.ports import RuleFile, RuleFiles
from bot.portal.company.removal import Removal, effect
from bot.portal.contributor.sign import record_signature
from bot.portal.signing import SignatureForm
from bot.records import agreement_view
from bot.rulebook import effective
from bot.rulebook.recorded_facts import pack
from bot.store.pulls import stored_facts
from bot.store.records import PullRecord
from tests.bot.portal.company import office

RULES = 'version: 1\norganization: The CANN Authors\nrepositories: [{match: [shadow], require: cla, mode: shadow}, {match: ["*"], require: cla}]\n'
HEAD = "a" * 40
LOGINS = {11: "ada", 14: "dan", 15: "eve", 16: "fay", 17: "gus"}


def judged(portal, number, account_id, email, *, private=False, name="ops-math", head=HEAD):
    """An open pull request by that account, with that address in its commit, as a review stored it."""
    pull_id = portal.pull(number, of=(account_id,), private=private, name=name)
    files = RuleFiles(RuleFile(".github/countersign.yml", RULES), RuleFile("x", None), RuleFile("y", None))
    rules = effective.read(files, None, f"cann/{name}", texts=None).rules
    who = Account(account_id, LOGINS[account_id])
    author = Identity("Somebody", email)
    vault = portal.services.vault
    with portal.services.sessions() as session:
        facts = Facts(
            rules=rules,
            repository=f"cann/{name}",
            pull_request=PullRequest(number=number, opener=who, head_sha=HEAD, created_at=portal.at),
            commit_count=1,
            commits=(Commit(sha=HEAD, author=author, committer=author, author_account=who, committer_account=who),),
            senders=(Sender(who),),
            companies=(rosters.roster(session, vault, "c1", accepted=()).company,),
            now=portal.at,
        )
        session.get(PullRecord, pull_id).head_sha = head
        stored_facts.keep(
            session, pull_id, HEAD, stored_facts.encrypt(vault, pull_id, pack(facts, files)), at=portal.at
        )


def sign(portal, account_id):
    """That account signs for itself."""
    paper = agreement_view.show(portal.services.catalog, portal.rules, portal.services.owner(None), "icla", "en")
    form = SignatureForm(paper=paper, name="Somebody", email=f"{LOGINS[account_id]}@home.example")
    record_signature(portal.services, Account(account_id, LOGINS[account_id]), form)


@pytest.fixture(name="portal")
def _portal(database_url, github, make_portal):
    """The portal on each kind of database, with Huawei: its domain, an account, an address; Red Hat covers dan as well."""
    portal = make_portal(database_url, github)
    office.company(
        portal, Entry(domain="huawei.com"), Entry(account_id=15), Entry(email="ada@partner.org"), managers=()
    )
    office.company(portal, Entry(account_id=14), key="c2", name="Red Hat", managers=())
    office.known(portal, 11, "ada", "ada@huawei.com", "ada@partner.org")
    for account_id in (14, 15, 16):
        office.known(portal, account_id, LOGINS[account_id], f"{LOGINS[account_id]}@huawei.com")
    yield portal
    portal.database.dispose()


def tried(portal, **what):
    """The effect of a removal at the present moment, logins for people; and that nothing was written."""
    before = _rows(portal)
    with portal.services.sessions() as session:
        roster = rosters.roster(session, portal.services.vault, "c1", accepted=())
        found = effect(portal.services, session, roster, Removal(what.pop("at", portal.at), **what), portal.rules)
    assert _rows(portal) == before
    names = {part: [person.login for person in getattr(found, part)] for part in ("lost", "otherwise", "kept")}
    return names, (found.red, found.red_private, found.unknown, found.unknown_private)


def _rows(portal):
    with portal.database.connect() as connection:
        tables = ("company_entry", "enrolment", "proof", "ledger_entry", "mail", "stored_facts", "pull")
        return [connection.execute(text(f"SELECT * FROM {table} ORDER BY 1")).fetchall() for table in tables]


def test_the_end_of_a_domain_leaves_people_covered_by_another_entry_or_otherwise(portal):
    sign(portal, 16)
    judged(portal, 1, 11, "ada@huawei.com")
    judged(portal, 2, 14, "dan@huawei.com")
    judged(portal, 3, 16, "fay@huawei.com")
    names, pulls = tried(portal, entry_id="c1e0")

    assert names == {"lost": [], "otherwise": ["dan", "fay"], "kept": ["ada", "eve"]}
    assert pulls == ((), 0, (), 0)


def test_an_exclusion_removes_every_cover_and_turns_pull_requests_red(portal):
    judged(portal, 1, 11, "ada@home.example")
    judged(portal, 2, 11, "ada@huawei.com", private=True)
    judged(portal, 3, 15, "eve@huawei.com")
    judged(portal, 4, 11, "ada@home.example", name="shadow")
    judged(portal, 5, 11, "ada@home.example", head="b" * 40)
    judged(portal, 6, 11, "ada@home.example", head="b" * 40, private=True)
    names, pulls = tried(portal, exclude=(Entry(account_id=11),))
    assert (names, pulls) == (
        {"lost": ["ada"], "otherwise": [], "kept": []},
        (("cann/ops-math#1",), 1, ("cann/ops-math#5",), 1),
    )

    sign(portal, 11)
    names, pulls = tried(portal, exclude=(Entry(email="ada@huawei.com"),))
    assert (names, pulls) == ({"lost": [], "otherwise": ["ada"], "kept": []}, ((), 0, ("cann/ops-math#5",), 1))


def test_people_that_github_alone_links_are_found_in_their_pull_requests(portal):
    judged(portal, 1, 17, "gus@rd.huawei.com")
    names, pulls = tried(portal, entry_id="c1e0")
    assert names["lost"] == ["fay", "gus"]
    assert pulls == (("cann/ops-math#1",), 0, (), 0)


def test_a_removal_on_a_later_day_is_judged_as_of_that_day(portal):
    later = portal.at + timedelta(days=400)
    assert tried(portal, entry_id="c1e0", at=later)[0] == {"lost": [], "otherwise": [], "kept": []}
    assert tried(portal, entry_id="c1e1", at=later)[0] == {"lost": ["eve"], "otherwise": [], "kept": []}


def test_requiring_enrolment_removes_people_that_github_alone_links(portal):
    judged(portal, 1, 17, "gus@rd.huawei.com")
    judged(portal, 2, 15, "eve@home.example")
    names, pulls = tried(portal, enrolled=True)
    assert "gus" in names["lost"]
    assert "eve" not in names["lost"]
    assert pulls == (("cann/ops-math#1",), 0, (), 0)
