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
