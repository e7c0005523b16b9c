"""The one thing that this visitor can do next to turn a red pull request green; pure, from the findings as they are kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from bot import verdict_codes

Kind = Literal["enrol", "employer", "sign", "prove", "sign-off", "others"]
"""`others`: it waits for other people alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewerSituation:
    """The visitor: `account_id` is None for a stranger, who may be any of the people, `takes_part` says whether they are one of them.

    `enrol` are domains at which a company would cover them; `employer`: one would in another way, which /employer names.
    `corporate` names the agreement of companies. `both`: the rules ask for the company's cover and for their own
    signature, which is named first while both are missing.
    """

    account_id: int | None
    takes_part: bool
    enrol: tuple[str, ...] = ()
    employer: bool = False
    corporate: str = ""
    both: bool = False


@dataclass(frozen=True, slots=True)
class NextStep:
    """The `kind` of step to take, and whether `more` steps follow, by this visitor or others."""

    kind: Kind
    more: bool = False


def find(
    entries: Sequence[Mapping[str, Any]], viewer: ViewerSituation, *, sign_off: bool = False, either: bool = False
) -> NextStep | None:
    """The next step; None when no agreement, address or sign-off is missing.

    `sign_off`: there are commands that sign commits off. `either`: an agreement or the sign-offs are enough.
    """
    uncovered = {entry.get("account"): entry for entry in entries if entry["code"] in verdict_codes.uncovered()}
    unlinked = any(verdict_codes.is_provable(entry["code"], entry.get("values", {})) for entry in entries)
    if not (uncovered or unlinked or sign_off):
        return None
    # A stranger may be any of them: the first one's step is shown.
    mine = uncovered.get(viewer.account_id) if viewer.account_id is not None else next(iter(uncovered.values()), None)
    # Where either is enough, sign-offs are no step beside a missing agreement.
    left = len(uncovered) + unlinked + (sign_off and not (either and (uncovered or unlinked)))
    if mine is not None:
        return NextStep(_of_cover(mine, viewer), more=left > 1)
    if unlinked:  # The address may be the visitor's.
        return NextStep("prove", more=left > 1)
    if viewer.account_id is not None and not viewer.takes_part:  # Then others have to act.
        return NextStep("others")
    if sign_off:
        return NextStep("sign-off", more=bool(uncovered) and not either)
    return NextStep("others")


def _of_cover(entry: Mapping[str, Any], viewer: ViewerSituation) -> Kind:
    """The step by which a person who is not covered gets covered soonest."""
    company = entry.get("values", {}).get("agreement") == viewer.corporate
    if viewer.enrol and (company or not viewer.both):
        return "enrol"
    if viewer.employer and (company or not viewer.both):
        return "employer"
    return "employer" if viewer.both and company and viewer.account_id is not None else "sign"
