"""The conditions of a rehearsal, before it writes anything: the App is installed and served, rules show something, the person may push."""

from dataclasses import dataclass
from typing import Final

from agreements.facts import Account
from agreements.rulebook.rules import RepositoryRule, for_repository
from bot.doctor.account_checks import names
from bot.github.hub import Hub
from bot.github.permissions import REHEARSAL
from bot.github.ports import AppIdentity, HubError, Missing, Moved, Refused, RepositoryPlace
from bot.rehearsal.person import BRANCH_PREFIX, GitHubPerson, Sandbox
from bot.report import words
from bot.rulebook import effective
from bot.rulebook.effective import RulebookProblem
from bot.rulebook.text_files import Texts
from bot.settings import Settings

_NAMES: Final = {"contents": "Contents", "pull_requests": "Pull requests"}
"""Permissions as GitHub's page for a new token calls them."""
PERMISSIONS: Final = (
    f"{' and '.join(_NAMES[permission] for permission, level in REHEARSAL.items() if level == 'write')}: read and write"
)


class CannotRehearse(Exception):
    """Nothing was written, for this reason: one line that says what to do."""


@dataclass(frozen=True, slots=True)
class RehearsalPlan:
    """The plan of a rehearsal: in the `sandbox` at `place`, on `tip` of its default branch, as `me`, judged by `app` under `rule`."""

    place: RepositoryPlace
    app: AppIdentity
    me: Account
    sandbox: Sandbox
    tip: str
    rule: RepositoryRule
    sources: tuple[str, ...]
    """The rulebook files in force; none: the defaults."""


def token_needed(settings: Settings, repository: str) -> str:
    """The token that is needed, with its permissions and the page to make it, as one line."""
    return (
        f"a rehearsal acts as a person: make a fine-grained token of yours for {repository} alone with {PERMISSIONS} at "
        f"{settings.github_url}/settings/personal-access-tokens/new, and set COUNTERSIGN_REHEARSAL_TOKEN to it"
    )


def prepare(
    hub: Hub,
    person: GitHubPerson,
    settings: Settings,
    repository: tuple[str, str],
    organization_file: tuple[str, str] | None,
    texts: Texts,
) -> RehearsalPlan:
    """Ask GitHub as the App, then as the person. Raises CannotRehearse; HubError where GitHub does not answer."""
    app = hub.identity()
    place, owner = _installed(hub, settings, app, repository)
    if not any(names(word, owner) for word in settings.accounts):
        raise CannotRehearse(f"{owner.login} is not served: add it to COUNTERSIGN_ACCOUNTS, and restart the server")
    found = effective.read(hub.rule_files(place), organization_file, place.full_name, texts=texts)
    if isinstance(found, RulebookProblem):
        said = words.text(found.problem(), "en")
        raise CannotRehearse(f"the rulebook of {place.full_name} cannot be used: {said.message} {said.fix}".rstrip())
    rule = for_repository(found.rules, place.full_name)
    # It would wait for everything that shadow mode does not show.
    if rule.mode == "shadow":
        raise CannotRehearse(
            f"{place.full_name} is in shadow mode, which shows nothing at GitHub: set `mode: enforce` for it in the rulebook"
        )
    me, sandbox, tip = _of_person(person, settings, place)
    return RehearsalPlan(place, app, me, sandbox, tip, rule, found.sources)


def _installed(
    hub: Hub, settings: Settings, app: AppIdentity, repository: tuple[str, str]
) -> tuple[RepositoryPlace, Account]:
    name = "/".join(repository)
    try:
        return hub.repository_by_name(*repository)
    except Missing:  # GitHub's answer in both cases.
        raise CannotRehearse(
            f"the App {app.slug} is not installed on {name}, or there is no such repository: "
            f"install it at {settings.github_url}/apps/{app.slug}/installations/new"
        ) from None
    except Moved:
        raise CannotRehearse(f"{name} was renamed or transferred: give its present name") from None


def _of_person(person: GitHubPerson, settings: Settings, place: RepositoryPlace) -> tuple[Account, Sandbox, str]:
    name = place.full_name
    try:
        me = person.account()
    except Refused as error:
        raise CannotRehearse(f"GitHub does not take the token ({error}): {token_needed(settings, name)}") from None
    try:
        sandbox = person.sandbox()
    except (Missing, Refused) as error:
        raise CannotRehearse(f"the token does not reach {name} ({error}): {token_needed(settings, name)}") from None
    # A name may have passed to another repository.
    if sandbox.id != place.repository_id:
        raise CannotRehearse(f"{name} is another repository for the token than for the App: give its present name")
    if sandbox.is_archived:
        raise CannotRehearse(f"{name} is archived, so nothing can be written there: choose another repository")
    if not sandbox.may_push:
        raise CannotRehearse(
            f"{me.login} may not push to {name}: ask for write access, or use the token of somebody who has it"
        )
    tip = person.tip(sandbox.default_branch)
    if tip is None:
        raise CannotRehearse(f"{name} has no commit on {sandbox.default_branch}: push a first one")
    return me, sandbox, tip


def as_text(plan: RehearsalPlan, branch: str, requirement: str) -> str:
    """The plan in words, for the person who decides on it."""
    rules = " and ".join(plan.sources) or "no rulebook, so the defaults"
    return f"""\
A rehearsal in {plan.place.full_name} as {plan.me.login}, judged by the App {plan.app.slug} ({plan.app.id}).

  Rules   {rules}: {requirement}
  Base    {plan.sandbox.default_branch} at {plan.tip[:7]}, which stays as it is

In your name, and visible to everybody who can see the repository, it will

  1. create the branch {branch} with one commit without sign-off,
  2. open a pull request from it, and wait for the check, the label and the comment,
  3. comment /cla-check, and wait for the answer,
  4. close the pull request, and delete the branch.

People who watch the repository are notified. GitHub keeps the closed pull request.
"""


def new_branch(random: str) -> str:
    """The name of the branch, with as much of something random as tells it from others."""
    return BRANCH_PREFIX + random[:8]  # Several may run at once.


def remedy(error: HubError, settings: Settings, repository: str) -> str:
    """The advice on a write that GitHub refused to the person."""
    # GitHub says 404 where a token may not even read, 403 where it may not write.
    if isinstance(error, Missing) or " 403 " in str(error) or " 401 " in str(error):
        return (
            f"Give your token for {repository} the permissions {PERMISSIONS} "
            f"({settings.github_url}/settings/personal-access-tokens)."
        )
    return "Run this again; if GitHub refuses it again, do what its message says."
