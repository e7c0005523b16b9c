"""A person says in a comment for whom they contribute: for themselves alone, and only that cover is looked at from then on."""

from datetime import timedelta

import pytest
from sqlalchemy import text
from sqlmodel import select

from agreements.facts import Account, Entry
from bot.flows.override_commands import override
from bot.store import activity_data
from bot.store.pulls.cover_choices import CoverChoice
from bot.webhook.events import CommandGiven, EventRepository
from tests.bot.flows.recipes import book, company, rule
from tests.bot.flows.test_override_commands import says


@pytest.fixture(name="scene")
def _scene(staged):
    """Mia has signed herself, and Huawei, whose domain is huawei.com, names her account."""
    scene = staged(rulebook=book("cla"))
    scene.sign(scene.mia)
    company(scene, Entry(domain="huawei.com"), Entry(account_id=scene.mia.id))
    return scene


def green(scene, **more):
    """A pull request of mia's that passes."""
    pull, clone = scene.pull(**more)
    scene.settle()
    assert scene.conclusion(pull) == "success"
    return pull, clone


def chosen(scene):
    """What is recorded: who chose, and whether a company."""
    with scene.sessions() as session:
        rows = session.exec(select(CoverChoice).order_by(CoverChoice.at, CoverChoice.id)).all()
        return [(row.account_id, row.company_id is not None) for row in rows]


@pytest.mark.parametrize(("words", "company"), [
    ("/cla for me", False), ("`/cla for myself`", False), ("/CLA for Huawei.com", True), ("/cla for @huawei.com\nas told", True),
])  # fmt: skip
def test_the_choice_is_recorded_logged_and_counts(scene, words, company):
    pull, _ = green(scene)
    assert says(scene, pull, scene.mia, words) == ["rocket"]
    assert chosen(scene) == [(scene.mia.id, company)]
    assert scene.conclusion(pull) == "success"
    with scene.sessions() as session:
        assert session.execute(text("SELECT count(*) FROM ledger_entry WHERE kind = 'cover.chosen'")).scalar_one() == 1
        exported = activity_data.everything(session, scene.services.vault, scene.mia.id)["cover_choices"]
    assert [(choice["pull_request"], choice["company"]) for choice in exported] == [
        ("cann/ops#1", "Huawei" if company else None)
    ]


@pytest.mark.slow
def test_a_choice_that_does_not_cover_is_red_after_a_push_too_and_the_newest_counts(staged):
    scene = staged(rulebook=book("cla"))
    company(scene, Entry(domain="huawei.com"))
    scene.sign(scene.mia)
    pull, clone = green(scene)
    says(scene, pull, scene.mia, "/cla for huawei.com")
    assert scene.conclusion(pull) == "failure"
    clone.commit("More", {"more": "x"})
    clone.push()
    scene.settle()
    assert scene.conclusion(pull) == "failure"
    says(scene, pull, scene.mia, "/cla for me")
    assert scene.conclusion(pull) == "success"
    other, _ = green(scene, branch="other")
    assert scene.conclusion(other) == "success"


@pytest.mark.parametrize("words", [
    "/cla for", "/cla for huawei", "/cla for huawei.com please", "/cla for evil.example", "/cla for rd.huawei.com", "/cla for 1.2.3.4",
])  # fmt: skip
def test_a_misshapen_choice_or_an_unknown_company_is_answered_and_not_recorded(scene, words):
    pull, _ = green(scene)
    assert says(scene, pull, scene.mia, words) == ["confused"]
    assert chosen(scene) == []
    assert scene.conclusion(pull) == "success"


def test_no_person_chooses_for_another_and_who_takes_no_part_chooses_nothing(scene):
    pull, _ = green(scene)
    assert says(scene, pull, scene.ada, "/cla for me") == ["confused"]
    assert says(scene, pull, scene.ada, "/cla for @mia") == ["confused"]
    assert chosen(scene) == []


def test_a_company_that_agreed_with_another_party_is_none_here(staged):
    scene = staged(rulebook=book("cla"))
    company(scene, Entry(domain="huawei.com"), Entry(account_id=scene.mia.id))
    rule(scene, book("cla").replace("The CANN Authors", "Another Foundation"))
    pull, _ = scene.pull()
    scene.settle()
    assert says(scene, pull, scene.mia, "/cla for huawei.com") == ["confused"]
    assert chosen(scene) == []


def test_a_comment_that_is_heard_again_undoes_no_newer_choice(scene):
    pull, _ = green(scene)
    said = scene.world.comment(pull, scene.mia, "/cla for me")
    scene.settle()
    says(scene, pull, scene.mia, "/cla for huawei.com")
    place, mia = EventRepository(scene.ops.id, "cann", "ops", scene.cann.id), Account(scene.mia.id, "mia")
    again = CommandGiven(
        installation=scene.place.installation,
        repository=place,
        number=pull.number,
        comment_id=said.id,
        command="for",
        sender=mia,
    )
    override(again, scene.services)
    assert chosen(scene) == [(scene.mia.id, False), (scene.mia.id, True)]


def test_an_edited_comment_and_one_on_a_closed_pull_request_choose_nothing(scene):
    pull, _ = green(scene)
    said = scene.world.comment(pull, scene.mia, "/cla for me")
    said.updated_at = said.created_at + timedelta(minutes=1)
    scene.settle()
    scene.world.close_pull(pull, scene.mia)
    says(scene, pull, scene.mia, "/cla for me")
    assert chosen(scene) == []


@pytest.mark.slow
def test_a_choice_that_the_log_does_not_know_counts_for_nothing(staged):
    scene = staged(rulebook=book("cla"))
    scene.sign(scene.mia)
    pull, _ = green(scene)
    company(scene, Entry(domain="huawei.com"))
    with scene.sessions() as session:
        huawei = session.execute(text("SELECT id FROM company")).scalar_one()
        session.add(
            CoverChoice(
                id="x", pull_id=scene.row(pull).id, account_id=scene.mia.id, company_id=huawei, at=scene.clock()
            )
        )
    scene.again(pull)
    assert scene.conclusion(pull) == "success"
