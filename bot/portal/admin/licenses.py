"""The licence audit of every night: its newest audit as files, what changed from one night to the next, what went wrong."""

from collections.abc import Iterator

from flask import Response, abort
from flask.typing import ResponseReturnValue

from agreements.vault import DecryptionFailed
from audit.store import account_states, nights, repositories, sealed
from bot.licenses import sealed_files
from bot.licenses.report_files import ON_TOP, ReportFiles
from bot.portal.admin.page_context import list_page, render
from bot.portal.downloads import log_export, named_download
from bot.portal.portal_services import portal_services, reading
from bot.portal.text import finding_text, message_formatting
from bot.portal.text.languages import TAGS, language
from bot.report.words import licenses

_ALL = "all.zip"
_TYPES = {"md": "text/markdown", "json": "application/json", "html": "text/html", "zip": "application/zip"}
_GITHUB_ID_LIMIT = 2**63  # A BIGINT column takes no more.


def licenses_page() -> ResponseReturnValue:
    """Every account, with its newest audit."""
    with reading() as (session, _vault, _at):
        found = [account for account in account_states.each(session) if account.login]
    return render("admin/licenses.html", accounts=found, failure=_failure)


def account_page(owner_id: int) -> ResponseReturnValue:
    """One account: the files about all its repositories, its nights, its repositories."""
    with reading() as (session, _vault, _at):
        found = account_states.get(session, owner_id) if owner_id < _GITHUB_ID_LIMIT else None
        if found is None or not found.login:
            abort(404)
        rows = sorted(repositories.of(session, owner_id), key=lambda repository: repository.name.casefold())
        listed = list_page(lambda skip, most: rows[skip : skip + most])
        past = nights.of(session, owner_id)
    return render(
        "admin/licenses_one.html", account=found, part=listed, nights=past, files=(*ON_TOP, _ALL), failure=_failure
    )


def licenses_file(owner_id: int, file: str) -> ResponseReturnValue:
    """One of the files about all repositories, or all files; always a download, never a page of this site."""
    if owner_id >= _GITHUB_ID_LIMIT or file not in (*ON_TOP, _ALL):
        abort(404)
    report_files = _report_files(owner_id)
    # Before the download is logged: sealed by a key that is gone, there is nothing to hand out.
    if _opened(report_files, ON_TOP[0]) is None:
        abort(404)
    log_export("licenses", owner_id)  # Before its first byte.
    return _download(report_files.all(), file) if file == _ALL else _sent(report_files, file, file)


def licenses_folder(owner_id: int, repository_id: int) -> ResponseReturnValue:
    """The files about one repository."""
    report_files = _report_files(owner_id)
    name = report_files.folder_of(repository_id) if max(owner_id, repository_id) < _GITHUB_ID_LIMIT else None
    if name is None:
        abort(404)
    log_export("licenses", owner_id)
    return _sent(report_files, name, name.rpartition("/")[2])


def night_page(owner_id: int, night_id: str) -> ResponseReturnValue:
    """The changes of one night, fifty a page."""
    with reading() as (session, vault, _at):
        known = nights.of(session, owner_id) if owner_id < _GITHUB_ID_LIMIT else []
        found = next((night for night in known if night.id == night_id), None)
        # A night of an older release is told in English alone.
        names = [nights.name(night_id, each) for each in (language(), "en")] if found else []
        told = sealed.each(session, names)
    name = next((each for each in names if each in told), None)
    if found is None or name is None:
        abort(404)
    try:
        lines = sealed_files.decrypt(vault, name, told[name]).decode().splitlines()
    except DecryptionFailed:
        abort(404)
    shown = list_page(lambda skip, most: lines[skip : skip + most])
    # What they hold of strangers' words is made harmless twice: when it was written, and here.
    changes_list = finding_text.block("\n".join(shown.rows))
    told_in = TAGS[language() if name == nights.name(night_id, language()) else "en"]
    return render(
        "admin/licenses_night.html",
        night=found,
        part=shown,
        changes_list=changes_list,
        told_in=told_in,
        owner_id=owner_id,
    )


def _failure(why: str) -> str:
    """The reason why an audit brought nothing; in English, and marked as such, where it is an error of GitHub's."""
    return message_formatting.told(licenses.failure(language(), why), why).rstrip("。")


def _report_files(owner_id: int) -> ReportFiles:
    return ReportFiles(owner_id, portal_services().vault, portal_services().sessions)


def _opened(report_files: ReportFiles, name: str) -> bytes | None:
    try:
        return report_files.opened(name)
    except DecryptionFailed:  # Sealed by a key that is gone: the next night writes it anew.
        return None


def _sent(report_files: ReportFiles, name: str, called: str) -> Response:
    data = _opened(report_files, name)
    if data is None:
        abort(404)
    return _download(data, called)


def _download(data: bytes | Iterator[bytes], called: str) -> Response:
    # Saved, never shown: the heat map has a script of its own, which must not run on this site.
    return named_download(data, _TYPES[called.rpartition(".")[2]], called)
