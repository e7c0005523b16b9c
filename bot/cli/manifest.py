"""`countersign manifest`: the App's permission slip as the JSON that GitHub's registration form wants."""

import json
from urllib.parse import urlsplit

import click


@click.command(name="manifest")
@click.option("--url", help="Public address of this server; default COUNTERSIGN_URL.")
def command(url: str | None) -> None:
    """Print the GitHub App manifest (app.yaml) as JSON, to register the App with."""
    from bot import manifest  # noqa: PLC0415 - start-up time of the other commands
    from bot.cli.setting import settings  # noqa: PLC0415 - start-up time of the other commands

    address = (url or settings().url).rstrip("/")
    if not address:
        raise click.UsageError("the public address is missing: give --url or set COUNTERSIGN_URL")
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise click.UsageError(f"--url: {address!r} is no http(s) address")
    click.echo(json.dumps(manifest.read(address), indent=2, ensure_ascii=False))
