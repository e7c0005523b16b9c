"""The record that a company puts into its DNS."""

from bot.network.txt_record import record


def test_the_record_is_as_the_page_shows_it():
    assert record("huawei.com", "tok") == ("_cla-challenge.huawei.com", "cla-verify=tok")
