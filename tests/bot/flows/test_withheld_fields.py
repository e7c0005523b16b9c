"""Fields that GitHub withholds are read another way or named in the check, and never lead to a false pass."""

import json

import pytest

from bot.app import wire
from bot.github.documents import SNAPSHOT_QUERY
from tests.bot.flows.recipes import book
from tests.bot.flows.scene import Scene
from tests.bot.github.field_faults import FAULTS, fields_of, withhold

CHOSEN = (
    "repository", "repository.databaseId", "repository.isPrivate", "repository.owner.databaseId", "repository.dco", "repository.label0",
    "repository.pullRequest", "repository.pullRequest.isDraft", "repository.pullRequest.headRepository",
    "repository.pullRequest.baseRef", "repository.pullRequest.author", "repository.pullRequest.labels",
    "repository.pullRequest.commits.nodes", "repository.pullRequest.commits.nodes.*.commit.author",
    "repository.pullRequest.commits.nodes.*.commit.author.user", "repository.pullRequest.commits.nodes.*.commit.committer",
    "repository.pullRequest.commits.nodes.*.commit.authors.nodes", "rules", "rules.rulebook",
)  # fmt: skip
"""Fields of every kind: structure, rule files, people, lists, and what decides nothing."""


class Withholding:
    """GitHub's answers to the first query of a review lose one field."""

    def __init__(self, scene: Scene) -> None:
        self.field = self.fault = None
        self.happened = 0
        scene.weather.altered.append(("POST", "/graphql", self.change))

    def change(self, answer: bytes) -> bytes:
        """The answer without the field, as far as it has it."""
        body = json.loads(answer)
        found = None
        if self.field is not None and "rules" in (body.get("data") or {}):
            found = withhold(body["data"], self.field, self.fault)
        if found is None:
            return answer
        self.happened += 1
        return json.dumps({"data": found[0], "errors": [*body.get("errors", []), *found[1]]}).encode()


def shown(scene: Scene, pull) -> tuple[str | None, str]:
    """The conclusion of the one check run on the head, and all its text."""
    (run,) = [run for run in scene.world.check_runs.values() if run.head_sha == pull.head_sha]
    return run.conclusion, f"{run.output['title']}\n{run.output['summary']}\n{run.output.get('text', '')}"


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_each_withheld_field_is_judged_without_or_named_in_the_check(staged, contract, fault):
    scene = staged()
    scene.world.write(
        scene.ops, {".github/dco.yml": "require:\n  members: false\n", ".mailmap": "Mia <mia@home.example>\n"}
    )
    scene.hub.create_label(scene.place, "cla-signed", "0e8a16", "covered")
    eve = scene.world.user("eve", name="Eve", emails=["eve@x.example"])
    scene.sign(scene.mia)
    scene.settle()
    withheld = Withholding(scene)
    fields = {str(field_at): field_at for field_at in fields_of(contract._graphql, SNAPSHOT_QUERY)}
    done = 0
    chosen = CHOSEN[FAULTS.index(fault) // 2 % 2 :: 2]
    for number, name in enumerate(chosen):
        withheld.field, withheld.fault, before = fields[name], fault, withheld.happened
        covered, _ = scene.pull(branch=f"mia{number}")
        other, _ = scene.pull(who=eve, branch=f"eve{number}")
        scene.settle()
        done += withheld.happened > before
        _judged(scene, covered, other, name, fault)
        withheld.field = None
        scene.settle(delayed=True)
    assert done >= len(chosen) - (4 if fault == "null" else 0)  # what may not be null is null with an error alone


def _judged(scene: Scene, covered, other, name: str, fault: str) -> None:
    assert shown(scene, other)[0] != "success", name
    conclusion, text = shown(scene, covered)
    if fault == "null" and conclusion == "failure":
        return  # GitHub's own word: there is no such account, or no such file
    assert conclusion in {"success", "action_required", None}, name
    assert conclusion == "success" or "GitHub" in text, (name, text)


def test_a_withheld_field_that_no_rule_needs_changes_nothing(scene, contract):
    withheld = Withholding(scene)
    (withheld.field,) = [
        field_at
        for field_at in fields_of(contract._graphql, SNAPSHOT_QUERY)
        if str(field_at) == "repository.pullRequest.headRepository"
    ]
    withheld.fault = "FORBIDDEN"
    pull, _ = scene.pull()
    scene.settle()
    scene.calls()
    scene.again(pull)

    assert (scene.conclusion(pull), scene.labels(pull), len(scene.comments(pull))) == ("failure", ["cla-required"], 1)
    assert scene.calls() == [("POST", "/graphql")]


@pytest.mark.slow
@pytest.mark.parametrize("is_private", [False, True])
def test_a_field_that_cannot_be_read_either_way_is_named_in_check_and_page(staged, contract, is_private):
    scene = staged(rulebook=book("cla"))
    scene.ops.private = is_private
    scene.weather.faults.append(("GET", r"/pulls/1/commits$", 451))
    withheld = Withholding(scene)
    path = "repository.pullRequest.commits.nodes"
    (withheld.field,) = [field_at for field_at in fields_of(contract._graphql, SNAPSHOT_QUERY) if str(field_at) == path]
    withheld.fault = "FORBIDDEN"
    pull, _ = scene.pull()
    scene.settle()
    why = (
        "GitHub does not let the App see the commits (the IP allow list of the organisation does not include this server); "
        "GitHub answered 451 to GET /repos/…/…/pulls/…/commits"
    )
    conclusion, text = shown(scene, pull)
    assert (conclusion, f"`{why}`" in text) == (None, True)

    wired = wire(scene.settings, hub=scene.hub, engine=lambda _database: scene.jobs)
    answer = wired.web.flask.test_client().get(f"/pr/cann/ops/{pull.number}", base_url="https://cla.example.org")
    wired.database.dispose()
    assert answer.status_code == (404 if is_private else 200)
    assert is_private or ("has not been checked yet" in answer.text and why in answer.text)

    scene.one_delayed()
    assert shown(scene, pull)[0] == "action_required"
    withheld.field = None
    scene.weather.faults.clear()
    scene.settle(delayed=True)
    assert shown(scene, pull)[0] == "failure"
