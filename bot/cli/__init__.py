"""The command line: one file a command, imported when it is called, so that `evaluate` starts without the server.

`countersign` and `python -m bot` come in by `main`.
"""

from importlib import import_module
from typing import Any

import click

COMMANDS = {
    "audit": "Judge the licences of checkouts and of what they use.",
    "backup": "Write everything in the database to one file, while the server runs.",
    "check": "Judge the commits of a local clone: what a pull request of them would be told.",
    "demo": "Try it: a small GitHub, the portal and the bot on this machine alone.",
    "doctor": "Look at this deployment, or at manifests: what is wrong and what to do.",
    "deliveries": "List webhook deliveries and what became of them.",
    "evaluate": "Judge facts from a file: facts in, verdict out.",
    "export": "Write everything that is recorded to a file, opened.",
    "import": "Take over what another tool recorded.",
    "keys": "Make, exchange and list the keys for personal data.",
    "ledger": "Verify the log of the records, or print its newest signed root.",
    "license": "Judge whether licences fit; take newer licence data.",
    "mail": "List the outbox, and read letters that were not sent.",
    "manifest": "Print the App manifest as GitHub wants it.",
    "migrate": "Bring the database to the newest schema.",
    "recheck": "Judge open pull requests again.",
    "redeliver": "Have GitHub send lost deliveries again.",
    "replay": "Print what a changed rulebook would do to the open pull requests.",
    "restore": "Take a backup back into an empty database.",
    "rulebook": "Check a rulebook, or show the rules in force.",
    "serve": "Run the web server and the worker.",
    "setup": "Register the GitHub App and write the settings, step by step in a browser.",
    "sweep": "Look for what happened while nobody listened.",
    "team": "Print what the configured teams mean, or have one looked up anew.",
    "webhooks": "List outgoing webhooks, and have them sent again.",
    "whitelist": "Print what is public: logins, ids and company domains.",
}
"""Every command and its one line of help; the module of the same name, or of MODULES, holds it as `command`."""

MODULES = {
    "audit": "licenses.audit",
    "check": "verdicts.check",
    "evaluate": "verdicts.evaluate",
    "export": "records.export",
    "import": "records.importing",  # `import` is a word of Python's own
    "keys": "records.keys",
    "ledger": "records.ledger",
    "license": "licenses.license",
    "replay": "verdicts.replay",
    "rulebook": "verdicts.rulebook",
    "whitelist": "records.whitelist",
}
"""Commands whose module stands in a folder."""


class Commands(click.Group):
    """Finds a command's module only when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """All names, sorted."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """The command of that name, its module imported now."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"bot.cli.{MODULES.get(cmd_name, cmd_name)}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """The list in `--help`, from the table above: no module is imported for it."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="countersign-app", prog_name="countersign")
def root() -> None:
    """Countersign: may everyone who contributed contribute?

    Exit codes: 0 fine, 1 problems found, 2 wrong usage or input.
    """


def main(arguments: list[str] | None = None) -> Any:
    """Run the command line; a user's mistake ends in one line and exit code 2."""
    return root.main(args=arguments, prog_name="countersign")
