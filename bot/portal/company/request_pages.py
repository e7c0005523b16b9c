"""The page on which somebody who may act for a company asks for its agreement: read it, fill it in, sign it."""

import json
from hashlib import sha256

from flask import abort, redirect, render_template, session
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _  # type: ignore[import-untyped]  # it ships no types
from flask_babel import lazy_gettext
from wtforms import StringField  # type: ignore[import-untyped]  # it ships no types
from wtforms.validators import DataRequired, Length  # type: ignore[import-untyped]  # it ships no types

from agreements.store.companies.company_rows import CompanyRefused
from bot.portal import agreement_fields
from bot.portal.agreement_fields import countries
from bot.portal.company import request
from bot.portal.company.company_access import Unresolved, account, acting, said
from bot.portal.contributor.sign_form import SignForm
from bot.portal.languages import language
from bot.portal.page_access import Route, Who
from bot.portal.portal_services import portal_services
from bot.records import agreement_view
from bot.records.agreement_view import AgreementView

_SHOWN = "company-request"


class RequestForm(SignForm):
    """What is asked to sign for oneself, and who is to be the second manager."""

    second = StringField(
        validators=[
            DataRequired(lazy_gettext("Write the GitHub login of a second manager.")),
            Length(max=60, message=lazy_gettext("Write a GitHub login, such as octocat.")),
        ]
    )


def routes() -> tuple[Route, ...]:
    """Open to whoever signed in."""
    return (
        Route("/company/request", request_page, Who.SIGNED_IN),
        Route("/company/request", send_request, Who.SIGNED_IN, "POST", limit="10 per minute"),
    )


def request_page() -> ResponseReturnValue:
    """The steps, the agreement and the form."""
    paper = _paper()
    return _page(paper, _form(paper), {})


def send_request() -> ResponseReturnValue:
    """Sign exactly what was shown; anything else shows the form again and says why."""
    paper, who = _paper(), acting()
    form = _form(paper)
    valid = form.validate_on_submit()
    shown = session.get(_SHOWN, {})
    if not form.seen.data or form.seen.data != request.seen(paper) or shown.get("seen") != form.seen.data:
        form.agree.data = False
        changed = _("The text has changed since you opened this page, or it was opened in another visit. Read it again, then sign.")  # fmt: skip
        return _page(paper, form, {"text": changed}), 409
    if not valid:
        return _page(paper, form, {name: str(lines[0]) for name, lines in form.errors.items() if lines}), 400
    try:
        fields, second = agreement_fields.answers(form, request.asked(paper)), account(form.second.data)
        given = request.CompanyRequestForm(
            paper=paper,
            name=form.name.data,
            email=form.email.data,
            fields=fields,
            second=second,
            company_id=_company_id(shown["id"], form.name.data, form.email.data, second.id, dict(fields)),
            language=language(),
        )
        company_id = request.ask(portal_services(), who.account, given)
    except Unresolved as error:
        return _page(paper, form, {"second": error.sentence}), error.code
    except CompanyRefused as error:
        field = "text" if error.reason == "too-many" else "second"
        return _page(paper, form, {field: said(error)}), 409
    return redirect(f"/company/{company_id}")


def _paper() -> AgreementView:
    rules = portal_services().rules(None)
    paper = agreement_view.show(portal_services().catalog, rules, rules.corporate.text, language())
    if paper is None:
        abort(404)
    return paper


def _form(paper: AgreementView) -> RequestForm:
    form: RequestForm = agreement_fields.with_fields(RequestForm, request.asked(paper))()
    form.email.choices = [(address, address) for address in acting().emails]
    if not form.is_submitted():
        form.agree.data = False
        form.email.data = form.email.choices[0][0] if len(form.email.choices) == 1 else None
    return form


def _page(paper: AgreementView, form: RequestForm, errors: dict[str, str]) -> str:
    """What it shows is noted in the visit, with the id from which the company's is made."""
    seen = request.seen(paper)
    kept = session.get(_SHOWN, {})
    fresh = not form.is_submitted() or not kept
    session[_SHOWN] = {"seen": seen, "id": portal_services().new_id() if fresh else kept["id"]}
    return render_template(
        "company/request.html",
        paper=paper,
        form=form,
        asked=request.asked(paper),
        statement=request.statement(paper),
        seen=seen,
        countries=countries(language()),
        errors={name: errors[name] for name in _order(paper) if name in errors},
    )


def _company_id(shown: str, *answers: object) -> str:
    """The same for a form that is sent twice, another for other answers: several tabs of a visit share what is noted.

    Nobody else knows `shown`, so the id tells nothing of the answers.
    """
    return sha256(json.dumps((shown, answers), sort_keys=True).encode()).hexdigest()[:32]


def _order(paper: AgreementView) -> tuple[str, ...]:
    """The fields as they stand on the page; a mistake's line links to its field."""
    declared = (agreement_fields.PREFIX + one.name for one in request.asked(paper))
    return ("text", *declared, "name", "email", "second", "agree")
