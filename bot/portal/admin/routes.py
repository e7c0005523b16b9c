"""Every page of the administration with who may use it, by the blueprint that its endpoint is named after in logs."""

from bot.portal.admin import (
    bulk_decisions,
    campaigns,
    companies,
    domains,
    erasures,
    export,
    imports,
    licenses,
    lists,
    log,
    notifications,
    numbers,
    overrides,
    overview,
    papers,
    people,
    search,
    sessions,
    texts,
    tokens,
)
from bot.portal.session.page_access import Route, Who

BLUEPRINTS = {
    "admin": (
        Route("/admin", overview.overview, Who.READER),
        Route("/admin/companies", companies.companies_page, Who.READER),
        Route("/admin/companies/<company_id>", companies.company_page, Who.READER),
        Route("/admin/companies/<company_id>/countersign", companies.countersign_company, Who.ADMINISTRATOR, "POST"),
        Route("/admin/companies/<company_id>/refuse", companies.refuse_company, Who.ADMINISTRATOR, "POST"),
        Route("/admin/companies/<company_id>/end", companies.end_company, Who.ADMINISTRATOR, "POST"),
        Route("/admin/companies/<company_id>/appoint", companies.appoint_manager, Who.ADMINISTRATOR, "POST"),
        Route("/admin/domains", domains.domains_page, Who.READER),
        Route("/admin/domains/<claim_id>", domains.domain_page, Who.READER),
        Route("/admin/domains/<claim_id>/approve", domains.approve_domain, Who.ADMINISTRATOR, "POST"),
        Route("/admin/domains/<claim_id>/refuse", domains.refuse_domain, Who.ADMINISTRATOR, "POST"),
        Route(
            "/admin/domains/approve", bulk_decisions.approve_domains, Who.ADMINISTRATOR, "POST", limit="20 per minute"
        ),
        Route("/admin/papers", papers.papers_page, Who.READER),
        Route("/admin/papers", papers.record_paper, Who.ADMINISTRATOR, "POST", limit="20 per minute"),
        Route("/admin/papers/<document_id>", papers.download, Who.READER),
        Route("/admin/papers/<document_id>/open", papers.open_document, Who.READER, "POST", limit="20 per minute"),
        Route("/admin/search", search.search_form, Who.READER),
        Route("/admin/search", search.search, Who.READER, "POST", limit="60 per minute"),
        Route("/admin/people/<int:account_id>", people.person_page, Who.READER),
        Route("/admin/signatures/<receipt>", people.signature_page, Who.READER),
        Route("/admin/signatures/<receipt>/open", people.open_signature, Who.READER, "POST", limit="20 per minute"),
        Route("/admin/signatures/<receipt>/revoke", people.revoke_signature, Who.ADMINISTRATOR, "POST"),
        Route("/admin/overrides", overrides.overrides_page, Who.READER),
        Route("/admin/licenses", licenses.licenses_page, Who.READER),
        Route("/admin/licenses/<int:owner_id>", licenses.account_page, Who.READER),
        Route("/admin/licenses/<int:owner_id>/files/<file>", licenses.licenses_file, Who.READER),
        Route("/admin/licenses/<int:owner_id>/repositories/<int:repository_id>", licenses.licenses_folder, Who.READER),
        Route("/admin/licenses/<int:owner_id>/nights/<night_id>", licenses.night_page, Who.READER),
        Route("/admin/log", log.log_page, Who.READER),
        Route("/admin/log/<int:number>", log.entry_page, Who.READER),
        Route("/admin/sessions", sessions.sessions_page, Who.READER),
        Route("/admin/sessions", sessions.end_sessions, Who.ADMINISTRATOR, "POST"),
    ),
    "admin_texts": (
        Route("/admin/texts", texts.released, Who.READER),
        Route("/admin/texts/<name>/<version>/<language>", texts.one, Who.READER),
        Route("/admin/texts/new", texts.begin, Who.ADMINISTRATOR),
        Route("/admin/texts/new/<name>", texts.go_on, Who.ADMINISTRATOR),
        Route("/admin/texts/preview", texts.preview, Who.ADMINISTRATOR, "POST", limit="30 per minute"),
        Route("/admin/texts", texts.release, Who.ADMINISTRATOR, "POST", limit="10 per minute"),
    ),
    "admin_campaigns": (
        Route("/admin/campaigns", campaigns.overview, Who.READER),
        Route("/admin/campaigns", campaigns.start, Who.ADMINISTRATOR, "POST", limit="10 per minute"),
        Route("/admin/campaigns/<campaign_id>", campaigns.one, Who.READER),
        Route(
            "/admin/campaigns/<campaign_id>/remind", campaigns.remind, Who.ADMINISTRATOR, "POST", limit="10 per minute"
        ),
        Route("/admin/campaigns/<campaign_id>/end", campaigns.end, Who.ADMINISTRATOR, "POST", limit="10 per minute"),
    ),
    "admin_erasures": (
        Route("/admin/erasures", erasures.overview, Who.READER),
        Route("/admin/erasures/page/<int:page>", erasures.overview_page, Who.READER),
        Route("/admin/erasures", erasures.order, Who.ADMINISTRATOR, "POST", limit="10 per minute"),
        Route("/admin/erasures/<erasure_id>", erasures.one, Who.READER),
        Route("/admin/erasures/<erasure_id>/delete", erasures.delete, Who.ADMINISTRATOR, "POST", limit="20 per minute"),
        Route(
            "/admin/erasures/<erasure_id>/restrict", erasures.restrict, Who.ADMINISTRATOR, "POST", limit="20 per minute"
        ),
    ),
    "admin_imports": (
        Route("/admin/imports", imports.overview, Who.READER),
        Route("/admin/imports/ask", imports.ask, Who.ADMINISTRATOR, "POST", limit="5 per minute"),
        Route(
            "/admin/imports/confirm", bulk_decisions.confirm_imports, Who.ADMINISTRATOR, "POST", limit="20 per minute"
        ),
        Route("/admin/imports/refuse", bulk_decisions.refuse_imports, Who.ADMINISTRATOR, "POST", limit="20 per minute"),
        Route("/admin/imports/<entry_id>/confirm", imports.confirm, Who.ADMINISTRATOR, "POST", limit="60 per minute"),
        Route("/admin/imports/<entry_id>/refuse", imports.refuse, Who.ADMINISTRATOR, "POST", limit="60 per minute"),
    ),
    "admin_tokens": (
        Route("/admin/tokens", tokens.overview, Who.READER),
        Route("/admin/tokens", tokens.make, Who.ADMINISTRATOR, "POST", limit="10 per minute"),
        Route("/admin/tokens/<token_id>/revoke", tokens.revoke, Who.ADMINISTRATOR, "POST", limit="30 per minute"),
    ),
    "admin_lists": (
        Route("/admin/signatures", lists.signatures_page, Who.READER),
        Route("/admin/people", lists.people_page, Who.READER),
        Route("/admin/pull-requests", lists.pulls_page, Who.READER),
        Route("/admin/numbers", numbers.numbers_page, Who.READER),
        Route("/admin/lists/<listed>", lists.export_list, Who.READER, "POST", limit="10 per minute"),
    ),
    "admin_notifications": (
        Route("/admin/notifications", notifications.notifications_page, Who.ADMINISTRATOR),
        Route("/admin/notifications", notifications.choose_notifications, Who.ADMINISTRATOR, "POST"),
    ),
    "admin_export": (
        Route("/admin/export", export.ask_for_all, Who.ADMINISTRATOR),
        Route("/admin/export", export.take_all, Who.ADMINISTRATOR, "POST", limit="2 per minute"),
    ),
}
