"""The covers among which a visitor may choose in a pull request in which they take part: their own, and their companies'."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agreements.cla.coverage import AgreementIndex
from agreements.rulebook.rules import Rules
from agreements.store.coverage_records import Records
from bot.portal import employers
from bot.portal.employers import EmployerCover
from bot.portal.portal_services import portal_services, reading
from bot.portal.session.visitor import visitor
from bot.store.pulls import cover_choices
from bot.store.pulls.named_pulls import FoundPull

SELF = "me"
"""The value of the form for the visitor's own signature."""


@dataclass(frozen=True, slots=True)
class VisitorCover:
    """The visitor's `employers`, and the `options` to choose from: names of companies by the values of the form.

    The name "" is for the visitor's own signature. There are none for a person with one cover alone. `checked` is the
    value chosen so far, "" for none.
    """

    employers: tuple[EmployerCover, ...]
    options: Mapping[str, str]
    checked: str = ""


def of(pull: FoundPull, codes: Sequence[Mapping[str, Any]]) -> VisitorCover | None:
    """The covers of this visitor; None for a person whom the CLA check with these findings does not name."""
    who, services = visitor(), portal_services()
    if who is None or pull.id is None or not pull.open:
        return None
    mine = {entry["code"] for entry in codes if entry["check"] == "CLA" and entry.get("account") == who.account.id}
    if not mine:
        return None
    # By the visitor's own verified addresses: of other people's nothing is shown.
    known, rules = employers.records_of(services, who), services.rules(pull.owner_id)
    own = {SELF: ""} if _has_signed(who.account.id, rules, known, services.owner_id(pull.owner_id)) else {}
    with reading() as (records, _vault, _at):
        found = employers.among(records, services, who, rules, known, owner=pull.owner_id)
        options = own | {cover.company_id: cover.name for cover in found if cover.how != "possible"}
        # A choice that covers no longer may be changed to the one cover that is left.
        if len(options) < 2 and "cla/chosen-uncovered" not in mine:
            return VisitorCover(found, {})
        chosen = cover_choices.of_account(records, pull.id, who.account.id)
    return VisitorCover(found, options, "" if chosen is None else chosen.company or SELF)


def _has_signed(account_id: int, rules: Rules, known: Records, owner_id: int | None) -> bool:
    """Whether the account's own signature is enough; where a company is needed as well, it is no choice."""
    services, none = portal_services(), frozenset[str]()
    index = AgreementIndex(rules, services.clock(), known.signatures, (), owner_id=owner_id, server=services.server)
    return index.coverage_of(account_id, linked=none, proven=none).covered
