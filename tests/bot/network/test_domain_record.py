"""What a company puts into its DNS."""

from bot.network.domain_record import record


def test_record():
    """As the page shows it."""
    assert record("huawei.com", "tok") == ("_cla-challenge.huawei.com", "cla-verify=tok")
