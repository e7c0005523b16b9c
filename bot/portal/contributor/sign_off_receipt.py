"""The receipt of a sign-off, for its signer only: JSON that the log's key signs, and that a project may keep with its commits."""

import structlog
from flask import abort, render_template
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from agreements import moments
from agreements.store.people import person_rows, portal_signoffs, signed_receipts
from agreements.store.people.portal_signoffs import StoredSignoff
from agreements.store.people.signed_receipts import ReceiptNotLogged
from bot.portal import receipt_files
from bot.portal.downloads import download
from bot.portal.portal_services import portal_services, reading
from bot.portal.session.visitor import signed_in
from bot.store.pulls import signed_pulls
from bot.store.pulls.named_pulls import FoundPull

log = structlog.get_logger()


def as_json(signoff: str) -> ResponseReturnValue:
    """The receipt of the visitor's own sign-off, signed; for everything else there is no such page."""
    account_id = signed_in().account.id
    try:
        with reading() as (records, vault, _at):
            row, pull = next(iter(signed_pulls.of_account(records, account_id, signoff)), None) or abort(404)
            login = portal_signoffs.login(vault, person_rows.find(records, account_id), row)
            receipt = signed_receipts.sign_off(records, vault, row, _content(row, pull, login))
    except ReceiptNotLogged as error:
        log.error("receipt.not-signed", why=str(error))  # noqa: TRY400 - a trace would say no more
        title = _("This receipt is not available right now")
        advice = _(
            "The log does not confirm this sign-off, so the server does not sign its receipt. Ask an administrator."
        )
        return render_template("error.html", code=503, title=title, advice=advice), 503
    return download(receipt_files.as_text(receipt), "application/json", f"sign-off-{row.commits[0][:12]}.json")


def _content(row: StoredSignoff, pull: FoundPull, login: str) -> dict[str, object]:
    texts = portal_services().catalog.texts()
    version = next((text.version for text in texts if (text.name, text.sha256) == ("dco", row.text_sha256)), None)
    # It may end up in a public repository, and stays there: no name, no address, nothing about how they signed in.
    return {
        "issuer": portal_services().url,
        "repository": {"id": row.repository_id, "name": f"{pull.owner}/{pull.name}"},
        "pull_request": row.number,
        "commits": list(row.commits),
        "agreement": {"name": "dco", "version": version, "language": "en"},
        "source_sha256": row.text_sha256,
        "account": {"id": row.account_id, "login": login},
        "signed_at": moments.text(row.signed_at),
        "withdrawn_at": moments.text(row.revoked_at) if row.revoked_at else None,
    }
