"""Whether a repository is in `mode: shadow`, where verdicts are recorded and nothing is written at GitHub."""

from agreements.rulebook.rules import Rules, for_repository
from bot.flows.flow_services import Services
from bot.github.ports import PullRequestSnapshot, RepositoryPlace, RuleFile, RuleFiles
from bot.rulebook import effective as rulebooks
from bot.rulebook.effective import Rulebook, RulebookProblem
from bot.rulebook.yaml_document import DocumentInvalid
from bot.store.pulls import pull_state


def is_quiet(snapshot: PullRequestSnapshot, rulebook: Rulebook | RulebookProblem, services: Services) -> bool:
    """True when nothing is to be written at GitHub about that pull request."""
    return is_quiet_in(snapshot.place, snapshot.rule_files, rulebook, services)


def is_quiet_at(place: RepositoryPlace, services: Services) -> bool:
    """As the rules said when a pull request there was judged last; where none ever was, they are read. Raises HubError."""
    with services.sessions() as session:
        was_quiet = pull_state.was_quiet(session, place.repository_id)
    if was_quiet is not None:
        return was_quiet
    files = services.hub.rule_files(place)
    rulebook = rulebooks.read(files, services.organization_file, place.full_name, texts=services.texts)
    return is_quiet_in(place, files, rulebook, services)


def is_quiet_in(
    place: RepositoryPlace, files: RuleFiles, rulebook: Rulebook | RulebookProblem, services: Services
) -> bool:
    """True when nothing is to be written at GitHub in that repository.

    Where there are no rules, the organisation's file alone decides, since only it may set the mode; when that cannot be
    read either, the mode stays as it was: a mistake in a file does not end shadow mode.
    """
    rules = rulebook.rules if isinstance(rulebook, Rulebook) else _organizations(files, services)
    if rules is not None:
        return for_repository(rules, place.full_name).mode == "shadow"
    with services.sessions() as session:
        return pull_state.was_quiet(session, place.repository_id) or False


def _organizations(files: RuleFiles, services: Services) -> Rules | None:
    """The rules of the organisation's file, None while it is absent, out of reach or broken."""
    file = RuleFile(*services.organization_file) if services.organization_file else files.organization
    text = None if file is None else file.text
    try:
        return None if text is None else rulebooks.parse_rulebook(text, services.texts).rules
    except DocumentInvalid:
        return None
