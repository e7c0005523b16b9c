"""An administrator releases a new version after a preview of exactly its text; afterwards it can be signed."""

import re
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256

import pytest
from sqlmodel import select

from agreements.catalog import AgreementText
from agreements.facts import Conclusion, Verdict
from agreements.rulebook.rules import AgreementRef, RepositoryRule
from agreements.store.people import texts
from agreements.store.tables.ledger_records import LedgerEntry
from agreements.store.tables.records import ReleasedText
from bot.portal.admin.texts import MAX_TEXT_CHARACTERS, MAX_TEXT_FORM_BYTES
from bot.store.pulls import review_mailbox, verdicts
from bot.store.records import PullRecord
from tests.bot.conftest import ADMINISTRATOR, AUDITOR
from tests.bot.portal.sentences import without_times

NEW = "/admin/texts/new/icla"


@pytest.fixture(name="admin")
def _admin(portal):
    """An administrator's browser."""
    return portal.signed_in(id=ADMINISTRATOR, login="root")


def filled(portal, browser, **changed):
    """The form as that browser would send it: the current ICLA with one more sentence, as version 3.0."""
    sources = {language: portal.services.catalog.get("icla", "2.0", language).source for language in ("en", "zh")}
    icla = {
        language: source.partition("\n\n")[2].replace("2.0", changed.get("version", "3.0"), 1)
        for language, source in sources.items()
    }  # reviewed by counsel
    words = {
        "name": "icla",
        "version": "3.0",
        "source-en": icla["en"].replace("## 1.", "You are kind.\n\n## 1.", 1).replace("\n", "\r\n"),
        "source-zh": icla["zh"].replace("## 1.", "您很友善。\n\n## 1.", 1),
    }
    return {"csrf_token": portal.proof(browser), **words, **changed}


def previewed(portal, browser, **changed):
    """The form after the preview."""
    form = filled(portal, browser, **changed)
    page = browser.post("/admin/texts/preview", data=form).text
    return {**form, "seen": re.search(r'name="seen" value="([0-9a-f]*)"', page)[1]}


def test_the_list_of_texts_shows_hash_and_origin_and_gives_an_auditor_no_form(portal, admin):
    page = admin.get("/admin/texts").text
    assert page.count("a file of this release") == 4
    assert portal.services.catalog.get("icla", "2.0", "zh").sha256[:12] in page
    assert "New version of icla" in page

    auditor = portal.signed_in(id=AUDITOR, login="kim")
    assert "New version of icla" not in auditor.get("/admin/texts").text
    assert auditor.get(NEW).status_code == 404


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["multipart/form-data", "application/x-www-form-urlencoded"])
def test_the_form_takes_a_text_of_the_maximum_length_and_names_one_that_is_longer(portal, admin, kind):
    longest = {
        "source-en": "# A\n".ljust(MAX_TEXT_CHARACTERS - 1, "ä"),
        "source-zh": "# 协\n".ljust(MAX_TEXT_CHARACTERS - 1, "𠮷"),
    }
    form = filled(portal, admin, **longest)
    page = admin.post("/admin/texts/preview", data=form, content_type=kind)
    assert page.status_code == 200
    form["seen"] = re.search(r'name="seen" value="([0-9a-f]*)"', page.text)[1]
    longer = admin.post("/admin/texts", data={**form, "source-zh": form["source-zh"] + "𠮷"}, content_type=kind)
    assert (longer.status_code, 'href="#source-zh"' in longer.text) == (400, True)
    assert longest["source-en"] in longer.text, "what was typed stays"
    assert admin.post("/admin/texts", data=form, content_type=kind).status_code == 302


def test_a_form_larger_than_all_texts_together_is_not_read(portal, admin):
    assert admin.post("/admin/texts", data={"source-en": "x" * MAX_TEXT_FORM_BYTES}).status_code == 413


@pytest.mark.parametrize(
    ("language", "said"), [("en", "**Template for counsel to review.** x"), ("zh", "供法律顾问审阅的模板。")]
)
def test_a_template_that_a_lawyer_has_to_review_is_not_released(portal, admin, language, said):
    form = filled(portal, admin)
    form |= {f"source-{language}": f"> {said}\n\n{form[f'source-{language}']}", "seen": "x"}
    answer = admin.post("/admin/texts", data=form)

    assert answer.status_code == 400
    assert "This text says that it is a template to be reviewed by a lawyer." in answer.text
    assert f'href="#source-{language}"' in answer.text
    with portal.services.sessions() as session:
        assert session.exec(select(ReleasedText)).all() == []


def test_templates_in_force_are_named_while_a_cla_is_required(portal, admin):
    assert "Not ready to be signed" not in without_times(admin.get("/admin/texts").text)
    portal.rules = replace(portal.rules, repositories=(RepositoryRule(("*",), "cla"),))
    page = admin.get("/admin/texts").text
    assert "Not ready to be signed" in page
    for language in ("English", "简体中文"):
        assert f"icla 2.0 {language}</a></li>" in page

    portal.rules = replace(portal.rules, repositories=())
    source = portal.services.catalog.get("icla", "2.0", "en").source
    with portal.services.sessions() as session:
        texts.release(
            session,
            [AgreementText("own", "1.0", "en", source, sha256(source.encode()).hexdigest())],
            by=90,
            at=portal.at,
        )
    page = admin.get("/admin/texts").text
    assert "own 1.0 English</a></li>" in page
    assert "icla 2.0 English</a></li>" not in page


def test_a_version_is_released_after_a_preview_and_can_then_be_signed(portal, admin):
    assert "Individual Contributor License Agreement" in admin.get(NEW).text
    page = admin.post("/admin/texts/preview", data=filled(portal, admin)).text
    assert '<ins><span class="unseen">[added: </span>You are kind.<span class="unseen">]</span></ins>' in page
    assert "paragraphs are the same" in page
    assert len(page.encode()) < 60 * 1024

    answer = admin.post("/admin/texts", data=previewed(portal, admin))
    assert (answer.status_code, answer.headers["Location"]) == (302, "/admin/texts/icla/3.0/en")
    with portal.services.sessions() as session:
        rows = session.exec(select(ReleasedText)).all()
        assert {(row.version, row.language, row.released_by) for row in rows} == {("3.0", "en", 90), ("3.0", "zh", 90)}
        assert "\r" not in rows[0].source
        (entry,) = session.exec(select(LedgerEntry).where(LedgerEntry.kind != "person.added")).all()
        assert (entry.kind, entry.actor_id, entry.subject_kind) == ("text.released", 90, "server")
        assert entry.rows.count("released_text") == 2

    release = admin.get(answer.headers["Location"]).text
    assert "The rulebook does not require this version" in release
    assert "You are kind." in release
    portal.rules = replace(portal.rules, individual=AgreementRef("icla", "3.0"))
    assert "You are kind." in portal.browser().get("/sign/icla").text
    assert "does not require this version" not in admin.get(answer.headers["Location"]).text
    assert "the portal, 2026-11-21" in without_times(admin.get("/admin/texts").text)


def test_a_release_judges_again_the_pull_requests_that_could_not_be_judged(portal, admin):
    """A rulebook may name the version before it is released."""
    pull_id = portal.pull(7)
    with portal.services.sessions() as session:
        verdicts.add(session, pull_id, "a" * 40, Verdict(conclusion=Conclusion.ACTION_REQUIRED), at=portal.at)
        session.get(PullRecord, pull_id).due_at = portal.at + timedelta(hours=6)
    admin.post("/admin/texts", data=previewed(portal, admin))
    with portal.services.sessions() as session:
        assert review_mailbox.get(session, pull_id).due_at <= portal.services.clock()


def test_a_text_without_a_preview_or_changed_after_it_is_not_released(portal, admin):
    for form in (filled(portal, admin), {**previewed(portal, admin), "source-zh": "# 其他\n"}):
        answer = admin.post("/admin/texts", data=form)
        assert answer.status_code == 409
        assert "changed after the preview" in answer.text
    assert portal.services.catalog.versions("icla") == ("2.0",)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"version": "2.0"}, "must be higher than 2.0"),
        ({"version": "1.10"}, "must be higher than 2.0"),
        ({"version": "3.0-beta"}, "numbers separated by dots"),
        ({"name": "dco"}, "such as icla"),
        ({"name": "../x"}, "such as icla"),
        ({"source-en": " \r\n"}, "Enter the English text"),
        ({"source-en": "no title"}, "needs a title"),
        ({"source-zh": "# a\u200bb"}, "invisible characters"),
        ({"source-en": "# T\n" + "x" * 20_001}, "can have at most"),
    ],
)
def test_each_mistake_is_shown_at_its_field_with_and_without_a_preview(portal, admin, changed, said):
    for path in ("/admin/texts/preview", "/admin/texts"):
        answer = admin.post(path, data=filled(portal, admin, **changed))
        assert answer.status_code == 400
        assert said in answer.text
        assert f'href="#{next(iter(changed))}"' in answer.text


@pytest.mark.parametrize("unchanged", [("en",), ("zh",), ("en", "zh")])
def test_a_new_version_with_the_text_of_an_old_one_is_refused_at_that_language(portal, admin, unchanged):
    assert admin.post("/admin/texts", data=previewed(portal, admin)).status_code == 302
    known = {
        f"source-{language}": portal.services.catalog.get("icla", "3.0", language).source for language in ("en", "zh")
    }
    same = {"version": "4.0"} | {
        name: said if name[-2:] in unchanged else f"{said}\nMore.\n" for name, said in known.items()
    }
    for path in ("/admin/texts/preview", "/admin/texts"):
        answer = admin.post(path, data=filled(portal, admin, **same))
        assert answer.status_code == 400
        for language in ("en", "zh"):
            assert (f'href="#source-{language}"' in answer.text) == (language in unchanged)
        assert "identical to version 3.0" in answer.text
        assert ("Or leave it empty" in answer.text) == ("zh" in unchanged)


@pytest.mark.parametrize("path", ["/admin/texts/preview", "/admin/texts"])
def test_a_text_that_gives_another_version_number_is_not_released(portal, admin, path):
    form = filled(portal, admin, seen="x")
    form["source-zh"] = form["source-zh"].replace("版本 3.0", "版本 2.0")
    answer = admin.post(path, data=form)
    assert answer.status_code == 400
    assert "says that it is version 2.0, but you are releasing it as version 3.0" in answer.text
    assert ('href="#source-zh"' in answer.text, 'href="#source-en"' in answer.text) == (True, False)
    form["source-zh"] += "\n本文取代版本 2.0，为版本 3.0。\n"
    assert admin.post("/admin/texts/preview", data=form).status_code == 200


def test_the_preview_says_which_language_of_the_previous_version_is_left_out(portal, admin):
    page = admin.post("/admin/texts/preview", data=filled(portal, admin, **{"source-zh": ""})).text
    assert "The previous version also had 简体中文." in page


def test_the_second_of_two_releases_of_one_version_is_refused(portal, admin):
    form = previewed(portal, admin)
    assert admin.post("/admin/texts", data=form).status_code == 302
    answer = admin.post("/admin/texts", data=form)
    assert answer.status_code == 400
    assert "must be higher than 3.0" in answer.text


def test_unknown_agreements_and_versions_and_the_dco_have_no_form(admin):
    for path in (
        "/admin/texts/new/none",
        "/admin/texts/new/dco",
        "/admin/texts/icla/9.0/en",
        "/admin/texts/dco/1.1/en",
    ):
        assert admin.get(path).status_code == 404
    assert admin.get("/admin/texts/new").status_code == 200
