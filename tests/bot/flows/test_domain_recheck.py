"""A proven domain's record is checked again; if it is gone, the managers get one e-mail."""

from dataclasses import replace
from datetime import timedelta
from itertools import count
from types import SimpleNamespace

import pytest
from sqlmodel import select

import migrations
from agreements.facts import Account
from agreements.github_server import GITHUB_COM
from agreements.store.companies import companies, domain_claims, managers
from agreements.store.people import emails, person_rows
from agreements.store.people.emails import ProvenAddress
from agreements.vault import KeyRing, Vault
from bot import clock, db
from bot.flows import domain_recheck
from bot.job_queue import Job
from bot.network.resolvers import Server
from bot.records.record_access import RecordAccess
from bot.store import outbox
from tests.bot.jobs.inline import InlineEngine
from tests.bot.small_dns import SmallDns
from tests.drafts import company_draft
from tests.logged import log_rows
from tests.within import within

NAME = "_cla-challenge.huawei.com."


@pytest.fixture(name="parts")
def _parts(tmp_path):
    """As much of the parts as this needs: huawei.com was proven just now, and two servers show its record."""
    database = db.open_engine(f"sqlite:///{tmp_path / 'test.db'}")
    migrations.upgrade(database)
    servers = [SmallDns({(NAME, "TXT"): []}).start() for _ in range(2)]
    parts = SimpleNamespace(
        url="https://cla.example.org",
        server=GITHUB_COM,
        sessions=db.sessions(database),
        engine=InlineEngine(),
        vault=Vault(KeyRing.parse(KeyRing.generate("k1"))),
        dns_servers=tuple(Server("127.0.0.1", server.port) for server in servers),
        at=clock.now(),
        new_id=map("i{}".format, count()).__next__,
        servers=servers,
    )
    parts.clock = lambda: parts.at
    parts.change = RecordAccess(parts.sessions, parts.vault, parts.clock, parts.new_id).change
    parts.claim = _proven(parts)
    yield parts
    database.dispose()
    for server in servers:
        server.stop()


def _proven(parts):
    """Ada and bob look after c1; ada has an address."""
    with parts.sessions() as session:
        draft = company_draft("Huawei", parts.at)
        company = companies.add(within(session, parts.vault, new_id="c1"), draft)
        for number, login in ((11, "ada"), (12, "bob")):
            managers.office(
                within(session, parts.vault, parts.at, login.__str__, by=11), company, Account(number, login)
            )
        ada = person_rows.ensure(within(session, parts.vault, parts.at, "p11"), Account(11, "ada"))
        proof = ProvenAddress(address="ada@huawei.com", how="github-verified", at=parts.at)
        emails.prove(within(session, parts.vault, new_id="proof"), ada, proof)
        log_rows(session, parts.vault)
        context = within(session, parts.vault, parts.at, parts.new_id, by=11)
        claim = domain_claims.claim(context, "c1", "huawei.com", addresses=["ada@huawei.com"])
        domain_claims.prove(context, claim)
        show(parts, domain_claims.read_claim(session, parts.vault, claim, at=parts.at).token)
    return claim


def show(parts, token):
    """From now on the record holds that token; none when it is empty."""
    for server in parts.servers:
        server.zone[NAME, "TXT"] = [f'"cla-verify={token}"'] if token else []


def state(parts):
    """How the claim stands."""
    with parts.sessions() as session:
        return domain_claims.read_claim(session, parts.vault, parts.claim, at=parts.at)


def outbox_emails(parts):
    """To whom which e-mails wait."""
    with parts.sessions() as session:
        return [outbox.opened(parts.vault, mail) for mail in session.exec(select(outbox.Mail))]


def later(parts, days):
    """Days later a round is made, and what it queues is done."""
    parts.at += timedelta(days=days)
    found = domain_recheck.queue_due(parts)
    for job in parts.engine.waiting[-found:] if found else ():
        domain_recheck.check_domain(*job.ids, parts)
    return found


@pytest.mark.slow
def test_a_domain_is_checked_again_after_thirty_days_in_the_later_queue(parts):
    assert later(parts, 29) == 0
    assert later(parts, 1) == 1
    assert parts.engine.waiting == (Job("domain", (parts.claim,), "later"),)
    assert (state(parts).state, outbox_emails(parts)) == ("proven", [])
    assert later(parts, 1) == 0


@pytest.mark.slow
def test_a_missing_record_sends_one_email_and_is_proven_again_when_it_is_back(parts):
    token = state(parts).token
    show(parts, "")
    later(parts, 30)
    assert state(parts).state == "missing"
    (email,) = outbox_emails(parts)
    assert (email.kind, email.to, email.values["domain"]) == ("domain-missing", "ada@huawei.com", "huawei.com")
    assert email.values["text"] == f"cla-verify={token}"
    assert email.values["url"] == "https://cla.example.org/company/c1/domains"
    later(parts, 1)
    assert len(outbox_emails(parts)) == 1
    show(parts, token)
    later(parts, 1)
    assert state(parts).state == "proven"
    assert len(outbox_emails(parts)) == 1


def hide(parts, behave):
    """From now on the first server answers with that error, or has no record where the other one has it."""
    if behave == "differs":
        parts.servers[0].zone[NAME, "TXT"] = []
        parts.servers[0].zone[NAME, "A"] = ["192.0.2.1"]
    else:
        parts.servers[0].behave = behave


@pytest.mark.slow
@pytest.mark.parametrize("behave", ["SERVFAIL", "differs"])
def test_a_silent_server_or_servers_that_differ_change_nothing(parts, behave):
    hide(parts, behave)
    assert later(parts, 30) == 1
    assert (state(parts).state, outbox_emails(parts)) == ("proven", [])
    assert later(parts, 0) == 1


@pytest.mark.slow
@pytest.mark.parametrize("behave", ["SERVFAIL", "differs"])
def test_servers_that_do_not_answer_for_thirty_days_count_as_a_missing_record(parts, behave):
    token = state(parts).token
    hide(parts, behave)
    later(parts, 30)
    later(parts, 29)
    assert state(parts).state == "proven"
    later(parts, 1)
    assert (state(parts).state, [email.kind for email in outbox_emails(parts)]) == ("missing", ["domain-missing"])
    later(parts, 1)
    assert (state(parts).state, len(outbox_emails(parts))) == ("missing", 1)
    parts.servers[0].behave = ""
    show(parts, token)
    later(parts, 1)
    assert state(parts).state == "proven"


@pytest.mark.slow
def test_domains_whose_servers_do_not_answer_keep_out_no_other(parts, monkeypatch):
    monkeypatch.setattr(domain_recheck, "MAX_QUEUED_DOMAINS", 1)
    parts.servers[0].behave = "SERVFAIL"
    with parts.sessions() as session:
        context = within(session, parts.vault, parts.at, parts.new_id, by=11)
        for name in ("b.huawei.com", "c.huawei.com"):
            domain_claims.prove(context, domain_claims.claim(context, "c1", name, addresses=[f"ada@{name}"]))
    parts.at += timedelta(days=30)
    for _ in range(3):
        later(parts, 0)
        parts.at += timedelta(hours=1)
    assert len({job.ids for job in parts.engine.waiting}) == 3


@pytest.mark.slow
def test_a_job_for_an_unknown_or_freshly_checked_claim_asks_no_server(parts):
    domain_recheck.check_domain("x", parts)
    domain_recheck.check_domain(parts.claim, parts)
    assert [server.asked for server in parts.servers] == [[], []]
    assert replace(state(parts)).state == "proven"


def test_the_email_has_the_same_placeholders_in_both_languages():
    import re
    from pathlib import Path

    import bot.mail

    folder = Path(bot.mail.__file__).parent / "templates"
    gaps = [sorted(set(re.findall(r"{(\w+)}", (folder / language / "domain-missing.txt").read_text()))) for language in ("en", "zh")]  # fmt: skip
    assert gaps == [["company", "day", "domain", "name", "text", "url"]] * 2
