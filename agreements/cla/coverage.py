"""The CLA: each contributor is covered at this moment, by themselves or by a company."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from agreements import moments
from agreements.cla.company_cover import Candidate, CompanyIndex, candidate, excludes, match
from agreements.cla.party import Parties
from agreements.facts import ChosenCover, Company, Signature, Value
from agreements.github_server import GitHubServer
from agreements.rulebook.rules import AcceptedVersions, AgreementRef, Rules
from agreements.versions import admits

_NEVER = datetime.max.replace(tzinfo=UTC)  # sorts behind every end
MISSES = (
    "cla/chosen-uncovered",
    "cla/not-in-log",
    "cla/withdrawn",
    "cla/outdated",
    "cla/excluded",
    "cla/company-ended",
    "cla/other-party",
    "cla/unsigned",
)
"""The reasons why nothing covers a person, the nearest miss first: they may sign, or let their company name them."""


@dataclass(frozen=True, slots=True)
class CoverageResult:
    """Covered or not: `code` and `values` are a note's when `covered`, else the problem's; `until` ends a period of grace.

    `address` is the one by which a company covers, "" when it names the account; None when no company does.
    `records` are the ids here of what covers, each with its table, as `signature:ID`; none for records from elsewhere.
    """

    covered: bool
    code: str
    values: Mapping[str, Value] = field(default_factory=dict)
    until: datetime | None = None
    address: str | None = field(default=None, repr=False, compare=False)
    records: tuple[str, ...] = field(default=(), compare=False)


class AgreementIndex:
    """The agreements in force at `now`, found by account: a person costs no more among thousands."""

    def __init__(
        self,
        rules: Rules,
        now: datetime,
        signatures: Iterable[Signature],
        companies: Sequence[Company],
        *,
        owner_id: int | None,
        server: GitHubServer,
    ) -> None:
        self.rules = rules
        self.parties = Parties(rules, owner_id)
        self.server = server
        self.now = now
        self.register = CompanyIndex(companies)
        self.signatures: dict[int, list[Signature]] = {}
        for signature in signatures:
            if signature.account_id is not None:
                self.signatures.setdefault(signature.account_id, []).append(signature)

    def coverage_of(
        self, account_id: int, *, linked: frozenset[str], proven: frozenset[str], chosen: ChosenCover | None = None
    ) -> CoverageResult:
        """The account's cover now; without any, the nearest miss tells why.

        `linked` are the addresses that GitHub links to the account here, `proven` those that it has proven. `chosen` is
        the cover that the person chose: only that one is looked at.
        """
        rules = self.rules
        own = _best(
            _signature(signature, rules, self.parties, self.now) for signature in self.signatures.get(account_id, ())
        )
        company = self._company(account_id, linked, proven, chosen)
        if rules.employees == "sign-too":  # Both are needed: a choice of one's own signature waives no company.
            return _both(own, company, rules)
        found = _best([own, company] if chosen is None else [own if chosen.company is None else company])
        if found is not None and found.covered:
            return _with_grace(found)
        if chosen is not None:
            return _chosen_miss(chosen, rules)
        return found or _unsigned(rules.individual.text, also=("company",))

    def _company(
        self, account_id: int, linked: frozenset[str], proven: frozenset[str], chosen: ChosenCover | None
    ) -> CoverageResult | None:
        only = chosen.company if chosen is not None else None
        found = None
        if self.register.companies:
            who = candidate(account_id, linked=linked, proven=proven, server=self.server)
            about = (company for company in self.register.about(who) if only in (None, company.record or company.name))
            found = _best(_company(company, self.rules, self.parties, who, self.now) for company in about)
        if chosen is None or only is None or (found is not None and found.covered):
            return found
        return _chosen_miss(chosen, self.rules)


def _both(own: CoverageResult | None, company: CoverageResult | None, rules: Rules) -> CoverageResult:
    """The cover under `employees: sign-too`: by the company and by the person's own signature."""
    mine = own or _unsigned(rules.individual.text)
    theirs = company or _unsigned(rules.corporate.text)
    # Names all that is missing: a signature is no way around the company's agreement, nor the other way.
    needs = tuple(name for name, result in (("signature", mine), ("company", theirs)) if not result.covered)
    if needs:
        miss = theirs if mine.covered else mine  # The person's own miss first: they can mend it.
        return replace(miss, values={**miss.values, "needs": needs})
    first = min(theirs, mine, key=lambda result: result.until or _NEVER)  # Grace ends with the first of the two.
    return _with_grace(replace(first, address=theirs.address, records=(*mine.records, *theirs.records)))


def _chosen_miss(chosen: ChosenCover, rules: Rules) -> CoverageResult:
    kind, agreement = ("self", rules.individual) if chosen.company is None else ("company", rules.corporate)
    values: dict[str, Value] = {"agreement": agreement.text, "kind": kind}
    return CoverageResult(covered=False, code="cla/chosen-uncovered", values=values)


def _unsigned(agreement: str, also: tuple[str, ...] = ()) -> CoverageResult:
    return CoverageResult(covered=False, code="cla/unsigned", values={"agreement": agreement, "also": also})


def _with_grace(found: CoverageResult) -> CoverageResult:
    if found.until is None:
        return found
    values = {key: found.values[key] for key in ("agreement", "version", "by") if key in found.values}
    return replace(found, code="cla/grace", values={**values, "until": moments.text(found.until)})


def _best(found: Iterable[CoverageResult | None]) -> CoverageResult | None:
    """Cover for good, then the longest grace, then the nearest miss."""
    return min((result for result in found if result is not None), key=_rank, default=None)


def _rank(result: CoverageResult) -> tuple[int, float]:
    if not result.covered:
        return (2 + MISSES.index(result.code), 0.0)
    return (0, 0.0) if result.until is None else (1, -result.until.timestamp())


def _signature(signature: Signature, rules: Rules, parties: Parties, now: datetime) -> CoverageResult | None:
    if signature.agreement != rules.individual.text or signature.signed_at > now:
        return None
    withdrawn = signature.withdrawn_at is not None and signature.withdrawn_at <= now
    if not parties.admit(signature.party):
        # A withdrawn signature for another party gives no hint.
        miss = CoverageResult(covered=False, code="cla/other-party", values={"agreement": signature.agreement})
        return None if withdrawn else miss
    if withdrawn:
        return CoverageResult(covered=False, code="cla/withdrawn", values={"agreement": signature.agreement})
    found = _by_version(signature.version, rules.individual, rules, now, code="cla/individual")
    return _if_logged(found, signature.agreement, logged=signature.logged, records={"signature": signature.record})


def _company(company: Company, rules: Rules, parties: Parties, who: Candidate, now: datetime) -> CoverageResult | None:
    is_asked = company.agreement == rules.corporate.text and company.signed_at <= now
    found = match(company, who, rules.people.domains, now) if is_asked else None
    if found is None:
        return None
    values: dict[str, Value] = {"agreement": company.agreement}
    if not parties.admit(company.party):
        return CoverageResult(covered=False, code="cla/other-party", values={**values, "by": "company"})
    over = found.ended or (company.ended_at is not None and company.ended_at <= now)
    if over or excludes(company, who, now):  # An exclusion of now says more than an agreement that ended.
        code = "cla/excluded" if excludes(company, who, now) else "cla/company-ended"
        return CoverageResult(covered=False, code=code, values=values)
    by_version = _by_version(company.version, rules.corporate, rules, now, code=found.code)
    if by_version.until is not None or not by_version.covered:
        by_version = replace(by_version, values={**by_version.values, "by": "company"})
    if not by_version.covered:
        return by_version
    shown: dict[str, Value] = {"company": company.name}
    if found.shown:
        shown[found.code.rpartition("-")[2]] = found.shown
    values = {**by_version.values, **shown}
    covered = CoverageResult(
        covered=True, code=found.code, values=values, until=by_version.until, address=found.address
    )
    records = {"company": company.record, "company_entry": found.record}
    return _if_logged(covered, company.agreement, logged=company.logged, records=records)


def _if_logged(found: CoverageResult, agreement: str, *, logged: bool, records: Mapping[str, str]) -> CoverageResult:
    """The cover, with the records behind it, as long as the log has them."""
    if found.covered and not logged:  # A row that the log does not have was added past this program.
        return CoverageResult(covered=False, code="cla/not-in-log", values={"agreement": agreement})
    named = tuple(f"{table}:{record}" for table, record in records.items() if record)
    return replace(found, records=named if found.covered else ())


def _by_version(version: str, current: AgreementRef, rules: Rules, now: datetime, *, code: str) -> CoverageResult:
    """Covered for good, for a time, or outdated, by the rulebook's `accept` for the signed version."""
    counts, until = validity(version, current, rules, now)
    values: dict[str, Value] = {"agreement": current.text, "version": version}
    if not counts:
        return CoverageResult(covered=False, code="cla/outdated", values={**values, "current": current.version})
    return CoverageResult(covered=True, code=code, values=values, until=until)


def validity(version: str, current: AgreementRef, rules: Rules, now: datetime) -> tuple[bool, datetime | None]:
    """Whether the rulebook accepts that version of the agreement at `now`, and until when (None: for good)."""
    # Without `accept` only the current version counts.
    accepted = rules.accept.get(current.text, (AcceptedVersions(current.version),))
    ends = [
        entry.until
        for entry in accepted
        if admits(entry.versions, version) and (entry.until is None or now < entry.until)
    ]
    if not ends:
        return False, None
    return True, None if None in ends else max(end for end in ends if end)
