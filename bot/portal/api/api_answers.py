"""The answers of the API, from the same records and by the same rules as the check of a pull request."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from flask import request

from agreements import moments
from agreements.cla import coverage
from agreements.rulebook.rules import Rules, for_repository
from agreements.store import listing
from agreements.store.listing import Item, SignatureFilter
from bot.portal.api.problems import InvalidRequest
from bot.portal.forms.typed_values import account_number
from bot.portal.portal_services import portal_services
from bot.store.pulls import named_pulls

_MAX_ID_CHARACTERS = 64

MAX_ID = 2**63 - 1  # A BIGINT column takes no more.
DEFAULT_LIMIT, MAX_LIMIT = 50, 200
MAX_VALUE_CHARACTERS = 200


def covered(account_id: str, *, personal: bool) -> Mapping[str, Any]:
    """Whether the account is covered at a moment: by itself, or by a company through its number or a proven address."""
    asked = parameters("agreement", "at", "repository")
    number = account(account_id, "account_id")
    at = moment(asked.get("at"), "at") or portal_services().clock()
    rules, owner_id, required = _rules(asked.get("repository"))
    state = portal_services().rules_state(owner_id)
    found = _standing(number, rules, owner_id, asked.get("agreement"), at)
    return {
        "account_id": number,
        "at": at,
        "agreement": asked.get("agreement"),
        "covered": found.covered,
        # How a person is covered, and why no longer, is theirs to know; see the words of a check.
        "reason": found.code if personal else ("cla/covered" if found.covered else "cla/uncovered"),
        "until": found.until,
        # Of a rulebook that is not known the defaults alone are there.
        "required": required if state in ("valid", "outdated") else None,
        "rules": state,
    }


def signatures(*, personal: bool) -> Mapping[str, Any]:
    """Signatures, page by page."""
    asked = parameters("account", "agreement", "since", "cursor", "limit")
    most = limit(asked.get("limit"))
    wanted = SignatureFilter(
        after=asked.get("cursor", ""),
        most=most + 1,  # One more tells that a page follows.
        account_id=account(asked["account"]) if "account" in asked else None,
        agreement=asked.get("agreement"),
        since=moment(asked.get("since"), "since"),
    )
    with portal_services().sessions() as records:
        return _page(listing.signatures_page(records, portal_services().vault if personal else None, wanted), most)


def companies(*, personal: bool) -> Mapping[str, Any]:  # noqa: ARG001 - nothing in the list is personal
    """Companies, page by page."""
    asked = parameters("cursor", "limit")
    most = limit(asked.get("limit"))
    accepted = portal_services().catalog.accepted()
    with portal_services().sessions() as records:
        found = listing.companies_page(records, accepted=accepted, after=asked.get("cursor", ""), most=most + 1)
    return _page(found, most)


def company(company_id: str, *, personal: bool) -> Mapping[str, Any]:
    """One company and whom it names."""
    parameters()
    accepted, vault = portal_services().catalog.accepted(), portal_services().vault if personal else None
    with portal_services().sessions() as records:
        known = company_id.isalnum() and len(company_id) <= _MAX_ID_CHARACTERS  # As ids of ours are.
        found = listing.company(records, vault, company_id, accepted=accepted) if known else None
    if found is None:
        raise InvalidRequest("there is no such company", 404)
    return found


def _rules(repository: str | None) -> tuple[Rules, int | None, str | None]:
    """The organisation's rules, their owner, and what they require there; without a repository of the first account served."""
    if repository is None:
        return portal_services().rules(None), portal_services().owner_id(None), None
    owner, slash, name = repository.partition("/")
    if not owner or not slash or not name or "/" in name:
        raise InvalidRequest("repository: owner/name")
    with portal_services().sessions() as records:
        owner_id = named_pulls.owner_id(records, owner, name)
    if owner_id is None:
        raise InvalidRequest("there is no such repository here, or no pull request of it was judged yet", 404)
    rules = portal_services().rules(owner_id)
    return rules, owner_id, for_repository(rules, repository).require


def _standing(
    number: int, rules: Rules, owner_id: int | None, agreement: str | None, at: datetime
) -> coverage.CoverageResult:
    if agreement not in (None, rules.individual.text, rules.corporate.text):
        raise InvalidRequest("agreement: the rules ask for no such agreement")
    known = portal_services().records_of(number, (), at=at)
    signed, employers, proven = known.signatures, known.companies, frozenset(known.emails.get(number, ()))
    if agreement is not None:
        rules = replace(rules, employees="covered")  # Under `sign-too` one alone never covers.
        # One agreement alone is asked about without the other one's facts.
        signed = signed if agreement == rules.individual.text else ()
        employers = employers if agreement == rules.corporate.text else ()
    # The core that judges pull requests decides; no commit is looked at, so no address is linked.
    agreed = coverage.AgreementIndex(rules, at, signed, employers, owner_id=owner_id, server=portal_services().server)
    return agreed.coverage_of(number, linked=frozenset(), proven=proven)


def _page(found: Sequence[Item], most: int) -> Mapping[str, Any]:
    items = found[:most]
    return {"items": items, "next": items[-1]["id"] if len(found) > most else None}


def parameters(*known: str) -> Mapping[str, str]:
    """The parameters of the address by name. Raises InvalidRequest."""
    found: dict[str, str] = {}
    for name, values in request.args.lists():
        # A misspelt parameter must not answer another question.
        if name not in known:
            raise InvalidRequest(f"unknown parameter; known here: {', '.join(known) or 'none'}")
        if len(values) > 1:
            raise InvalidRequest(f"{name}: give it once")
        if not 0 < len(values[0]) <= MAX_VALUE_CHARACTERS or not values[0].isprintable():
            raise InvalidRequest(f"{name}: from 1 to {MAX_VALUE_CHARACTERS} printable characters")
        found[name] = values[0]
    return found


def account(text: str, name: str = "account") -> int:
    """An account's number. Raises InvalidRequest."""
    number = account_number(text)
    if number is None:
        raise InvalidRequest(f"{name}: a GitHub account's number")
    return number


def moment(text: str | None, name: str) -> datetime | None:
    """A moment with its zone. Raises InvalidRequest."""
    found = moments.moment(text) if text is not None else None
    if text is not None and found is None:
        raise InvalidRequest(f"{name}: a moment with its zone, such as 2026-01-31T12:00:00Z")
    return found


def limit(text: str | None) -> int:
    """The number of things that a page has. Raises InvalidRequest."""
    if text is None:
        return DEFAULT_LIMIT
    # `int` reads more than digits: signs, underscores, digits of other scripts.
    if not text.isascii() or not text.isdecimal() or len(text) > 3 or not 0 < int(text) <= MAX_LIMIT:
        raise InvalidRequest(f"limit: a whole number from 1 to {MAX_LIMIT}")
    return int(text)
