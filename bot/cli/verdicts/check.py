"""`countersign check`: the commits of a local clone, judged by the rules of their base, without any server."""

import re
from typing import TYPE_CHECKING, Any

import click

from agreements.domains.masking import visible
from agreements.github_server import LOGIN
from bot.cli.options import FILE, form_option, standard_output

if TYPE_CHECKING:
    from agreements.facts import Account

_REPOSITORY = re.compile(rf"{LOGIN}/[A-Za-z0-9._-]+")


class _Account(click.ParamType["Account"]):
    """An account as a workflow is told of it by GitHub, `ID:LOGIN` or `ID:LOGIN:TYPE`; an App's login ends in [bot]."""

    name = "account"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> "Account":
        """The account that the text names."""
        from agreements.facts import Account  # Late: the command's --help needs none of the rules.
        from agreements.json.values import ACCOUNT_TYPES

        number, _, rest = str(value).partition(":")
        login, colon, kind = rest.partition(":")
        if not colon:
            kind = "Bot" if login.endswith("[bot]") else "User"
        is_id = number.isascii() and number.isdigit() and 0 < len(number) < 19  # At most 63 bits.
        if not is_id or not login or kind not in ACCOUNT_TYPES:
            said = f"{visible(str(value))!r} is not ID:LOGIN or ID:LOGIN:TYPE, such as 49699333:dependabot[bot]:Bot"
            self.fail(said, param, ctx)
        return Account(int(number), login, kind)


def _repository(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is not None and not _REPOSITORY.fullmatch(value):
        raise click.BadParameter(f"{visible(value)!r} is not OWNER/REPO, such as cann/ops-math", ctx, param)
    return value


@click.command(name="check")
@click.argument("path", default=".")
@click.option("--range", "commits", metavar="A..B", help="The commits that are in B but not in A.")
@click.option(
    "--rulebook", type=FILE, help="The organisation's rulebook. The rulebook in the clone can only be stricter."
)
@click.option("--whitelist", type=FILE, help="A copy of /whitelist.json, to show who has signed.")
@click.option(
    "--repository",
    metavar="OWNER/REPO",
    callback=_repository,
    help="Name of the repository, to find its rules. Default: from the remote.",
)
@click.option(
    "--opener",
    metavar="ID:LOGIN[:TYPE]",
    type=_Account(),
    help="Who opened the pull request. A bot's own commits need no sign-off; an AI agent's do. "
    "TYPE is GitHub's: User, Bot, Organization or Mannequin.",
)
@click.option(
    "--sender",
    "senders",
    metavar="ID:LOGIN[:TYPE]",
    type=_Account(),
    multiple=True,
    help="Who pushed commits to it. Can be repeated.",
)
@form_option("github", help="github: annotations of GitHub Actions.")
def command(form: str, **wanted: Any) -> None:
    """Check the commits of the clone at PATH (default: the current folder), as a pull request would be checked.

    By default, checks the commits since the branch left its upstream, or the remote's default branch. The rulebook and
    .mailmap are read from there, not from the commits under check. Without a rulebook, a DCO sign-off is required.

    For a clone from GitHub Enterprise Server or GHE.com, set COUNTERSIGN_GITHUB_URL to its address. In GitHub Actions,
    GITHUB_SERVER_URL says it.

    Only the DCO decides the exit code. A CLA is advice here, because a clone does not know GitHub accounts.

    Exit codes: 0 fine, 1 problems found, 2 wrong usage or input.
    """
    from bot.cli.verdicts.clone_check import judged_clone, printed
    from bot.report import local_cla_check

    judged = judged_clone(**wanted)
    with standard_output() as out:
        out.writelines(f"{line}\n" for line in printed(judged, form))
    # A CLA is advice: a clone knows no accounts.
    raise click.exceptions.Exit(0 if local_cla_check.passes(judged.verdict) else 1)
