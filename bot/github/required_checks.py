"""The status checks that a branch requires for merging, by rulesets and by classic branch protection."""

from dataclasses import dataclass

from bot.github.by_rest import segment
from bot.github.client.transport import Transport
from bot.github.ports import Missing, RepositoryPlace
from bot.github.reading import understanding
from bot.github.renames import RepositoryClient, current, root


@dataclass(frozen=True, slots=True)
class RequiredCheck:
    """A status check `name` that has to pass; `app_id` is the App that has to give it, None: any App may."""

    name: str
    app_id: int | None


class GitHubRequiredChecks(RepositoryClient):
    """Rules for merging."""

    def required_checks(self, place: RepositoryPlace, branch: str) -> frozenset[RequiredCheck]:
        """The checks that the branch requires, by rulesets and by classic protection, also for a branch that does not exist yet."""
        return self._following(place, lambda transport, there: required(transport, there, branch))


def required(transport: Transport, place: RepositoryPlace, branch: str) -> frozenset[RequiredCheck]:
    """The checks that the branch requires."""
    try:
        rules = list(transport.pages(f"{root(place)}/rules/branches/{segment(branch)}"))
    except Missing:
        current(transport, place)  # The repository is there: then the server has no rulesets
        rules = []
    with understanding():
        found = {
            RequiredCheck(str(check["context"]), check.get("integration_id"))
            for rule in rules
            if rule["type"] == "required_status_checks"
            for check in rule["parameters"]["required_status_checks"]
        }
    try:
        answer = transport.read(f"{root(place)}/branches/{segment(branch)}")
    except Missing:  # Nothing was ever pushed
        return frozenset(found)
    with understanding():
        protection = answer["protection"]
        classic = (protection.get("required_status_checks") or {}) if protection.get("enabled") else {}
        found |= {RequiredCheck(str(check["context"]), check["app_id"]) for check in classic.get("checks") or ()}
    return frozenset(found)
