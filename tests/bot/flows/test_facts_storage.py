"""Every verdict stores its facts sealed, and stands even if they cannot be stored."""

import os
from datetime import datetime, timedelta, timezone

import pytest

from agreements.facts import Commit, Facts, Identity, PullRequest
from agreements.rulebook.rules import Rules
from bot.flows import gather
from bot.flows.review import facts_writer
from bot.github.ports import RuleFile
from bot.rulebook.recorded_facts import MAX_PACKED_BYTES, unpack
from bot.store.pulls import stored_facts
from tests.bot.flows.scene import CLA

FILE = 'version: 1\nrepositories: [{match: ["*"], require: dco}]\n'


def stored(scene, pull):
    """What is stored of that pull request: head and contents; None for nothing."""
    row = stored_row(scene, pull)
    return row and (row.head_sha, unpack(stored_facts.decrypt(scene.services.vault, row), scene.services.server))


def stored_row(scene, pull):
    """The row itself."""
    with scene.sessions() as session:
        return session.get(stored_facts.StoredFacts, scene.row(pull).id)


def test_the_facts_of_the_newest_verdict_are_stored_with_its_rule_files(scene):
    pull, clone = scene.pull("One")
    scene.settle()
    head, kept = stored(scene, pull)
    assert head == pull.head_sha
    assert [commit["message"].strip() for commit in kept.facts["commits"]] == ["One"]
    assert kept.files.organization == RuleFile(".github/countersign.yml", CLA)
    assert (kept.files.repository.text, kept.asked, kept.full_name) == (None, frozenset(), "cann/ops")
    assert "signatures" not in kept.facts

    scene.sign(scene.mia)
    clone.commit("Two")
    clone.push()
    scene.settle()
    head, kept = stored(scene, pull)
    assert head == pull.head_sha
    assert len(kept.facts["commits"]) == 2
    assert [signature["account"] for signature in kept.facts["signatures"]] == [{"id": scene.mia.id}]


def test_a_rulebook_given_as_a_file_is_stored_with_the_facts(staged):
    scene = staged(organization_file=("/etc/rules.yml", FILE))
    pull, _ = scene.pull()
    scene.settle()
    assert stored(scene, pull)[1].files.organization == RuleFile("/etc/rules.yml", FILE)


def test_while_the_rulebook_is_broken_the_facts_before_stay(staged):
    """The stored facts can show what a corrected rulebook would do."""
    broken = "version: 1\npeeple: {}\n"
    scene = staged(rulebook=broken)
    pull, _ = scene.pull()
    scene.settle()
    assert stored(scene, pull) is None

    found = []
    for rules in (CLA, broken):
        scene.world.write(scene.rules, {".github/countersign.yml": rules})
        scene.again(pull)
        found.append((scene.recorded(pull), stored(scene, pull)))
    assert [verdict for verdict, _ in found] == [
        ("failure", ["cla/unsigned"]),
        ("action_required", ["rulebook/invalid"]),
    ]
    assert found[0][1] == found[1][1]
    assert found[0][1] is not None


@pytest.fixture(name="judged")
def _judged(scene):
    """A judged pull request whose facts are stored; gives a way to store others for it."""
    pull, _ = scene.pull()
    scene.settle()
    assert stored(scene, pull) is not None
    snapshot = gather.fetch_snapshot(scene.place, pull.number, scene.services)

    def store(**changes):
        commit = Commit(sha=snapshot.head_sha, **changes)
        asked = PullRequest(number=pull.number, opener=None, head_sha=snapshot.head_sha)
        facts = Facts(
            rules=Rules(),
            repository="cann/ops",
            pull_request=asked,
            commit_count=1,
            commits=(commit,),
            now=scene.clock(),
        )
        keep = facts_writer(scene.row(pull).id, snapshot, facts, scene.services)
        with scene.sessions() as session:
            keep(session)
        return stored_row(scene, pull)

    return store


def test_facts_that_cannot_be_stored_are_logged_without_values(judged, capsys):
    impossible = datetime.max.replace(tzinfo=timezone(timedelta(hours=-8)))  # UTC has no such year
    author = Identity("Ada", "ada@huawei.com")
    assert judged(authored_at=impossible, author=author) is None
    said = capsys.readouterr().out
    assert "facts.not-stored" in said
    assert "OverflowError" in said
    assert "huawei" not in said


@pytest.mark.slow
def test_facts_that_are_too_large_are_not_stored(judged):
    row = judged(message=os.urandom(MAX_PACKED_BYTES).hex())
    assert len(row.sealed) < 100
