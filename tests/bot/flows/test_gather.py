"""The facts of a verdict are gathered with no more requests to GitHub than the rules need."""

from dataclasses import replace

import pytest

from agreements.completeness import COAUTHORS
from agreements.facts import Account
from agreements.store.people import emails, person_rows
from agreements.store.people.emails import ProvenAddress
from bot import clock
from bot.demo import sample_data
from bot.flows import gather
from bot.store import owners
from bot.store.pulls import pull_state, rejudge, review_case, review_mailbox
from bot.store.pulls.review_mailbox import REVIEWS
from bot.webhook.ingest import MIN_COMMAND_INTERVAL
from tests.bot.flows.recipes import bot
from tests.logged import log_rows
from tests.within import within

ROLE = ("GET", "/repos/{owner}/{repo}/collaborators/{username}/permission")
MEMBERS = ("GET", "/orgs/{org}/members")
FILES = ("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/files")
RULES = "version: 1\n"
NOTHING = 'repositories: [{match: ["*"], require: none}]\n'


def gathered(scene, pull):
    """The facts of one review that is begun and not ended."""
    scene.hear()
    claim = scene.begin(REVIEWS, scene.row(pull).id)
    snapshot = gather.fetch_snapshot(scene.place, pull.number, scene.services)
    return facts_of(scene, claim, snapshot)


def facts_of(scene, claim, snapshot):
    """The facts of a review that has looked."""
    rulebook = gather.rulebook(snapshot, scene.services)
    with scene.sessions() as session:
        case = review_case.read(session, claim.pull_id, snapshot)
    return gather.facts(claim, case, snapshot, rulebook.rules, scene.services).facts


def test_the_facts_are_those_of_the_pull_request_its_commits_and_rules(scene):
    pull, _ = scene.pull("One", "Two")
    scene.world.add_labels(pull, ["bug"], scene.ada)
    facts = gathered(scene, pull)

    assert (facts.repository, facts.owner_type, facts.commit_count) == ("cann/ops", "Organization", 2)
    asked = facts.pull_request
    assert (asked.number, asked.opener.id, asked.head_sha, asked.base) == (1, scene.mia.id, pull.head_sha, "main")
    assert (asked.labels, asked.files) == (("bug",), ())
    assert asked.created_at == pull.created_at
    assert facts.rules.organization == "The CANN Authors"
    assert abs((facts.now - clock.now()).total_seconds()) < 60


def test_the_senders_are_the_opener_and_the_people_who_pushed(scene):
    pull, clone = scene.pull()
    scene.settle()
    fork = pull.head_repository
    fork.collaborators[scene.ada.id] = "write"
    clone.commit("By mia, pushed by ada")
    clone.who = scene.ada
    clone.git("push", "--quiet", clone_url(scene, fork), "HEAD:topic")
    facts = gathered(scene, pull)

    assert [sender.account.id for sender in facts.senders] == [scene.ada.id, scene.mia.id]
    assert {sender.account.login: sender.may_write for sender in facts.senders} == {"ada": True, "mia": False}


def clone_url(scene, fork):
    """The fork's address with ada's token in it."""
    return scene.server.url.replace("://", f"://ada:{scene.ada.token}@") + f"/{fork.full_name}.git"


def test_a_sender_whose_commits_were_overwritten_is_forgotten(scene):
    pull, clone = scene.pull()
    fork = pull.head_repository
    fork.collaborators[scene.ada.id] = "write"
    start = clone.head
    scene.settle()
    clone.commit("Pushed by ada")
    clone.git("push", "--quiet", clone_url(scene, fork), "HEAD:topic")
    scene.settle()
    clone.git("reset", "--quiet", "--hard", start)
    clone.push(force=True)
    facts = gathered(scene, pull)

    assert [sender.account.login for sender in facts.senders] == ["mia"]


def test_write_access_is_asked_only_for_people_judged_in_no_other_role(scene):
    pull, clone = scene.pull()
    gathered(scene, pull)
    assert ROLE not in scene.calls()

    pull.head_repository.collaborators[scene.ada.id] = "write"
    clone.commit("By mia, pushed by ada")
    clone.git("push", "--quiet", clone_url(scene, pull.head_repository), "HEAD:topic")
    gathered(scene, pull)
    assert scene.calls().count(ROLE) == 1


def test_members_are_read_only_if_the_rules_exempt_them(scene):
    pull, _ = scene.pull()
    assert gathered(scene, pull).members == frozenset()
    assert MEMBERS not in scene.calls()

    for number, rule in enumerate(["people: {members: exempt}\n", "dco: {members: exempt}\n"]):
        scene.world.write(scene.rules, {".github/countersign.yml": RULES + rule})
        other, _ = scene.pull(branch=f"b{number}")
        assert gathered(scene, other).members == {scene.ada.id}
        assert scene.calls().count(MEMBERS) == 1


def test_files_are_read_only_if_the_rules_require_a_changelog(scene):
    pull, _ = scene.pull()
    assert gathered(scene, pull).pull_request.files == ()
    assert FILES not in scene.calls()

    scene.world.write(scene.rules, {".github/countersign.yml": RULES + "changelog: {require: true}\n"})
    other, _ = scene.pull(branch="other", files={"CHANGELOG.md": "News\n"})
    assert gathered(scene, other).pull_request.files == ("CHANGELOG.md",)
    assert FILES in scene.calls()

    scene.world.write(scene.rules, {".github/countersign.yml": RULES + NOTHING + "changelog: {require: true}\n"})
    third, _ = scene.pull(branch="third")
    assert gathered(scene, third).pull_request.files == ()
    assert FILES not in scene.calls()


def test_the_participants_are_opener_senders_authors_and_co_authors(scene):
    bo = scene.world.user("bo", emails=["bo@home.example"])
    scene.world.user("zoe", emails=["zoe@home.example"])
    pull, _ = scene.pull("One\n\nCo-authored-by: Bo <bo@home.example>", author=("Ada", "ada@cann.example"))
    gathered(scene, pull)

    with scene.sessions() as session:
        assert pull_state.participants(session, scene.row(pull).id) == {scene.mia.id, scene.ada.id, bo.id}


def test_the_account_in_a_no_reply_address_takes_part(scene):
    """GitHub may link the address to no account; its signature counts and has the pull request judged."""
    gus = scene.world.user("gus", emails=["gus@home.example"])
    scene.sign(gus)
    made_of_ids = gus.noreply
    pull, _ = scene.pull(f"One\n\nCo-authored-by: Gus <{made_of_ids}>", author=("Gus", made_of_ids))
    facts = gathered(scene, pull)

    assert gus.id in {signature.account_id for signature in facts.signatures}
    with scene.sessions() as session:
        assert gus.id in pull_state.participants(session, scene.row(pull).id)


def test_records_are_read_for_participants_and_their_companies_alone(scene):
    bo = scene.world.user("bo", emails=["bo@home.example"])
    scene.sign(scene.mia)
    scene.sign(bo)
    for name, domain in [("Huawei", "huawei.com"), ("Other", "redhat.com")]:
        with scene.sessions() as session:
            sample_data.countersign(session, scene.services.vault, name, domain, by=1, at=scene.clock())
    pull, _ = scene.pull(author=("Mia", "mia@rd.huawei.com"))
    facts = gathered(scene, pull)

    assert [signature.account_id for signature in facts.signatures] == [scene.mia.id]
    assert [company.name for company in facts.companies] == ["Huawei"]


def test_an_incomplete_list_of_commits_is_a_doubt_in_the_facts(scene):
    pull, _ = scene.pull("One\n\nCo-authored-by: Some <some@body.example>")
    scene.weather.faults.append(("POST", "/graphql", 502))
    facts = gathered(scene, pull)
    assert (facts.commit_count, facts.commits_doubt) == (1, COAUTHORS)


def squash(scene):
    """The message of a commit by mia and 25 others, all with an account."""
    people = [scene.world.user(f"p{number}", emails=[f"p{number}@x.example"]) for number in range(25)]
    lines = [f"Co-authored-by: {who.login} <{who.emails[0].address}>" for who in people]
    return "Squash\n\n" + "\n".join(["Signed-off-by: Mia <mia@home.example>", *lines]), people


@pytest.mark.slow
def test_a_squash_with_26_authors_is_judged_completely(scene):
    message, people = squash(scene)
    scene.sign(scene.mia)
    for who in people[1:]:
        scene.sign(who)
    pull, _ = scene.pull(message)
    scene.settle()
    assert scene.recorded(pull) == ("failure", ["cla/unsigned", *["cla/individual"] * 25])

    scene.sign(people[0])
    scene.again(pull)
    assert scene.recorded(pull) == ("success", ["cla/individual"] * 26)


def test_where_only_the_dco_is_required_co_authors_are_not_read(staged):
    scene = staged(rulebook=RULES)
    pull, _ = scene.pull(squash(scene)[0])
    scene.hear()
    scene.calls()
    scene.jobs.run_all()
    assert scene.recorded(pull) == ("success", ["dco/signed"])
    assert [call for call in scene.calls() if call[1] == "/graphql"] == [("POST", "/graphql")]


def test_the_organizations_rulebook_is_kept_as_last_read(scene):
    pull, _ = scene.pull()
    gathered(scene, pull)

    def kept():
        with scene.sessions() as session:
            return owners.rules(session, scene.cann.id)

    assert "The CANN Authors" in kept()
    text = kept()
    scene.world.delete(scene.rules)
    scene.installation.repositories = {scene.ops.id}
    gather.rulebook(gather.fetch_snapshot(scene.place, 1, scene.services), scene.services)
    assert kept() == text

    scene.installation.repositories = None
    gather.rulebook(gather.fetch_snapshot(scene.place, 1, scene.services), scene.services)
    assert kept() is None


def test_a_broken_rulebook_is_kept_beside_the_last_valid_rulebook(scene):
    scene.pull()

    def kept(repository=None, text=""):
        if repository:
            scene.world.write(repository, {".github/countersign.yml": text})
        gather.rulebook(gather.fetch_snapshot(scene.place, 1, scene.services), scene.services)
        with scene.sessions() as session:
            row = owners.last_read(session, scene.cann.id)
            return row.rules, row.last_valid

    good = kept()[0]
    assert kept() == (good, good)
    broken = "version: 1\npeoples: {}\n"
    assert kept(scene.rules, broken) == (broken, good)
    assert kept(scene.ops, broken) == (broken, good)
    assert kept(scene.rules, good + "\n") == (good + "\n", good + "\n")


def test_a_rulebook_given_as_a_file_replaces_the_organizations(scene):
    scene.pull()
    parts = replace(scene.services, organization_file=("/etc/rules.yml", "version: 1\norganization: By file\n"))
    rulebook = gather.rulebook(gather.fetch_snapshot(scene.place, 1, scene.services), parts)

    assert rulebook.rules.organization == "By file"
    assert rulebook.sources == ("/etc/rules.yml",)


COMMITS = ("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/commits")


@pytest.mark.parametrize("acts", [True, False], ids=["the bot opened", "only named"])
@pytest.mark.parametrize(
    ("matching", "codes", "asked"), [("exact", ["dco/bot"], 1), ("evidence", ["dco/bot-unproven"], 0)]
)
def test_a_bots_commit_is_recognised_by_rest_under_exact_matching(staged, matching, codes, asked, acts):
    scene = staged(rulebook=f"version: 1\ndco: {{matching: {matching}}}\n")
    robot = bot(scene)
    pull, _ = scene.pull("One", "Two", **({"who": robot} if acts else {"author": (robot.name, robot.noreply)}))
    scene.hear()
    scene.calls()
    scene.jobs.run_all()

    assert scene.recorded(pull)[1] == (["dco/bot"] if acts else codes) * 2
    assert scene.calls().count(COMMITS) == asked


def test_a_bot_named_by_an_address_alone_has_to_sign_off(staged):
    scene = staged(rulebook="version: 1\ndco: {matching: exact}\n")
    for number, address in enumerate(["999999+x[bot]@users.noreply.127.0.0.1", "999999+gus@users.noreply.127.0.0.1"]):
        pull, _ = scene.pull(author=("x[bot]", address), branch=f"topic{number}")
        scene.settle()
        conclusion, codes = scene.recorded(pull)
        # The DCO app, whose grammar `exact` keeps, takes brackets in a bot's address of github.com alone.
        assert (conclusion, set(codes) - {"dco/invalid-email"}) == ("failure", {"dco/missing"})


def test_while_no_api_tells_who_is_a_bot_nothing_passes(staged):
    scene = staged(rulebook="version: 1\ndco: {matching: exact}\n")
    scene.weather.faults.append(("GET", "/commits", 502))
    pull, _ = scene.pull(who=bot(scene))
    scene.settle()
    assert scene.conclusion(pull) != "success"

    scene.weather.faults.clear()
    scene.settle(delayed=True)
    assert scene.recorded(pull) == ("success", ["dco/bot"])


EVES = "eve@nowhere.example"


@pytest.fixture(name="eve")
def _eve(scene):
    """Eve, who has signed, and takes part in nothing yet; mia has signed, too."""
    eve = scene.world.user("eve", name="Eve", emails=["eve@home.example"])
    scene.sign(scene.mia)
    scene.sign(eve)
    return eve


@pytest.fixture(name="prove")
def _prove(scene):
    """An account answers the code that was mailed to an address, as on `/me/emails`."""

    def prove(who, address):
        at, vault = scene.clock(), scene.services.vault
        with scene.sessions() as session:
            person = person_rows.ensure(within(session, vault, at, clock.new_id), Account(who.id, who.login))
            proven = ProvenAddress(
                address=address, how=emails.MAILED_CODE, at=at, until=at + emails.CODE_PROOF_LIFETIME
            )
            emails.prove(within(session, vault, new_id=clock.new_id), person, proven)
            log_rows(session, vault)
            rejudge.people(session, scene.jobs, [who.id])

    return prove


def comment(scene, pull, who, words="/cla-check me"):
    """Who says that they take part; all that follows is done."""
    scene.world.comment(pull, who, words)
    scene.settle(delayed=True)
    scene.advance(MIN_COMMAND_INTERVAL)


UNLINKED, BOTH = ("failure", ["cla/unlinked-email", "cla/individual"]), ("success", ["cla/individual"] * 2)


@pytest.mark.slow
@pytest.mark.parametrize("role", ["author", "coauthor"])
def test_a_person_who_proved_an_address_joins_by_a_comment(scene, eve, prove, role):
    """The proof alone must not tell whose address it is."""
    given = {"author": ("Eve", EVES)} if role == "author" else {}
    pull, _ = scene.pull("Fix" if given else f"Fix\n\nCo-authored-by: Eve <{EVES}>", **given)
    scene.settle()
    prove(eve, EVES.upper())
    comment(scene, pull, scene.mia)
    assert scene.recorded(pull) == UNLINKED

    comment(scene, pull, eve)
    assert scene.recorded(pull) == BOTH
    said = str([run.output for run in scene.world.check_runs.values()])
    assert "eve" in said
    assert str(eve.id) not in said


def test_a_comment_without_a_proof_of_the_address_does_not_join(scene, eve, prove):
    pull, _ = scene.pull(author=("Eve", EVES))
    scene.settle()
    prove(eve, "eve@elsewhere.example")
    comment(scene, pull, eve)
    assert scene.recorded(pull) == UNLINKED
    with scene.sessions() as session:
        assert pull_state.participants(session, scene.row(pull).id) == {scene.mia.id}


@pytest.mark.parametrize("words", ["/cla-check", "/recheck", "/cla-check why"])
def test_a_comment_with_another_command_does_not_join(scene, eve, prove, words):
    """People write other commands for other reasons; joining would tell that they have proven an address."""
    pull, _ = scene.pull(author=("Eve", EVES))
    scene.settle()
    prove(eve, EVES)
    comment(scene, pull, eve, words)
    assert scene.recorded(pull) == UNLINKED


def test_a_comment_on_a_closed_pull_request_does_not_join(scene, eve, prove):
    pull, _ = scene.pull(author=("Eve", EVES))
    scene.settle()
    prove(eve, EVES)
    scene.world.close_pull(pull, scene.mia)
    scene.settle()
    comment(scene, pull, eve)
    with scene.sessions() as session:
        assert pull_state.participants(session, scene.row(pull).id) == {scene.mia.id}


@pytest.mark.slow
def test_a_person_who_joined_is_named_by_their_present_login(scene, eve, prove):
    pull, _ = scene.pull(author=("Eve", EVES))
    prove(eve, EVES)
    eve.login = "evelyn"
    scene.settle()
    comment(scene, pull, eve)
    assert "evelyn" in str([run.output for run in scene.world.check_runs.values()])


@pytest.mark.slow
def test_a_person_who_joined_has_to_sign_and_may_take_the_proof_back(scene, prove):
    scene.sign(scene.mia)
    bo = scene.world.user("bo", emails=["bo@home.example"])
    pull, _ = scene.pull(author=("Bo", EVES))
    prove(bo, EVES)
    scene.settle()
    comment(scene, pull, bo)
    assert scene.recorded(pull) == ("failure", ["cla/unsigned", "cla/individual"])
    scene.sign(bo)
    with scene.sessions() as session:
        assert rejudge.people(session, scene.jobs, [bo.id]) == 1
    scene.settle()
    assert scene.recorded(pull) == BOTH

    with scene.sessions() as session:
        [shown] = emails.of_account(session, scene.services.vault, bo.id, scene.clock())
        emails.remove(session, bo.id, shown.id, scene.clock())
        rejudge.people(session, scene.jobs, [bo.id])
    scene.settle()
    assert scene.recorded(pull) == UNLINKED


@pytest.mark.slow
def test_an_address_that_two_commenters_proved_belongs_to_neither(scene, eve, prove):
    mal = scene.world.user("mal")
    pull, _ = scene.pull(author=("Eve", EVES))
    scene.settle()
    prove(eve, EVES)
    prove(mal, EVES)
    comment(scene, pull, eve)
    assert scene.recorded(pull) == BOTH
    comment(scene, pull, mal)
    assert scene.recorded(pull) == UNLINKED


def test_a_person_who_joins_during_a_review_is_in_its_facts(scene, eve, prove):
    pull, _ = scene.pull(author=("Eve", EVES))
    scene.settle()
    prove(eve, EVES)
    scene.world.comment(pull, eve, "/cla-check me")
    assert gathered(scene, pull).commenters == (Account(eve.id, "eve"),)
    with scene.sessions() as session:
        assert pull_state.participants(session, scene.row(pull).id) == {scene.mia.id, eve.id}


@pytest.mark.slow
def test_a_person_who_joins_while_an_older_head_is_judged_is_not_forgotten(scene, eve, prove):
    pull, clone = scene.pull()
    scene.settle()
    prove(eve, EVES)
    with scene.sessions() as session:
        review_mailbox.enqueue_review(session, scene.jobs, scene.row(pull).id)
    claim = scene.begin(REVIEWS, scene.row(pull).id)
    snapshot = gather.fetch_snapshot(scene.place, pull.number, scene.services)
    clone.commit("By Eve", author=("Eve", EVES))
    clone.push()
    scene.world.comment(pull, eve, "/cla-check me")
    scene.hear()
    assert facts_of(scene, claim, snapshot).commenters == ()
    with scene.sessions() as session:
        REVIEWS.finish(session, scene.jobs, claim, at=scene.clock())
    scene.settle(delayed=True)
    assert scene.recorded(pull)[0] == "success"


@pytest.mark.parametrize(
    ("how", "found", "kept"),
    [
        ({"rulebook": RULES}, RULES, [RULES]),
        ({"rulebook": None}, None, [None]),
        ({"rulebook": None, "chosen": True}, "not-covered", []),
        ({"rulebook": None, "organization_file": ("rules.yml", RULES)}, RULES, []),
    ],
)
def test_the_organizations_rulebook_is_read_and_kept_without_a_pull_request(staged, how, found, kept):
    scene = staged(**how)
    file = gather.organization_rulebook(scene.installation.id, scene.cann, scene.services)
    assert getattr(file, "text", file) == found
    with scene.sessions() as session:
        row = owners.last_read(session, scene.cann.id)
        assert ([row.rules] if row else []) == kept
