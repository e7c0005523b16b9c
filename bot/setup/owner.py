"""The account that will own the App: GitHub says how it is spelled, and whether it is an organisation or a person."""

from collections.abc import Mapping
from typing import Final

from flask_babel import gettext as _

from agreements.facts import Account
from agreements.github_server import GitHubServer
from bot.github.by_rest import segment
from bot.github.connection import connect_nobody
from bot.github.ports import HubError, Missing
from bot.github.reading import Garbled, account, understanding
from bot.setup.answers import Mistakes

ORGANIZATION: Final = "Organization"
PERSON: Final = "User"
TYPES: Final = (ORGANIZATION, PERSON)
"""GitHub's words for who can own an App here."""


def look_up(api_url: str, login: str) -> Account:
    """The account of that login, asked without credentials. Raises Missing, HubError."""
    with connect_nobody(api_url) as nobody, understanding():
        found = account(nobody.read(f"/users/{segment(login)}"))
    if found is None:
        raise Garbled("GitHub's answer names no account")
    return found


def settle(given: Mapping[str, str], api_url: str, server: GitHubServer) -> tuple[dict[str, str], Mistakes]:
    """The answers with the account as GitHub knows it, and what is wrong with them.

    A server that answers nobody without signing in cannot be asked: there the person's own choice counts, `owner_type`.
    """
    login, chosen = given["organization"], given.get("owner_type", "")
    try:
        found = look_up(api_url, login)
    except Missing:
        if chosen in TYPES and not server.is_github_com:
            return dict(given), {}
        return dict(given), _unknown(login, server)
    except HubError as error:
        if chosen in TYPES:
            return dict(given), {}
        why = _(
            "GitHub did not say whether %(login)s is an organisation or a person. Choose one, or try again (%(error)s)",
            login=login,
            error=error,
        )
        return dict(given), {"owner_type": why}
    if found.type not in TYPES:
        return dict(given), {"organization": _("%(login)s is neither an organisation nor a person", login=found.login)}
    return {**given, "organization": found.login, "owner_type": found.type}, {}


def registration_path(login: str, owner_type: str) -> str:
    """The page of GitHub to which the form posts. Source: GitHub's page "Registering a GitHub App from a manifest"."""
    return "/settings/apps/new" if owner_type == PERSON else f"/organizations/{login}/settings/apps/new"


def _unknown(login: str, server: GitHubServer) -> Mistakes:
    """On github.com everybody sees every account; elsewhere perhaps only who has signed in."""
    if server.is_github_com:
        return {"organization": _("GitHub has no account named %(login)s", login=login)}
    return {
        "organization": _(
            "%(github)s shows no account named %(login)s without signing in. Check the spelling",
            github=server.host,
            login=login,
        ),
        "owner_type": _("If the spelling is right, choose what the account is"),
    }
