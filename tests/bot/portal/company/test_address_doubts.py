"""An address of one's own domains is fine; of another it is foreign, and of one that only looks alike it is worse."""

import pytest

from bot.portal.company.address_doubts import doubt


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("ada@huawei.com", None),
        ("ada@rd.huawei.com", None),
        ("ada@huawel.com", "look-alike"),
        ("ada@rd.huawel.com", "look-alike"),
        ("ada@partner.org", "foreign"),
        ("ada@evilhuawei.com", "foreign"),
    ],
)
def test_what_speaks_against_an_address(address, found):
    """By whole labels; without domains every address is foreign."""
    assert doubt(address, ("huawei.com", "hisilicon.com")) == found
    assert doubt(address, ()) == "foreign"
