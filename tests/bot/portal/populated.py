"""A portal with a row of everything, browsers of people in each role, and the values that fill its addresses in."""

from dataclasses import dataclass, field
from datetime import timedelta

from agreements.facts import Account, Check, Conclusion, Entry, Note, Problem, Verdict
from agreements.github_server import GITHUB_COM
from agreements.imports.entries import ImportEntry
from agreements.store.companies import (
    companies,
    company_entries,
    company_requests,
    domain_claims,
    employee_invitations,
    enrolments,
    signatory_requests,
)
from agreements.store.companies.company_entries import CompanyEntryFilter
from agreements.store.companies.enrolments import Employer
from agreements.store.companies.signatory_requests import SignatoryDraft
from agreements.store.imports import imported
from agreements.store.imports.imported import ImportSource
from agreements.store.ledger import log_subjects
from agreements.store.people import campaigns, documents, email_codes, erasure_requests, person_rows, portal_signoffs
from agreements.store.people.documents import DocumentDraft
from agreements.store.people.portal_signoffs import PortalSignoffDraft
from agreements.store.tables.company_records import CompanyManager
from audit.output.all_reports import on_top
from audit.store import account_states, nights, repositories
from bot.licenses import sealed_files
from bot.licenses.report_files import ReportFilesWriter
from bot.store import tokens
from bot.store.pulls import pushes, verdicts
from tests.audit.runs import whole
from tests.bot.conftest import ADMINISTRATOR, AUDITOR
from tests.bot.portal.admin.conftest import Office
from tests.drafts import company_draft
from tests.within import within

ADA, CAROL, DAN, EVE = 11, 13, 14, 15
ROLES = {
    "stranger": None,
    "contributor": {"id": DAN, "login": "dan"},
    "manager": {"id": ADA, "login": "ada"},
    "other manager": {"id": CAROL, "login": "carol"},
    "administrator": {"id": ADMINISTRATOR, "login": "root"},
    "auditor": {"id": AUDITOR, "login": "eye"},
}
"""Who is signed in: ada looks after the company in the addresses, carol after another one, dan after none."""

SHA = "3fa9c2d1e0b7a6c5d4e3f2a1b0c9d8e7f6a5b4c3"
PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n"


@dataclass
class Populated:
    """The portal, a browser for each role, and the values of the variables in its addresses."""

    portal: object
    browsers: dict = field(default_factory=dict)
    ids: dict = field(default_factory=dict)

    def path(self, rule: str) -> str:
        """The address with its variables filled in."""
        rule = (
            rule.replace("/imports/<entry_id>", f"/imports/{self.ids['imported']}")
            .replace("/pr/<owner>/<name>/<number>", "/pr/cann/ops-math/7")
            .replace("/badge/<owner>/<name>", "/badge/cann/ops-math")
            .replace("/brand/<version>", "/brand/0123456789abcdef")
        )
        for name, value in self.ids.items():
            for kind in ("", "int:", "path:"):
                rule = rule.replace(f"<{kind}{name}>", str(value))
        assert "<" not in rule, f"nothing fills {rule} in"
        return rule


def audited(portal) -> None:
    """Two nights of the account cann, whose one repository got a library that does not fit."""
    services, at = portal.services, portal.at
    report_files = ReportFilesWriter(3, services.vault, services.sessions, at)
    report_files.folder(whole().repositories[2], 93)
    keep = report_files.top(dict(on_top(whole())))
    place = repositories.Row(
        repository_id=93, owner_id=3, installation_id=5, owner="cann", name="hal", node="R_93", branch="main",
        private=False, archived=False, fork=False, pushed_at=at, looked_at=at,
    )  # fmt: skip
    with services.sessions() as session:
        account_states.begin(session, 3, "cann", "job", at=at)
        keep(session, "inputs")
        repositories.update_listing(session, [place])
        repositories.read(session, 93, repositories.StoredReading("a" * 40, "print"), None, at=at)
        sealed = sealed_files.encrypt(
            services.vault, nights.name("night"), b"- new violation: hal: **readline** is new\n" * 60
        )
        nights.add(session, "night", 3, nights.Counts(60, 1, 0), {nights.name("night"): sealed}, at=at)
        account_states.judged(session, 3, counts=(1, 1), skipped=0, at=at)


def populate(portal) -> Populated:
    """Fill the portal by its own stores, and sign in each person."""
    office, services = Office(portal), portal.services
    new_id, at, vault = services.new_id, portal.at, services.vault
    receipt, company_id = office.signed(), office.company("Huawei")
    claim_id, waiting = office.claim(company_id), office.company("Nokia")
    pull_id = portal.pull(7, of=(ADA, DAN))
    with services.sessions() as session:
        company_requests.countersign(within(session, vault, at, new_id, by=90), company_id, reason="known")
        domain_claims.approve(within(session, vault, at, new_id, by=90), claim_id, reason="known")
        partner = Entry(email="partner@example.org")
        company_entries.add(within(session, vault, at, new_id, by=ADA), company_id, partner)
        other = company_draft("Other", at, countersigned=True)
        companies.add(within(session, vault, new_id="other"), other)
        session.add(CompanyManager(id="m", company_id="other", account_id=CAROL, login="carol", since=at, added_by=90))
        eve = person_rows.ensure(within(session, vault, at, new_id), Account(EVE, "eve"))
        employer = Employer(company_id, "Huawei", "huawei.com", None)
        enrolled = enrolments.add(within(session, vault, at, new_id, by=EVE), eve, employer, "eve@huawei.com")
        dan = person_rows.ensure(within(session, vault, at, new_id), Account(DAN, "dan"))
        given = PortalSignoffDraft(
            repository_id=98, number=7, shas=(SHA,), text_sha256="d" * 64, statement_id="s", statement_sha256="e" * 64,
            language="en", identity_proof="github-oauth",
        )  # fmt: skip
        signoff = portal_signoffs.add(within(session, vault, at, new_id, by=DAN), dan, given)
        code = email_codes.issue(within(session, vault, at, new_id), dan, "dan@huawei.com", company_id=company_id)
        erasure_requests.ask(within(session, vault, at, "wish", by=DAN))
        until = at + timedelta(days=90)
        campaigns.start(within(session, None, at, "campaign", by=90), agreement="icla", version="2.0", until=until)
        paper = DocumentDraft(service="paper", name="icla.pdf", media_type="application/pdf", content=PDF)
        subject = log_subjects.subject_of(session, vault, ADA)
        kept = documents.add(within(session, vault, at, new_id, by=90), paper, subject=subject, signature_id=None)
        token, _ = tokens.make(within(session, vault, at, new_id, by=90), "ci", ["covered:read"], until=until)
        within(session, vault, at, new_id, by=90).log("token.made", rows=[token])
        source = ImportSource(party="The CANN Authors", format="plain", sha256="a" * 64, agreement="icla")
        entry = ImportEntry(where="line 1", login="old-login", account_id=None, signed_at=at, version="1.0")
        [imported_row] = imported.add(within(session, vault, at, new_id), [entry], source)
        asked = SignatoryDraft(
            company="Siemens", address="ceo@siemens.com", second=Account(CAROL, "carol"), language="en"
        )
        sent, link = signatory_requests.send(within(session, vault, at, new_id, by=DAN), dan, asked, new_id())
        [invited] = employee_invitations.invite(within(session, vault, at, new_id, by=ADA), company_id, ["bo@huawei.com"], "en", server=GITHUB_COM)  # fmt: skip
        missing = Problem(code="dco/missing", sha=SHA)
        unsigned = Problem(
            code="cla/unsigned", account=Account(DAN, "dan"), role="opener", values={"agreement": "icla"}
        )
        signed = Note(
            code="cla/individual", account=Account(ADA, "ada"), values={"agreement": "icla", "version": "2.0"}
        )
        checks = (
            Check(name="CLA", conclusion=Conclusion.FAILURE, problems=(unsigned,), notes=(signed,)),
            Check(name="DCO", conclusion=Conclusion.FAILURE, problems=(missing,)),
        )
        for conclusion in (Conclusion.SUCCESS, Conclusion.FAILURE):
            verdicts.add(session, pull_id, SHA, Verdict(conclusion=conclusion, checks=checks), at=at)
        pushes.record(session, pull_id, Account(DAN, "dan"), after=SHA, before="", sequence=1)
        [row] = company_entries.page(
            session, vault, company_id, range(9), at=at, only=CompanyEntryFilter(wanted="partner@example.org")
        ).entries
    audited(portal)
    made = Populated(portal)
    made.ids = {
        "agreement": "icla", "receipt": receipt, "signoff": signoff.id, "account_id": ADA, "number": 0, "request_id": sent.id, "token": link, "invitation_id": invited.id, "page": 1, "rest": "nothing", "language": "en",
        "company_id": company_id, "claim_id": claim_id, "entry_id": row.id, "enrolment_id": enrolled.enrolment.id,
        "code_id": code.id, "erasure_id": "wish", "campaign_id": "campaign", "document_id": kept.id, "token_id": token.id,
        "name": "icla", "waiting": waiting, "imported": imported_row.id, "version": "2.0", "owner_id": 3, "repository_id": 93, "night_id": "night", "listed": "signatures", "file": "report.html",
    }  # fmt: skip
    made.browsers = {role: portal.signed_in(**user) if user else portal.browser() for role, user in ROLES.items()}
    return made
