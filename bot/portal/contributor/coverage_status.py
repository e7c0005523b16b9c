"""Before signing: who covers the visitor already, and what their pull request still needs."""

from dataclasses import dataclass, replace
from datetime import datetime

from sqlmodel import Session

from agreements.cla.coverage import AgreementIndex
from agreements.rulebook.rules import Rules, for_repository
from agreements.store.people import signatures
from bot import verdict_codes
from bot.portal import employers
from bot.portal.employers import EmployerCover
from bot.portal.portal_services import PortalServices
from bot.portal.session.visitor import VisiblePull, Visitor
from bot.portal.text import finding_text
from bot.portal.text.languages import Language
from bot.report.words import CommandContext
from bot.store.pulls import verdicts


@dataclass(frozen=True, slots=True)
class CoverageStatus:
    """A person's cover by any of their addresses: by their `own` signature, or by the `company` of that name ("": by none).

    `linked`: that company covers them only in commits with an address that GitHub links to the account.
    `too`: the rules ask for the company's cover and the person's own signature. `grace` ends that of an older version.
    `employers` are all companies that cover the person, or would.
    """

    own: bool
    company: str = ""
    linked: bool = False
    too: bool = False
    grace: datetime | None = None
    employers: tuple[EmployerCover, ...] = ()

    @property
    def covered(self) -> bool:
        """Whether there is nothing more to do, in whichever repository of these rules."""
        # GitHub's link covers only commits with that address, not the person.
        company = bool(self.company) and not self.linked
        return self.own and company if self.too else self.own or company


@dataclass(frozen=True, slots=True)
class MissingCoverage:
    """The things that a pull request waited for last: the agreement that is `mine`, `others`, `unlinked` addresses, a `sign_off`."""

    mine: bool
    others: int = 0
    unlinked: bool = False
    sign_off: bool = False

    @property
    def nothing(self) -> bool:
        """Whether it waits for no agreement and no sign-off."""
        return not (self.mine or self.others or self.unlinked or self.sign_off)


def of(
    records: Session, services: PortalServices, who: Visitor, rules: Rules, *, owner: int | None, without: str = ""
) -> CoverageStatus:
    """The visitor's cover under those rules of that owner now; `without` leaves one signature (its receipt) out."""
    account_id, now = who.account.id, services.clock()
    known = employers.records_of(services, who)
    # Signature and company are asked about one by one, which `sign-too` would mix.
    each = replace(rules, employees="covered")
    none = frozenset[str]()
    # The records of a verdict have no receipts.
    left_out = [
        (signature.agreement, signature.version, signature.signed_at)
        for signature in signatures.mine(records, account_id)
        if signature.receipt == without
    ]
    kept = [
        signature
        for signature in known.signatures
        if (signature.agreement, signature.version, signature.signed_at) not in left_out
    ]
    signed = AgreementIndex(each, now, kept, (), owner_id=services.owner_id(owner), server=services.server)
    own = signed.coverage_of(account_id, linked=none, proven=none)
    found = employers.among(records, services, who, rules, known, owner=owner)
    first = next((cover for cover in found if cover.how != "possible"), None)
    return CoverageStatus(
        own=own.covered,
        company=first.name if first else "",
        linked=first is not None and first.how == "linked",
        too=rules.employees == "sign-too",
        grace=own.until,
        employers=found,
    )


def missing(
    records: Session, pull: VisiblePull, account_id: int, rules: Rules, language: Language
) -> MissingCoverage | None:
    """The cover that the pull request lacks; None when it was not judged yet."""
    verdict = verdicts.latest(records, pull.id)
    if verdict is None:
        return None
    codes = [] if verdict.conclusion in ("success", "neutral") else verdict.codes
    uncovered = {entry.get("account") for entry in codes if entry["code"] in verdict_codes.uncovered()}
    either = for_repository(rules, f"{pull.name.owner}/{pull.name.name}").require == "either"
    dco = [entry for entry in codes if str(entry["code"]).startswith("dco/")]
    return MissingCoverage(
        mine=account_id in uncovered,
        others=len(uncovered - {account_id}),
        unlinked=any(entry["code"] == "cla/unlinked-email" for entry in codes),
        # Where either will do, an agreement alone turns it green.
        sign_off=not either and bool(finding_text.fixes(dco, language, CommandContext())),
    )
