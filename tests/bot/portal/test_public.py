"""What everybody may read: the first page and the public list, which holds logins, ids, domains, time and nothing else."""

import re
from dataclasses import replace

import pytest


def test_the_first_page(portal):
    """It names the organisation, escaped, and leads to both agreements and to signing in."""
    portal.rules = replace(portal.rules, organization="A <b>& B")
    page = portal.browser().get("/").text

    assert "Before A &lt;b&gt;&amp; B can merge your work" in page
    for path in ("/sign/icla", "/sign/ccla", "/login?next=/me", "/faq", "/whitelist.json"):
        assert f'href="{path}"' in page


def test_the_public_list(portal):
    """Empty at first; after a signature it holds login and id, but no name and no address."""
    empty = portal.browser().get("/whitelist.json").json
    browser = portal.signed_in()
    browser.post("/sign/icla", data=portal.form(browser))
    answer = portal.browser().get("/whitelist.json")

    assert empty == {"individuals": [], "corporate_domains": [], "last_updated": "1970-01-01T00:00:00Z"}
    assert answer.json == {
        "individuals": [{"login": "ada", "id": 11}], "corporate_domains": [], "last_updated": "2026-11-21T12:00:00Z",
    }  # fmt: skip
    assert answer.mimetype == "application/json"
    assert "Lovelace" not in answer.text
    assert "example.com" not in answer.text


def test_an_unchanged_list_is_not_sent_again(portal):
    """The same ETag answers 304 without a body; after a signature the tag is another."""
    tag = portal.browser().get("/whitelist.json").headers["ETag"]
    same = portal.browser().get("/whitelist.json", headers={"If-None-Match": tag})
    browser = portal.signed_in()
    browser.post("/sign/icla", data=portal.form(browser))
    other = portal.browser().get("/whitelist.json", headers={"If-None-Match": tag})

    assert (same.status_code, same.data, same.headers["ETag"]) == (304, b"", tag)
    assert other.status_code == 200


def test_questions_and_answers(portal):
    """The page leads to GitHub's e-mail settings and to the agreement."""
    page = portal.browser().get("/faq").text

    assert f"{portal.github.url}/settings/emails" in page
    assert 'href="/sign/icla"' in page


@pytest.mark.parametrize(("language", "stop"), [("en", "."), ("zh", "。")])
def test_sentences_around_links_and_commands_end_well(portal, language, stop):
    """With the language's own full stop, and without a space after a Chinese colon; the footer names all that is public."""
    home, faq = (portal.browser().get(f"{path}?lang={language}").text for path in ("/", "/faq"))

    assert re.search(rf"<code>git commit -s</code>[^<]*{re.escape(stop)}</p>", home)
    assert re.search(rf'<a href="/sign/icla">[^<]+</a>[^<]*{re.escape(stop)}</p>', faq)
    assert "： <" not in home + faq
    assert {"en": "Only logins, account numbers and company domains are public.", "zh": "账号编号"}[language] in home
