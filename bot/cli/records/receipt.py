"""`countersign receipt`: verify a receipt offline, with nothing but the file and the public key of the log."""

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from agreements.domains.masking import visible
from bot.cli.command_error import CommandError, file_access
from bot.cli.options import FILE, form_option, standard_output

if TYPE_CHECKING:
    from bot.pdf.receipt_reader import PdfReceipt

_MAX_TEXT_BYTES = 4 * 1024**2
_MAX_KEY_BYTES = 1024
_TIMEOUT_SECONDS = 10

_PAGES = {
    "signed": "they are as the server signed them, by the certificate that the receipt names, SHA-256 {};"
    " roots, revocation and the time of that signature were not checked",
    "not signed": "not signed, so they may show anything: rely on the lines above, and not on the pages",
    "not checked": "not checked: they are signed, and checking that needs the extra `pades`"
    " (see 'Make receipts as PDF' in the documentation)",
}


@click.group(name="receipt")
def command() -> None:
    """Verify the receipt of a signature."""


@command.command(short_help="Verify that a receipt is genuine.")
@click.argument("file", type=FILE)
@click.option(
    "--key", help="The public key of the log, as `countersign ledger key` printed it on a day that you trust."
)
@click.option("--url", help="The address of the server to ask for that key, such as https://cla.example.org.")
@click.option("--text", type=FILE, help="The text of the agreement, to check that it is the one that was signed.")
@form_option()
def verify(file: Path, key: str | None, url: str | None, text: Path | None, form: str) -> None:
    """Verify that the log signed FILE, a receipt as JSON or PDF, and that it was not changed. Show which text was signed.

    Of a PDF, the receipt inside it is verified. The last line says whether its pages are proven, too.

    Of a sign-off in the portal, the account and the commits that it signed off are shown.

    With --key nothing is asked from the network. No name and no address of the signer is printed.

    Exit codes: 0 genuine, 1 not genuine, another text, or signed pages that were changed or cannot be checked,
    2 wrong usage or input.
    """
    from agreements import signed_receipt
    from agreements.signed_receipt import ReceiptForged, ReceiptUnreadable
    from bot.pdf.receipt_reader import Pages, PdfUnreadable

    if (key is None) == (url is None):
        raise click.UsageError("give one of --key and --url: which log should have signed it?")
    try:
        pdf, data = _receipt_of(file)
        receipt = signed_receipt.parse(data)
    except (PdfUnreadable, ReceiptUnreadable) as error:
        raise CommandError(f"{visible(str(file))}: {error}") from None
    words = None if text is None else _bytes(text, _MAX_TEXT_BYTES)
    public_key = _key(key or _published(url or ""))
    try:
        signed_receipt.verify(receipt, public_key)
        pages = pdf and pdf.pages(receipt)
    except ReceiptForged as error:
        _print({"genuine": False, "why": str(error)}, [f"not genuine: {error}"], form)
        raise click.exceptions.Exit(1) from None
    found = _shown(receipt)
    if words is not None:
        found["text"] = hashlib.sha256(words).hexdigest() == found["sha256"]
    if pdf is not None:
        found |= {"pages": pages, "certificate": pdf.certificate}
    _print(found, _lines(found), form)
    if found.get("text") is False or pages is Pages.NOT_CHECKED:
        raise click.exceptions.Exit(1)


def _receipt_of(file: Path) -> "tuple[PdfReceipt | None, bytes]":
    """The PDF if it is one, and the receipt in that file. Raises PdfUnreadable."""
    from bot.pdf import receipt_reader

    data = _bytes(file, receipt_reader.MAX_PDF_BYTES)
    if not receipt_reader.is_pdf(data):
        return None, data
    found = receipt_reader.read(data)
    return found, found.receipt


def _shown(receipt: dict[str, Any]) -> dict[str, Any]:
    """The text, moments and place in the log that a genuine receipt names; of a sign-off its account and commits, else no person."""
    from agreements.signed_receipt import SIGN_OFF_FORMAT

    of_sign_off = receipt["format"] == SIGN_OFF_FORMAT
    named = ("account", "repository", "pull_request", "commits") if of_sign_off else ("organization",)
    more = {name: receipt[name] for name in (*named, "signed_at", "withdrawn_at")}
    log = receipt["log"]
    place = {"log": log["origin"], "entry": log["entry"]}
    return {"genuine": True, **receipt["agreement"], "sha256": receipt["source_sha256"], **more, **place}


def _lines(found: dict[str, Any]) -> list[str]:
    of_what = "the attached receipt is signed" if found.get("pages", "signed") != "signed" else "signed"
    lines = [
        f"genuine: {of_what} by the log {found['log']}, entry {found['entry']}",
        *(_sign_off(found) if "commits" in found else _agreement(found)),
    ]
    if found["withdrawn_at"]:
        lines.append(f"withdrawn: {found['withdrawn_at']}")
    if "text" in found:
        lines.append(
            "text: it is the one that was signed" if found["text"] else "text: it is not the one that was signed"
        )
    if "pages" in found:
        lines.append("pages: " + _PAGES[found["pages"]].format(found["certificate"]))
    return [visible(line) for line in lines]


def _agreement(found: dict[str, Any]) -> list[str]:
    return [
        f"agreement: {found['name']} {found['version']} ({found['language']}), SHA-256 {found['sha256']}",
        f"signed: {found['signed_at']}, with {found['organization'] or 'an organization that is not known'}",
    ]


def _sign_off(found: dict[str, Any]) -> list[str]:
    account, repository = found["account"], found["repository"]
    login = f" ({account['login']})" if account["login"] else ""  # None after an erasure.
    where = f"{repository['name']}#{found['pull_request']} (repository {repository['id']})"
    return [
        f"signed off: {found['signed_at']}, by the GitHub account {account['id']}{login}",
        f"certified: {found['name']} {found['version']}, SHA-256 {found['sha256']}, for exactly these commits of {where}:",
        *(f"  {sha}" for sha in found["commits"]),
    ]


def _print(found: dict[str, Any], lines: list[str], form: str) -> None:
    with standard_output() as out:
        out.write((json.dumps(found, ensure_ascii=False) if form == "json" else "\n".join(lines)) + "\n")


def _bytes(file: Path, most: int) -> bytes:
    with file_access("read", file), file.open("rb") as opened:
        return opened.read(most + 1)  # One more: what is too large is seen to be.


def _key(text: str) -> bytes:
    from agreements.ledger import read_verifier_key

    try:
        return read_verifier_key(text)
    except ValueError as error:
        raise CommandError(str(error)) from None


def _published(url: str) -> str:
    """The key that the server at that address publishes. Raises CommandError."""
    import requests

    from bot.network.addresses import address_parts, is_loopback

    parts = address_parts(url)
    # Without TLS, anyone on the way could answer with a key of their own.
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(parts.hostname or "")):
        raise CommandError("--url needs an address that begins with https://")
    address = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}/checkpoint/key"
    try:
        with requests.get(address, timeout=_TIMEOUT_SECONDS, allow_redirects=False, stream=True) as answer:
            if answer.status_code == requests.codes.ok:
                return next(answer.iter_content(_MAX_KEY_BYTES), b"").decode("ascii", "replace")
            raise CommandError(f"--url: the server answered {answer.status_code}, not the key of its log")
    except (requests.RequestException, OSError, ValueError) as error:
        raise CommandError(f"--url: the server did not answer ({type(error).__name__})") from None
