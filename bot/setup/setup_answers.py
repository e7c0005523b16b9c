"""The operator's answers: the address and the organisation first, then administrators, mail and database; each mistake is explained."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from flask_babel import gettext as _
from sqlalchemy.exc import SQLAlchemyError

from agreements.github_server import LOGIN, GitHubServer, is_login
from bot import db
from bot.access.roles import RoleMembers
from bot.github.hub import Hub
from bot.github.ports import HubError, Missing
from bot.mail.smtp import MailServer
from bot.network.addresses import address_parts, is_loopback, is_public
from bot.settings import SettingsInvalid, load

_ANSWERS: Final = {
    "COUNTERSIGN_DATABASE_URL": "database_url",
    "COUNTERSIGN_SMTP_URL": "smtp_url",
    "COUNTERSIGN_MAIL_FROM": "mail_from",
}
Mistakes = dict[str, str]  # By the answer's name, what is wrong with it.
SECRET: Final = ("smtp_url", "database_url")  # They may hold a password: no page shows them.


def address_mistake(url: str) -> str:
    """The mistake in a public address; "" when there is none."""
    parts = address_parts(url)
    more = "@" in parts.netloc or parts.path or parts.query or parts.fragment  # Paths are added to it.
    if parts.scheme not in ("http", "https") or not parts.hostname or more:
        return str(_("Enter a scheme and a host only, such as https://cla.example.org"))
    return ""


def unreachable(url: str, server: GitHubServer) -> str:
    """The reason that GitHub cannot use a well-formed public address; "" when it can, or is in our own network."""
    parts = address_parts(url)
    if server.is_enterprise_server:  # It may be in our own network.
        return ""
    if not is_public(parts.hostname or ""):
        return str(
            _(
                "GitHub cannot reach %(host)s from the internet. Enter a public address, or open a tunnel to try things out:"
                " see 'Try it without a public address' in the documentation",
                host=parts.hostname,
            )
        )
    return "" if parts.scheme == "https" else str(_("Begin the address with https://, because people sign in there"))


def caution(url: str, server: GitHubServer) -> str:
    """A caution about an address that only a GitHub in the same network can reach; "" where there is none."""
    host = address_parts(url).hostname or ""
    if not server.is_enterprise_server or is_public(host) or is_loopback(server.host.strip("[]")):
        return ""
    said = _(
        "%(host)s cannot be reached from the internet. Make sure that %(github)s and everybody who contributes can reach it.",
        host=host,
        github=server.host,
    )
    return str(said)


def judge_beginning(answers: Mapping[str, str], server: GitHubServer) -> Mistakes:
    """The address of this server and the account that will own the App, as far as GitHub need not be asked."""
    url = answers.get("url", "")
    found = {"url": address_mistake(url) or unreachable(url, server)}
    if not re.fullmatch(LOGIN, answers.get("organization", "")):
        found["organization"] = _("Enter the login of an organisation or a person, as in its address at GitHub")
    return {name: why for name, why in found.items() if why}


def judge_details(answers: Mapping[str, str]) -> Mistakes:
    """Mail and database, by the rules of the settings; a PostgreSQL server that does not answer is a mistake too."""
    found: Mistakes = {}
    try:
        load({setting: answers.get(name, "") for setting, name in _ANSWERS.items()})
    except SettingsInvalid as error:
        for problem in error.problems:
            setting, _colon, why = problem.partition(": ")
            found[_ANSWERS[setting]] = why
    if answers.get("smtp_url") and "smtp_url" not in found:
        try:
            MailServer.parse(answers["smtp_url"])
        except ValueError as error:
            found["smtp_url"] = str(error)
    if "database_url" not in found and (why := _database(answers.get("database_url", ""))):
        found["database_url"] = why
    return found


def _database(url: str) -> str:
    if url.startswith("sqlite:///"):  # To connect would make the file.
        folder = Path(url.removeprefix("sqlite:///").partition("?")[0]).parent
        return "" if folder.is_dir() else _("There is no folder %(folder)s. Create it first", folder=folder)
    with db.opened(url) as engine:
        try:
            engine.connect().close()  # Found here, not when the server starts.
        except SQLAlchemyError as error:
            return db.explain(error)
    return ""


def administrators(text: str, hub: Hub) -> str:
    """COUNTERSIGN_ADMIN_TEAM for a team or for logins, resolved to ids now. Raises ValueError that says why."""
    words = [word.strip().removeprefix("@") for word in text.split(",") if word.strip()]
    if not words:
        raise ValueError(
            _("Enter a team or people: without administrators nobody can approve companies or read the log")
        )
    try:
        if "/" in text:
            team = RoleMembers.parse(text).team
            assert team is not None
            hub.team_by_name(*team)
            return "/".join(team)
        # Logins change hands, ids do not.
        return ",".join(word if word.isdecimal() else str(_person(word, hub)) for word in words)
    except Missing:
        raise ValueError(_("The App sees no team %(name)s at GitHub", name=text)) from None
    except HubError as error:
        raise ValueError(_("GitHub did not answer: %(error)s", error=error)) from None


def _person(login: str, hub: Hub) -> int:
    if not is_login(login):
        raise ValueError(_("“%(login)s” is not a GitHub login", login=login))
    try:
        found = hub.account_by_login(login)
    except Missing:
        raise ValueError(_("GitHub has no account named %(login)s", login=login)) from None
    if found.type != "User":
        raise ValueError(_("%(login)s is not a person. Enter people, or a team as organisation/team", login=login))
    return found.id
