"""The addresses of a visitor with the companies that they are good for, by what is known already."""

import pytest

from agreements.store.companies.enrolments import Employer
from bot.portal.company.work_addresses import ANY_PARTY, WantedParties, employer
from tests.bot.portal.company import office

HUAWEI, RED_HAT = (
    Employer(key, name, f"{name}.com", party) for key, name, party in (("c1", "a", "x"), ("c2", "b", "y"))
)


@pytest.mark.parametrize(
    ("company_id", "wanted", "found"),
    [
        (None, ANY_PARTY, HUAWEI),
        (None, WantedParties(["y"], only=False), RED_HAT),
        (None, WantedParties(["z"], only=False), HUAWEI),
        (None, WantedParties(["z"], only=True), None),
        ("c2", WantedParties(["x"], only=True), RED_HAT),
        ("c3", ANY_PARTY, None),
    ],
)
def test_the_named_company_counts_else_one_of_a_wanted_party(company_id, wanted, found):
    assert employer((HUAWEI, RED_HAT), company_id, wanted) == found


def test_an_address_that_a_code_verified_is_offered_once_beside_those_of_github(portal):
    office.company(portal)
    office.known(portal, 11, "ada", office.WORK, "ada@huawei.com")
    office.works(portal, "ADA@huawei.com")
    page = portal.signed_in().get("/enrol").text

    assert 'value="ADA@huawei.com" required checked' in page
    assert f'value="{office.WORK}" required>' in page
    assert 'value="ada@huawei.com"' not in page
