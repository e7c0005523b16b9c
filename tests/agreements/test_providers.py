"""The lists of names that no company may hold."""

import pytest

from agreements import providers


@pytest.mark.parametrize("name", ["tuta.com", "riseup.net", "linux.com", "wo.cn", "x.wo.cn", "alumni.ethz.ch"])
def test_the_addendum_fills_gaps(name):
    """Providers that the published lists lack are refused too, with everything below them."""
    assert providers.listed(name) == "free-mail"


@pytest.mark.parametrize("name", ["ethz.ch", "notriseup.net", "alumnihub.com", "hisilicon.com"])
def test_no_more_than_listed(name):
    """A name that merely resembles a listed one is free."""
    assert providers.listed(name) is None


@pytest.mark.parametrize("name", [
    "github.com", "gitlab.com", "gitee.com", "gitcode.com", "bitbucket.org", "codeberg.org", "sourceforge.net", "sr.ht", "launchpad.net",
    "user.noreply.gitee.com", "noreply.codeberg.org", "users.sourceforge.net", "users.noreply.cann.ghe.com", "salsa.debian.org",
])  # fmt: skip
def test_hosts_of_code(name):
    """Whoever has an account at a code host may have an address there; no company holds its name."""
    assert providers.listed(name) == "code-host"


@pytest.mark.parametrize(
    "name", ["notgithub.com", "debian.org", "gnu.org", "github.huawei.com", "gitee.com.example.com"]
)
def test_no_host_of_code(name):
    """A host's name counts as a whole and with what is below it; a company's own server is its own."""
    assert providers.listed(name) is None
