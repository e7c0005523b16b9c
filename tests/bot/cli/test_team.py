"""`team` lists the configured teams, and has one looked up again."""

import pytest

from bot.cli.team import command
from bot.github.ports import Team
from bot.store import team_records
from tests.terminal import TerminalRunner

pytestmark = pytest.mark.sqlite_alone  # tests/bot/store/test_team_records.py looks at both kinds


@pytest.fixture(name="run")
def _run(sessions, database_url):
    """The command on a database that knows one team."""
    with sessions() as session:
        team_records.keep(session, "cann/cla-admins", Team(500, 31))
    return lambda *arguments: TerminalRunner(env={"COUNTERSIGN_DATABASE_URL": database_url}).invoke(command, arguments)


def test_list_prints_name_and_ids_of_each_team(run):
    result = run("list")

    assert (result.exit_code, result.stdout) == (0, "name\torganization_id\tid\ncann/cla-admins\t500\t31\n")


def test_forget_has_a_team_looked_up_again_in_any_case_of_its_name(run):
    result = run("forget", "CANN/cla-admins")
    assert (result.exit_code, result.stderr) == (0, "cann/cla-admins will be looked up again\n")
    assert run("list").stdout == "name\torganization_id\tid\n"

    result = run("forget", "CANN/cla-admins")
    assert result.exit_code == 2
    assert (
        "the team CANN/cla-admins was never looked up: `countersign team list` shows those that were" in result.stderr
    )
