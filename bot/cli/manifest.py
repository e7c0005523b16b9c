"""`countersign manifest`: prints the App manifest as JSON; `countersign setup` registers the App with it."""

import json

import click

from bot.cli.setting import public_address, settings


@click.command(name="manifest")
@click.option("--url", help="Public address of this server; default COUNTERSIGN_URL.")
def command(url: str | None) -> None:
    """Print the GitHub App manifest (app.yaml) as JSON, for registering the App by hand.

    Exit codes: 0 printed, 2 wrong usage, or the public address is missing.
    """
    from bot import app_yaml

    address = public_address(url, settings())
    click.echo(json.dumps(app_yaml.read(address), indent=2, ensure_ascii=False))
