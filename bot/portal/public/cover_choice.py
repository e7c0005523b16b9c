"""The covers among which a visitor may choose in a pull request in which they take part: their own, and their companies'."""

from dataclasses import dataclass

from agreements.facts import ChosenCover
from bot.portal.contributor import coverage_status
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
    rules = services.rules(pull.owner_id)
    if who is None or pull.id is None or not pull.open:
        return None
    with reading() as (records, _vault, _at):
        last = verdicts.latest(records, pull.id)
        # By the verdict, as the repository's own rules count, too.
        is_judged = last is not None and any(entry["check"] == "CLA" for entry in last.codes)
        if not is_judged or not named_pulls.takes_part(records, pull, who.account.id):
            return None
        status = coverage_status.of(records, services, who, rules, owner=pull.owner_id)
        chosen = cover_choices.of_account(records, pull.id, who.account.id)
    # Where both are needed, one's own signature alone is no choice.
    found = CoverOptions(
        own=status.own and not status.too,
        companies=tuple(one for one in status.employers if one.how != "possible"),
        chosen=chosen,
    )
    return found if found.values and (len(found.values) > 1 or chosen is not None) else None
