"""The language is chosen explicitly, by cookie or by browser, and every text has its translation."""

import re
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from bot import portal as package

FOLDER = Path(package.__file__).parent
WORDS = FOLDER / "translations/zh_Hans_CN/LC_MESSAGES/messages.po"
HAN = re.compile(r"[\u4e00-\u9fff]")


def used() -> set[str | tuple[str, str]]:
    """Every text for people in the modules and templates; one for one and one for many are a pair."""
    keywords = {"gettext": None, "_": None, "lazy_gettext": None, "ngettext": (1, 2)}
    methods = [("**.py", "python"), ("**/templates/**.html", "jinja2")]
    folders = [FOLDER, FOLDER.parent / "setup"]
    return {
        message
        for folder in folders
        for _file, _line, message, _comments, _context in extract_from_dir(
            str(folder), method_map=methods, keywords=keywords
        )
    }


def test_every_text_in_use_has_a_chinese_translation_with_the_same_values():
    with WORDS.open("rb") as file:
        catalog = read_po(file, locale="zh_Hans_CN")
    entries = {entry.id: entry for entry in catalog if entry.id}

    assert set(entries) == used()
    for key, entry in entries.items():
        # Chinese has one form for one and for many.
        many, string = (key, entry.string) if isinstance(key, str) else (key[1], entry.string[0])
        assert HAN.search(string) if re.search(r"\w", many) else string, key
        assert not entry.fuzzy, key
        assert sorted(re.findall(r"%\(\w+\)s", many)) == sorted(re.findall(r"%\(\w+\)s", string)), key


def test_the_compiled_translations_are_those_of_the_po_file():
    with WORDS.open("rb") as file:
        catalog = read_po(file, locale="zh_Hans_CN")
    compiled = BytesIO()
    write_mo(compiled, catalog)

    assert compiled.getvalue() == WORDS.with_suffix(".mo").read_bytes()


@pytest.mark.parametrize(
    ("query", "cookie", "header", "tag"),
    [
        ("", None, "", "en"),
        ("", None, "zh-CN,zh;q=0.9,en;q=0.8", "zh-CN"),
        ("", None, "zh-Hans", "zh-CN"),
        ("", None, "en-GB,zh;q=0.5", "en"),
        ("", None, "fr", "en"),
        ("", None, "fr,zh-TW;q=0.9,en;q=0.1", "zh-CN"),
        ("", None, "zh;q=0,en;q=0.1", "en"),
        ("", None, "*", "en"),
        ("", "zh", "en", "zh-CN"),
        ("", "xx", "zh", "zh-CN"),
        ("?lang=en", "zh", "zh", "en"),
        ("?lang=zh", None, "en", "zh-CN"),
        ("?lang=xx", None, "en", "en"),
    ],
)
def test_the_language_is_by_query_then_cookie_then_browser_then_english(portal, query, cookie, header, tag):
    browser = portal.browser()
    if cookie:
        browser.set_cookie("language", cookie)

    assert f'<html lang="{tag}">' in browser.get("/" + query, headers={"Accept-Language": header}).text


def test_a_chosen_language_is_kept_in_a_cookie_for_a_year(portal):
    browser = portal.browser()
    page = browser.get("/sign/icla?pr=a/b/1")
    answer = browser.get("/sign/icla?pr=a/b/1&lang=zh")

    assert 'href="/sign/icla?pr=a/b/1&amp;lang=zh"' in page.text
    assert "Set-Cookie" not in page.headers
    assert "Max-Age=31536000" in answer.headers["Set-Cookie"]
    assert '<html lang="zh-CN">' in browser.get("/").text


def test_over_https_the_language_cookie_is_bound_to_the_host(secure_portal):
    browser = secure_portal.browser()
    chosen = browser.get("/?lang=zh", base_url="https://cla.example.org").headers["Set-Cookie"]

    assert chosen.startswith("__Host-language=zh;")
    assert {"Secure", "HttpOnly", "SameSite=Lax", "Path=/"} <= set(chosen.split("; "))
    assert '<html lang="zh-CN">' in browser.get("/", base_url="https://cla.example.org").text
    other = secure_portal.browser()
    other.set_cookie("language", "zh", domain="cla.example.org")
    assert '<html lang="en">' in other.get("/", base_url="https://cla.example.org").text


@pytest.mark.parametrize(("query", "gap"), [("?lang=en", " "), ("?lang=zh", "")])
def test_two_sentences_have_a_space_between_them_in_english_and_none_in_chinese(portal, query, gap):
    source = '{{ _("One.") }}{% if 1 %} {{ _("Two:", n=(1)) }} {{ _("Three") }} <i>{% endif %}'
    with portal.app.test_request_context("/" + query):
        assert portal.app.jinja_env.from_string(source).render() == f"One.{gap}Two:{gap}Three <i>"


@pytest.mark.parametrize("path", ["/", "/faq", "/sign/icla", "/sign/ccla", "/me", "/nowhere"])
def test_headings_buttons_and_labels_of_a_chinese_page_are_chinese(portal, path):
    browser = portal.signed_in()
    page = browser.get(path + "?lang=zh").text
    parts = re.findall(r"<(?:h1|h2|h3|button|label|legend|summary|dt)\b[^>]*>(.*?)</", page, re.DOTALL)
    words = [re.sub(r"<[^>]+>|\s+", " ", part).strip() for part in parts]

    assert words
    for word in words:
        assert not word or HAN.search(word) or "@" in word, word
