"""`countersign recheck` queues known open pull requests; the running worker judges them."""

from datetime import UTC, datetime

import pytest
from click.testing import CliRunner
from sqlalchemy import text, update
from sqlmodel import col, select

from bot import db
from bot.cli.migrate import command as migrate
from bot.cli.recheck import command
from bot.github.ports import RepositoryPlace
from bot.store import owners
from bot.store.pulls import commit_findings, posts, review_mailbox
from bot.store.pulls.commit_findings import PushedBranch, UnjudgedCommit
from bot.store.pulls.posts import PullRequestIdentity
from bot.store.records import PullRecord
from tests.bot.demo.github import github_deeds
from tests.bot.flows.conftest import _staged  # noqa: F401 - fixtures
from tests.bot.jobs.inline import InlineEngine
from tests.ready import upgraded

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture(name="engine")
def _engine(database_url):
    """A database as `countersign migrate` leaves it."""
    upgraded(database_url).dispose()  # a copy: the command has the jobs' tables left to make
    assert CliRunner(env={"COUNTERSIGN_DATABASE_URL": database_url}).invoke(migrate, []).exit_code == 0
    engine = db.open_engine(database_url)
    yield engine
    engine.dispose()


@pytest.fixture(name="known")
def _known(sessions):
    """Row ids of cann/ge#5 and #6 (open), #7 (closed) and cann/ops#5, all judged."""
    found = []
    with sessions() as session:
        for name, number in [("ge", 5), ("ge", 6), ("ge", 7), ("ops", 5)]:
            box = PullRequestIdentity(
                repository_id=10 + len(name), number=number, installation_id=1, owner_id=7, owner="cann", name=name
            )
            found.append(posts.post(session, InlineEngine(), box)[0])
        session.execute(update(PullRecord).values(evaluated=1, due_at=None))
        session.execute(update(PullRecord).where(PullRecord.number == 7).values(open=False))
    return found


@pytest.fixture(name="run")
def _run(database_url):
    """The command on that database."""
    return lambda *arguments: CliRunner(env={"COUNTERSIGN_DATABASE_URL": database_url}).invoke(command, arguments)


def waiting(sessions, known):
    """Which of the four wait for a job, by place in the list."""
    with sessions() as session:
        return [place for place, pull_id in enumerate(known) if review_mailbox.get(session, pull_id).due_at]


def test_a_repositorys_open_pull_requests_are_queued(run, sessions, known, engine):
    result = run("CANN/Ge")

    assert (result.exit_code, result.stdout) == (0, "2 pull requests will be checked again\n")
    assert waiting(sessions, known) == [0, 1]
    schema = "dbos." if engine.dialect.name == "postgresql" else ""
    with engine.connect() as connection:
        assert connection.execute(text(f"SELECT count(*) FROM {schema}workflow_status")).scalar() == 1


def test_one_pull_request_is_queued_by_number(run, sessions, known):
    result = run("cann/ge#6")

    assert (result.exit_code, result.stdout) == (0, "1 pull request will be checked again\n")
    assert waiting(sessions, known) == [1]


@pytest.mark.parametrize("target", ["cann/ge#7", "cann/ge#99", "cann/nothing", "nobody/ge"])
def test_a_closed_or_unknown_pull_request_is_one_line_and_queues_nothing(run, sessions, known, target):
    result = run(target)

    assert result.exit_code == 2
    assert f"no open pull request of {target} is known" in result.stderr.splitlines()[-1]
    assert waiting(sessions, known) == []


def test_an_unchecked_commit_is_compared_again_by_the_beginning_of_its_sha(run, sessions, engine):
    push = PushedBranch(place=RepositoryPlace(1, "cann", "ge", 12), branch="main", base_shas=("b" * 40,))
    with sessions() as session:
        commit_findings.record(session, push, [UnjudgedCommit("a" * 40, "no-pull-request")], at=NOON)

    assert run("Cann/ge@AAAAAAAAAA").stdout == "1 commit will be compared again\n"
    for target in ("cann/ge@bbbbbbbbbb", "cann/ops@aaaaaaaaaa"):
        result = run(target)
        assert (result.exit_code, result.stderr) == (
            2, f"countersign: {target} is not among the unchecked commits (/admin/commits)\n"
        )  # fmt: skip
    schema = "dbos." if engine.dialect.name == "postgresql" else ""
    with engine.connect() as connection:
        assert connection.execute(text(f"SELECT count(*) FROM {schema}workflow_status")).scalar() == 1


def asked(scene, target, **changed):
    """The command with the settings of a deployment: GitHub may be asked."""
    environ = {
        "COUNTERSIGN_DATABASE_URL": scene.settings.database_url,
        "COUNTERSIGN_GITHUB_URL": scene.settings.github_url,
        "COUNTERSIGN_GITHUB_API_URL": scene.settings.github_api_url,
        "COUNTERSIGN_APP_ID": str(scene.app.id),
        "COUNTERSIGN_PRIVATE_KEY": scene.settings.private_key.reveal(),
        "COUNTERSIGN_ACCOUNTS": str(scene.cann.id),
    }
    return CliRunner(env={**environ, **changed}).invoke(command, [target])


def numbers(scene):
    """The pull requests that wait for a job."""
    with scene.sessions() as session:
        return sorted(session.scalars(select(PullRecord.number).where(col(PullRecord.due_at).is_not(None))))


@pytest.mark.slow
def test_github_is_asked_for_open_pull_requests_that_are_not_known(engine, staged):
    scene = staged()
    first, second, third = (scene.pull(branch=f"b{number}")[0] for number in range(3))
    scene.world.close_pull(third, scene.mia)

    assert asked(scene, f"cann/ops#{second.number}").stdout == "1 pull request will be checked again\n"
    assert numbers(scene) == [second.number]
    assert asked(scene, "CANN/ops").stdout == "2 pull requests will be checked again\n"
    assert numbers(scene) == [first.number, second.number]
    nothing = asked(scene, f"cann/ops#{third.number}")
    assert (nothing.exit_code, nothing.stderr) == (
        2, f"countersign: no open pull request of cann/ops#{third.number} is known\n"
    )  # fmt: skip


def test_a_repository_unknown_to_github_is_one_line(engine, staged):
    result = asked(staged(), "cann/nothing")
    assert (result.exit_code, result.stderr) == (2, "countersign: no open pull request of cann/nothing is known\n")


def test_a_repository_that_is_not_served_is_refused(engine, staged):
    scene = staged()
    scene.pull()
    result = asked(scene, "cann/ops", COUNTERSIGN_ACCOUNTS="1")
    assert result.exit_code == 2
    assert result.stderr == "countersign: cann is not served: COUNTERSIGN_ACCOUNTS does not name it\n"
    assert numbers(scene) == []


@pytest.mark.parametrize("target", ["cann/ge", "cann/ge#5"])
@pytest.mark.parametrize(
    ("accounts", "is_served"),
    [("7", True), ("9,7", True), ("9", False), ("cann", True), ("other", False), ("other,unknown", True)],
)
def test_known_pull_requests_of_an_account_that_is_not_served_are_refused(
    database_url, sessions, known, target, accounts, is_served
):
    with sessions() as session:
        owners.remember_login(session, "cann", 7)
        owners.remember_login(session, "other", 9)
    environ = {"COUNTERSIGN_DATABASE_URL": database_url, "COUNTERSIGN_ACCOUNTS": accounts}
    result = CliRunner(env=environ).invoke(command, [target])

    assert (result.exit_code == 0) is is_served
    if not is_served:
        assert result.stderr == "countersign: cann is not served: COUNTERSIGN_ACCOUNTS does not name it\n"
        assert waiting(sessions, known) == []


def test_known_pull_requests_that_the_app_reaches_no_more_are_refused(engine, staged):
    scene = staged()
    pull, _ = scene.pull()
    scene.settle()
    github_deeds.uninstall(scene.world, scene.installation, scene.ada)
    scene.world.hooks.drain()
    before = scene.row(pull).latest
    result = asked(scene, "cann/ops")
    assert (result.exit_code, result.stderr) == (2, "countersign: the App does not reach cann/ops any more\n")
    assert scene.row(pull).latest == before


@pytest.mark.parametrize(
    "target",
    [
        "ge",
        "cann/ge#",
        "cann/ge#0",
        "cann/ge#x",
        "https://github.com/cann/ge",
        "a/b/c",
        "",
        "cann/ge@aaaaaa",
        "cann/ge@main",
        "cann/ge#1@aaaaaaa",
    ],
)
def test_a_target_of_another_form_is_refused_before_the_database_is_opened(run, target):
    result = run(target)

    assert result.exit_code == 2
    assert (
        f"{target!r} is none of owner/repository, owner/repository#number and owner/repository@commit"
        in result.stderr.splitlines()[-1]
    )


def test_a_missing_database_is_not_created(tmp_path):
    file = tmp_path / "typo.db"
    environ = {"COUNTERSIGN_DATABASE_URL": f"sqlite:///{file}"}
    result = CliRunner(env=environ).invoke(command, ["cann/ge"])

    assert result.exit_code == 2
    assert (
        result.stderr
        == f"countersign: there is no database at {file}: set COUNTERSIGN_DATABASE_URL to the server's, or run `countersign migrate` to make one\n"
    )
    assert not file.exists()
