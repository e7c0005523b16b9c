"""One report a night: kept when it says something else, compared with the one before, and quiet where nothing can be judged."""

from dataclasses import replace
from datetime import timedelta

import pytest

from agreements.vault import KeyRing, Vault
from audit.store import accounts, nights, pages, sealed, totals
from bot.flows.licenses.audit_run import judge_account
from bot.flows.licenses.issue_publisher import DELAY_BETWEEN_REPOSITORIES
from bot.licenses import sealed_files
from bot.licenses.report_files import ReportFiles
from bot.runner import make_runner
from tests.bot.flows import nightly
from tests.bot.flows.licensed import AUDITED, LEFT_PAD, READLINE, locked
from tests.bot.flows.nightly import push, tonight


@pytest.fixture(name="scene")
def _scene(staged):
    """After a first night."""
    scene = staged(rulebook=AUDITED)
    scene.world.write(scene.ops, locked(LEFT_PAD))
    tonight(scene)
    return scene


def told(scene):
    """The changes of each night, newest first."""
    with scene.sessions() as session:
        found = [
            (nights.name(one.id), sealed.get(session, nights.name(one.id))) for one in nights.of(session, scene.cann.id)
        ]
    return [sealed_files.decrypt(scene.services.vault, name, held).decode() for name, held in found]


def made(scene):
    """When each file was made."""
    with scene.sessions() as session:
        return {one.name: one.made_at for one in pages.of(session, scene.cann.id)}


def test_what_changed_and_by_what(scene):
    """A dependency, then the rules; each night tells its own."""
    scene.shift += timedelta(days=1)
    push(scene, scene.ops, locked(LEFT_PAD, READLINE))
    tonight(scene)
    scene.shift += timedelta(days=1)
    push(
        scene,
        scene.rules,
        {".github/countersign.yml": AUDITED.replace("{}", "{dependencies: [{name: readline, usage: build-tool}]}")},
    )
    tonight(scene)

    mended, new = told(scene)
    assert new.startswith("- new violation: cann/ops: **readline** 8.2.0 is new: incompatible")
    assert "mended: cann/ops: **readline**" in mended
    assert "because of the way it is used" in mended


def test_others_are_told_of_new_violations(scene):
    """The night in which it came, and no other."""
    told = []
    scene.services = replace(scene.services, notify=lambda _session, found: told.extend(found))
    scene.jobs.start(make_runner(scene.services))
    for files in (locked(LEFT_PAD, READLINE), locked(LEFT_PAD, READLINE), locked(LEFT_PAD)):
        scene.shift += timedelta(days=1)
        push(scene, scene.ops, files)
        tonight(scene)

    [one] = told
    assert (one.event, one.values["repository"], one.values["count"]) == ("license-violation", {"name": "cann/ops"}, 1)
    assert one.values["violations"][0]["dependency"] == "readline"


def test_the_trend(scene):
    """A night that counts otherwise than the one before is in the report's trend; one that does not leaves it as it is."""
    for files in (locked(LEFT_PAD, READLINE), locked(LEFT_PAD, READLINE), locked(LEFT_PAD)):
        scene.shift += timedelta(days=1)
        push(scene, scene.ops, files)
        tonight(scene)

    with scene.sessions() as session:
        assert [one.violations for one in totals.of(session, scene.cann.id)] == [0, 1, 0]
    page = ReportFiles(scene.cann.id, scene.services.vault, scene.sessions).opened("report.html").decode()
    assert "Violations went from 0 to 0 since" in page


def test_nothing_changed(scene):
    """No night is told of, no file is written; that it was looked at is known."""
    before = made(scene)
    scene.shift += timedelta(days=1)
    tonight(scene)

    assert told(scene) == []
    assert made(scene) == before
    with scene.sessions() as session:
        assert accounts.get(session, scene.cann.id).judged_at > before["report.json"]


def test_nights_are_forgotten(scene):
    """After ninety days."""
    scene.shift += timedelta(days=1)
    push(scene, scene.ops, locked(READLINE))
    tonight(scene)
    assert len(told(scene)) == 1
    scene.shift += nights.NIGHT_RETENTION
    tonight(scene)
    assert told(scene) == []


def test_the_key_is_gone(scene):
    """Nothing can be opened: nothing is judged, nothing is claimed, and the next nights read all anew."""
    scene.services = replace(scene.services, vault=Vault(KeyRing.parse(KeyRing.generate("other"))))
    scene.jobs.start(make_runner(scene.services))
    for _ in range(2):
        scene.shift += timedelta(days=1)
        tonight(scene)

    assert [one["name"] for one in nightly.night_report(scene)["repositories"]] == ["cann/.github", "cann/ops"]
    assert scene.ops.issues == {}


@pytest.mark.parametrize("text", ["nonsense: [", "version: 1\n"])
def test_without_rules(scene, text):
    """Broken since the list was made, or without the part: what was found stays as it is."""
    before = made(scene)
    judge_account(scene.cann.id, replace(scene.services, organization_file=("o.yml", text)))
    assert made(scene) == before
    with scene.sessions() as session:
        assert bool(accounts.get(session, scene.cann.id).why) is text.startswith("nonsense")


def test_one_after_the_other(scene):
    """What is to be told in many repositories is spread: GitHub lets an App make 500 things an hour."""
    scene.shift += timedelta(days=1)
    for number in range(3):
        scene.world.repository(scene.cann, f"more{number}", files=locked(READLINE)).pushed_at = scene.clock()
    nightly.at_night(scene)
    scene.jobs.run_all()
    assert sorted(job.delay for job in scene.jobs.waiting if job.name == "audit-issue") == [
        DELAY_BETWEEN_REPOSITORIES,
        2 * DELAY_BETWEEN_REPOSITORIES,
    ]
    assert timedelta(hours=1) / DELAY_BETWEEN_REPOSITORIES < 500
