"""Everything that is stored about the visitor, as one JSON file: only for them, and only soon after they signed in."""

import json
from datetime import timedelta

from flask import Response, render_template
from flask.typing import ResponseReturnValue

from agreements import moments
from agreements.store import personal_data
from bot.portal.portal_services import portal_services
from bot.portal.session.redirects import login_path
from bot.portal.session.visitor import signed_in, signed_in_within
from bot.store import personal_data as met
from bot.telemetry import security_log
from bot.telemetry.security_log import Event

SIGN_IN_MAX_AGE = timedelta(minutes=10)
"""So long after signing in everything may be taken along: nobody does it at a computer that was left alone."""

FORMAT = "countersign/personal/1"
"""Names the shape of the file; another shape gets another number."""


def export_page() -> str:
    """What is in the file, and the button; or first the way to sign in again."""
    recent = signed_in_within(SIGN_IN_MAX_AGE)
    return render_template("contributor/export.html", recent=recent, again=login_path("/me/export"))


def take_along() -> ResponseReturnValue:
    """The file. Too long after signing in it is the page again, with a link: a form must not lead away from here."""
    if not signed_in_within(SIGN_IN_MAX_AGE):
        return export_page(), 403
    who, services = signed_in(), portal_services()
    at = services.clock()
    with services.sessions() as records:
        document = {
            "format": FORMAT,
            "exported_at": moments.text(at),
            "site": services.settings.url,
            "account": {"id": who.account.id, "login": who.account.login},
            **personal_data.everything(records, services.vault, who.account.id),
            **met.everything(records, services.vault, who.account.id),
            "complete": True,
        }
    security_log.tell(Event.EXPORTED, account=who.account.id, what="personal", subject=who.account.id)
    body = json.dumps(document, ensure_ascii=False, indent=1)
    answer = Response(body, mimetype="application/json")
    answer.headers["Content-Disposition"] = 'attachment; filename="countersign-my-data.json"'
    return answer
