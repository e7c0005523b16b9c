"""Settings for commands: read once; each mistake is a line of its own, exit code 2."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.cli.command_error import CommandError
from bot.settings import Settings, SettingsInvalid, load
from bot.settings import server_of_clone as settings_server

if TYPE_CHECKING:
    from agreements.github_server import GitHubServer
    from agreements.vault import KeyRing, Vault
    from bot.records.erasure_keys import ErasureKeyFile


def settings(*, serving: bool = False, look: Callable[[Settings], tuple[str, ...]] = lambda _settings: ()) -> Settings:
    """The settings of the environment; ends the command with exit code 2 and every problem if they are invalid.

    `look` finds problems in what the valid settings name, such as a file.
    """
    try:
        chosen = load(serving=serving)
        problems: tuple[str, ...] = ()
    except SettingsInvalid as error:  # The valid rest is looked at, too: all problems are told at once.
        chosen, problems = error.rest, error.problems
    wrong = {_name(problem) for problem in problems}  # What is wrong is not called missing as well.
    problems += tuple(problem for problem in look(chosen) if _name(problem) not in wrong)
    for problem in problems:
        click.echo(f"countersign: {problem}", err=True)
    if problems:
        raise click.exceptions.Exit(2)
    return chosen


def _name(problem: str) -> str:
    return problem.partition(" ")[0].removesuffix(":").removesuffix("_FILE")


def rulebook_path() -> Path | None:
    """The organisation's rulebook file, if one is set. Raises CommandError where it cannot be read.

    Commands that use only what stands beside it, or in it, would take it for one that says nothing.
    """
    from bot.cli.options import text_of

    file = settings().rulebook_path
    try:
        if file is not None:
            text_of(file)
    except CommandError as error:
        raise CommandError(f"COUNTERSIGN_RULEBOOK: {error.format_message()}") from None
    return file


def load_plugins() -> None:
    """Load the plugins of the settings. Raises CommandError."""
    from bot import plugins

    try:
        plugins.load(settings().plugins)
    except plugins.PluginInvalid as error:
        raise CommandError(f"COUNTERSIGN_PLUGINS: {error}") from None


def public_address(option: str | None, chosen: Settings, *, is_required: bool = True) -> str:
    """The address of `--url`, else of COUNTERSIGN_URL, for an App's manifest.

    Raises UsageError or CommandError for one that is no address, or that the GitHub of the settings refuses, or for none.
    """
    from bot.setup import setup_answers

    found = (option or chosen.url).rstrip("/")
    why = found and (setup_answers.address_mistake(found) or setup_answers.unreachable(found, chosen.github_server))
    if why and option:
        raise click.UsageError(f"--url: {why}")
    if why:
        raise CommandError(f"COUNTERSIGN_URL: {why}")
    if is_required and not found:
        raise CommandError("COUNTERSIGN_URL is not set: set it to the public address of the server, or give --url")
    return found


def server_of_clone() -> "GitHubServer":
    """The GitHub server whose clone or rulebook is checked. Raises CommandError when the environment names none."""
    try:
        return settings_server()
    except SettingsInvalid as error:
        raise CommandError(str(error)) from None


def key_ring() -> "KeyRing":
    """The key ring of the environment. Raises CommandError when there is none or it is wrong."""
    from agreements.vault import KeyRing, KeysInvalid

    keys = settings().keys
    if not keys:
        raise CommandError(
            "COUNTERSIGN_KEYS is not set: set it to the key ring of your database;"
            " for a new database, generate one with `countersign keys generate --out FILE`"
        )
    try:
        return KeyRing.parse(keys.reveal())
    except KeysInvalid as error:
        raise CommandError(f"COUNTERSIGN_KEYS: {error}") from None


def vault() -> "Vault":
    """A vault of the environment's key ring and erasure keys, read anew on a refresh or for a key that it lacks.

    Raises CommandError, also later, when there is no ring or it is wrong.
    """
    from agreements.vault import Vault

    # The function, too: `keys rotate` may add a key meanwhile.
    return Vault(key_ring(), key_ring, erasure_keys=erasure_keys())


def erasure_keys() -> "ErasureKeyFile | None":
    """The file of erasure keys, where there is one."""
    from bot.records.erasure_keys import ErasureKeyFile

    file = settings().erasure_keys_file
    return ErasureKeyFile(file) if file else None
