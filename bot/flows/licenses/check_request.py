"""After a review: whether the licences of its head have to be judged, or judged anew because the rules changed."""

import hashlib

from sqlmodel import Session

from bot.flows.flow_services import Services
from bot.flows.publishing.review_publisher import language
from bot.github.ports import PullRequestSnapshot
from bot.rulebook.effective import Rulebook, RulebookProblem
from bot.store import license_checks
from bot.store.license_checks import Head
from bot.store.pulls.review_mailbox import ReviewClaim


def ask(
    session: Session,
    claim: ReviewClaim,
    snapshot: PullRequestSnapshot,
    rulebook: Rulebook | RulebookProblem,
    services: Services,
    *,
    is_known: bool,
) -> None:
    """In the transaction that writes the verdict down: whatever happens later, the licences are judged, too.

    Only where the rulebook has a part on licences; a head that was judged by one is brought up to date when that part
    goes, or can't be read: then it `is_known`. What has nothing to do with licences (a signature, a label) asks for nothing.
    """
    head = Head(snapshot.place.repository_id, snapshot.head_sha)
    wanted = isinstance(rulebook, Rulebook) and rulebook.policy.stated
    if not wanted and not is_known:
        return
    basis = {pull.number: "" for pull in license_checks.open_pulls(session, head)}
    basis[snapshot.number] = _digest(snapshot, rulebook)
    license_checks.ask(session, services.engine, head, basis, queue="now" if claim.row.urgent else "later")


def _digest(snapshot: PullRequestSnapshot, rulebook: Rulebook | RulebookProblem) -> str:
    """Of all that the rules and GitHub's words bring to the judgement of one pull request."""
    rules: tuple[object, ...] = (rulebook,)
    if isinstance(rulebook, Rulebook):
        rules = (rulebook.policy, rulebook.rules.since, language(rulebook.rules.comment_language, snapshot))
    return hashlib.sha256(repr((snapshot.base, rules)).encode("utf-8", "surrogatepass")).hexdigest()
