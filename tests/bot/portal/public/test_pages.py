"""The pages that every visitor may read: first page, questions, guide, checkpoint, DCO and brand."""

import html
import re
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from sqlalchemy import text

from agreements import catalog
from agreements.ledger import read_note, read_verifier_key
from agreements.rulebook.rules import Agents, Changelog, Labels, RepositoryRule, SmallChange
from agreements.store.companies import companies
from agreements.store.ledger import stored_ledger
from agreements.store.tables.company_records import CompanyManager
from bot.access.roles import RoleMembers, Roles
from bot.report.words.git_commands import CommandContext, commands
from tests.bot.books import kept
from tests.bot.conftest import ADMINISTRATOR
from tests.drafts import company_draft
from tests.logged import log_rows
from tests.within import within


def test_the_first_page_names_the_escaped_organization_and_links_to_agreements(portal):
    portal.rules = replace(portal.rules, organization="A <b>& B")
    page = portal.browser().get("/").text

    assert "Before A &lt;b&gt;&amp; B can merge your work" in page
    for path in ("/sign/icla", "/sign/ccla", "/login?next=/me", "/faq", "/signers"):
        assert f'href="{path}"' in page


def test_the_checkpoint_is_the_newest_signed_root_with_an_etag(portal):
    assert portal.browser().get("/checkpoint").status_code == 404
    browser = portal.signed_in()
    browser.post("/sign/icla", data=portal.form(browser))
    answer = portal.browser().get("/checkpoint")
    with portal.services.sessions() as session:
        public = stored_ledger.public_key(session, portal.services.vault)
    found = read_note(answer.text, public)
    tag = answer.headers["ETag"]

    assert (answer.status_code, answer.mimetype, found.size) == (200, "text/plain", 1)
    assert answer.headers["Cache-Control"] == "public, max-age=60"
    assert portal.browser().get("/checkpoint", headers={"If-None-Match": tag}).status_code == 304
    other = portal.signed_in(id=12, login="bob")
    other.post("/sign/icla", data=portal.form(other))
    assert portal.browser().get("/checkpoint", headers={"If-None-Match": tag}).status_code == 200


def test_the_key_of_the_log_is_published_unless_it_was_replaced(portal):
    assert portal.browser().get("/checkpoint/key").status_code == 404
    browser = portal.signed_in()
    browser.post("/sign/icla", data=portal.form(browser))
    answer = portal.browser().get("/checkpoint/key")
    with portal.services.sessions() as session:
        assert read_verifier_key(answer.text) == stored_ledger.public_key(session, portal.services.vault)
        session.execute(text("UPDATE ledger_key SET public_key = :key"), {"key": b"x" * 32})

    assert (answer.status_code, answer.mimetype) == (200, "text/plain")
    assert portal.browser().get("/checkpoint/key").status_code == 500


def test_the_first_page_links_a_person_to_their_own_pages_and_roles(portal):
    with portal.services.sessions() as session:
        draft = company_draft("Huawei", portal.at)
        companies.add(within(session, portal.services.vault, new_id="c1"), draft)
        session.add(CompanyManager(id="m1", company_id="c1", account_id=11, login="ada", since=portal.at, added_by=90))
        log_rows(session, portal.services.vault)
    stranger = portal.browser().get("/").text
    ada = portal.signed_in().get("/").text
    root, auditor = (portal.signed_in(id=number, login="root").get("/").text for number in (90, 91))

    assert "What you can do here" not in stranger
    for path in ("/me", "/me/emails", "/enrol", "/company/c1"):
        assert f'href="{path}"' in ada
    assert 'href="/admin"' not in ada
    assert 'href="/admin"' in root
    assert 'href="/admin"' in auditor
    assert "/company/c1" not in root


def test_the_first_page_is_shown_while_github_is_away(portal):
    portal.services.hub.away = True
    roles = Roles(RoleMembers(team=("cann", "admins")), RoleMembers(), portal.services.hub.team, portal.services.clock)
    portal.app.extensions["countersign.portal"] = replace(portal.services, roles=roles)
    answer = portal.signed_in().get("/")

    assert answer.status_code == 200
    assert 'href="/admin"' not in answer.text


def test_the_questions_link_to_email_settings_agreement_and_guide(portal):
    page = portal.browser().get("/faq").text

    assert page.count("<h2>") >= 12
    assert f"{portal.github.url}/settings/emails" in page
    for path in ("/sign/icla", "/guide", "/me", "/me/emails", "/enrol", "/company/request"):
        assert f'href="{path}"' in page


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_guide_prints_the_commands_of_the_check_word_for_word(portal, language):
    page = html.unescape(portal.browser().get(f"/guide?lang={language}").text)
    situations = (
        CommandContext(amend=True), CommandContext(amend=False), CommandContext(amend=False, others=True),
        CommandContext(amend=True, reset=True), CommandContext(amend=False, reset=True),
    )  # fmt: skip
    printed = {
        line
        for situation in situations
        for line in commands(situation, language).splitlines()
        if line.startswith("git ")
    }

    assert len(printed) >= 6
    for line in printed:
        assert line in page
    for path in ("/", "/faq"):
        assert 'href="/guide"' in portal.browser().get(path).text


def test_the_questions_and_the_guide_follow_the_rulebook_on_agents_and_coauthors(portal):
    usual = portal.browser().get("/faq").text
    people = replace(portal.rules.people, check=("opener", "authors"), agents=Agents(policy="block"))
    portal.rules = replace(portal.rules, people=people)
    faq, guide = (portal.browser().get(path).text for path in ("/faq", "/guide"))

    assert "You can keep the Co-authored-by line" in usual
    assert "everyone named in a Co-authored-by line" in usual
    assert "Usually not, but a repository may require it." in faq
    assert "AI agents are not accepted here, in any role" in faq
    assert "AI agents are not accepted here, in any role" in guide
    assert "their co-authors" not in guide


def test_the_questions_and_the_guide_follow_the_rulebook_on_sign_offs_and_small_changes(portal):
    usual = [portal.browser().get(path).text for path in ("/faq", "/guide")]
    small = tuple(
        replace(repository, require="cla", small=SmallChange(9, ("*.md",))) for repository in portal.rules.repositories
    )
    portal.rules = replace(portal.rules, repositories=small, dco=replace(portal.rules.dco, portal=True, names="free"))
    faq, guide = (portal.browser().get(path).text for path in ("/faq", "/guide"))

    here, free, few = (
        "sign off your own commits in the browser",
        "the e-mail address of the commit",
        "for a small change",
    )
    assert not [words for words in (here, free, few) if words in "".join(usual)]
    assert here in faq
    assert not [words for words in (here, free, few) if words not in guide]


@pytest.mark.parametrize(("language", "stop"), [("en", "."), ("zh", "。")])
def test_sentences_end_with_the_full_stop_of_their_language(portal, language, stop):
    home, faq = (portal.browser().get(f"{path}?lang={language}").text for path in ("/", "/faq"))

    assert re.search(rf"<code>git commit -s</code>[^<]*{re.escape(stop)}</p>", home)
    assert re.search(rf'<a href="/sign/icla">[^<]+</a>[^<]*{re.escape(stop)}</p>', faq)
    assert "： <" not in home + faq
    assert {"en": "Only logins, account numbers and company domains are public.", "zh": "账号编号"}[language] in home


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_dco_is_shown_word_for_word_as_a_page_and_as_plain_text(portal, language):
    released = (Path(catalog.__file__).parent / "texts/dco/1.1.txt").read_bytes()
    page = portal.browser().get(f"/dco?lang={language}").text
    plain = portal.browser().get("/dco.txt")

    shown = re.search(r'<div class="paper" lang="en">(.*?)</div>', page, re.DOTALL)[1]
    assert html.unescape(re.sub("<[^>]+>", " ", shown)).split() == released.decode().split()
    assert shown.count("<p>(") == 4
    assert sha256(released).hexdigest() in page
    assert (plain.data, plain.mimetype) == (released, "text/plain")
    for path in ("/guide", "/faq"):
        assert 'href="/dco"' in portal.browser().get(f"{path}?lang={language}").text


def rows(page):
    """What the guide says of repositories: what is asked for, and of which."""
    cells = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", page)
    return [(asked, re.sub(r"</?code>", "", names)) for asked, names in cells]


def test_the_guide_lists_which_repositories_require_what(portal):
    portal.rules = replace(portal.rules, repositories=(RepositoryRule(("*",), "dco"),))
    assert rows(portal.browser().get("/guide").text) == [("sign-off (DCO)", "all")]
    portal.rules = replace(
        portal.rules,
        repositories=(
            RepositoryRule(("ops-*", "ge"), "cla"),
            RepositoryRule(("<b>",), "both"),
            RepositoryRule(("tried",), "cla", "shadow"),
            RepositoryRule(("site", "x"), "either"),
        ),
    )
    page = portal.browser().get("/guide").text
    assert rows(page) == [
        ("agreement (CLA)", "ops-* ge"),
        ("agreement and sign-off", "&lt;b&gt;"),
        ("nothing", "tried"),
        ("agreement or sign-off", "site x"),
        ("sign-off (DCO)", "all others"),
    ]
    assert "The first line that matches" in page
    early = (RepositoryRule(("a",), "none"), RepositoryRule(("x", "*"), "cla"), RepositoryRule(("b",), "dco"))
    portal.rules = replace(portal.rules, repositories=early)
    assert rows(portal.browser().get("/guide").text) == [("nothing", "a"), ("agreement (CLA)", "all others")]


def test_the_guide_names_changelog_and_labels_as_the_rulebook_has_them(portal):
    dco = replace(portal.rules, repositories=(RepositoryRule(("*",), "dco"),))
    portal.rules = dco
    usual = portal.browser().get("/guide").text
    changelog = Changelog(require=True, path="docs/NEWS.md", skip_label="no-news")
    cla = (RepositoryRule(("*",), "cla"),)
    portal.rules = replace(dco, changelog=changelog, labels=Labels("signed!", "needed!"), repositories=cla)
    asked = portal.browser().get("/guide").text

    assert [int(number) for number in re.findall(r"<h2>(\d+)\. ", usual)] == list(range(1, 12))
    for heading in ("Choose a repository", "Code style", "Tests", "Changelog", "Open the pull request", "The review"):
        assert heading in usual
    assert "If the repository has a changelog" in usual
    assert "a label shows" not in usual
    for said in ("<code>docs/NEWS.md</code>", "<code>no-news</code>", "<code>needed!</code>", "<code>signed!</code>"):
        assert said in asked
        assert said not in usual


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


def test_every_page_has_the_brands_name_logo_and_links(branded):
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


def test_the_logo_stands_at_its_contents_address_and_runs_no_script(branded):
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


def test_without_a_brand_the_pages_have_their_own_name_and_no_brand_files(portal):
    page = portal.browser().get("/").text

    assert "· Countersign</title>" in page
    assert "mark.svg" in page
    for word in ("brand.css", "Contact<", "Imprint", ">Privacy<"):
        assert word not in page
    assert [404, 404] == [portal.browser().get(path).status_code for path in ("/brand.css", "/brand/x")]


@pytest.mark.parametrize(("who", "shown"), [(ADMINISTRATOR, True), (11, False)])
def test_the_header_links_to_the_administration_for_people_with_a_role_alone(portal, who, shown):
    browser = portal.signed_in(id=who, login="somebody")

    assert shown == ('<a href="/admin">Administration</a>' in browser.get("/faq").text)
    assert '<a href="/admin">' not in portal.browser().get("/faq").text
