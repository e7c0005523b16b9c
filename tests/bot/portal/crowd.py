"""Fills a populated portal with many more of everything that its pages list, through its own stores."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta

from agreements.facts import Account, Check, Conclusion, Entry, Problem, Verdict
from agreements.github_server import GITHUB_COM
from agreements.imports.entries import ImportEntry
from agreements.store.companies import (
    companies,
    company_entries,
    company_requests,
    company_rows,
    domain_claims,
    employee_invitations,
    enrolments,
    signatory_requests,
)
from agreements.store.companies.company_requests import Request
from agreements.store.companies.enrolments import Employer
from agreements.store.companies.signatory_requests import SignatoryDraft
from agreements.store.imports import imported
from agreements.store.imports.imported import ImportSource
from agreements.store.ledger import log_subjects
from agreements.store.people import campaigns, documents, emails, erasure_requests, person_rows, signatures
from agreements.store.people.documents import DocumentDraft
from agreements.store.people.emails import ProvenAddress
from agreements.store.tables.company_records import CompanyManager
from audit.store import nights, repositories
from bot.licenses import sealed_files
from bot.store import tokens
from bot.store.pulls import overrides, verdicts
from bot.store.pulls.overrides import OverrideDraft
from tests.bot.conftest import ADMINISTRATOR
from tests.bot.portal.admin.conftest import Office
from tests.bot.portal.populated import ADA, PDF, SHA, Populated
from tests.logged import log_rows
from tests.within import within


class Crowd:
    """Adds to the portal; `add` brings more of everything."""

    def __init__(self, full: Populated) -> None:
        self._full, self._portal, self._office = full, full.portal, Office(full.portal)
        self._company = full.ids["company_id"]

    def add(self, numbers: Iterable[int]) -> None:
        """So many more of everything; the numbers make them other ones."""
        services = self._portal.services
        for number in numbers:
            self._one_more(number)
        with services.sessions() as session:
            log_rows(session, services.vault)

    def _one_more(self, number: int) -> None:
        services, at = self._portal.services, self._portal.at
        pull_id = self._portal.pull(1000 + number, of=(ADA, 2000 + number))
        with services.sessions() as session:
            context = within(session, services.vault, at, services.new_id, by=ADA)
            person = person_rows.ensure(
                within(session, services.vault, at, services.new_id), Account(2000 + number, f"p{number}")
            )
            self._companies(context, person, number)
            self._people(context, person, number)
            self._of_company(context, person, number)
            self._mine(context, number)
            self._judged(context, pull_id, number)
        self._portal.signed_in(id=2000 + number, login=f"p{number}")

    def _companies(self, context, person, number) -> None:
        """One that waits, asked for on a page; one in force that ada looks after, with a domain and a claim."""
        session, vault = context.session, context.vault
        draft = self._office.draft(
            agreement="ccla", fields={"country": "CN", "title": "Director"}, party=f"Party {number}"
        )
        waiting = company_requests.ask(
            context, person, Request(name=f"Waiting {number}", draft=draft, second=Account(ADA, "ada")),
            company_id=context.new_id(), receipt=_receipt("W", number),
        )  # fmt: skip
        domain_claims.claim(
            replace(context, by=ADA), waiting, f"waiting{number}.com", addresses=[f"ada@waiting{number}.com"]
        )
        running = company_requests.ask(
            context, person, Request(name=f"Running {number}", draft=draft, second=Account(ADA, "ada")),
            company_id=context.new_id(), receipt=_receipt("R", number),
        )  # fmt: skip
        company_requests.countersign(replace(context, by=ADMINISTRATOR), running, reason="known")
        row = company_rows.find(session, running)
        row.renew_by = context.at - timedelta(days=60)
        entry = Entry(domain=f"running{number}.com", since=context.at)
        companies.add_entry(within(session, vault, context.at, context.new_id), row, entry)
        named = Entry(account_id=ADA)
        companies.add_entry(within(session, vault, context.at, context.new_id), row, named)
        draft = SignatoryDraft(
            company=f"Asked {number}", address=f"ceo@asked{number}.com", second=Account(ADA, "ada"), language="en"
        )
        signatory_requests.send(replace(context, by=person.account_id), person, draft, context.new_id())

    def _people(self, context, person, number) -> None:
        """A signature with a party of its own, an address, a request to be erased, an imported login, a file."""
        session, vault = context.session, context.vault
        for party, kind in ((f"Party {number}", "S"), (f"github:{3000 + number}", "G"), (None, "U")):
            draft = self._office.draft(party=party, version="2.0", shown_sha256=f"{number:064x}")
            row = signatures.add(within(session, vault, context.at, context.new_id), person, draft, receipt=_receipt(kind, number), anew=True).row  # fmt: skip
            row.party = party
        proven = ProvenAddress(address=f"p{number}@huawei.com", how="mailed-code", at=context.at)
        emails.prove(within(session, vault, new_id=context.new_id), person, proven)
        erasure_requests.ask(within(session, vault, context.at, f"wish{number}", by=5000 + number))
        source = ImportSource(party="The CANN Authors", format="plain", sha256="a" * 64, agreement="icla")
        entry = ImportEntry(
            where=f"line {number}", login=f"old-{number}", account_id=None, signed_at=context.at, version="1.0"
        )
        [row] = imported.add(replace(context, by=None), [entry], source)
        row.state = "doubtful"
        for whom in (person.account_id, ADA):
            paper = DocumentDraft(service="paper", name=f"icla{number}.pdf", media_type="application/pdf", content=PDF)
            documents.add(within(session, vault, context.at, context.new_id, by=90), paper, subject=log_subjects.subject_of(session, vault, whom), signature_id=None)  # fmt: skip

    def _of_company(self, context, person, number) -> None:
        """An entry, an invitation, an enrolment, a manager, a claimed and a held domain, and a file of the company of the addresses."""
        session, vault = context.session, context.vault
        company_entries.add(context, self._company, Entry(email=f"partner{number}@example.org"))
        company_entries.add(context, self._company, Entry(account_id=person.account_id))
        employee_invitations.invite(context, self._company, [f"invited{number}@huawei.com"], "en", server=GITHUB_COM)
        employer = Employer(self._company, "Huawei", "huawei.com", None)
        enrolments.add(replace(context, by=person.account_id), person, employer, f"p{number}@huawei.com")
        claim = domain_claims.claim(
            context, self._company, f"huawei{number}.com", addresses=[f"ada@huawei{number}.com"]
        )
        if number % 2:
            domain_claims.approve(replace(context, by=ADMINISTRATOR), claim, reason="known")
        if number <= 8:
            session.add(
                CompanyManager(
                    id=context.new_id(), company_id=self._company, account_id=person.account_id, login=person.login,
                    since=context.at, added_by=ADA,
                )
            )  # fmt: skip
        paper = DocumentDraft(service="paper", name=f"ccla{number}.pdf", media_type="application/pdf", content=PDF)
        subject = company_rows.subject(vault, company_rows.find(session, self._company))
        documents.add(within(session, vault, context.at, context.new_id, by=90), paper, subject=subject, signature_id=None)  # fmt: skip

    def _mine(self, context, number) -> None:
        """Of ada: a signature with a party of its own, and an address."""
        session, vault = context.session, context.vault
        ada = person_rows.ensure(within(session, vault, context.at, context.new_id), Account(ADA, "ada"))
        draft = self._office.draft(party=f"github:{3000 + number}", version=f"1.{number}")
        signatures.add(
            within(session, vault, context.at, context.new_id), ada, draft, receipt=_receipt("A", number), anew=True
        )
        proven = ProvenAddress(address=f"ada@own{number}.org", how="mailed-code", at=context.at)
        emails.prove(within(session, vault, new_id=context.new_id), ada, proven)

    def _judged(self, context, pull_id, number) -> None:
        """A red pull request with an override; an audited repository and its night; a campaign, a token."""
        session, vault, at = context.session, context.vault, context.at
        problem = Problem(
            code="cla/unsigned", account=Account(2000 + number, f"p{number}"), values={"agreement": "icla"}
        )
        check = Check(name="CLA", conclusion=Conclusion.FAILURE, problems=(problem,), notes=())
        verdicts.add(session, pull_id, SHA, Verdict(conclusion=Conclusion.FAILURE, checks=(check,)), at=at)
        draft = OverrideDraft(pull_id=pull_id, kind="cla", account_id=2000 + number, head_sha=SHA, by=Account(ADA, "ada"), by_role="admin", comment_id=number, reason="known")  # fmt: skip
        overrides.add(within(session, vault, at, context.new_id), draft)
        place = repositories.Row(
            repository_id=10_000 + number, owner_id=3, installation_id=5, owner="cann", name=f"r{number}", node=f"R_{number}",
            branch="main", private=False, archived=False, fork=False, pushed_at=at, looked_at=at,
        )  # fmt: skip
        repositories.update_listing(session, [place])
        sealed = sealed_files.encrypt(vault, nights.name(f"night{number}"), b"- **x** is new\n")
        nights.add(
            session,
            f"night{number}",
            3,
            nights.Counts(60, 1, 0),
            {nights.name(f"night{number}"): sealed},
            at=at - timedelta(days=number),
        )
        campaigns.start(
            within(session, None, at, context.new_id, by=90), agreement=f"icla{number}", version="2.0", until=at
        )
        tokens.make(
            within(session, vault, at, context.new_id, by=2000 + number),
            f"ci{number}",
            ["covered:read"],
            until=at + timedelta(days=9),
        )


def _receipt(kind: str, number: int) -> str:
    return f"{kind * 4}-{number:04}-CCCC-DDDD-EEEE"
