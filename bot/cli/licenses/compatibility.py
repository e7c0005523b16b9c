"""`countersign license check` and `outbound`: does one licence go into another, by how the thing is used; which ones would do."""

from pathlib import Path

import click

from audit.facts import Delivery, Usage
from bot.cli.command_error import CommandError, file_access
from bot.cli.licenses import audit_input
from bot.cli.options import FILE, form_option, standard_output

_MAX_UNREADABLE_PLACES = 20
"""Places that could not be read, of which a line is shown each."""


@click.command(short_help="Check one licence against another.")
@click.option("--outbound", metavar="EXPR", help="The licence of your work, an SPDX expression.")
@click.option("--inbound", metavar="EXPR", help="The licence of what it uses.")
@click.option(
    "--usage",
    type=click.Choice([usage.value for usage in Usage]),
    default=Usage.UNKNOWN.value,
    show_default=True,
    help="How it is used.",
)
@click.option(
    "--delivery",
    type=click.Choice([delivery.value for delivery in Delivery]),
    default=Delivery.BINARY.value,
    show_default=True,
    help="How your work is delivered.",
)
@click.option(
    "--batch",
    type=click.Path(path_type=Path, allow_dash=True),
    help="Check many: one JSON object with these keys per line; - for standard input.",
)
@form_option(help="json: one line for each question.")
def check(outbound: str | None, inbound: str | None, usage: str, delivery: str, batch: Path | None, form: str) -> None:
    """Check whether something under INBOUND may be used this way in a work under OUTBOUND.

    Exit codes: 0 fine, 1 something is incompatible or under an unknown licence, 2 wrong input.
    """
    from bot.cli.licenses import license_batch

    data = audit_input.data()
    if batch is None:
        if outbound is None or inbound is None:
            raise click.UsageError("give --outbound and --inbound, or --batch")
        line = {"outbound": outbound, "inbound": inbound, "usage": usage, "delivery": delivery}
        answer = license_batch.answer(line, data)
        if answer.error:
            raise CommandError(answer.error)
        click.echo(license_batch.shown(answer, form), nl=False)
        raise click.exceptions.Exit(answer.code)
    if outbound is not None or inbound is not None:
        raise click.UsageError("--batch takes its licences from the file alone")
    # Opened apart from the reading, whose errors the batch itself tells.
    with file_access("read", batch):
        opened = click.open_file(str(batch), "rb")
    with opened as source, standard_output() as out:
        code = license_batch.answers(source, out, data, form)
    raise click.exceptions.Exit(code)


@click.command(short_help="List the licences that would make a checkout compatible.")
@click.argument("path", type=FILE)
@audit_input.rulebook_option
@audit_input.offline_option
@form_option()
def outbound(path: Path, rulebook: Path | None, form: str, *, offline: bool) -> None:
    """List the licences that the checkout at PATH could have to be compatible with everything it uses, most permissive first.

    For the other licences, lists what is in the way. Waivers do not count, so that the licences found need none.

    Exit codes: 0 there is one, 1 there is none, or a file could not be read, 2 wrong usage or input.
    """
    from audit.verdict.outbound import candidates
    from audit.verdict.unreadable_input import COULD_NOT_JUDGE, not_read, unjudged

    options = audit_input.options(rulebook, offline=offline)
    (found,) = audit_input.audited([path], options)
    uses = [cell.dependency for cell in found.audited.cells]
    asked = candidates(uses, found.audited.repository.delivery, options.data)
    with standard_output() as out:
        out.writelines(f"{line}\n" for line in audit_input.choices(asked, len(uses), form))
    doubts = unjudged(found.audited)
    if any(not_read(found.audited.findings)):
        audit_input.say(f"{not_read(found.audited.findings)}: what these use is not considered")
    for finding in doubts[:_MAX_UNREADABLE_PLACES]:
        audit_input.say(f"{COULD_NOT_JUDGE}: {finding.code} {finding.place}: {finding.message}")
    if len(doubts) > _MAX_UNREADABLE_PLACES:
        audit_input.say(f"{COULD_NOT_JUDGE}: {len(doubts) - _MAX_UNREADABLE_PLACES:,} more: `audit` lists all")
    raise click.exceptions.Exit(0 if asked[0].is_clean and not doubts else 1)  # The best of all stands first.
