"""`countersign demo`: the bot and the portal on this machine alone, with a simulated GitHub to click through."""

from pathlib import Path

import click

from bot.cli.command_error import CommandError
from bot.cli.options import FOLDER, WholeNumber


@click.command(name="demo")
@click.option(
    "--port",
    default=8080,
    show_default=True,
    type=WholeNumber(1, 65000),
    help="Port of Countersign. The simulated GitHub uses the next one.",
)
@click.option(
    "--folder",
    default=".demo",
    show_default=True,
    type=FOLDER,
    help="Folder for the demo's data. It is replaced at each start.",
)
@click.option("--tour", is_flag=True, help="Show the demo step by step in the browser.")
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
def command(port: int, folder: Path, *, tour: bool, no_browser: bool) -> None:
    """Run the bot, the portal and a simulated GitHub on this machine. You need no account. Only its folder is left behind.

    Press Ctrl-C to stop.

    Exit codes: 0 ended, 2 it could not start.
    """
    try:
        _play(folder, port=port, browser=not no_browser, guided=tour)
    except KeyboardInterrupt:  # Before the demo itself listens for it
        click.echo("The demo was stopped while it was starting.")


def _play(folder: Path, *, port: int, browser: bool, guided: bool) -> None:
    from bot.demo.play import DemoFailed, play  # It loads the whole server.

    try:
        play(folder.resolve(), port=port, browser=browser, guided=guided)
    except DemoFailed as error:
        raise CommandError(str(error)) from None
