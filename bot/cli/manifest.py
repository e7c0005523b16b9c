"""`countersign manifest`: the App's permission slip as the JSON that GitHub's registration form wants."""

import json
from typing import Any
from urllib.parse import urlsplit

import click


def filled(value: Any, url: str) -> Any:
    """The manifest with every `{url}` replaced, at any depth."""
    if isinstance(value, str):
        return value.replace("{url}", url)
    if isinstance(value, list):
        return [filled(entry, url) for entry in value]
    if isinstance(value, dict):
        return {key: filled(entry, url) for key, entry in value.items()}
    return value


@click.command(name="manifest")
@click.option("--url", help="Public address of this server; default COUNTERSIGN_URL.")
def command(url: str | None) -> None:
    """Print the GitHub App manifest (app.yaml) as JSON, to register the App with."""
    from ruamel.yaml import YAML  # noqa: PLC0415 - start-up time of the other commands

    from bot import shipped  # noqa: PLC0415 - start-up time of the other commands
    from bot.cli.setting import settings  # noqa: PLC0415 - start-up time of the other commands

    address = (url or settings().url).rstrip("/")
    if not address:
        raise click.UsageError("the public address is missing: give --url or set COUNTERSIGN_URL")
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise click.UsageError(f"--url: {address!r} is no http(s) address")
    manifest = YAML(typ="safe").load(shipped.path("app.yaml").read_text(encoding="utf-8"))
    click.echo(json.dumps(filled(manifest, address), indent=2, ensure_ascii=False))
