"""An address of one's own domains is fine; of another it is foreign, and of one that only looks alike it is worse."""

import pytest

from agreements.github_server import GITHUB_COM, github_server
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
    assert doubt(address, ("huawei.com", "hisilicon.com"), GITHUB_COM) == found
    assert doubt(address, (), GITHUB_COM) == "foreign"


def test_a_no_reply_address_of_the_server():
    """It is foreign also below the company's own domain."""
    server = github_server("ghe.huawei.com")
    assert doubt(f"5+ada@{server.noreply_domain}", ("huawei.com",), server) == "foreign"
