"""The command line: one file a command, imported when it is called, so that `evaluate` starts without the server.

`countersign` and `python -m bot` come in by `main`.
"""

import errno
import os
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from bot import __version__
from bot.cli.command_error import usage_in_one_line

COMMANDS = {  # Not in the modules: `--help` imports none of them.
    "adopt": "Print the README badge, CONTRIBUTING paragraph and template line for a repository.",
    "audit": "Check the licences of checkouts and their dependencies.",
    "backup": "Back up the database to one file. The server can keep running.",
    "check": "Check the commits of a local clone, as a pull request would be checked.",
    "demo": "Try Countersign on this machine, with a simulated GitHub.",
    "doctor": "Check this deployment, or manifests, and say what to fix.",
    "deliveries": "List webhook deliveries and their state.",
    "erasures": "Export the erasures that were decided, to repeat them after a restore.",
    "evaluate": "Check one pull request from a file of facts.",
    "export": "Export all records, decrypted.",
    "import": "Import records from another tool.",
    "keys": "Generate, rotate and list the keys for personal data.",
    "ledger": "Verify the log, or print its latest signed root.",
    "license": "Check licence compatibility, and update the licence data.",
    "mail": "List the outbox, and read and resend e-mails.",
    "manifest": "Print the manifest of the GitHub App.",
    "migrate": "Migrate the database to the schema of this release.",
    "receipt": "Verify the receipt of a signature.",
    "recheck": "Check open pull requests again.",
    "redeliver": "Ask GitHub to redeliver failed webhook deliveries.",
    "rehearse": "Open, check and close one pull request at GitHub, and show each step.",
    "replay": "Show which open pull requests a changed rulebook would affect.",
    "restore": "Restore a backup into an empty database.",
    "rulebook": "Check a rulebook, or show the rules in force.",
    "serve": "Run the web server and the worker.",
    "setup": "Register the GitHub App and write the settings, step by step in a browser.",
    "sweep": "Catch up on events that were missed.",
    "team": "List the configured teams, or look one up again.",
    "webhooks": "List and resend outgoing webhooks.",
    "whitelist": "Print the public whitelist: logins, ids and company domains.",
}
"""Every command and its one line of help; the module of the same name, or of MODULES, holds it as `command`."""

MODULES = {
    "audit": "licenses.audit",
    "check": "verdicts.check",
    "erasures": "records.erasures",
    "evaluate": "verdicts.evaluate",
    "export": "records.export",
    "import": "records.importing",  # `import` is a word of Python's own
    "keys": "records.keys",
    "ledger": "records.ledger",
    "license": "licenses.license",
    "receipt": "records.receipt",
    "replay": "verdicts.replay",
    "rulebook": "verdicts.rulebook",
    "whitelist": "records.whitelist",
}
"""Commands whose module stands in a folder."""


class Commands(click.Group):
    """Finds a command's module only when it is asked for; `places` has `module:name` of each."""

    def __init__(self, *args: Any, places: Mapping[str, str], **others: Any) -> None:
        super().__init__(*args, **others)
        self._places = places

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """All names, sorted."""
        return sorted(self._places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """The command of that name, its module imported now."""
        if cmd_name not in self._places:
            return None
        module, _, name = self._places[cmd_name].partition(":")
        command: click.Command = getattr(import_module(module), name)  # Now: `evaluate` must not load the server.
        return command


class _AllCommands(Commands):
    def make_context(self, *args: Any, **others: Any) -> click.Context:
        with usage_in_one_line():
            return super().make_context(*args, **others)

    def invoke(self, ctx: click.Context) -> Any:
        with usage_in_one_line():
            return super().invoke(ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        # By the table: click's own list would import each command for its help.
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))


@click.group(
    cls=_AllCommands,
    places={name: f"bot.cli.{MODULES.get(name, name)}:command" for name in COMMANDS},
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="countersign")
def root() -> None:
    """Countersign checks that everyone who contributes may do so, and that licences fit together.

    Exit codes: 0 fine, 1 problems found, 2 wrong usage or input.
    """


def main(arguments: list[str] | None = None) -> Any:
    """Run the command line; a user's mistake, or an output that is full, ends in one line and exit code 2."""
    try:
        return root.main(args=arguments, prog_name="countersign")
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        # The rest of the buffer goes nowhere: Python would try again at its end, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        click.echo(f"countersign: cannot write: {error.strerror}", err=True)
        raise SystemExit(2) from None
