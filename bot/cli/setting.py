"""Settings for commands: read once, every mistake on a line of its own, exit code 2."""

from collections.abc import Callable

import click

from bot.settings import Settings, SettingsInvalid, load


def settings(*, serving: bool = False, look: Callable[[Settings], tuple[str, ...]] = lambda _settings: ()) -> Settings:
    """The settings of the environment; ends the command with exit code 2 and all problems when they do not do.

    `look` finds further problems in those settings that are right in themselves.
    """
    try:
        chosen = load(serving=serving)
        problems: tuple[str, ...] = ()
    except SettingsInvalid as error:
        chosen, problems = error.rest, error.problems
    problems += look(chosen)
    for problem in problems:
        click.echo(f"countersign: {problem}", err=True)
    if problems:
        raise click.exceptions.Exit(2)
    return chosen
