"""What the operator answers: the address and the organisation first, then administrators, mail and database; wrong ones say why."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from sqlalchemy.exc import SQLAlchemyError

from bot import db
from bot.access.roles import Appointed
from bot.github.hub import Hub
from bot.github.ports import HubError, Missing
from bot.mail.smtp import MailServer
from bot.settings import SettingsInvalid, load

_LOGIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}", re.ASCII)
_SETTINGS: Final = {
    "database_url": "COUNTERSIGN_DATABASE_URL",
    "smtp_url": "COUNTERSIGN_SMTP_URL",
    "mail_from": "COUNTERSIGN_MAIL_FROM",
}
Mistakes = dict[str, str]
"""By the answer's name, one clause."""


def address_mistake(url: str) -> str:
    """Why this is no public address; "" when it is one."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path or parts.query or parts.fragment:
        return "must be scheme and host alone, such as https://cla.example.org"
    return ""


def judge_beginning(answers: Mapping[str, str]) -> Mistakes:
    """The address of this server and the organisation that will own the App."""
    found = {"url": address_mistake(answers.get("url", ""))}
    if not _LOGIN.fullmatch(answers.get("organization", "")):
        found["organization"] = "must be the login of an organisation, as in its address at GitHub"
    return {name: why for name, why in found.items() if why}


def judge_details(answers: Mapping[str, str]) -> Mistakes:
    """Mail and database, by the rules of the settings; a PostgreSQL that does not answer is a mistake, too."""
    found: Mistakes = {}
    for name, setting in _SETTINGS.items():
        alone = {setting: answers.get(name, "")}
        if name == "smtp_url":
            alone["COUNTERSIGN_MAIL_FROM"] = answers.get("mail_from", "")
        try:
            load(alone)
        except SettingsInvalid as error:
            found |= {_answer(problem): problem.partition(": ")[2] or problem for problem in error.problems}
    if answers.get("smtp_url") and "smtp_url" not in found:
        try:
            MailServer.parse(answers["smtp_url"])
        except ValueError as error:
            found["smtp_url"] = str(error)
    if "database_url" not in found and (why := _database(answers.get("database_url", ""))):
        found["database_url"] = why
    return found


def _answer(problem: str) -> str:
    setting = problem.partition(":")[0]
    return next(name for name, one in _SETTINGS.items() if one == setting)


def _database(url: str) -> str:
    if url.startswith("sqlite:///"):
        folder = Path(url.removeprefix("sqlite:///").partition("?")[0]).parent
        return "" if folder.is_dir() else f"there is no folder {folder}: make it first"
    engine = db.open_engine(url)
    try:
        engine.connect().close()
    except SQLAlchemyError as error:
        return db.explain(error)
    finally:
        engine.dispose()
    return ""


def administrators(text: str, hub: Hub) -> str:
    """COUNTERSIGN_ADMIN_TEAM for a team or for logins, each resolved to its id now. Raises ValueError with one clause."""
    words = [word.strip().removeprefix("@") for word in text.split(",") if word.strip()]
    if not words:
        raise ValueError("name somebody: without administrators nobody can approve a company or read the log")
    try:
        if "/" in text:
            team = Appointed.parse(text).team
            assert team is not None
            hub.team_by_name(*team)
            return "/".join(team)
        return ",".join(word if word.isdecimal() else str(_person(word, hub)) for word in words)
    except Missing:
        raise ValueError(f"GitHub shows the App no team {text}") from None
    except HubError as error:
        raise ValueError(f"GitHub did not say who that is: {error}") from None


def _person(login: str, hub: Hub) -> int:
    if not _LOGIN.fullmatch(login):
        raise ValueError(f"{login!r} is no login")
    try:
        found = hub.account_by_login(login)
    except Missing:
        raise ValueError(f"GitHub knows no account {login}") from None
    if found.type != "User":
        raise ValueError(f"{login} is no person: name people, or a team as organisation/team")
    return found.id
