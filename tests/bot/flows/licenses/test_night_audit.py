"""The nightly audit keeps a report if it changed, compares it with the last, and judges anew only what changed."""

import random
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import update
from sqlmodel import col
from structlog.testing import capture_logs

from agreements.vault import KeyRing, Vault
from audit.facts import Source
from audit.licenses.declared_license import DeclaredLicense
from audit.sources.answers import Answer
from audit.store import account_states, answer_rows, nights, report_pages, repositories, sealed, totals
from audit.store.records import AuditRepository, AuditSealed
from bot.flows.licenses import stored_repository
from bot.flows.licenses.issue_publisher import DELAY_BETWEEN_REPOSITORIES
from bot.flows.licenses.night_audit import judge_account
from bot.github.ports import Unreachable
from bot.job_queue import Job
from bot.licenses import registry_lookup, sealed_files
from bot.licenses.report_files import ReportFiles
from bot.runner import make_runner
from tests.bot.flows import nightly
from tests.bot.flows.licensed import AUDITED, LEFT_PAD, READLINE, Killed, locked
from tests.bot.flows.nightly import at_night, judged, push, tonight, week_begins, with_services


@pytest.fixture(name="scene")
def _scene(staged):
    """After a first night."""
    scene = staged(rulebook=AUDITED)
    scene.world.write(scene.ops, locked(LEFT_PAD))
    tonight(scene)
    return scene


def told(scene, language="en"):
    """The changes of each night, newest first."""
    with scene.sessions() as session:
        names = [nights.name(night.id, language) for night in nights.of(session, scene.cann.id)]
        found = [(name, sealed.get(session, name)) for name in names]
    return [sealed_files.decrypt(scene.services.vault, name, held).decode() for name, held in found]


def made(scene):
    """When each file was made."""
    with scene.sessions() as session:
        return {page.name: page.made_at for page in report_pages.of(session, scene.cann.id)}


@pytest.mark.slow
def test_each_night_tells_the_changes_of_dependencies_and_rules(scene):
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
    assert told(scene, "zh")[1].startswith("- 新违规：cann/ops：**readline** 8.2.0 为新增依赖：“不兼容”（")
    assert "mended: cann/ops: **readline**" in mended
    assert "because of the way it is used" in mended


@pytest.mark.slow
def test_a_new_violation_is_notified_in_its_night_alone(scene):
    told = []
    scene.services = replace(scene.services, notify=lambda _session, found: told.extend(found))
    scene.jobs.start(make_runner(scene.services))
    for files in (locked(LEFT_PAD, READLINE), locked(LEFT_PAD, READLINE), locked(LEFT_PAD)):
        scene.shift += timedelta(days=1)
        push(scene, scene.ops, files)
        tonight(scene)

    [event] = told
    assert (event.event, event.values["repository"], event.values["count"]) == (
        "license-violation",
        {"name": "cann/ops"},
        1,
    )
    assert event.values["violations"][0]["dependency"] == "readline"


@pytest.mark.slow
def test_the_trend_has_the_nights_whose_counts_changed(scene):
    for files in (locked(LEFT_PAD, READLINE), locked(LEFT_PAD, READLINE), locked(LEFT_PAD)):
        scene.shift += timedelta(days=1)
        push(scene, scene.ops, files)
        tonight(scene)

    with scene.sessions() as session:
        assert [night.violations for night in totals.of(session, scene.cann.id)] == [0, 1, 0]
    page = ReportFiles(scene.cann.id, scene.services.vault, scene.sessions).opened("report.html").decode()
    assert "Violations went from 0 to 0 since" in page


@pytest.mark.slow
def test_a_night_without_changes_writes_no_files(scene):
    before = made(scene)
    scene.shift += timedelta(days=1)
    tonight(scene)

    assert told(scene) == []
    assert made(scene) == before
    with scene.sessions() as session:
        assert account_states.get(session, scene.cann.id).judged_at > before["report.json"]


@pytest.mark.slow
def test_a_night_is_forgotten_after_ninety_days(scene):
    scene.shift += timedelta(days=1)
    push(scene, scene.ops, locked(READLINE))
    tonight(scene)
    assert len(told(scene)) == 1
    scene.shift += nights.NIGHT_RETENTION
    tonight(scene)
    assert told(scene) == []


@pytest.mark.slow
def test_without_the_old_key_all_repositories_are_read_anew(scene):
    scene.services = replace(scene.services, vault=Vault(KeyRing.parse(KeyRing.generate("other"))))
    scene.jobs.start(make_runner(scene.services))
    for _ in range(2):
        scene.shift += timedelta(days=1)
        tonight(scene)

    assert [repository["name"] for repository in nightly.night_report(scene)["repositories"]] == [
        "cann/.github",
        "cann/ops",
    ]
    assert scene.ops.issues == {}


@pytest.mark.parametrize("text", ["nonsense: [", "version: 1\n"])
def test_broken_or_missing_rules_leave_the_report_as_it_is(scene, text):
    before = made(scene)
    judge_account(scene.cann.id, replace(scene.services, organization_file=("o.yml", text)))
    assert made(scene) == before
    with scene.sessions() as session:
        assert bool(account_states.get(session, scene.cann.id).why) is text.startswith("nonsense")


@pytest.mark.slow
def test_issues_in_many_repositories_are_spread_over_time(scene):
    """GitHub lets an App create 500 pieces of content an hour."""
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


ALL = {".github", "ops", "uses-gpl", "strict"}
OWN = "version: 1\nlicenses: {fail_on: [review]}\n"


@pytest.fixture(name="settled")
def _settled(staged):
    """After the first two nights of the account's week: what was due is told, and nothing ends soon."""
    scene = staged(rulebook=AUDITED)
    week_begins(scene)
    scene.world.write(scene.ops, locked(LEFT_PAD))
    scene.world.repository(scene.cann, "uses-gpl", files=locked(READLINE))
    scene.world.repository(scene.cann, "strict", files={**locked(READLINE), ".github/countersign.yml": OWN})
    tonight(scene)
    scene.shift += timedelta(days=1)
    tonight(scene)
    return scene


def named(scene, name):
    """GitHub's repository of that name."""
    return scene.world.find_repository("cann", name)


def push_rules(scene, text):
    """The organisation's rulebook says this."""
    push(scene, scene.rules, {".github/countersign.yml": text})


def altered_data(scene, **changed):
    """The licence data is another."""
    data = replace(scene.services.licenses(), **changed)
    with_services(scene, licenses=lambda: data)


def newer_data(scene):
    """Of another day."""
    altered_data(scene, timestamp="2030-01-01T00:00:00+0000")


def corrected_data(scene):
    """The data has the same day and one changed answer."""
    rows = scene.services.licenses().rows
    altered_data(scene, rows=(rows[0][::-1], *rows[1:]))


def private_names(scene):
    """The settings name more packages about which no registry is asked."""
    settings = replace(scene.settings, private_packages=("corp-*",))
    with_services(scene, learner=lambda: registry_lookup.of_server(settings, scene.sessions, scene.clock))


def older_release(scene):
    """One repository was read by another release."""
    with scene.sessions() as session:
        older = update(AuditRepository).where(col(AuditRepository.name) == "ops")
        session.execute(older.values(fingerprint="0.0.1-older:read:1"))


def key_is_gone(scene, name):
    """What was sealed under that name can't be opened any more."""
    with scene.sessions() as session:
        session.execute(update(AuditSealed).where(col(AuditSealed.id) == name).values(ring_key_id="gone"))


def last_night_failed(scene):
    """The rulebook could not be had."""
    with scene.sessions() as session:
        account_states.failed(session, scene.cann.id, "GitHub was away")


def cannot_be_read(scene):
    """A push that GitHub hides."""
    push(scene, scene.ops, locked(READLINE))
    scene.weather.faults.append(("GET", "ops/git/trees", 404))


SINGLE = {
    "nothing": (lambda _scene: None, set()),
    "dependency": (lambda scene: push(scene, scene.ops, locked(LEFT_PAD, READLINE)), {"ops"}),
    "commit": (lambda scene: push(scene, scene.ops, {"tests/app.py": "1"}), {"ops"}),
    "name": (lambda scene: scene.world.rename(scene.ops, "ops-math", scene.ada), {"ops-math"}),
    "archived": (lambda scene: setattr(named(scene, "uses-gpl"), "archived", True), {"uses-gpl"}),
    "fork": (lambda scene: setattr(named(scene, "uses-gpl"), "fork_of", scene.ops), {"uses-gpl"}),
    "new": (lambda scene: scene.world.repository(scene.cann, "new", files=locked(READLINE)), {"new"}),
    "deleted": (lambda scene: scene.world.delete(scene.ops), set()),
    "transferred": (lambda scene: scene.world.transfer(scene.ops, scene.mia, scene.ada), set()),
    "organisation's rules": (lambda scene: push_rules(scene, AUDITED.replace("{}", "{fail_on: [review]}")), ALL),
    "own rules": (lambda scene: push(scene, scene.ops, {".github/countersign.yml": OWN}), {"ops"}),
    "newer data": (newer_data, ALL),
    "corrected data": (corrected_data, ALL),
    "settings": (private_names, ALL),
    "release": (older_release, {"ops"}),
    "facts' key": (lambda scene: key_is_gone(scene, f"facts/{scene.ops.id}"), {"ops"}),
    "files' key": (lambda scene: key_is_gone(scene, f"page/{scene.cann.id}/cann/ops.zip"), {"ops"}),
    "report's key": (lambda scene: key_is_gone(scene, f"page/{scene.cann.id}/report.html"), set()),
    "failed night": (last_night_failed, ALL),
    "unread": (cannot_be_read, {"ops"}),
    "week": (lambda scene: setattr(scene, "shift", scene.shift + stored_repository.KEPT_FOR), ALL),
}
"""Everything that a night depends on, changed alone, and what is judged anew for it."""
WEEKS = (
    ("nothing", "dependency", "commit", "own rules", "deleted"),
    ("archived", "fork", "new", "name"),
    ("organisation's rules", "newer data", "corrected data", "settings", "transferred"),
    ("release", "facts' key", "files' key", "report's key", "failed night"),
    ("week", "unread"),
)
"""The same, night after night; a week has five after its first two."""


def test_every_change_has_its_night():
    assert sorted(what for week in WEEKS for what in week) == sorted(SINGLE)


@pytest.mark.slow
@pytest.mark.parametrize("week", WEEKS, ids=", ".join)
def test_only_the_repositories_that_depend_on_a_change_are_judged_anew(settled, week):
    for what in week:
        _judged_anew(settled, what)


def _judged_anew(settled, what):
    change, anew = SINGLE[what]
    with capture_logs() as lines:
        assert judged(settled, change) == anew, what
    [night, *_] = [line for line in lines if line["event"] == "night.judged"]
    with settled.sessions() as session:
        account = account_states.get(session, settled.cann.id)
    assert night["skipped"] == night["repositories"] - len(anew)
    assert (night["repositories"], night["violations"]) == (account.repositories, account.violations)


EVENTS = {
    "dependency": lambda scene, repo, night: push(
        scene, repo, locked(LEFT_PAD, {f"lib{night}": ("1.0.0", "GPL-2.0-only")})
    ),
    "commit": lambda scene, repo, night: push(scene, repo, {"tests/app.py": str(night)}),
    "own rules": lambda scene, repo, night: push(scene, repo, {".github/countersign.yml": f"{OWN}# {night}\n"}),
    "name": lambda scene, repo, night: scene.world.rename(repo, f"{repo.name}-{night}", scene.ada),
    "archived": lambda _scene, repo, _night: setattr(repo, "archived", not repo.archived),
}


@pytest.mark.slow
@pytest.mark.parametrize(("database_url", "seed"), [("sqlite", 1), ("postgres", 2)], indirect=["database_url"])
def test_the_first_night_of_a_week_judges_all_and_other_nights_only_what_changed(settled, seed):
    chosen = random.Random(seed)
    inside = [
        repository
        for repository in settled.world.repositories.values()
        if repository.owner is settled.cann and repository is not settled.rules
    ]
    for night in range(2, 9):
        happened = [
            (chosen.choice(list(EVENTS)), repository) for repository in chosen.sample(inside, chosen.randrange(3))
        ]

        def change(scene, happened=happened, night=night):
            for what, repo in happened:
                EVENTS[what](scene, repo, night)

        found = judged(settled, change)
        every = {repository.name for repository in inside} | {".github"}
        assert found == (
            every if night == stored_repository.KEPT_FOR.days else {repository.name for _, repository in happened}
        ), night


@pytest.mark.slow
def test_a_repository_that_could_not_be_read_is_judged_every_night(settled):
    assert judged(settled, cannot_be_read) == {"ops"}
    assert judged(settled) == {"ops"}
    settled.weather.faults.clear()
    assert judged(settled) == {"ops"}
    assert judged(settled) == set()


@pytest.mark.slow
def test_every_repository_is_judged_each_night_while_a_waiver_ends_soon(settled):
    last = (settled.clock() + timedelta(days=3)).date()
    waived = f"{{waivers: [{{purl: 'pkg:npm/readline', until: {last}, reason: replaced soon, by: Ada}}]}}"
    for change, violations in ((AUDITED.replace("{}", waived), 0), ("", 0), ("", 2)):
        assert judged(settled, lambda scene, text=change: push_rules(scene, text) if text else None) == ALL
        assert nightly.night_report(settled)["violations"] == violations
    settled.shift += timedelta(days=1)
    tonight(settled)
    assert judged(settled) == set()


ANSWERS = {
    "no registry was asked": (None, timedelta(0), {"asks"}),
    "stated": ("MIT", timedelta(0), set()),
    "stated long ago": ("MIT", answer_rows.STATED_LICENSE_LIFETIME - timedelta(days=6), {"asks"}),
    "nothing stated": ("", timedelta(hours=-20), {"asks"}),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", ANSWERS)
def test_a_repository_is_judged_again_while_an_answer_of_a_registry_is_missing_or_ends(settled, what):
    said, age, anew = ANSWERS[what]
    if said is not None:
        answer = Answer(DeclaredLicense(said or None), Source.REGISTRY, "https://pypi.org/pypi/requests/2.0.0/json")
        with settled.sessions() as session:
            answer_rows.keep(session, "pkg:pypi/requests@2.0.0", answer, at=settled.clock() - age)
    asks = {"requirements.txt": "requests==2.0.0\n", **locked(LEFT_PAD)}
    assert judged(settled, lambda scene: scene.world.repository(scene.cann, "asks", files=asks)) == {"asks"}
    assert judged(settled) == anew


@pytest.mark.slow
def test_a_repository_is_judged_every_night_until_its_issue_is_opened(staged):
    scene = staged(rulebook=AUDITED)
    week_begins(scene)
    scene.world.write(scene.ops, locked(READLINE))
    scene.ops.has_issues = False
    tonight(scene)
    assert judged(scene) == {"ops"}
    scene.ops.has_issues = True
    assert judged(scene) == {"ops"}
    assert len(scene.ops.issues) == 1
    assert judged(scene) == set()


@pytest.mark.slow
def test_an_account_is_judged_once_a_night(staged):
    scene = staged(rulebook=AUDITED)
    scene.world.write(scene.ops, locked(READLINE))
    for _ in range(2):
        with capture_logs() as lines:
            tonight(scene)
        assert [line["event"] for line in lines].count("night.judged") == 1
        scene.shift += timedelta(days=1)
    scene.world.repository(scene.cann, "late", files=locked(READLINE))
    at_night(scene)
    scene.weather.faults.append(("GET", "late/git/trees", 502))
    with suppress(Unreachable):
        scene.jobs.run_all()
    with capture_logs() as lines:
        judge_account(scene.cann.id, scene.services)
        scene.weather.faults.clear()
        with scene.sessions() as session:
            scene.jobs.enqueue(session, Job("audit-repository", (named(scene, "late").id,), "later"))
        scene.jobs.run_all(delayed=True)
    found = [(line["repositories"], line["skipped"]) for line in lines if line["event"] == "night.judged"]
    assert found == [(3, 2), (3, 2)]


class Dying:
    """A learner in whose process so many repositories are judged, and then it is killed."""

    def __init__(self, learner, left):
        self.scope, self._learner, self._left = learner.scope, learner, left

    def learned(self, *given):
        """What the learner says."""
        self._left -= 1
        if self._left < 0:
            raise Killed
        return self._learner.learned(*given)


@pytest.mark.slow
@pytest.mark.parametrize("left", [0, 1, 2, 3, "at the end"])
def test_a_night_killed_while_judging_goes_on_and_tells_each_change_once(settled, left):
    heard = []
    services = settled.services
    settled.shift += timedelta(days=1)
    push(settled, settled.ops, locked(LEFT_PAD, READLINE))
    push(settled, named(settled, "strict"), locked({"gpl": ("1.0.0", "GPL-2.0-only")}))
    if left == "at the end":
        with_services(settled, notify=lambda *_: killed())
    else:
        with_services(settled, learner=lambda: Dying(services.learner(), left))
    with suppress(Killed):
        tonight(settled)
    with_services(settled, learner=services.learner, notify=lambda _session, found: heard.extend(found))
    with settled.sessions() as session:
        settled.jobs.enqueue(session, Job("audit-edition", (settled.cann.id,), "later"))
    settled.jobs.run_all(delayed=True)

    assert sorted(event.values["repository"]["name"] for event in heard) == ["cann/ops", "cann/strict"]
    assert [(night.changes, night.violations) for night in changed_nights(settled)] == [(3, 2)]
    assert [len(named(settled, name).issues) for name in ("ops", "strict", "uses-gpl")] == [1, 1, 1]
    assert judged(settled) == {"ops", "strict"}  # what was due is told by now
    assert judged(settled) == set()


def killed():
    """Kill -9."""
    raise Killed


def changed_nights(scene):
    """The nights in which something changed."""
    with scene.sessions() as session:
        return nights.of(session, scene.cann.id)


@pytest.mark.slow
def test_a_repository_whose_facts_cannot_be_read_is_not_taken_for_mended(scene):
    scene.shift += timedelta(days=1)
    push(scene, scene.ops, locked(READLINE))
    tonight(scene)
    before = told(scene)
    with scene.sessions() as session:
        sealed.drop(session, [repositories.name(scene.ops.id)])
    scene.shift += timedelta(days=1)
    push(scene, scene.rules, {".github/countersign.yml": AUDITED.replace("{}", "{delivery: source}")})
    tonight(scene)
    report = nightly.night_report(scene)

    assert told(scene) == before
    assert [repository["name"] for repository in report["repositories"]] == ["cann/.github", "cann/ops"]
    assert report["could_not_judge"] == 1
    assert [finding["code"] for finding in report["repositories"][1]["findings"]] == ["repository/unread"]
    assert len(scene.ops.issues) == 1


def test_a_repository_that_could_never_be_read_is_in_the_report(staged):
    scene = staged(rulebook=AUDITED)
    scene.weather.faults.append(("GET", "ops/git/trees", 404))
    scene.world.write(scene.ops, locked(READLINE))
    tonight(scene)
    report = nightly.night_report(scene)

    assert report["could_not_judge"] == 1
    [found] = report["repositories"][1]["findings"]
    assert found["code"] == "repository/unread"
    assert found["message"].startswith("nothing of it could be judged: GitHub answered 404")
