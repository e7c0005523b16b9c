"""The manifest names our own address everywhere it matters, and nothing is left to fill in."""

import json
from html.parser import HTMLParser

from bot import manifest


def test_our_address_is_filled_in_everywhere():
    """Hook, callback and home lead to us; no placeholder is left."""
    read = manifest.read("https://cla.example.org")

    assert "https://cla.example.org/webhook" == read["hook_attributes"]["url"]
    assert ["https://cla.example.org/login/callback"] == read["callback_urls"]
    assert "https://cla.example.org" == read["url"]
    assert "{url}" not in str(read)


class Form(HTMLParser):
    """What a browser would send, and where to."""

    def __init__(self, page):
        super().__init__()
        self.action, self.method, self.fields = None, None, {}
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if tag == "form":
            self.action, self.method = found["action"], found["method"]
        if tag == "input":
            self.fields[found["name"]] = found["value"]


def test_the_form_posts_the_manifest():
    """To the organisation's own registration page, as the one field that GitHub documents, byte for byte."""
    form = Form(manifest.form("https://cla.example.org", "cann", github_url="https://ghe.example"))

    assert (form.method, form.action) == ("post", "https://ghe.example/organizations/cann/settings/apps/new")
    assert list(form.fields) == ["manifest"]
    assert json.loads(form.fields["manifest"]) == manifest.read("https://cla.example.org")


def test_nothing_breaks_out_of_the_form():
    """Whatever the values hold."""
    form = Form(manifest.form('https://x.example"><script>', "cann", github_url='https://g.example"><b>'))

    assert form.action.startswith('https://g.example"><b>/organizations/')
    assert json.loads(form.fields["manifest"])["url"] == 'https://x.example"><script>'
