"""Every check of a deployment, by its settings. What cannot be checked is unknown, and the rest goes on."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from threading import Event, Thread
from typing import Final

from sqlalchemy import Engine

from bot import db, startup
from bot.clock import Clock, monotonic
from bot.db import Sessions
from bot.doctor import (
    account_checks,
    agreements,
    client_secret,
    database_checks,
    github,
    key_checks,
    license_data,
    mail_server,
    operation,
    required_check,
    server_checks,
    start_refusals,
    webhook,
    webhook_checks,
)
from bot.doctor import setting_checks as settings_checks
from bot.doctor.doctor_report import DoctorCheck, DoctorResult, Report, unasked
from bot.doctor.server_checks import ListenAddress
from bot.github.connection import connect_by
from bot.github.hub import Hub
from bot.github.ports import Refused
from bot.settings import Settings

Progress = Callable[[str], None]

_LATE: Final = (
    "Run `countersign doctor` again. If it takes as long again, look at the network and the firewall on the way there."
)
_FIRST_SECONDS: Final = 6.0  # For settings and the database, which most other questions need.
_REST_SECONDS: Final = 9.0  # For all others: what is asked together is asked at the same time.
_REPOSITORIES_SECONDS: Final = 30.0  # For the repositories of a large organisation, only where GitHub answers.
_GITHUB_SECONDS: Final = 3  # For each step of an exchange.


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Facts that no setting has: the `place` and `role` of `serve` here, and to whom one e-mail is sent (`mail_to`)."""

    place: ListenAddress = field(default_factory=ListenAddress)
    role: str = "all"
    mail_to: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """`judge` asks, and gives results as it finds them; `checks` are those that it has a result for when it ends."""

    about: str
    """The name of what is asked, for messages: a noun without an article."""
    checks: tuple[DoctorCheck, ...]
    judge: Callable[[], Iterable[DoctorResult]] = field(repr=False)


def examine(
    settings: Settings,
    problems: Sequence[str],
    clock: Clock,
    on_progress: Progress = lambda _what: None,
    options: Options = Options(),
) -> Report:
    """Check everything once. `problems` are those of the settings; `on_progress` gets what is checked next.

    Changes nothing, and ends within 15 seconds even if servers hang; many repositories may take 30 more.
    """
    settings, hasty, elsewhere = _known_places(settings, problems)
    with database_checks.opened(hasty.database_url) as engine, connected(settings, elsewhere) as (hub, why):
        first = [
            Question(
                "settings",
                settings_checks.checks(hasty),
                lambda: settings_checks.judge(hasty, (*problems, *startup.unreadable(hasty, options.role))),
            ),
            Question("database", database_checks.checks(settings), lambda: database_checks.judge(engine, settings)),
        ]
        found = ask(first, _FIRST_SECONDS, on_progress)
        sessions = db.sessions(engine) if engine is not None and database_checks.is_usable(found) else None
        checks = (mail_server.LOGIN, mail_server.SENT) if options.mail_to else (mail_server.LOGIN,)
        rest = [  # These do without the database where it cannot be used.
            Question(
                "running server", server_checks.CHECKS, lambda: server_checks.judge(settings, options.place, sessions)
            ),
            _github(settings, hub, why, sessions, clock, is_known=not elsewhere),
            Question("mail server", checks, lambda: mail_server.judge(settings, options.mail_to, clock)),
            _records(hasty, engine, sessions, clock),
            Question("licence data", (license_data.CHECK,), lambda: [license_data.judge(settings, clock)]),
        ]
        found += ask(rest, _REST_SECONDS, on_progress)
        asked = hub if _answers(found) else None  # It is not asked again for everything else.
        repositories = Question(
            "list of required checks", (required_check.CHECK,), lambda: required_check.judge(settings, asked, sessions)
        )
        found += ask([repositories], _REPOSITORIES_SECONDS, on_progress)
    return Report(tuple(server_checks.from_here(found)))


def _known_places(settings: Settings, problems: Sequence[str]) -> tuple[Settings, Settings, str]:
    """The settings without a default in place of a wrong database; the same with less patience; what is wrong with GitHub's address, or ""."""
    wrong = {problem.partition(":")[0].partition(" ")[0].removesuffix("_FILE"): problem for problem in problems}
    if "COUNTERSIGN_DATABASE_URL" in wrong:  # The default may be there, and is another database.
        settings = replace(settings, database_url="")
    hasty = replace(settings, database_url=database_checks.impatient(settings.database_url))  # It may be silent.
    # The default server would be shown what only the other one may see.
    return settings, hasty, wrong.get("COUNTERSIGN_GITHUB_URL") or wrong.get("COUNTERSIGN_GITHUB_API_URL") or ""


def _records(settings: Settings, engine: Engine | None, sessions: Sessions | None, clock: Clock) -> Question:
    def judge() -> Iterator[DoctorResult]:
        yield from key_checks.judge(settings, sessions)
        yield from start_refusals.judge(settings, sessions)
        yield from webhook_checks.judge(settings, sessions)
        yield from operation.judge(engine if sessions else None, clock)
        yield from agreements.judge(settings, sessions)

    checks = (
        *key_checks.checks(settings),
        *start_refusals.checks(settings),
        *webhook_checks.checks(settings),
        *operation.CHECKS,
        *agreements.CHECKS,
    )
    return Question("records", checks, judge)


def _github(
    settings: Settings, hub: Hub | None, why: str, sessions: Sessions | None, clock: Clock, *, is_known: bool
) -> Question:
    def judge() -> Iterator[DoctorResult]:
        at_github = github.judge(hub, why, clock, settings.github_server)
        yield from at_github
        # While GitHub does not answer, or refuses the key, it is not asked again for everything else.
        asked = hub if _answers(at_github) else None
        yield from account_checks.judge(settings, asked)
        yield from client_secret.judge(settings, asked) if is_known else unasked(client_secret.CHECK)
        yield from webhook.judge(settings, asked, sessions, clock)

    checks = (*github.CHECKS, *account_checks.checks(settings), client_secret.CHECK, *webhook.CHECKS)
    return Question("GitHub", checks, judge)


def _answers(results: Sequence[DoctorResult]) -> bool:
    """Whether GitHub answers, and takes the App's key."""
    return {github.REACHABLE.id, github.APP.id} <= {result.id for result in results if result.is_met}


@contextmanager
def connected(settings: Settings, wrong: str = "") -> Iterator[tuple[Hub | None, str]]:
    """GitHub as the App of these settings, or None and why not, as where its address is `wrong`."""
    if wrong:
        yield None, wrong
        return
    if not settings.app_id or not settings.private_key:
        yield None, "COUNTERSIGN_APP_ID or COUNTERSIGN_PRIVATE_KEY is not set"
        return
    try:
        hub = connect_by(settings, timeout=_GITHUB_SECONDS)
    except Refused as error:
        yield None, f"COUNTERSIGN_PRIVATE_KEY: {error}"
        return
    with closing(hub):
        yield hub, ""


def ask(
    questions: Sequence[Question], seconds: float, on_progress: Callable[[str], None] = lambda _about: None
) -> list[DoctorResult]:
    """All results in the order of the questions; what was not found in time is unknown. Raises what a judge raises."""
    end = monotonic() + seconds
    asked = [_Asked(question) for question in questions]
    for inquiry in asked:
        on_progress(inquiry.question.about)
        # A daemon: a check that hangs ends with the process.
        Thread(target=inquiry.run, name=f"doctor-{inquiry.question.about}", daemon=True).start()
    return [result for inquiry in asked for result in inquiry.results(end, seconds)]


class _Asked:
    def __init__(self, question: Question) -> None:
        self.question = question
        self._found: list[DoctorResult] = []
        self._done = Event()
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            for result in self.question.judge():
                self._found.append(result)
        except BaseException as error:  # noqa: BLE001 - `results` raises it again
            self._error = error
        finally:
            self._done.set()

    def results(self, end: float, seconds: float) -> list[DoctorResult]:
        is_done = self._done.wait(max(end - monotonic(), 0))  # All share one end.
        if self._error is not None:
            raise self._error
        found = list(self._found)  # A copy: the thread may go on.
        ids = {result.id for result in found}
        assert ids <= {check.id for check in self.question.checks}, "or it would be forgotten when it is late"
        if is_done:
            return found
        said = f"Not checked: the {self.question.about} did not answer within {seconds:.0f} seconds."
        return [*found, *(check.unknown(said, _LATE) for check in self.question.checks if check.id not in ids)]
