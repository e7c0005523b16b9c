"""Searches people and companies; the query is sent as a form, never in an address."""

from flask import request
from flask.typing import ResponseReturnValue

from agreements.store import admin_search
from bot.portal.admin.page_context import render
from bot.portal.portal_services import portal_services

MAX_QUERY_CHARACTERS = 320


def search_form() -> ResponseReturnValue:
    """The empty form."""
    return render("admin/search.html", wanted="", found=None)


def search() -> ResponseReturnValue:
    """Everything that was found: people, companies, signatures."""
    services = portal_services()
    wanted = request.form.get("wanted", "")[:MAX_QUERY_CHARACTERS]
    with services.sessions() as records:
        found = admin_search.search(records, services.vault, wanted)
    return render("admin/search.html", wanted=wanted, found=found)
