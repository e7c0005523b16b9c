"""Sign-offs given in the portal reach the verdict: of this pull request, in force, and as the log has them."""

import pytest
from sqlalchemy import text

from agreements.store.people import portal_signoffs
from bot import clock
from tests.bot.flows.portal_signoffs import sign_off
from tests.bot.flows.recipes import book, prove
from tests.within import within

PORTAL = book("dco", "dco: {portal: true}")
LINK = "**[Sign off here](https://cla.example.org/pr/cann/ops/1/sign-off) in the browser, for your own commits."


@pytest.fixture(name="unsigned")
def _unsigned(staged):
    """A scene with a red pull request of mia's, where the portal counts."""
    scene = staged(rulebook=PORTAL)
    pull, clone = scene.pull("Unsigned")
    scene.settle()
    assert scene.conclusion(pull) == "failure"
    return scene, pull, clone


def revoke(scene, pull, who):
    """That person withdraws what they signed off there."""
    with scene.sessions() as session:
        context = within(session, scene.services.vault, scene.clock(), clock.new_id, by=who.id)
        assert portal_signoffs.revoke(context, pull.repository.id, pull.number) == 1


def test_check_and_comment_name_the_page_first_and_a_sign_off_there_passes(unsigned):
    scene, pull, _clone = unsigned
    run = next(run for run in scene.world.check_runs.values() if run.head_sha == pull.head_sha)
    assert run.output["summary"].index(LINK) < run.output["summary"].index("git commit --amend")
    assert LINK in scene.comments(pull)[0].body
    sign_off(scene, pull, scene.mia)
    assert scene.conclusion(pull) == "success"
    assert scene.recorded(pull) == ("success", ["dco/signed-here"])


@pytest.mark.parametrize("rules", ["", "dco: {portal: false}", "dco: {portal: true, matching: exact}"])
def test_without_the_rule_neither_the_link_nor_the_sign_off_counts(staged, rules):
    scene = staged(rulebook=book("dco", rules))
    pull, _clone = scene.pull("Unsigned")
    scene.settle()
    sign_off(scene, pull, scene.mia)
    assert scene.conclusion(pull) == "failure"
    assert "sign-off)" not in scene.comments(pull)[0].body


def test_a_commit_pushed_after_signing_and_a_rewritten_one_need_their_own(unsigned):
    scene, pull, clone = unsigned
    sign_off(scene, pull, scene.mia)
    clone.commit("More", {"more": "x"})
    clone.push()
    scene.settle()
    assert scene.conclusion(pull) == "failure"
    assert sorted(scene.recorded(pull)[1]) == ["dco/missing", "dco/signed-here"]
    clone.git("reset", "--quiet", "--soft", "HEAD~2")
    clone.commit("Unsigned, rewritten")
    clone.push(force=True)
    scene.settle()
    assert scene.recorded(pull) == ("failure", ["dco/missing"])


def test_another_person_and_another_pull_request_sign_nothing_off_here(unsigned):
    scene, pull, _clone = unsigned
    sign_off(scene, pull, scene.ada)
    assert scene.conclusion(pull) == "failure"
    other, _ = scene.pull("Unsigned", branch="other")
    scene.settle()
    sign_off(scene, other, scene.mia, pull.head_sha, other.head_sha)
    assert (scene.conclusion(pull), scene.conclusion(other)) == ("failure", "success")


def test_a_revoked_sign_off_counts_no_more(unsigned):
    scene, pull, _clone = unsigned
    sign_off(scene, pull, scene.mia)
    revoke(scene, pull, scene.mia)
    scene.again(pull)
    assert scene.conclusion(pull) == "failure"


COLUMNS = "shas, text_sha256, statement_id, statement_sha256, language, identity_proof, signed_at, evidence"


@pytest.mark.parametrize(
    "forged",
    [
        "UPDATE portal_signoff SET account_id = {mia}",
        "UPDATE portal_signoff SET revoked_at = NULL",
        (
            f"INSERT INTO portal_signoff (id, person_id, account_id, repository_id, number, {COLUMNS})"
            f" SELECT 'forged', person_id, {{mia}}, repository_id, number, {COLUMNS} FROM portal_signoff LIMIT 1"
        ),
    ],
)
def test_a_row_that_differs_from_the_log_counts_for_no_person(unsigned, forged):
    scene, pull, _clone = unsigned
    sign_off(scene, pull, scene.mia)
    revoke(scene, pull, scene.mia)
    sign_off(scene, pull, scene.ada)
    with scene.sessions() as session:
        for name in session.scalars(text("SELECT name FROM sqlite_master WHERE type = 'trigger'")).all():
            session.execute(text(f"DROP TRIGGER {name}"))
        session.execute(text(forged.format(mia=scene.mia.id)))
    scene.again(pull)
    assert scene.conclusion(pull) == "failure"


def test_an_address_counts_once_its_signer_has_proven_it(staged):
    scene = staged(rulebook=PORTAL)
    pull, _clone = scene.pull("Unsigned", author=("Mia", "mia@elsewhere.example"))
    scene.settle()
    assert "sign-off)" not in scene.comments(pull)[0].body
    sign_off(scene, pull, scene.ada)
    sign_off(scene, pull, scene.mia)
    assert scene.conclusion(pull) == "failure"
    prove(scene, scene.mia, "mia@elsewhere.example")
    scene.again(pull)
    assert scene.conclusion(pull) == "success"
