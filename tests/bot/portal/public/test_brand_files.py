"""The organisation's face: its name, logo, colour and links on every page, and ours where none is chosen."""

import re

import pytest

from tests.bot.books import kept
from tests.bot.conftest import ADMINISTRATOR

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><script>alert(1)</script></svg>'
CHOSEN = {
    "name": "The Bridge <Builders>",
    "color": "#7a1f5c",
    "contact": "cla@example.org",
    "imprint_url": "https://example.org/imprint",
    "privacy_url": "https://example.org/privacy",
}


@pytest.fixture(name="branded")
def _branded(tmp_path, github, make_portal):
    """A portal of an organisation with a face."""
    file = tmp_path / "logo.svg"
    file.write_bytes(SVG)
    with kept(make_portal(f"sqlite:///{tmp_path / 'portal.db'}", github, logo=file, **CHOSEN)) as portal:
        yield portal


def test_every_page_has_the_face(branded):
    """Name, logo, links; also a page that does not exist, which names who helps."""
    for path, status in (("/", 200), ("/faq", 200), ("/nowhere", 404)):
        answer = branded.browser().get(path)
        assert status == answer.status_code
        assert "· The Bridge &lt;Builders&gt;</title>" in answer.text
        assert 'href="/brand.css"' in answer.text
        assert 'mark.svg" alt' not in answer.text
        assert '<a href="mailto:cla@example.org">Contact</a>' in answer.text
        for link in ("imprint", "privacy"):
            assert f'href="https://example.org/{link}"' in answer.text
    assert 'ask <a href="mailto:cla@example.org">cla@example.org</a>' in branded.browser().get("/nowhere").text
    assert "If this does not help" not in branded.browser().get("/").text


def test_the_files_behind_it(branded):
    """The style sheet holds the colour; the logo stands at the address of its content, as an image that runs nothing."""
    page = branded.browser().get("/").text
    path = re.search(r'<a class="brand" href="/"><img src="([^"]+)"', page)[1]
    style, logo = branded.browser().get("/brand.css"), branded.browser().get(path)

    assert "--brand: #7a1f5c;" in style.text
    assert "text/css" == style.mimetype
    assert (SVG, "image/svg+xml") == (logo.data, logo.mimetype)
    assert "immutable" in logo.headers["Cache-Control"]
    assert "script-src 'self'" in logo.headers["Content-Security-Policy"]
    assert "nosniff" == logo.headers["X-Content-Type-Options"]
    assert 304 == branded.browser().get(path, headers={"If-None-Match": logo.headers["ETag"]}).status_code
    assert 404 == branded.browser().get("/brand/0000000000000000").status_code


def test_nothing_chosen(portal):
    """Ours: name and mark, no further links, and no file that is not there."""
    page = portal.browser().get("/").text

    assert "· Countersign</title>" in page
    assert "mark.svg" in page
    for word in ("brand.css", "Contact<", "Imprint", ">Privacy<"):
        assert word not in page
    assert [404, 404] == [portal.browser().get(path).status_code for path in ("/brand.css", "/brand/x")]


@pytest.mark.parametrize(("who", "shown"), [(ADMINISTRATOR, True), (11, False)])
def test_the_way_to_the_administration(portal, who, shown):
    """In the header of every page for whoever may, and for nobody else."""
    browser = portal.signed_in(id=who, login="somebody")

    assert shown == ('<a href="/admin">Administration</a>' in browser.get("/faq").text)
    assert '<a href="/admin">' not in portal.browser().get("/faq").text
