"""The manifest names our own address everywhere it matters, and nothing is left to fill in."""

from bot import manifest


def test_our_address_is_filled_in_everywhere():
    """Hook, callback and home lead to us; no placeholder is left."""
    read = manifest.read("https://cla.example.org")

    assert "https://cla.example.org/webhook" == read["hook_attributes"]["url"]
    assert ["https://cla.example.org/login/callback"] == read["callback_urls"]
    assert "https://cla.example.org" == read["url"]
    assert "{url}" not in str(read)


def test_the_browser_may_come_back_elsewhere():
    """To the pages of setting up; nothing else of the manifest changes."""
    usual = manifest.read("https://cla.example.org")
    led_back = manifest.read("https://cla.example.org", redirect_url="http://127.0.0.1:8080/registered")

    assert {**usual, "redirect_url": "http://127.0.0.1:8080/registered"} == led_back
    assert "https://cla.example.org/" == usual["redirect_url"]
