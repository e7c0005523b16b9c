"""Whether the default branches of the repositories require our check, from this App alone: otherwise a pull request merges without it."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from operator import attrgetter
from typing import Final

from agreements.rulebook.rules import Rules, for_repository
from bot.db import Sessions
from bot.doctor import account_checks, database_checks
from bot.doctor.doctor_report import TRY_AGAIN, DoctorCheck, DoctorResult, unasked
from bot.flows.publishing.review_publisher import NAME
from bot.github.hub import Hub
from bot.github.ports import HubError, InstallationRepository
from bot.github.required_checks import RequiredCheck
from bot.rulebook import effective
from bot.rulebook.yaml_document import DocumentInvalid
from bot.settings import Settings
from bot.store import owners

CHECK: Final = DoctorCheck("github.ruleset", "medium")
MAX_REPOSITORIES: Final = 100  # At most two calls each: a large organisation is looked at where it is at work.
_AT_ONCE: Final = 8  # Repositories that GitHub is asked about at the same time.
_MAX_NAMED: Final = 5
REQUIRE: Final = (
    f"Require the status check `{NAME}` with a ruleset of each organisation (Settings, Repository, Rulesets), "
    "and choose this App as its source. Otherwise pull requests can be merged without it, or with a check that somebody else set."
)


def judge(settings: Settings, hub: Hub | None, sessions: Sessions | None) -> list[DoctorResult]:
    """`hub` and `sessions` are None where GitHub or the database cannot be asked."""
    if hub is None:
        return unasked(CHECK)
    try:
        return database_checks.read(
            sessions, lambda found: _judged(settings, hub, found), CHECK, what="database with the rulebooks"
        )
    except HubError as error:
        return [CHECK.unknown(f"GitHub did not say which checks are required: {error}.", TRY_AGAIN)]


def _enforced(settings: Settings, hub: Hub, sessions: Sessions) -> Iterator[InstallationRepository]:
    """The repositories with pushes in which the rulebook has us write checks. Raises HubError, SQLAlchemyError."""
    for installation in hub.installations():
        if installation.suspended or not any(
            account_checks.names(word, installation.account) for word in settings.accounts
        ):
            continue
        rules = _rules(settings, sessions, installation.account.id)
        for repository in hub.listed(installation.id):
            is_enforced = for_repository(rules, repository.place.full_name).mode == "enforce"
            if is_enforced and repository.pushed_at and not repository.archived:
                yield repository


def _rules(settings: Settings, sessions: Sessions, account_id: int) -> Rules:
    """The rules of the organisation's rulebook as last read; the defaults, which enforce, without one that can be read."""
    file = settings.rulebook_path
    with sessions() as session:
        text = owners.rules(session, account_id) if file is None else None
    # A rulebook that cannot be used is said by every check, and by settings.valid.
    with suppress(DocumentInvalid, OSError, UnicodeDecodeError):
        text = file.read_text(encoding="utf-8") if file is not None else text
        if text:
            return effective.parse_rulebook(text, None).rules
    return Rules()


def _judged(settings: Settings, hub: Hub, sessions: Sessions) -> list[DoctorResult]:
    found = sorted(_enforced(settings, hub, sessions), key=attrgetter("pushed_at"), reverse=True)  # Busy ones first.
    return [_required(found, hub, settings.app_id)]


def _required(repositories: list[InstallationRepository], hub: Hub, app_id: int) -> DoctorResult:
    asked = repositories[:MAX_REPOSITORIES]
    with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="doctor-ruleset") as pool:
        checks_of = pool.map(lambda repository: hub.required_checks(repository.place, repository.branch), asked)
        required = {repository.place.full_name: checks for repository, checks in zip(asked, checks_of, strict=True)}
    without = [name for name, checks in required.items() if NAME not in {check.name for check in checks}]
    ours = RequiredCheck(NAME, app_id)  # Another App may set a check of this name.
    by_others = [name for name, checks in required.items() if name not in without and ours not in checks]
    more = len(repositories) - len(asked)
    limit = f" ({more:,} more with older pushes were not checked)" if more > 0 else ""
    if not repositories:
        return CHECK.not_applicable("There is no repository in which the check could be required.")
    if without or by_others:
        said = [f"{_listed(without)} not require the check `{NAME}`" if without else ""]
        said += [f"{_listed(by_others)} not require that this App sets it" if by_others else ""]
        return CHECK.failed(f"{'; '.join(filter(None, said))}{limit}.", REQUIRE)
    count = f"{len(asked):,} repositories require" if len(asked) > 1 else "1 repository requires"
    return CHECK.passed(f"{count} the check `{NAME}` from this App{limit}.")


def _listed(names: list[str]) -> str:
    """`a and b do`, `a does`, `a, b, c and 7 more do`."""
    shown = names if len(names) <= _MAX_NAMED else [*names[:_MAX_NAMED], f"{len(names) - _MAX_NAMED:,} more"]
    together = " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))
    return f"{together} {'do' if len(names) > 1 else 'does'}"
