"""The evidence behind a verdict, for those whom it is about: recorded facts, judged again, told person by person.

Public is only covered or not covered. Which company, which dates, withdrawal and proven addresses are shown to the
person, to that company's managers (their own company's part alone), and to administrators and auditors.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from markupsafe import Markup
from sqlmodel import Session

from agreements.cla.coverage import AgreementIndex
from agreements.cla.party import Parties
from agreements.domains.masking import masked
from agreements.facts import Account, ChosenCover, Facts, Note, Problem, Signature, Verdict
from agreements.github_server import GitHubServer
from agreements.identity.subjects import linked_addresses, subjects
from agreements.json.facts_reader import FactsInvalid, read
from agreements.judge import judge
from agreements.rulebook.rules import RepositoryRule, Rules, for_repository
from agreements.store.companies import company_agreements, company_rows
from agreements.store.companies.enrolments import EmployerSearch
from agreements.store.people.signatures import TextKey
from agreements.vault import DecryptionFailed, Vault
from bot import verdict_codes
from bot.portal import judged_facts
from bot.portal.portal_services import ReadContext
from bot.portal.text import finding_text
from bot.portal.text.languages import Language
from bot.report import dco_situation, words
from bot.report.words import CommandContext, PullBranch
from bot.rulebook.facts_replay import known_facts, known_rules
from bot.rulebook.recorded_facts import CannotReplay, RecordedFacts
from bot.store.pulls.named_pulls import FoundPull
from bot.store.pulls.stored_facts import StoredFacts

_MAX_TRIED_ADDRESSES = 20
"""Addresses of one account that are looked at; a pull request may hold many."""


@dataclass(frozen=True, slots=True)
class AccountEvidence:
    """The facts of the last verdict about an `account` in its `roles`: `found` in words, its `signatures` and `proven` addresses.

    `enrol` are domains at which enrolling may mend it. `decided` is the address by which a company covers, masked; then no
    proven address is shown. `rule` says which way of being covered it was, or that none is. `chosen` is the company that the
    account contributes for, "" for itself; None: it chose neither.
    """

    account: Account
    roles: tuple[str, ...]
    found: Markup
    signatures: tuple[Signature, ...] = ()
    proven: tuple[str, ...] = field(default=(), repr=False)
    enrol: tuple[str, ...] = field(default=(), repr=False)
    decided: str = ""
    rule: str = ""
    chosen: str | None = None


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """The evidence about `people` that this viewer may see, and the moment (`at`) at which its facts were gathered."""

    at: datetime
    people: tuple[AccountEvidence, ...]


@dataclass(frozen=True, slots=True)
class Viewer:
    """A viewer: their `account_id`, whether they may read everything (`reads_all`), and the `companies` that they manage."""

    account_id: int
    reads_all: bool
    companies: tuple[str, ...]


def of(
    context: ReadContext,
    server: GitHubServer,
    pull: FoundPull,
    who: Viewer,
    language: Language,
    *,
    accepted: Collection[TextKey],
) -> EvidenceView | None:
    """The evidence of the last verdict for that viewer, if kept; `accepted` are the texts of the catalog now."""
    row = context.records.get(StoredFacts, pull.id)
    facts = None if row is None else _facts(context.vault, row, server, pull)
    if row is None or facts is None:
        return None
    people = tuple(_Evidence(context.records, context.vault, facts, who, language, accepted).people())
    return EvidenceView(row.stored_at, people) if people or who.reads_all else None


def rested_on(kept: RecordedFacts) -> tuple[Rules, RepositoryRule] | None:
    """The rules that the verdict rested on, and the repository's own among them; None when no longer known."""
    rules = known_rules(kept)
    return None if rules is None else (rules, for_repository(rules, kept.full_name))


def situation(kept: RecordedFacts, head_sha: str, github_url: str) -> CommandContext | None:
    """The situation on which the commands of the advice depend; None when it is not known any more."""
    try:
        facts = known_facts(kept)
    except CannotReplay:
        return None
    if facts is None or kept.head is None:
        return None
    head = (kept.head.repository, kept.head.branch)
    return dco_situation.of_verdict(facts, judge(facts), PullBranch.at(github_url, kept.full_name, head, head_sha))


def _facts(vault: Vault, row: StoredFacts, server: GitHubServer, pull: FoundPull) -> Facts | None:
    try:
        kept = judged_facts.unpacked(vault, row, server, pull)
        rules = known_rules(kept) or Rules()  # Those of their time.
        return read({**kept.facts, "rulebook": None}, lambda _none: rules)
    except (DecryptionFailed, CannotReplay, FactsInvalid):
        return None


@dataclass(frozen=True, slots=True)
class _Evidence:
    """Collects the evidence for `who` in `language` from `facts` and, for a company's people, by `session` and `accepted` texts."""

    session: Session
    vault: Vault
    facts: Facts
    who: Viewer
    language: Language
    accepted: Collection[TextKey]

    def people(self) -> Iterator[AccountEvidence]:
        """The evidence of each account that the viewer may see."""
        facts, who = self.facts, self.who
        findings = _cla_findings(judge(facts))
        agreed = AgreementIndex(
            facts.rules, facts.now, facts.signatures, facts.companies, owner_id=facts.owner_id, server=facts.server
        )
        choices = {choice.account_id: choice for choice in facts.choices}
        for account, roles in _accounts(facts).items():
            items = findings.get(account.id, ())
            if who.reads_all or account.id == who.account_id:
                own = tuple(signature for signature in facts.signatures if signature.account_id == account.id)
                red = account.id == who.account_id and any(isinstance(item, Problem) for item in items)
                found = agreed.coverage_of(account.id, **_addresses(facts, account.id), chosen=choices.get(account.id))
                by_company = found.address is not None and any(item.code == found.code for item in items)
                yield AccountEvidence(
                    account,
                    roles,
                    self._words(items),
                    own,
                    proven=() if by_company else facts.emails.get(account.id, ()),
                    enrol=self._enrol(account.id) if red else (),  # Looked for only where it may mend something.
                    decided=masked(found.address or "") if by_company else "",
                    rule=_rule(items, self.language),
                    chosen=self._chosen(choices.get(account.id)),
                )
            elif who.companies:
                yield from self._by_company(account, roles)

    def _chosen(self, chosen: ChosenCover | None) -> str | None:
        """The name of the chosen company, "" where it is the person's own signature; None for no choice."""
        if chosen is None or chosen.company is None:
            return None if chosen is None else ""
        return company_rows.names(self.session, {chosen.company}).get(chosen.company, chosen.company)

    def _enrol(self, account_id: int) -> tuple[str, ...]:
        """Domains of companies at which the account may enrol with an address that GitHub links; for itself alone."""
        facts = self.facts
        linked = sorted(linked_addresses(facts.commits).get(account_id, frozenset()))[:_MAX_TRIED_ADDRESSES]
        # To enrol at a company that agreed with another party would mend nothing here.
        counting = Parties(facts.rules, facts.owner_id).counting
        search = EmployerSearch(self.session, self.vault, facts.server, self.accepted, facts.now)
        found = (
            employer
            for address in linked
            for employer in search.employers(account_id, address)
            if employer.party in counting
        )
        return tuple(dict.fromkeys(employer.domain for employer in found))

    def _by_company(self, account: Account, roles: tuple[str, ...]) -> Iterator[AccountEvidence]:
        """The cover of an account by the viewer's own companies now; not by others, nor by its own signatures."""
        facts, mine = self.facts, _addresses(self.facts, account.id)
        # A manager must not learn whether the person signed, so that is not asked here.
        rules = replace(facts.rules, employees="covered")
        every = mine["linked"] | mine["proven"]
        for company in company_agreements.relevant(
            self.session, self.vault, {account.id}, every, accepted=self.accepted
        ):
            if company.record not in self.who.companies:  # Not theirs to see.
                continue
            agreed = AgreementIndex(rules, facts.now, (), [company], owner_id=facts.owner_id, server=facts.server)
            found = agreed.coverage_of(account.id, **mine, chosen=None)
            kind = Note if found.covered else Problem
            items = (kind(code=found.code, account=account, values=found.values),)
            # The rule is left out: that their company does not cover tells nothing of others, nor of a signature.
            rule = "" if found.code == "cla/unsigned" else _rule(items, self.language)
            yield AccountEvidence(account, roles, self._words(items), decided=masked(found.address or ""), rule=rule)

    def _words(self, items: tuple[Problem | Note, ...]) -> Markup:
        found = (words.render(item, self.language, show=finding_text.shown).message for item in items)
        return Markup(" ").join(map(finding_text.sentence, found))


def _addresses(facts: Facts, account_id: int) -> dict[str, frozenset[str]]:
    return {
        "linked": linked_addresses(facts.commits).get(account_id, frozenset()),
        "proven": frozenset(facts.emails.get(account_id, ())),
    }


def _accounts(facts: Facts) -> Mapping[Account, tuple[str, ...]]:
    """Every account that is judged, with its roles, as the check lists them."""
    found: dict[Account, tuple[str, ...]] = {}
    for subject in subjects(facts):
        if subject.account is not None and not subject.agent:
            found[subject.account] = (*found.get(subject.account, ()), *([subject.role] if subject.role else []))
    return found


def _cla_findings(verdict: Verdict) -> Mapping[int, tuple[Problem | Note, ...]]:
    found: dict[int, tuple[Problem | Note, ...]] = {}
    for check in verdict.checks:
        items: tuple[Problem | Note, ...] = (*check.problems, *check.notes)
        for item in items:
            if check.name == "CLA" and item.account is not None:
                found[item.account.id] = (*found.get(item.account.id, ()), item)
    return found


def _rule(items: tuple[Problem | Note, ...], language: Language) -> str:
    """The way of being covered that decided, by the first finding that is one; empty when none is."""
    rules = verdict_codes.each("rule", language)
    return next((rules[item.code] for item in items if item.code in rules), "")
