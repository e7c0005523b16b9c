"""Settings for commands: read once, every mistake on a line of its own, exit code 2."""

import click

from bot.settings import Settings, SettingsInvalid, load


def settings(*, serving: bool = False) -> Settings:
    """The settings of the environment; ends the command with exit code 2 and all problems when they do not do."""
    try:
        return load(serving=serving)
    except SettingsInvalid as error:
        for problem in error.problems:
            click.echo(f"countersign: {problem}", err=True)
        raise click.exceptions.Exit(2) from None
