"""The manifest names our own address everywhere it matters, and nothing is left to fill in."""

from bot import manifest


def test_our_address_is_filled_in_everywhere():
    """Hook, callback and home lead to us; no placeholder is left."""
    read = manifest.read("https://cla.example.org")

    assert "https://cla.example.org/webhook" == read["hook_attributes"]["url"]
    assert ["https://cla.example.org/login/callback"] == read["callback_urls"]
    assert "https://cla.example.org" == read["url"]
    assert "{url}" not in str(read)
