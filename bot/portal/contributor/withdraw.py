"""Taking a signature back: what will follow is said first, then confirmed; the signature stays as evidence."""

from flask import abort, redirect, render_template
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from agreements.store.people import signatures, withdrawals
from agreements.store.people.signatures import OwnSignature
from bot.portal import organizations
from bot.portal.contributor import coverage_status
from bot.portal.forms.form_action import FormRefused, change, form_action
from bot.portal.forms.typed_values import field
from bot.portal.portal_services import portal_services, reading
from bot.portal.session.visitor import Visitor, signed_in
from bot.portal.signing import ended_email
from bot.portal.text.languages import language
from bot.records import agreement_view
from bot.store import outbox
from bot.store.pulls import pull_state, rejudge

_MAX_NAMED = 50


def withdraw_page(receipt: str) -> ResponseReturnValue:
    """The page with the effects of a withdrawal, and the form; the receipt for one that is no longer in force."""
    return redirect(f"/receipts/{receipt}") if _mine(signed_in(), receipt).withdrawn_at else _page(receipt)


def _page(receipt: str) -> str:
    services, who = portal_services(), signed_in()
    signature = _mine(who, receipt)
    owner = organizations.owner_of_party(signature.party)
    # From the database alone: GitHub is not asked.
    with reading() as (records, _vault, _at):
        after = coverage_status.of(
            records, services, who, services.rules(owner), owner=owner, without=signature.receipt
        )
        pulls = pull_state.open_pulls(records, who.account.id, most=_MAX_NAMED + 1)
    return render_template(
        "contributor/withdraw.html",
        signature=signature,
        title=agreement_view.title(
            services.catalog, signature.agreement, signature.version, language(), signature.language
        ),
        after=after,
        pulls=pulls[:_MAX_NAMED],
        more=len(pulls) > _MAX_NAMED,
    )


@form_action(_page)
def withdraw(receipt: str) -> ResponseReturnValue:
    """Withdraw it once: row, mail, rechecks and log entry in one transaction. Without the tick the page comes again."""
    if _mine(signed_in(), receipt).withdrawn_at is None and field("sure") != "y":
        raise FormRefused({"sure": _("Tick the box to withdraw your signature.")})
    services = portal_services()
    with change() as context:
        records, account_id = context.session, context.actor
        ended = withdrawals.withdraw(context, receipt)
        view = signatures.receipt(records, context.vault, receipt, account_id) if ended else None
        if ended is not None and view is not None:  # The second of two clicks changes nothing.
            if view.draft.email:  # One on paper may have none.
                outbox.add(context, ended_email(services, view, context.at))
            rejudge.people(records, services.engine, [account_id])
            details = {"agreement": view.draft.agreement, "version": view.draft.version}
            context.log("signature.withdrawn", account_id, rows=[ended], details=details)
    return redirect(f"/receipts/{receipt}")


def _mine(who: Visitor, receipt: str) -> OwnSignature:
    with reading() as (records, _vault, _at):
        mine = signatures.mine(records, who.account.id)
    return next(
        (signature for signature in mine if signature.receipt == receipt and not signature.for_company), None
    ) or abort(404)
