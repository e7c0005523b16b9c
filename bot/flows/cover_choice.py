"""The command `/cla for …`: a person says for whom they contribute in a pull request, for themselves alone."""

from agreements.cla.party import Parties
from bot.flows.flow_services import Services
from bot.github.ports import Comment, PullRequestSnapshot
from bot.rulebook.effective import Rulebook, RulebookProblem
from bot.store.pulls import cover_choices, pull_state, review_mailbox
from bot.webhook import commands

MISSHAPEN = "misshapen"
"""The reason against a command that lacks something, or names what cannot be."""


def decide(
    comment: Comment,
    comment_id: int,
    snapshot: PullRequestSnapshot,
    rulebook: Rulebook | RulebookProblem,
    services: Services,
) -> str:
    """Record the choice of the person who wrote the comment, or give the reason against it, for the log; "" once recorded."""
    wanted = commands.wanted_cover(comment.body)
    if wanted is None or not isinstance(rulebook, Rulebook):
        return MISSHAPEN if wanted is None else "no rules are in force"
    assert comment.author is not None
    parties = Parties(rulebook.rules, snapshot.owner_id)
    with services.change(comment.author.id) as context:
        session, company_id = context.session, None
        pull = review_mailbox.find(session, snapshot.place.repository_id, snapshot.number)
        if pull is None or pull.id is None or context.actor not in pull_state.participants(session, pull.id):
            return "this account is not among those checked"
        if wanted.domain:
            found = cover_choices.companies_at(session, wanted.domain, at=context.at)
            # A company may have an agreement with each of several parties.
            theirs = (candidate for candidate, party in found.items() if party is not None and parties.admit(party))
            company_id = next(theirs, None)
            if company_id is None:
                return MISSHAPEN
        row = cover_choices.add(context, pull.id, company_id, comment_id=comment_id)
        if row is not None:
            review_mailbox.enqueue_review(session, services.engine, pull.id, queue="now")
            context.log("cover.chosen", rows=[row])
    return ""
