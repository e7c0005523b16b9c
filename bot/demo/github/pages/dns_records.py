"""The page on which the player writes TXT records, as the owner of a domain does where it is registered."""

import re

from flask import Blueprint, redirect, render_template, request
from flask.typing import ResponseReturnValue

from agreements.domains.canonical_form import canonical_domain
from bot.demo.github.refusal import ErrorResponse, existing
from bot.demo.github.rest_request import world

routes = Blueprint("dns", __name__)
_PAGE = "/dns"
_SERVICES = re.compile(r"^(_[a-z0-9-]{1,62}\.)+")  # Services have such names (RFC 8552).
_MAX_RECORD_CHARACTERS = 200
_MAX_RECORDS = 4  # Of one name: all of them fit into one answer by UDP.


@routes.get(_PAGE)
def listing() -> ResponseReturnValue:
    """All records and the form for one more; 404 in a world without DNS."""
    return render_template("dns.html", zone=sorted(existing(world().zone).items()), longest=_MAX_RECORD_CHARACTERS)


@routes.post(_PAGE)
def add() -> ResponseReturnValue:
    """Add a record; 422 for what is no name or no short ASCII text."""
    zone, name, text = existing(world().zone), _name(), request.form.get("text", "").strip()
    if not (0 < len(text) <= _MAX_RECORD_CHARACTERS and text.isascii() and text.isprintable()):
        raise ErrorResponse(422, f"A text has 1 to {_MAX_RECORD_CHARACTERS} letters, digits and signs of ASCII.")
    texts = zone.setdefault(name, [])
    if text not in texts:
        zone[name] = [*texts, text][-_MAX_RECORDS:]  # A new list: the DNS reads it meanwhile.
    return redirect(_PAGE)


@routes.post(f"{_PAGE}/remove")
def remove() -> ResponseReturnValue:
    """Take all records of a name away."""
    existing(world().zone).pop(_name(), None)
    return redirect(_PAGE)


def _name() -> str:
    typed = request.form.get("name", "").strip().lower()
    domain = _SERVICES.sub("", typed)
    canonical = canonical_domain(domain)
    if canonical is None:
        raise ErrorResponse(422, "That is no name such as _cla-challenge.example.com.")
    return typed.removesuffix(domain) + canonical
