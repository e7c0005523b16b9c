"""Every page of a company with who may use it, by the blueprint that its endpoint is named after in logs."""

from bot.portal.company import (
    domains,
    enrol,
    invitations,
    managers,
    named_people,
    overview,
    people_bulk,
    removal_preview,
    request,
    roster,
    signatory,
    signatory_request,
)
from bot.portal.session.page_access import Audience, Route, post

_COMPANY = "/company/<company_id>"
_REQUEST = signatory_request.PATH
_SENT = f"{_REQUEST}/<request_id>"
_DOMAIN = f"{_COMPANY}/domains/<claim_id>"
_INVITATIONS = f"{_COMPANY}/invitations"
_INVITED = f"{_INVITATIONS}/<invitation_id>"
_LINK = f"{signatory.PATH}/<token>"

BLUEPRINTS = {
    "desk": (
        Route("/company/request", request.request_page, Audience.SIGNED_IN),
        post("/company/request", request.send_request, Audience.SIGNED_IN, "10 per minute"),
        Route(_REQUEST, signatory_request.signatory_form, Audience.SIGNED_IN),
        post(_REQUEST, signatory_request.send_to_signatory, Audience.SIGNED_IN, "10 per minute"),
        Route(_SENT, signatory_request.signatory_state, Audience.SIGNED_IN),
        post(f"{_SENT}/again", signatory_request.send_to_signatory_again, Audience.SIGNED_IN, "10 per minute"),
        post(f"{_SENT}/revoke", signatory_request.revoke_signatory, Audience.SIGNED_IN, "10 per minute"),
        Route("/company", overview.my_companies, Audience.SIGNED_IN),
        Route(_COMPANY, overview.company_page, Audience.MANAGER),
        Route(f"{_COMPANY}/receipt.json", overview.company_receipt, Audience.MANAGER),
        Route(f"{_COMPANY}/receipt.pdf", overview.company_receipt_pdf, Audience.MANAGER, limit="6 per minute"),
        post(f"{_COMPANY}/mode", overview.choose_mode, Audience.MANAGER, "20 per minute"),
        post(f"{_COMPANY}/end", overview.end_agreement, Audience.MANAGER, "20 per minute"),
        Route(f"{_COMPANY}/domains", domains.domains_page, Audience.MANAGER),
        post(f"{_COMPANY}/domains", domains.claim_domain, Audience.MANAGER, "10 per minute"),
        post(f"{_DOMAIN}/check", domains.check_domain, Audience.MANAGER, "10 per minute"),
        post(f"{_DOMAIN}/subdomains", domains.switch_subdomains, Audience.MANAGER, "20 per minute"),
        Route(f"{_COMPANY}/people", named_people.people_page, Audience.MANAGER),
        post(f"{_COMPANY}/people", named_people.add_person, Audience.MANAGER, "60 per minute"),
        # A search is a POST: no address ever stands in the browser's history.
        post(f"{_COMPANY}/people/search", named_people.search_people, Audience.MANAGER, "60 per minute"),
        Route(f"{_COMPANY}/people/list", people_bulk.list_page, Audience.MANAGER),
        # Each one may ask GitHub for many logins.
        post(f"{_COMPANY}/people/list", people_bulk.check_list, Audience.MANAGER, "6 per minute; 30 per hour"),
        post(f"{_COMPANY}/people/list/refused", people_bulk.download_refused, Audience.MANAGER, "10 per minute"),
        post(f"{_COMPANY}/people/list/add", people_bulk.add_list, Audience.MANAGER, "10 per minute"),
        Route(f"{_COMPANY}/people/<entry_id>", named_people.entry_page, Audience.MANAGER),
        post(f"{_COMPANY}/people/<entry_id>", named_people.end_entry, Audience.MANAGER, "60 per minute"),
        Route(f"{_COMPANY}/managers", managers.managers_page, Audience.MANAGER),
        post(f"{_COMPANY}/managers", managers.appoint_manager, Audience.MANAGER, "10 per minute"),
        post(f"{_COMPANY}/managers/<int:account_id>/leave", managers.end_manager, Audience.MANAGER, "10 per minute"),
    ),
    "signatory": (
        # Open to strangers: the token of the link, and then the code, say who it is. No page here names a person before.
        Route(_LINK, signatory.link_page, Audience.PUBLIC, limit="30 per minute"),
        post(f"{_LINK}/code", signatory.mail_signatory_code, Audience.PUBLIC, "6 per minute; 20 per hour"),
        Route(signatory.PATH, signatory.signatory_page, Audience.PUBLIC),
        Route(f"{signatory.PATH}/receipt.json", signatory.signatory_receipt, Audience.PUBLIC),
        Route(f"{signatory.PATH}/receipt.pdf", signatory.signatory_receipt_pdf, Audience.PUBLIC, limit="6 per minute"),
        post(signatory.PATH, signatory.sign_as_signatory, Audience.PUBLIC, "10 per minute"),
        post(f"{signatory.PATH}/answer", signatory.answer_signatory_code, Audience.PUBLIC, "20 per minute"),
        post(f"{signatory.PATH}/decline", signatory.decline_as_signatory, Audience.PUBLIC, "10 per minute"),
    ),
    "staff": (
        # Open to every signed-in person: a page of a company that is not theirs says nothing about it.
        Route("/enrol", enrol.enrol_page, Audience.SIGNED_IN),
        post("/enrol", enrol.enrol, Audience.SIGNED_IN, "10 per minute"),
        Route("/enrol/<code_id>", enrol.code_page, Audience.SIGNED_IN),
        post("/enrol/<code_id>", enrol.try_code, Audience.SIGNED_IN, "20 per minute"),
        Route(f"{_COMPANY}/enrol", enrol.company_enrol_page, Audience.SIGNED_IN),
        post(f"{_COMPANY}/enrol", enrol.company_enrol, Audience.SIGNED_IN, "10 per minute"),
        Route("/me/enrolments", enrol.my_enrolments, Audience.SIGNED_IN),
        Route("/me/enrolments/<enrolment_id>/pull-request", enrol.enrolled_pull_request, Audience.SIGNED_IN),
        post("/me/enrolments/<enrolment_id>/end", enrol.leave, Audience.SIGNED_IN, "20 per minute"),
        # Each opens the stored facts of many pull requests.
        Route(f"{_COMPANY}/coverage", roster.coverage_page, Audience.MANAGER, limit="60 per minute"),
        Route(_INVITATIONS, invitations.invitations_page, Audience.MANAGER),
        post(f"{_INVITATIONS}/check", invitations.check_invitations, Audience.MANAGER, "10 per minute"),
        post(f"{_INVITATIONS}/send", invitations.send_invitations, Audience.MANAGER, "10 per minute"),
        post(f"{_INVITED}/withdraw", invitations.withdraw_invitation, Audience.MANAGER, "60 per minute"),
        post(f"{_COMPANY}/roster/remove", removal_preview.simulate_several, Audience.MANAGER, "20 per minute"),
        post(f"{_COMPANY}/roster/exclude", removal_preview.exclude_several, Audience.MANAGER, "20 per minute"),
        Route(f"{_COMPANY}/roster", roster.roster_page, Audience.MANAGER, limit="60 per minute"),
        post(f"{_COMPANY}/roster", roster.search, Audience.MANAGER, "60 per minute"),
        post(f"{_COMPANY}/enrolments/<enrolment_id>/end", roster.end, Audience.MANAGER, "60 per minute"),
        Route(f"{_COMPANY}/renewal", overview.renewal_page, Audience.MANAGER),
        post(f"{_COMPANY}/renewal", overview.renew, Audience.MANAGER, "10 per minute"),
        Route("/admin/companies/overdue", overview.overdue_page, Audience.READER),
        Route(f"{_COMPANY}/export", overview.export_page, Audience.MANAGER),
        post(f"{_COMPANY}/export.csv", overview.export, Audience.MANAGER, "10 per minute"),
        Route(f"{_COMPANY}/simulate", removal_preview.simulate_page, Audience.MANAGER),
        post(f"{_COMPANY}/simulate", removal_preview.simulate, Audience.MANAGER, "20 per minute"),
    ),
}
