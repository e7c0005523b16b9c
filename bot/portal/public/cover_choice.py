"""The covers among which a visitor may choose in a pull request in which they take part: their own, and their companies'."""

from dataclasses import dataclass

from agreements.cla.coverage import AgreementIndex
from agreements.facts import ChosenCover
from agreements.rulebook.rules import Rules
from agreements.store.coverage_records import Records
from bot.portal import employers
from bot.portal.employers import EmployerCover
from bot.portal.portal_services import portal_services, reading
from bot.portal.session.visitor import visitor
from bot.store.pulls import cover_choices, named_pulls, verdicts
from bot.store.pulls.named_pulls import FoundPull

SELF = "me"
"""The value of the form for the visitor's own signature."""


@dataclass(frozen=True, slots=True)
class CoverOptions:
    """The visitor's covers: whether a signature of their `own` counts, the `companies`, and the one `chosen` so far."""

    own: bool
    companies: tuple[EmployerCover, ...]
    chosen: ChosenCover | None

    @property
    def values(self) -> dict[str, str]:
        """The names of the companies by the values of the form; "" for the visitor's own signature."""
        return ({SELF: ""} if self.own else {}) | {one.company_id: one.name for one in self.companies}

    @property
    def checked(self) -> str:
        """The value chosen so far; "" for none."""
        return "" if self.chosen is None else self.chosen.company or SELF


def of(pull: FoundPull) -> CoverOptions | None:
    """The options of this visitor; None for a person with nothing to choose: no part in it, one cover, or none."""
    who, services = visitor(), portal_services()
    if who is None or pull.id is None or not pull.open:
        return None
    with reading() as (records, _vault, _at):
        last = verdicts.latest(records, pull.id)
        # By the verdict, as the repository's own rules count, too.
        is_judged = last is not None and any(entry["check"] == "CLA" for entry in last.codes)
        if not is_judged or not named_pulls.takes_part(records, pull, who.account.id):
            return None
        known, rules = employers.records_of(services, who), services.rules(pull.owner_id)
        companies = employers.among(records, services, who, rules, known, owner=pull.owner_id)
        found = CoverOptions(
            own=_has_signed(who.account.id, rules, known, services.owner_id(pull.owner_id)),
            companies=tuple(one for one in companies if one.how != "possible"),
            chosen=cover_choices.of_account(records, pull.id, who.account.id),
        )
    return found if found.values and (len(found.values) > 1 or found.chosen is not None) else None


def _has_signed(account_id: int, rules: Rules, known: Records, owner_id: int | None) -> bool:
    """Whether the account's own signature is enough; where a company is needed as well, it is no choice."""
    services, none = portal_services(), frozenset[str]()
    index = AgreementIndex(rules, services.clock(), known.signatures, (), owner_id=owner_id, server=services.server)
    return index.coverage_of(account_id, linked=none, proven=none).covered
