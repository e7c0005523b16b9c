"""What an agreement asks for besides: in the form, checked, kept sealed, and on the receipt."""

import re
from dataclasses import replace

import pytest

from agreements.catalog import Catalog
from agreements.form_fields import AgreementField
from bot.portal.forms import agreement_fields
from tests.bot.conftest import ADMINISTRATOR

FIELDS = (
    AgreementField("country", {"en": "Country", "zh": "国家或地区"}, kind="country"),
    AgreementField("born", {"en": "Date of birth"}, required=False, kind="date"),
    AgreementField("post", {"en": "Postal address"}, longest=20),
)


@pytest.fixture(name="asks")
def _asks(portal):
    """The individual agreement asks for more than it does."""
    catalog = portal.services.catalog
    texts = {key: replace(text, fields=FIELDS) if key[0] == "icla" else text for key, text in catalog._texts.items()}
    portal.app.extensions["countersign.portal"] = replace(portal.services, texts=lambda: Catalog(texts))
    return portal


def test_from_the_form_to_the_receipt(asks):
    """What was filled in stands on the receipt under its label, a country by its name; what was left empty does not."""
    browser = asks.signed_in()
    page = browser.get("/sign/icla").text
    filled = {"field-country": "CN", "field-post": " 1  Street ", "field-born": ""}
    answer = browser.post("/sign/icla", data=asks.form(browser) | filled)
    english = browser.get(answer.headers["Location"]).text
    chinese = browser.get(answer.headers["Location"] + "?lang=zh").text

    assert '<option value="CN">China</option>' in page
    assert re.search(r'id="field-born"[^>]*type="date"', page)
    assert "(optional)" in page
    assert "<dt>Country</dt><dd>China (CN)</dd>" in english
    assert "<dt>Postal address</dt><dd>1 Street</dd>" in english
    assert "Date of birth" not in english
    assert "<dt>国家或地区</dt><dd>中国 (CN)</dd>" in chinese


def test_the_administrator_reads_the_same_labels(asks):
    """Beside the signature, in the administrator's language."""
    browser = asks.signed_in()
    filled = {"field-country": "CN", "field-post": "1 Street", "field-born": ""}
    answer = browser.post("/sign/icla", data=asks.form(browser) | filled)
    page = "/admin/signatures/" + answer.headers["Location"].rpartition("/")[2]
    office = asks.signed_in(id=ADMINISTRATOR, login="root")

    assert "<dt>Country</dt><dd>China (CN)</dd>" in office.get(page).text
    assert "<dt>国家或地区</dt><dd>中国 (CN)</dd>" in office.get(page + "?lang=zh").text


def test_nothing_else_is_stored(asks):
    """Not the other verified addresses, nor fields that nobody asked for: neither as columns nor sealed."""
    asks.github.emails.append({"email": "private@home.example", "verified": True, "primary": False})
    browser = asks.signed_in()
    more = {"field-country": "CN", "field-post": "x", "field-more": "planted", "phone": "123"}
    browser.post("/sign/icla", data=asks.form(browser) | more)
    exported = browser.post("/me/export.json", data={"csrf_token": asks.proof(browser)})

    assert exported.json["signatures"][0]["evidence"]["fields"] == {"country": "CN", "post": "x"}
    for other in ("private@home.example", "old@example.org", "planted", '"123"'):
        assert other not in exported.text


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"field-country": ""}, "Fill in this field."),
        ({"field-country": "China"}, "Choose a country or region."),
        ({"field-born": "1.2.1990"}, "Enter the date as year-month-day"),
        ({"field-post": "x" * 21}, "Use at most 20 characters."),
        ({"field-post": "\u3164"}, "Enter at least one letter or number."),
        ({"field-post": "a\u202eb"}, "This contains a character that cannot be displayed."),
    ],
)
def test_a_wrong_value(asks, changed, says):
    """One line at its field, linked from the top; nothing is signed."""
    browser = asks.signed_in()
    filled = {"field-country": "CN", "field-post": "x", "field-born": ""} | changed
    answer = browser.post("/sign/icla", data=asks.form(browser) | filled)
    (name,) = changed

    assert answer.status_code == 400
    assert f'<a href="#{name}">{says}' in answer.text
    assert f'id="{name}-error">{says}' in answer.text


def test_what_was_asked_for_formerly():
    """A value whose field is no longer declared keeps its own name, behind the others."""
    assert agreement_fields.shown(FIELDS, {"old": "1", "post": "2"}, "en") == [("Postal address", "2"), ("old", "1")]


def test_what_stands_beside_a_paper_agreement():
    """Who recorded it and how it was signed, in words, behind the answers; elsewhere the same names mean nothing."""
    paper = {"recorded-by": "90", "recorder": "bo", "service": "other", "post": "2"}

    assert agreement_fields.shown(FIELDS, paper, "en") == [
        ("Postal address", "2"),
        ("Recorded by", "bo"),
        ("Recorded by account number", "90"),
        ("How it was signed", "With another signature service"),
    ]
    assert agreement_fields.shown((), {**paper, "service": "pigeon"}, "zh")[2] == ("签署方式", "pigeon")
    assert agreement_fields.shown((), {"service": "paper"}, "zh") == [("service", "paper")]


def test_what_stands_beside_an_imported_agreement():
    """Where it is from, in words; where a list says nothing, nothing is shown of it."""
    row = {
        "source-format": "plain",
        "source-date": "of the list",
        "source-place": "individuals[0]",
        "source-sha256": "ab",
    }

    assert agreement_fields.shown((), row, "en") == [
        ("Imported from a list of the form", "plain"),
        ("Its place in the list", "individuals[0]"),
        ("Where the date is from", "the list"),
        ("SHA-256 of the list", "ab"),
    ]
    assert ("日期的来源", "名单") in agreement_fields.shown((), row, "zh")
    assert agreement_fields.shown((), {"source-date": "of the list"}, "en") == [("source-date", "of the list")]


def test_what_somebody_else_reads(portal):
    """A released label that speaks to the signer does so to nobody else, in both languages; all others stay."""
    (field,) = (one for one in portal.services.catalog.get("ccla", "2.0", "en").fields if one.name == "title")
    for language, own, others in (
        ("en", "Your title in the company", "Signer's title in the company"),
        ("zh", "您在公司的职务", "签署人在公司的职务"),
    ):
        assert agreement_fields.shown([field], {"title": "CTO"}, language) == [(own, "CTO")]
        assert agreement_fields.shown([field], {"title": "CTO"}, language, own=False) == [(others, "CTO")]
    assert agreement_fields.shown(FIELDS, {"post": "2"}, "en", own=False) == [("Postal address", "2")]


def test_countries():
    """ISO 3166: real ones in both languages, none of Babel's groups and test regions."""
    names = dict(agreement_fields.countries("zh"))

    assert (names["CN"], names["DE"]) == ("中国", "德国")
    assert {"EU", "UN", "ZZ", "XA"}.isdisjoint(names)
    assert len(names) == len(agreement_fields.countries("en")) >= 249
