"""`countersign manifest`: the App's permission slip as JSON, or as the form that registers the App at GitHub."""

import json
import re
from urllib.parse import urlsplit

import click

from bot.cli.mistake import Mistake

_LOGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}", re.ASCII)


@click.command(name="manifest")
@click.option("--url", help="Public address of this server; default COUNTERSIGN_URL.")
@click.option("--html", "as_form", is_flag=True, help="Print a page whose button registers the App at GitHub.")
@click.option("--organization", metavar="LOGIN", help="With --html: the organisation that will own the App.")
def command(url: str | None, organization: str | None, *, as_form: bool) -> None:
    """Print the GitHub App manifest (app.yaml) as JSON, or as the form to register the App with.

    Exit codes: 0 printed, 2 wrong usage, or the public address is missing.
    """
    from bot import manifest
    from bot.cli.setting import settings

    if as_form and not organization:
        raise click.UsageError("--html needs --organization: the organisation that will own the App")
    if organization and (not as_form or not _LOGIN.fullmatch(organization)):
        raise click.UsageError(
            f"--organization: {organization!r} is no login" if as_form else "--organization needs --html"
        )
    address = _address(url, settings().url)
    if organization:
        click.echo(manifest.form(address, organization, github_url=settings().github_url), nl=False)
    else:
        click.echo(json.dumps(manifest.read(address), indent=2, ensure_ascii=False))


def _address(url: str | None, fallback: str) -> str:
    """Where this server will be reached."""
    address = (url or fallback).rstrip("/")
    if not address:
        raise Mistake("the public address is missing: give --url or set COUNTERSIGN_URL")
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path or parts.query or parts.fragment:
        raise click.UsageError(f"--url: {address!r} is not scheme and host alone, such as https://cla.example.org")
    return address
