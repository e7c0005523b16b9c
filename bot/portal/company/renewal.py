"""Once a year a manager looks through the company's domains, people and managers, and says that all is still right."""

from flask import redirect, render_template, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _

from agreements.store.companies import companies, enrolments, managers, renewals, rosters
from agreements.store.companies.company_rows import CompanyRefused
from bot.portal.company.company_access import overview
from bot.portal.portal_services import portal_services
from bot.portal.session.visitor import signed_in
from bot.portal.text.languages import language
from bot.records import agreement_view


def renew(company_id: str) -> ResponseReturnValue:
    """All is still right: for another year."""
    if not request.form.get("right"):
        return renewal_page(company_id, _("Tick the box to confirm that everything is correct.")), 400
    try:
        with portal_services().change(signed_in().account.id) as context:
            renewals.renew(context, company_id)
    except CompanyRefused:  # somebody else was quicker, or the agreement has ended: the page says how it stands
        return renewal_page(company_id), 409
    return redirect(f"/company/{company_id}/renewal")


def overdue_page() -> ResponseReturnValue:
    """Companies in force that nobody has looked at for a year and a month."""
    services = portal_services()
    accepted = services.catalog.accepted()
    with services.sessions() as records:
        missing = companies.without_text(records, accepted=accepted)
        late = [one for one in renewals.overdue(records, at=services.clock()) if one[0] not in missing]
    return render_template("company/renewal_overdue.html", late=late)


def renewal_page(company_id: str, error: str = "") -> str:
    """What there is to look through, and the tick when it is time."""
    services, company = portal_services(), overview(company_id)
    at, accepted = services.clock(), services.catalog.accepted()
    with services.sessions() as records:
        roster = rosters.roster(records, services.vault, company_id, accepted=accepted)
        in_office = managers.in_office(records, company_id, at=at)
        enrolled = enrolments.running(records, company_id, at=at)
    running = [one for one in roster.named if one.entry.runs(at)]
    return render_template(
        "company/renewal.html",
        company=company,
        title=agreement_view.title(services.catalog, company.agreement, company.version, language()),
        domains=[one.entry for one in running if one.entry.domain and not one.excluded],
        named=sum(one.entry.domain is None and not one.excluded for one in running),
        excluded=sum(one.excluded for one in running),
        enrolled=len(enrolled),
        managers=in_office,
        due=company.state == "in force" and renewals.may_renew(company.renew_by, at),
        error=error,
        errors={"right": error} if error else {},
    )
