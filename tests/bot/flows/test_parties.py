"""An agreement with one organization does not count for another one, unless both are the same party."""

import time

import pytest
from sqlmodel import select

from agreements.facts import Entry
from agreements.store.companies import companies
from agreements.store.tables.records import PartyRecord
from bot import clock
from bot.records import agreement_view
from bot.startup import party_chores
from tests.bot.flows.scene import CLA
from tests.drafts import company_draft
from tests.logged import log_rows
from tests.within import within

OTHER = CLA.replace("The CANN Authors", "Other Foundation")


@pytest.fixture(name="scene")
def _scene(staged):
    """Two organisations of one deployment, each with its own rulebook."""
    scene = staged(accounts=("cann", "other", "third"))
    scene.other = scene.world.organization("other", admins=[scene.ada])
    scene.tools = scene.world.repository(scene.other, "tools")
    scene.other_rules = scene.world.repository(scene.other, ".github", files={".github/countersign.yml": OTHER})
    scene.world.install(scene.app, scene.other, scene.ada)
    return scene


def judged(scene):
    """Mia's pull request in each organisation, as it was judged."""
    pulls = [scene.pull(to=to, branch=name)[0] for to, name in ((scene.ops, "one"), (scene.tools, "two"))]
    scene.settle()
    return [scene.recorded(pull) for pull in pulls], pulls


def again(scene, pulls):
    """The same pull requests, judged once more."""
    for pull in pulls:
        scene.again(pull)
    return [scene.recorded(pull) for pull in pulls]


PASSES = ("success", ["cla/individual"])
ELSEWHERE = ("failure", ["cla/other-party"])


@pytest.mark.slow
def test_a_signature_for_one_party_does_not_count_for_another(scene):
    scene.sign(scene.mia)
    found, pulls = judged(scene)
    assert found == [PASSES, ELSEWHERE]
    assert scene.labels(pulls[1]) == ["cla-required"]

    scene.sign(scene.mia, party="Other Foundation")
    assert again(scene, pulls) == [PASSES, PASSES]


@pytest.mark.slow
def test_parties_of_the_same_name_share_signatures(scene):
    scene.world.write(
        scene.other_rules,
        {".github/countersign.yml": CLA.replace("The CANN", '"The  CANN').replace("Authors", 'Authors "')},
    )
    scene.sign(scene.mia)
    assert judged(scene)[0] == [PASSES, PASSES]

    scene.world.write(
        scene.other_rules, {".github/countersign.yml": CLA.replace("The CANN Authors", "the CANN authors")}
    )
    pull, _ = scene.pull(to=scene.tools, branch="three")
    scene.settle()
    assert scene.recorded(pull) == ELSEWHERE


def test_a_companys_agreement_counts_for_its_own_party_alone(scene):
    at = scene.clock()
    draft = company_draft("Huawei", at, party="Other Foundation", countersigned=True)
    with scene.sessions() as session:
        row = companies.add(within(session, scene.services.vault, new_id=clock.new_id), draft)
        named = Entry(account_id=scene.mia.id)
        companies.add_entry(within(session, scene.services.vault, at, clock.new_id), row, named)
        log_rows(session, scene.services.vault)
    found, _ = judged(scene)
    assert found == [ELSEWHERE, ("success", ["cla/company-account"])]


@pytest.mark.slow
def test_a_former_name_that_the_rulebook_lists_counts_again(scene):
    scene.sign(scene.mia)
    found, pulls = judged(scene)
    assert found[0] == PASSES
    renamed = CLA.replace("The CANN Authors", "The New Authors")
    scene.world.write(scene.rules, {".github/countersign.yml": renamed})
    assert again(scene, pulls[:1]) == [ELSEWHERE]

    scene.world.write(
        scene.rules, {".github/countersign.yml": f"{renamed}agreements: {{parties: [The CANN Authors]}}\n"}
    )
    assert again(scene, pulls[:1]) == [PASSES]


@pytest.mark.slow
def test_without_a_name_the_account_is_the_party(scene):
    nameless = CLA.replace("organization: The CANN Authors\n", "")
    for where in (scene.rules, scene.other_rules):
        scene.world.write(where, {".github/countersign.yml": nameless})
    scene.sign(scene.mia, party=f"github:{scene.cann.id}")
    found, pulls = judged(scene)
    assert found == [PASSES, ELSEWHERE]

    scene.world.write(scene.rules, {".github/countersign.yml": CLA})
    assert again(scene, pulls[:1]) == [ELSEWHERE]
    listed = f"{CLA}agreements: {{parties: ['github:{scene.cann.id}']}}\n"
    scene.world.write(scene.rules, {".github/countersign.yml": listed})
    assert again(scene, pulls[:1]) == [PASSES]


@pytest.mark.parametrize("own", [CLA, CLA + "agreements: {parties: [The CANN Authors]}\n"])
def test_a_repositorys_own_file_cannot_name_a_party(scene, own):
    """People with write access could otherwise claim what others agreed with the organization."""
    third = scene.world.organization("third", admins=[scene.ada])
    scene.tools = scene.world.repository(third, "alone", files={".github/countersign.yml": own})
    scene.world.install(scene.app, third, scene.ada)
    scene.sign(scene.mia)
    found, _ = judged(scene)
    assert found[0] == PASSES
    assert found[1][0] != "success"


@pytest.mark.slow
def test_an_agreement_without_a_party_counts_once_its_page_hash_tells_it(scene):
    page, _ = agreement_view.variants(scene.services.catalog.get("icla", "2.0", "en"), scene.party)
    scene.sign(scene.mia, shown_before=page.shown_sha256)
    pull, _ = scene.pull()
    scene.settle()
    assert scene.conclusion(pull) == "failure"

    chores = party_chores(scene.settings, scene.sessions, scene.services.vault, scene.services.texts, scene.jobs)
    chores.start()
    try:
        deadline = time.monotonic() + 60
        while not _decided(scene):
            assert time.monotonic() < deadline
            time.sleep(0.05)
    finally:
        chores.stop()
    scene.jobs.run_all()

    assert [record.party for record in _decided(scene)] == [scene.party]
    assert scene.conclusion(pull) == "success"


def _decided(scene):
    with scene.sessions() as session:
        return session.exec(select(PartyRecord)).all()
