"""A rehearsal gets the scene of the flows, and a person with write access and a token of their own."""

from dataclasses import dataclass, field
from functools import partial

import pytest

from bot.github.connection import connect_person
from bot.rehearsal import preparation
from bot.rehearsal.person import GitHubPerson
from bot.rehearsal.steps import Rehearsal
from bot.rulebook.text_files import shipped
from bot.store.pulls import recorded_pull
from tests.bot.demo.github import github_deeds
from tests.bot.flows.conftest import _database_url, _scene, _staged  # noqa: F401 - fixtures
from tests.bot.flows.scene import Scene

WRITES = {"contents": "write", "pull_requests": "write"}
BRANCH = "countersign-rehearsal-0123abcd"


@dataclass
class Stage:
    """A scene, who rehearses there, and what a test changes: `works` off means that no webhook reaches our server."""

    scene: Scene
    person: GitHubPerson
    works: bool = True
    ended: list = field(default_factory=list)
    before_look: list = field(default_factory=list)

    @property
    def ops(self):
        return self.scene.ops

    def plan(self):
        """What the preparation finds."""
        scene = self.scene
        return preparation.prepare(scene.hub, self.person, scene.settings, ("cann", "ops"), None, shipped)

    def read(self, number):
        """Our database on that pull request, after our server did what there was to do."""
        for deed in self.before_look:
            deed()
        if self.works:
            self.scene.settle()
        with self.scene.sessions() as session:
            return recorded_pull.read(session, self.ops.id, number)

    def rehearse(self, *, timeout=0.0, branch=BRANCH):
        """Every result by the id of its step; a step that does not show at once what it should has `timeout` seconds."""
        scene = self.scene
        rehearsal = Rehearsal(
            self.plan(), scene.hub, self.person, scene.settings, branch=branch, timeout=timeout,
            read=self.read, is_ended=partial(bool, self.ended),
        )  # fmt: skip
        return {step_result.step.id: step_result for step_result in rehearsal.run()}


@pytest.fixture(name="stage_with")
def _stage_with(staged):
    """A maker of stages; `permissions` are those of ada's token, the rest is the scene's."""
    open_ones = []

    def make(*, permissions=WRITES, **options):
        scene = staged(**options)
        token = github_deeds.fine_grained_token(scene.world, scene.ada, permissions)
        connection = connect_person(scene.server.api_url, token)
        open_ones.append(connection)
        return Stage(scene, GitHubPerson(connection.__enter__(), "cann", "ops"))

    yield make
    for connection in open_ones:
        connection.__exit__(None, None, None)


@pytest.fixture(name="stage")
def _stage(stage_with):
    """Where a sign-off is required."""
    return stage_with(rulebook='version: 1\nrepositories: [{match: ["*"], require: dco}]\n')
