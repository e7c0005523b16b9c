"""The page on which people sign off their own commits of a pull request, and withdraw that as long as it is open."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256

from flask import abort, redirect, render_template
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from agreements.catalog import AgreementText
from agreements.dco import portal_signoff
from agreements.domains.masking import visible
from agreements.facts import Facts
from agreements.judge import judge
from agreements.store.people import emails, person_rows, portal_signoffs
from agreements.store.people.emails import MAILED_CODE
from agreements.store.people.portal_signoffs import PortalSignoffDraft, StoredSignoff
from agreements.store.record_context import RecordContext
from bot.portal import judged_facts
from bot.portal.forms.form_action import FormRefused, change, form_action
from bot.portal.forms.typed_values import field
from bot.portal.portal_services import portal_services, reading
from bot.portal.session.pull_access import readable_pull
from bot.portal.session.redirects import PullName
from bot.portal.session.visitor import signed_in
from bot.portal.signing import IDENTITY_PROOF
from bot.portal.text.languages import language
from bot.rulebook.facts_replay import known_facts
from bot.rulebook.recorded_facts import CannotReplay
from bot.store.pulls import named_pulls, review_mailbox
from bot.store.pulls.named_pulls import FoundPull

STATEMENT_ID = "dco-sign-off-1"
"""The wording of the sentence beside the tick; another wording gets another number."""

_MAX_SUBJECT_CHARACTERS = 120


@dataclass(frozen=True, slots=True)
class CommitToSign:
    """A commit by its `sha` and the first line of its message (`subject`); `others`: co-authors have to sign it off, too."""

    sha: str
    subject: str
    others: bool


@dataclass(frozen=True, slots=True)
class PullSignoffs:
    """The visitor's part in the pull request: the commits to sign off (`wanted`), and their sign-offs, the oldest first (`signed`).

    `counted`: the rulebook lets a sign-off in the portal count; None where the last check left nothing to tell it by.
    """

    counted: bool | None
    wanted: tuple[CommitToSign, ...]
    signed: tuple[StoredSignoff, ...]

    @property
    def standing(self) -> bool:
        """Whether a sign-off is in force that can be withdrawn."""
        return any(signoff.revoked_at is None for signoff in self.signed)


def sign_off_page(owner: str, name: str, number: str) -> str:
    """The page with the visitor's own commits, the certificate, and the form."""
    pull, text = readable_pull(owner, name, number), certificate()
    found = _signoffs(pull)
    return render_template(
        "contributor/sign_off.html",
        pull=PullName(pull.owner, pull.name, pull.number),
        open=pull.open,
        found=found,
        seen=_seen(found, text),
        text=text,
        statement=statement(),
    )


@form_action(sign_off_page)
def sign_off(owner: str, name: str, number: str) -> ResponseReturnValue:
    """Record the sign-off of exactly the commits that were shown; anything else shows the page again and says why."""
    pull, who, text = readable_pull(owner, name, number), signed_in(), certificate()
    found = _signoffs(pull)
    if field("agree") != "y":
        raise FormRefused({"agree": _("Tick the box to sign off.")})
    if not pull.open or not found.wanted or field("seen") != _seen(found, text):
        raise FormRefused({"agree": _("The pull request has changed. Read the page again before you sign off.")}, 409)
    draft = PortalSignoffDraft(
        repository_id=pull.repository_id,
        number=pull.number,
        shas=tuple(commit.sha for commit in found.wanted),
        text_sha256=text.sha256,
        statement_id=STATEMENT_ID,
        statement_sha256=sha256(statement().encode()).hexdigest(),
        language=language(),
        identity_proof=IDENTITY_PROOF,
    )
    with change() as context:
        person = person_rows.ensure(context, who.account)
        portal_signoffs.add(context, person, draft, queue=partial(_judge_again, context, pull))
    return redirect(f"/pr/{PullName(pull.owner, pull.name, pull.number)}?after=1")


@form_action(sign_off_page)
def revoke_sign_off(owner: str, name: str, number: str) -> ResponseReturnValue:
    """Withdraw the visitor's sign-offs of this pull request, as long as it is open."""
    pull = readable_pull(owner, name, number)
    if field("sure") != "y":
        raise FormRefused({"sure": _("Tick the box to withdraw your sign-offs.")})
    if not pull.open:
        raise FormRefused({"sure": _("This pull request is closed. Its sign-offs stay as they are.")}, 409)
    with change() as context:
        portal_signoffs.revoke(context, pull.repository_id, pull.number, queue=partial(_judge_again, context, pull))
    return redirect(f"/pr/{PullName(pull.owner, pull.name, pull.number)}?after=1")


def certificate() -> AgreementText:
    """The newest text of the Developer Certificate of Origin; 404 without one."""
    catalog = portal_services().catalog
    return catalog.get("dco", catalog.versions("dco")[-1], "en") or abort(404)


def statement() -> str:
    """The sentence beside the tick, in the page's language."""
    return str(_("I certify the Developer Certificate of Origin for these commits."))


def _judge_again(context: RecordContext, pull: FoundPull) -> None:
    assert pull.id is not None
    review_mailbox.enqueue_review(context.session, portal_services().engine, pull.id, queue="now")


def _seen(found: PullSignoffs, text: AgreementText) -> str:
    """The fingerprint of what the page shows: only that can be signed off."""
    return sha256(" ".join([text.sha256, *(commit.sha for commit in found.wanted)]).encode()).hexdigest()


def _signoffs(pull: FoundPull) -> PullSignoffs:
    account_id = signed_in().account.id
    with reading() as (records, vault, at):
        rows = portal_signoffs.of_pull(records, pull.repository_id, pull.number)
        proven = emails.proven(records, vault, [account_id], at, how=(MAILED_CODE,))
    given = portal_signoffs.read(rows)
    mine = tuple(sorted((row for row in rows if row.account_id == account_id), key=lambda row: (row.signed_at, row.id)))
    facts = _facts(pull)
    if facts is None:
        return PullSignoffs(None, (), mine)
    # As the next check will see it: with what was proven and signed off since the last one.
    addresses: Mapping[int, tuple[str, ...]] = {**facts.emails, account_id: tuple(proven.get(account_id, ()))}
    now = replace(facts, emails=addresses, signoffs=given)
    return PullSignoffs(portal_signoff.is_counted(now.rules), _wanted(now, account_id), mine)


def _wanted(facts: Facts, account_id: int) -> tuple[CommitToSign, ...]:
    """The commits that fail and that this account has to sign off, and did not yet."""
    given = portal_signoff.accounts_by_commit(facts)
    signers = {
        sha: accounts
        for check in judge(facts).checks
        for sha, accounts in portal_signoff.signable(facts, check).items()
    }
    return tuple(
        CommitToSign(commit.sha, _subject(commit.message), others=len(signers[commit.sha]) > 1)
        for commit in facts.commits
        if account_id in signers.get(commit.sha, ()) and account_id not in given.get(commit.sha, ())
    )


def _subject(message: str) -> str:
    return visible(message.partition("\n")[0])[:_MAX_SUBJECT_CHARACTERS]


def _facts(pull: FoundPull) -> Facts | None:
    """The facts of the newest verdict, which are of the head that was judged; None where they are not known."""
    assert pull.id is not None
    with reading() as (records, vault, _at):
        newest = named_pulls.history(records, pull.id, most=1)
        kept = judged_facts.kept(records, vault, portal_services().server, pull, newest[0]) if newest else None
    try:
        return None if kept is None else known_facts(kept)
    except CannotReplay:
        return None
