"""The badge says what the rulebook requires of a repository, by its name alone."""

from datetime import UTC, datetime
from urllib.parse import quote
from xml.etree import ElementTree as ET

import pytest

from bot.portal.portal_services import once
from bot.portal.public.badge import BADGE_TEXTS
from bot.portal.security_headers import POLICY
from bot.records.owner_rules import OwnerRules
from bot.rulebook.text_files import shipped
from bot.store import owners
from bot.store.pulls.posts import PullRequestIdentity, post
from tests.bot.books import kept

AT = datetime(2026, 1, 2, tzinfo=UTC)
SVG = "{http://www.w3.org/2000/svg}"
RULES = """version: 1
organization: The CANN Authors
repositories:
  - {match: [core-*, secret], require: cla}
  - {match: [cann/docs], require: none}
  - {match: [driver], require: both}
  - {match: [samples], require: either}
  - {match: [new], require: cla, mode: shadow}
  - {match: ["*"], require: dco}
"""


@pytest.fixture(name="serving")
def _serving(tmp_path, make_portal, github):
    """A portal that serves cann (3) and other (4) by the rulebooks that it read from GitHub."""
    portal = make_portal(f"sqlite:///{tmp_path / 'portal.db'}", github, accounts=("CANN", "4", "unread"))
    use(portal, OwnerRules(None, portal.services.settings.accounts, portal.services.sessions, shipped))
    with portal.services.sessions() as records:
        owners.remember_login(records, "CANN", 3)
        owners.remember_rules(records, 3, RULES, valid=True, at=AT)
        owners.remember_rules(records, 4, None, valid=True, at=AT)
        identity = PullRequestIdentity(
            repository_id=9, number=1, installation_id=1, owner_id=4, owner="Other", name="private-one"
        )
        post(records, portal.engine, identity)
    with kept(portal):
        yield portal


def use(portal, rules):
    """Have the portal read the rulebooks of its own database."""
    rules = rules.read_by(once)
    for name, value in {"rules": rules, "rules_state": rules.state, "known_owners": rules.known}.items():
        object.__setattr__(portal.services, name, value)


def said(portal, path):
    """The label of the badge at that address."""
    answer = portal.browser().get(f"/badge/{path}.svg")
    assert (answer.status_code, answer.mimetype) == (200, "image/svg+xml"), path
    return ET.fromstring(answer.text).findall(f".//{SVG}text")[1].text


@pytest.mark.parametrize(
    ("path", "label"),
    [
        ("cann/core-math", "CLA"), ("CANN/Core-Math", "CLA"), ("cann/docs", "nothing required"), ("cann/driver", "CLA and DCO"),
        ("cann/samples", "CLA or DCO"), ("cann/new", "nothing required"), ("cann/.github", "DCO"), ("cann/a.svg", "DCO"),
        ("cann/..", "DCO"), ("other/hal", "DCO"), ("unread/hal", "unknown"), ("stranger/core-math", "unknown"),
    ],
)  # fmt: skip
def test_the_badge_says_what_the_first_matching_rule_requires(serving, path, label):
    assert said(serving, path) == label


@pytest.mark.parametrize(
    ("asked", "spoken", "label"),
    [("?lang=zh", "auto", "CLA 和 DCO"), ("", "zh", "CLA 和 DCO"), ("?lang=en", "zh", "CLA and DCO"), ("?lang=fr", "both", "CLA and DCO")],
)  # fmt: skip
def test_the_badge_is_in_the_language_of_its_address_else_of_the_rulebooks_comments(serving, asked, spoken, label):
    with serving.services.sessions() as records:
        owners.remember_rules(records, 3, f"{RULES}comment: {{language: {spoken}}}\n", valid=True, at=AT)
    answer = serving.browser().get(f"/badge/cann/driver.svg{asked}")
    heading, text = (match.text for match in ET.fromstring(answer.text).findall(f".//{SVG}text"))

    assert (heading, text) == ("贡献要求" if "和" in label else "contributing", label)
    assert "Set-Cookie" not in answer.headers


def test_an_unknown_badge_has_a_chinese_form_too(serving):
    assert "未知" in serving.browser().get("/badge/nobody/nothing.svg?lang=zh").text


def test_private_missing_and_known_repositories_get_the_same_answer(serving):
    known, missing = (serving.browser().get(f"/badge/other/{name}.svg") for name in ("private-one", "never-was"))

    assert known.data == missing.data
    # The second may have changed between the two.
    assert {**known.headers, "Date": ""} == {**missing.headers, "Date": ""}
    assert said(serving, "cann/secret") == said(serving, "cann/core-that-is-not-there")


@pytest.mark.parametrize(
    "name",
    [
        "<script>alert(1)</script>",
        '"onload="x',
        "{{7*7}}",
        "a" * 101,
        "a" * 5000,
        "仓库",
        "core-\u212a",
        "a b",
        "%00",
        "a\n",
    ],
)
def test_a_name_that_github_does_not_allow_is_unknown_and_not_repeated(serving, name):
    for path in (f"cann/{quote(name, safe='')}", f"{quote(name, safe='')}/core-math"):
        answer = serving.browser().get(f"/badge/{path}.svg")
        if answer.status_code != 404:  # A slash makes another address.
            assert answer.data == serving.browser().get("/badge/nobody/nothing.svg").data, path
            assert name not in answer.text


def test_a_badge_is_a_small_accessible_image_without_outside_requests(serving):
    answer = serving.browser().get("/badge/cann/driver.svg")
    root = ET.fromstring(answer.text)
    title = "Contributors sign an agreement (CLA) and sign off each commit (DCO)."

    assert (root.tag, root.get("role"), root.get("aria-label")) == (f"{SVG}svg", "img", title)
    assert root.find(f"{SVG}title").text == title
    assert len(answer.data) < 1500
    assert not {"href", "src", "style", "onload", "class"} & {key for element in root.iter() for key in element.attrib}
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == {"svg", "title", "rect", "path", "g", "text"}


def test_a_badge_may_be_kept_for_minutes_and_shown_by_other_sites(serving):
    answer = serving.browser().get("/badge/cann/driver.svg")

    assert answer.headers["Cache-Control"] == "public, max-age=300"
    assert answer.headers["Content-Security-Policy"] == POLICY
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert "Set-Cookie" not in answer.headers
    again = serving.browser().get("/badge/cann/driver.svg", headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


def test_a_rulebook_with_mistakes_makes_the_badge_unknown_until_it_is_corrected(serving):
    for text, valid, label in (("version: 1\nx: 1\n", False, "unknown"), (RULES, True, "CLA")):
        with serving.services.sessions() as records:
            owners.remember_rules(records, 3, text, valid=valid, at=AT)
        assert said(serving, "cann/core-math") == label


def test_an_account_that_was_renamed_has_its_rules_under_both_names(serving):
    with serving.services.sessions() as records:
        identity = PullRequestIdentity(
            repository_id=8, number=1, installation_id=1, owner_id=3, owner="Ascend", name="hal"
        )
        post(records, serving.engine, identity)

    assert said(serving, "ascend/core-math") == said(serving, "cann/core-math") == "CLA"


def test_a_file_on_the_server_is_the_rulebook_of_every_account(serving, tmp_path):
    file = tmp_path / "countersign.yml"
    file.write_text(RULES, encoding="utf-8")
    settings = serving.services.settings
    object.__setattr__(settings, "rulebook_path", file)
    use(serving, OwnerRules(RULES, settings.accounts, serving.services.sessions, shipped))

    assert [said(serving, f"{owner}/core-x") for owner in ("cann", "UNREAD", "other", "stranger")] == [
        "CLA",
        "CLA",
        "CLA",
        "unknown",
    ]


@pytest.mark.slow
def test_too_many_badges_for_one_address_are_refused_for_a_while(serving):
    browser = serving.browser()
    answers = {browser.get("/badge/cann/driver.svg").status_code for _ in range(601)}  # 301 may end in another minute

    assert answers == {200, 429}


def test_every_text_is_readable_and_has_room():
    for text in (*BADGE_TEXTS["en"].values(), *BADGE_TEXTS["zh"].values()):
        red, green, blue = (int(text.color[at : at + 2], 16) / 255 for at in (1, 3, 5))
        # WCAG 2.2, relative luminance; white on it needs 4.5 to 1.
        channels = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (red, green, blue))
        luminance = sum(part * weight for part, weight in zip(channels, (0.2126, 0.7152, 0.0722), strict=True))
        assert 1.05 / (luminance + 0.05) >= 4.5, text.label
        wide = sum(ord(char) > 0x2E80 for char in text.label)  # A Chinese character is as wide as it is high.
        assert text.width >= 5 * (len(text.label) - wide) + 11 * wide + 12, text.label
