"""Events about installations, rulebooks, repositories, suites and members have pull requests judged again."""

import pytest
from sqlalchemy import text

from agreements.facts import Account
from agreements.vault import KeyRing, Vault
from bot import clock
from bot.demo.github.contributor import ContributorClone
from bot.flows.account_event import MAX_TRIES, handle_event
from bot.store import inbox, owners, portal_sessions
from bot.store.records import PullRecord
from bot.store.retry_policy import MAX_QUICK_RETRIES, RETRY_DELAYS
from bot.store.statements import change
from bot.webhook import events
from tests.bot.demo.github import github_deeds

VAULT = Vault(KeyRing.parse(KeyRing.generate("k1")))
EXEMPTING = 'version: 1\nrepositories: [{match: ["*"], require: cla}]\npeople: {members: exempt}\n'
NOTHING = 'version: 1\nrepositories: [{match: ["*"], require: none}]\n'


def push_file(scene, repo, path, text):
    """Ada pushes a file to the default branch, which sends a push event."""
    clone = ContributorClone(
        scene.world, repo, scene.ada, scene.folder / f"ada-{repo.name}-{len(scene.world.hooks.log)}"
    )
    clone.commit("Change the rules", files={path: text})
    clone.push("main")


@pytest.fixture(name="two")
def _two(scene):
    """Two judged pull requests in two repositories."""
    kernels = scene.world.repository(scene.cann, "kernels")
    pulls = [scene.pull()[0], scene.pull(to=kernels)[0]]
    scene.settle()
    return pulls


def states(scene, name):
    """(state, attempts) of the deliveries of one event."""
    with scene.sessions() as session:
        return [(row.state, row.attempts) for row in inbox.listed(session) if row.event == name]


@pytest.mark.slow
def test_a_push_of_the_organizations_rulebook_judges_all_open_pull_requests_later(scene, two):
    push_file(scene, scene.rules, ".github/countersign.yml", NOTHING)
    scene.hear()
    assert [job.queue for job in scene.jobs.waiting] == ["later"]
    scene.settle()

    assert [scene.conclusion(pull) for pull in two] == ["neutral", "neutral"]
    assert states(scene, "push") == [("done", 0)]


def test_a_rulebook_pushed_while_it_cannot_be_read_is_read_again_later(scene):
    push_file(scene, scene.rules, ".github/countersign.yml", NOTHING)
    scene.weather.faults.append(("GET", "/.github/contents", 502))
    scene.hear()
    scene.jobs.run_all()
    assert states(scene, "push") == [("received", 1)]
    scene.weather.faults.clear()
    scene.settle(delayed=True)
    assert states(scene, "push") == [("done", 1)]
    with scene.sessions() as session:
        assert owners.rules(session, scene.cann.id) == NOTHING


@pytest.mark.slow
def test_a_push_of_a_repositorys_rulebook_judges_that_repository_alone(scene, two):
    rules = 'version: 1\nrepositories: [{match: ["*"], require: both}]\n'
    push_file(scene, scene.ops, ".github/countersign.yml", rules)
    before = [scene.row(pull).latest for pull in two]
    scene.settle()

    assert scene.recorded(two[0])[1] != scene.recorded(two[1])[1]
    assert scene.row(two[1]).latest == before[1]


@pytest.mark.slow
def test_a_push_of_other_files_has_no_pull_request_judged(scene, two):
    before = [scene.row(pull).latest for pull in two]
    push_file(scene, scene.ops, "README.md", "New\n")
    scene.settle()

    assert states(scene, "push") == [("done", 0)]
    assert [scene.row(pull).latest for pull in two] == before


def test_a_new_installation_has_open_pull_requests_judged(staged):
    scene = staged()
    github_deeds.uninstall(scene.world, scene.installation, scene.ada)
    pull, _ = scene.pull()
    scene.settle()
    assert scene.runs(pull) == []

    scene.installation = scene.world.install(scene.app, scene.cann, scene.ada)
    scene.settle()

    assert scene.conclusion(pull) == "failure"


def test_a_repository_added_to_the_installation_is_judged(staged):
    scene = staged()
    github_deeds.uninstall(scene.world, scene.installation, scene.ada)
    scene.installation = scene.world.install(scene.app, scene.cann, scene.ada, repositories=[scene.rules])
    pull, _ = scene.pull()
    scene.settle()
    assert scene.runs(pull) == []

    scene.world.choose(scene.installation, scene.ada, added=[scene.ops])
    scene.settle()
    assert scene.conclusion(pull) == "failure"


def test_an_installation_on_an_account_that_is_not_served_is_left_alone(scene):
    other = scene.world.organization("elsewhere", admins=[scene.ada])
    scene.pull(to=scene.world.repository(other, "ops"))
    scene.settle()
    scene.world.install(scene.app, other, scene.ada)
    scene.settle()

    assert ("GET", "/installation/repositories") not in scene.calls()
    assert {state for state, _ in states(scene, "installation")} == {"done"}


@pytest.mark.slow
def test_pull_requests_opened_during_a_suspension_are_judged_when_it_ends(scene, two):
    scene.world.suspend(scene.installation, scene.ada)
    scene.settle()
    missed, _ = scene.pull(branch="missed")
    scene.settle()
    assert scene.runs(missed) == []

    scene.world.suspend(scene.installation, scene.ada, again=False)
    scene.settle()
    assert scene.conclusion(missed) == "failure"


def test_a_rename_updates_the_rows_of_that_repository_alone(scene, two):
    scene.world.rename(scene.ops, "operators", scene.ada)
    scene.settle()

    assert [(scene.row(pull).owner, scene.row(pull).name) for pull in two] == [
        ("cann", "operators"),
        ("cann", "kernels"),
    ]
    assert states(scene, "repository") == [("done", 0)]


@pytest.mark.parametrize("said", [True, False])
def test_an_event_makes_a_repository_private_and_only_github_itself_makes_it_public(scene, two, said):
    with scene.sessions() as session:
        change(session, PullRecord, {"id": scene.row(two[0]).id}, private=not said)
    moved = events.RepositoryMoved(
        installation=scene.installation.id,
        repository=events.EventRepository(scene.ops.id, scene.cann.id, "cann", "ops"),
        private=said,
    )
    scene.weather.faults.append(("GET", "/pulls$", 502))
    scene.accept(moved, guid="g", name="repository")
    scene.jobs.run_all()
    assert scene.row(two[0]).private is True

    scene.weather.faults.clear()
    scene.jobs.run_all(delayed=True)
    assert scene.row(two[0]).private is False, "GitHub itself said so"


def test_a_rename_has_open_pull_requests_judged_by_the_rules_for_the_new_name(staged):
    scene = staged(
        rulebook='version: 1\nrepositories: [{match: ["core-*"], require: cla}, {match: ["*"], require: dco}]\n'
    )
    pull, _ = scene.pull("Fix it\n\nSigned-off-by: Mia <mia@home.example>")
    scene.settle()
    assert scene.recorded(pull) == ("success", ["dco/signed"])

    scene.world.rename(scene.ops, "core-ops", scene.ada)
    scene.settle()
    assert scene.recorded(pull) == ("failure", ["cla/unsigned"])
    assert scene.conclusion(pull) == "failure"


def test_rerunning_a_suite_writes_the_runs_on_its_head_anew(scene, two):
    run = next(run for run in scene.world.check_runs.values() if run.head_sha == two[0].head_sha)
    run.output = {**run.output, "title": "Somebody else's words"}
    before = scene.row(two[1]).latest
    github_deeds.rerequest_suite(scene.world, run, scene.mia)
    scene.settle()

    assert run.output["title"] != "Somebody else's words"
    assert scene.row(two[1]).latest == before
    assert states(scene, "check_suite") == [("done", 0)]


def test_rerunning_a_run_writes_it_anew(scene, two):
    run = next(run for run in scene.world.check_runs.values() if run.repository is scene.ops)
    run.output = {**run.output, "title": "Somebody else's words"}
    scene.world.rerequest(run, scene.mia)
    scene.settle()

    assert run.output["title"] != "Somebody else's words"
    assert states(scene, "check_run") == [("done", 0)]


@pytest.mark.slow
def test_an_event_that_github_refuses_to_serve_is_tried_again_with_growing_waits(scene, two):
    push_file(scene, scene.rules, ".github/countersign.yml", NOTHING)
    scene.weather.faults.append(("GET", "/installation/repositories", 422))
    scene.settle()
    waits = [job.delay for job in scene.jobs.waiting]
    assert states(scene, "push") == [("received", 1)]
    scene.one_delayed()
    waits += [job.delay for job in scene.jobs.waiting]
    assert waits == list(RETRY_DELAYS[:2])
    assert states(scene, "push") == [("received", 2)]

    scene.weather.faults.clear()
    scene.settle(delayed=True)
    assert states(scene, "push") == [("done", 2)]
    assert scene.conclusion(two[0]) == "neutral"


def test_an_internal_error_is_tried_again_and_kept_by_its_class_alone(scene, two):
    scene.world.rename(scene.ops, "operators", scene.ada)
    with scene.database.begin() as connection:
        connection.execute(text("ALTER TABLE pull RENAME COLUMN owner_id TO hidden"))
    scene.hear(drop={"pull_request"})
    scene.jobs.run_all()
    with scene.sessions() as session:
        (delivery,) = [row for row in inbox.listed(session) if row.event == "repository"]
    assert (delivery.state, delivery.attempts, delivery.error) == ("received", 1, "internal error (OperationalError)")

    with scene.database.begin() as connection:
        connection.execute(text("ALTER TABLE pull RENAME COLUMN hidden TO owner_id"))
    scene.settle(delayed=True)
    assert states(scene, "repository") == [("done", 1)]
    assert scene.row(two[0]).name == "operators"


@pytest.mark.slow
def test_an_event_is_given_up_after_a_day_and_taken_up_by_a_redelivery(scene, two):
    push_file(scene, scene.rules, ".github/countersign.yml", NOTHING)
    scene.weather.faults.append(("GET", "/installation/repositories", 502))
    scene.hear()
    with scene.sessions() as session:
        (guid,) = [row.guid for row in inbox.listed(session) if row.event == "push"]
        for _ in range(MAX_TRIES - 1):
            inbox.tried(session, guid, "before")
    scene.jobs.run_all()
    assert states(scene, "push") == [("failed", MAX_TRIES)]
    assert scene.jobs.waiting == ()

    scene.weather.faults.clear()
    moved = events.RulebookPushed(
        installation=scene.installation.id,
        repository=events.EventRepository(scene.rules.id, scene.cann.id, "cann", ".github"),
        whole_owner=True,
    )
    scene.accept(moved, guid=guid, name="push")
    scene.settle()
    assert states(scene, "push") == [("done", 0)]
    assert scene.conclusion(two[0]) == "neutral"


@pytest.mark.parametrize(
    "goes",
    [
        lambda scene: github_deeds.uninstall(scene.world, scene.installation, scene.ada),
        lambda scene: scene.world.delete(scene.ops),
    ],
    ids=["uninstalled", "deleted"],
)
def test_an_event_about_what_is_gone_is_not_tried_for_days(scene, goes):
    push_file(scene, scene.ops, ".github/countersign.yml", NOTHING)
    scene.hear()
    goes(scene)
    scene.jobs.run_all()
    assert states(scene, "push") == [("received", 1)], "it may be missing for a moment alone"
    with scene.sessions() as session:
        (guid,) = [row.guid for row in inbox.listed(session) if row.event == "push"]
        for _ in range(MAX_QUICK_RETRIES - 2):
            inbox.tried(session, guid, "before")
    scene.one_delayed()
    assert states(scene, "push") == [("received", MAX_QUICK_RETRIES)]
    scene.one_delayed()
    assert states(scene, "push") == [("done", MAX_QUICK_RETRIES + 1)]
    assert scene.jobs.waiting == ()


def test_a_finished_and_an_unknown_delivery_are_not_acted_on(scene, two):
    scene.world.rename(scene.ops, "operators", scene.ada)
    (renamed,) = [delivery for delivery in scene.hear() if delivery.event == "repository"]
    scene.settle()
    scene.calls()
    with scene.sessions() as session:
        change(session, PullRecord, {"id": scene.row(two[0]).id}, name="by-hand")

    handle_event(renamed.guid, scene.services)
    handle_event("nobody-knows-it", scene.services)

    assert scene.row(two[0]).name == "by-hand"
    assert scene.calls() == []


def test_revoking_the_authorization_ends_all_sessions_of_that_account(scene):
    with scene.sessions() as session:
        for word, account_id in (("one", scene.mia.id), ("two", scene.mia.id), ("other", scene.ada.id)):
            portal_sessions.keep(session, VAULT, word, account_id, b"sealed", clock.now())
    scene.accept(events.AuthorizationRevoked(account_id=scene.mia.id), guid="g1", name="github_app_authorization")
    scene.settle()

    assert states(scene, "github_app_authorization") == [("done", 0)]
    with scene.sessions() as session:
        assert [portal_session.id_hash for portal_session in portal_sessions.signed_in(session, clock.now())] == [
            "other"
        ]


def seen_by_all(scene, pulls):
    """Whether each is shown to every visitor, and open as far as we know."""
    return [(not scene.row(pull).private, scene.row(pull).open) for pull in pulls]


@pytest.mark.parametrize("action", ["deleted", "suspend", "repositories_removed"])
@pytest.mark.parametrize(("late", "stay"), [(-1, (True, True)), (0, (False, False)), (1, (False, False))])
def test_a_late_event_of_an_older_installation_closes_nothing(scene, two, action, late, stay):
    house = events.EventRepository(scene.ops.id, scene.cann.id, "cann", "ops")
    gone = events.InstallationChanged(
        installation=scene.installation.id + late,
        account=Account(scene.cann.id, "cann", "Organization"),
        action=action,
        repositories=(house,),
    )
    scene.accept(gone, guid="late", name="installation")
    scene.jobs.run_all()
    assert seen_by_all(scene, two[:1]) == [stay]


def test_a_repository_of_another_account_by_now_is_not_closed_with_the_former_ones(scene, two):
    former = events.InstallationChanged(
        installation=scene.installation.id + 1,
        account=Account(scene.cann.id + 1, "former", "Organization"),
        action="repositories_removed",
        repositories=(events.EventRepository(scene.ops.id, scene.cann.id + 1, "former", "ops"),),
    )
    scene.accept(former, guid="late", name="installation_repositories")
    scene.jobs.run_all()
    assert seen_by_all(scene, two) == [(True, True), (True, True)]


def repository_deleted(scene):
    """GitHub tells that cann/ops is gone."""
    house = events.EventRepository(scene.ops.id, scene.cann.id, "cann", "ops")
    gone = events.RepositoryDeleted(installation=scene.installation.id, repository=house)
    scene.accept(gone, guid="gone", name="repository")


@pytest.mark.parametrize(
    ("loses", "other"),
    [
        (lambda scene: github_deeds.uninstall(scene.world, scene.installation, scene.ada), (False, False)),
        (lambda scene: scene.world.suspend(scene.installation, scene.ada), (False, False)),
        (lambda scene: scene.world.choose(scene.installation, scene.ada, removed=[scene.ops]), (True, True)),
        (repository_deleted, (True, True)),
    ],
    ids=["uninstalled", "suspended", "taken from the App", "deleted"],
)
def test_pull_requests_that_the_app_reaches_no_more_are_hidden_and_closed(scene, two, loses, other):
    assert seen_by_all(scene, two) == [(True, True), (True, True)]
    loses(scene)
    scene.settle()
    assert seen_by_all(scene, two) == [(False, False), other]


def test_a_deleted_dot_github_has_all_judged_by_other_rules(scene, two):
    before = [scene.row(pull).latest for pull in two]
    house = events.EventRepository(scene.rules.id, scene.cann.id, "cann", ".github")
    gone = events.RepositoryDeleted(installation=scene.installation.id, repository=house, whole_owner=True)
    scene.accept(gone, guid="gone", name="repository")
    scene.settle()
    assert [scene.row(pull).latest for pull in two] == [latest + 1 for latest in before]


def test_pull_requests_of_a_repository_that_the_app_reaches_again_are_open_again(scene, two):
    scene.world.choose(scene.installation, scene.ada, removed=[scene.ops])
    scene.settle()
    scene.world.choose(scene.installation, scene.ada, added=[scene.ops])
    scene.settle()
    assert seen_by_all(scene, two) == [(True, True), (True, True)]


@pytest.fixture(name="exempting")
def _exempting(staged):
    """A scene whose rules exempt members, with a pull request by mia that was judged."""
    scene = staged(rulebook=EXEMPTING)
    pull, _ = scene.pull()
    scene.settle()
    return scene, pull


@pytest.mark.slow
def test_a_person_who_joins_or_leaves_has_their_pull_requests_judged_at_once(exempting):
    scene, pull = exempting
    other = scene.world.user("bo", emails=["bo@home.example"])
    others, _ = scene.pull(who=other, branch="other")
    scene.settle()
    assert scene.conclusion(pull) == "failure"

    github_deeds.add_member(scene.world, scene.cann, scene.mia, scene.ada)
    before = scene.row(others).latest
    scene.hear()
    assert [job.queue for job in scene.jobs.waiting] == ["now"]
    scene.settle()
    assert scene.recorded(pull) == ("success", ["cla/member"])
    assert scene.row(others).latest == before

    github_deeds.remove_member(scene.world, scene.cann, scene.mia, scene.ada)
    scene.settle()
    assert (scene.conclusion(pull), scene.labels(pull)) == ("failure", ["cla-required"])


def test_a_late_membership_event_is_checked_against_githubs_list(exempting):
    scene, pull = exempting
    scene.cann.members[scene.mia.id] = "member"
    late = events.MembershipChanged(
        installation=scene.installation.id, owner=Account(scene.cann.id, "cann"), account_id=scene.mia.id
    )
    scene.accept(late, guid="late", name="organization")
    scene.settle()
    assert scene.conclusion(pull) == "success"


def test_a_person_who_leaves_during_a_review_is_judged_once_more(exempting):
    scene, pull = exempting
    github_deeds.add_member(scene.world, scene.cann, scene.mia, scene.ada)

    def leave():
        github_deeds.remove_member(scene.world, scene.cann, scene.mia, scene.ada)
        scene.hear()

    scene.weather.before.append(("PATCH", "/check-runs/", leave))  # the members were read, the verdict is being shown
    scene.settle()
    assert scene.conclusion(pull) == "failure"


@pytest.mark.slow
def test_changes_of_teams_and_collaborators_have_pull_requests_judged_again(scene, two):
    team = scene.world.team(scene.cann, "committers", [scene.ada])
    deeds = [
        lambda: github_deeds.add_to_team(scene.world, scene.cann, team, scene.mia, scene.ada),
        lambda: github_deeds.remove_from_team(scene.world, scene.cann, team, scene.mia, scene.ada),
        lambda: github_deeds.set_collaborator(scene.world, scene.ops, scene.mia, scene.ada, role="write"),
        lambda: github_deeds.set_collaborator(scene.world, scene.ops, scene.mia, scene.ada, role="read"),
        lambda: github_deeds.remove_collaborator(scene.world, scene.ops, scene.mia, scene.ada),
    ]
    for deed in deeds:
        before = [scene.row(pull).latest for pull in two]
        deed()
        scene.settle()
        assert [scene.row(pull).latest for pull in two] == [latest + 1 for latest in before]


def test_membership_of_an_account_that_is_not_served_is_ignored(scene, two):
    before = [scene.row(pull).latest for pull in two]
    stranger = events.MembershipChanged(installation=7, owner=Account(10**6, "elsewhere"), account_id=scene.mia.id)
    scene.accept(stranger, guid="g", name="organization")
    scene.settle()
    assert [scene.row(pull).latest for pull in two] == before


def test_while_githubs_list_of_members_is_away_the_check_needs_action(exempting):
    scene, pull = exempting
    scene.weather.faults.append(("GET", "/members$", 502))
    github_deeds.add_member(scene.world, scene.cann, scene.mia, scene.ada)
    scene.settle()
    assert scene.conclusion(pull) == "action_required"

    scene.weather.faults.clear()
    scene.settle(delayed=True)
    assert scene.conclusion(pull) == "success"
