"""The fields that an agreement declares: in the form, checked, kept sealed, and shown on the receipt."""

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


def test_filled_fields_stand_on_the_receipt_under_their_labels(asks):
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
    assert "<dt>国家或地区</dt><dd>中国（CN）</dd>" in chinese


def test_the_administrator_reads_the_fields_under_the_same_labels(asks):
    browser = asks.signed_in()
    filled = {"field-country": "CN", "field-post": "1 Street", "field-born": ""}
    answer = browser.post("/sign/icla", data=asks.form(browser) | filled)
    page = "/admin/signatures/" + answer.headers["Location"].rpartition("/")[2]
    office = asks.signed_in(id=ADMINISTRATOR, login="root")

    assert "<dt>Country</dt><dd>China (CN)</dd>" in office.get(page).text
    assert "<dt>国家或地区</dt><dd>中国（CN）</dd>" in office.get(page + "?lang=zh").text


def test_other_addresses_and_unasked_fields_are_not_stored(asks):
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
def test_a_wrong_value_is_explained_at_its_field_and_nothing_is_signed(asks, changed, says):
    browser = asks.signed_in()
    filled = {"field-country": "CN", "field-post": "x", "field-born": ""} | changed
    answer = browser.post("/sign/icla", data=asks.form(browser) | filled)
    (name,) = changed

    assert answer.status_code == 400
    assert f'<a href="#{name}">{says}' in answer.text
    assert f'id="{name}-error">{says}' in answer.text


def test_a_value_without_a_declared_field_is_shown_last_by_its_own_name():
    assert agreement_fields.shown(FIELDS, {"old": "1", "post": "2"}, "en") == [("Postal address", "2"), ("old", "1")]


def test_a_country_has_its_name_also_where_the_text_declares_no_such_field():
    filled = {"country": "CN", "title": "Director"}

    assert agreement_fields.shown((), filled, "en") == [("Country or region", "China (CN)"), ("title", "Director")]
    assert agreement_fields.shown((), filled, "zh")[0] == ("国家或地区", "中国（CN）")
    assert agreement_fields.shown((), {"country": "Freedonia"}, "en") == [("Country or region", "Freedonia")]
    assert agreement_fields.shown(FIELDS, {"post": "2", "country": "CN"}, "en")[0] == ("Country", "China (CN)")


def test_the_recorder_and_the_way_of_signing_a_paper_agreement_are_shown_in_words():
    paper = {"recorded-by": "90", "recorder": "bo", "service": "other", "post": "2"}

    assert agreement_fields.shown(FIELDS, paper, "en") == [
        ("Postal address", "2"),
        ("Recorded by", "bo"),
        ("Recorded by account number", "90"),
        ("How it was signed", "With another signature service"),
    ]
    assert agreement_fields.shown((), {**paper, "service": "pigeon"}, "zh")[2] == ("签署方式", "pigeon")
    assert agreement_fields.shown((), {"service": "paper"}, "zh") == [("service", "paper")]


def test_the_origin_of_an_imported_agreement_is_shown_in_words():
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


def test_a_label_that_addresses_the_signer_is_worded_otherwise_for_other_readers(portal):
    (field,) = (field for field in portal.services.catalog.get("ccla", "2.0", "en").fields if field.name == "title")
    for language, own, others in (
        ("en", "Your title in the company", "Signer's title in the company"),
        ("zh", "您在公司的职务", "签署人在公司的职务"),
    ):
        assert agreement_fields.shown([field], {"title": "CTO"}, language) == [(own, "CTO")]
        assert agreement_fields.shown([field], {"title": "CTO"}, language, own=False) == [(others, "CTO")]
    assert agreement_fields.shown(FIELDS, {"post": "2"}, "en", own=False) == [("Postal address", "2")]


def test_countries_are_those_of_iso_3166_in_both_languages():
    """Babel's territories also hold groups such as EU and test regions such as XA."""
    names = dict(agreement_fields.countries("zh"))

    assert (names["CN"], names["DE"]) == ("中国", "德国")
    assert {"EU", "UN", "ZZ", "XA"}.isdisjoint(names)
    assert len(names) == len(agreement_fields.countries("en")) >= 249


def test_chinese_readers_find_a_country_in_the_order_of_pinyin():
    names = [name for _code, name in agreement_fields.countries("zh")]

    known = ("阿根廷", "德国", "法国", "韩国", "美国", "日本", "新加坡", "英国", "中国")
    assert [name for name in names if name in known] == list(known)
