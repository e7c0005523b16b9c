"""An enrolment covers a pull request by the proven address; its commits may have another address."""

import pytest

from agreements.facts import Account, Entry
from agreements.store.companies import companies, enrolments
from agreements.store.people import person_rows
from bot import clock
from tests.drafts import company_draft
from tests.logged import log_rows
from tests.within import within

ENROLLED = """version: 1
organization: The CANN Authors
repositories: [{match: ["*"], require: cla}]
people: {domains: enrolled}
"""


def employ(scene, who, address):
    """That person enrols with that address at the company that holds it; the enrolment's id."""
    with scene.sessions() as session:
        vault, at = scene.services.vault, scene.clock()
        person = person_rows.ensure(within(session, vault, at, clock.new_id), Account(who.id, who.login))
        employer = enrolments.EmployerSearch(session, vault, scene.services.server, (), at).employers(who.id, address)[
            0
        ]
        context = within(session, vault, at, clock.new_id, by=who.id)
        held = enrolments.add(context, person, employer, address).enrolment.id
        log_rows(session, vault)
        return held


def company(scene, domain):
    """A countersigned company that holds the domain."""
    with scene.sessions() as session:
        at = scene.clock()
        draft = company_draft("Huawei", at, countersigned=True)
        row = companies.add(within(session, scene.services.vault, new_id=clock.new_id), draft)
        companies.add_entry(within(session, scene.services.vault, at, clock.new_id), row, Entry(domain=domain))
        log_rows(session, scene.services.vault)


@pytest.mark.slow
def test_an_enrolment_covers_commits_by_any_address_until_it_ends(staged):
    scene = staged(rulebook=ENROLLED)
    scene.mia.emails.append(type(scene.mia.emails[0])("mia@rd.huawei.com", verified=True))
    company(scene, "huawei.com")
    private, _ = scene.pull(author=("Mia", "mia@home.example"))
    linked, _ = scene.pull(branch="linked", author=("Mia", "mia@rd.huawei.com"))
    scene.settle()
    assert (scene.conclusion(private), scene.conclusion(linked)) == ("failure", "failure")

    held = employ(scene, scene.mia, "mia@rd.huawei.com")
    scene.again(private)
    scene.again(linked)
    assert (scene.conclusion(private), scene.conclusion(linked)) == ("success", "success")
    assert scene.recorded(private)[1] == ["cla/company-domain"]

    with scene.sessions() as session:
        enrolments.end(session, held, at=scene.clock())
    scene.again(private)
    assert scene.conclusion(private) == "failure"


def test_the_end_of_an_enrolment_leaves_a_persons_own_signature_in_force(staged):
    scene = staged(rulebook=ENROLLED)
    company(scene, "huawei.com")
    scene.sign(scene.mia)
    held = employ(scene, scene.mia, "mia@huawei.com")
    pull, _ = scene.pull()
    scene.settle()
    with scene.sessions() as session:
        enrolments.end(session, held, at=scene.clock())
    scene.again(pull)

    assert (scene.conclusion(pull), scene.recorded(pull)[1]) == ("success", ["cla/individual"])
