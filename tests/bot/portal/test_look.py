"""Every page in a real browser and a receipt on paper: accessible, within the window, in both languages."""

import os
import re
from datetime import timedelta
from functools import partial

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from agreements.facts import Check, Conclusion, Problem, Verdict
from bot import verdict_codes
from bot.store.pulls import verdicts
from tests.bot.portal.populated import ROLES, SHA
from tests.bot.portal.test_matrix import CASES
from tests.bot.server.served import served

pytestmark = pytest.mark.browser

SEEN_BY = {
    "everybody": "stranger",
    "signed in": "manager",
    "manager of the company in the address": "manager",
    "administrator or auditor": "administrator",
    "administrator": "administrator",
}
"""The visitor who looks at the pages of each audience: they show that visitor the most."""

NO_PAGE = ("/login", "/login/callback", "/whitelist.json", "/CLA-whitelist.json", "/checkpoint", "/checkpoint/key", "/dco.txt", "/brand.css", "/brand/<version>", "/badge/<owner>/<name>.svg", "/api/v1/openapi.json", "/receipts/<receipt>.json", "/me/sign-offs/<signoff>.json", "/company/<company_id>/receipt.json", "/signatory/receipt.json",
           "/receipts/<receipt>.pdf", "/sign/<agreement>/text.pdf", "/company/<company_id>/receipt.pdf", "/signatory/receipt.pdf", "/admin/papers/<document_id>", "/admin/licenses/<int:owner_id>/files/<file>",
           "/admin/licenses/<int:owner_id>/repositories/<int:repository_id>", "/signatory", "/me/enrolments/<enrolment_id>/pull-request")  # fmt: skip
"""Addresses that answer no page: files, data, the way to GitHub, what begins with a mailed link, and what leads on without a pull request."""

OTHER = ("/enrol/<code_id>", "/company/request/signatory/<request_id>")
"""Pages that only another visitor has: dan waits for a code, and has asked another person to sign for a company."""

ALL = os.environ.get("LOOK") == "all"  # noqa: TID251 - the test run's own switch
LARGE = 1280
CORNERS = [("light", LARGE), ("dark", 320), ("light", 320), ("dark", LARGE)]
RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],
}

TOO_SMALL = """() => [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary')]
  .filter(node => {
    const box = node.getBoundingClientRect(), inSentence = getComputedStyle(node).display === 'inline'
      && node.closest('p, li, td, th, dd, dt, h1, h2, h3, legend, label');
    return box.width && !inSentence && !node.matches('.skip') && (box.width < 24 || box.height < 24);
  }).map(node => node.outerHTML.slice(0, 120))"""
"""WCAG 2.2, 2.5.8: 24 by 24 CSS pixels; a link within a sentence is exempt."""

CLIPPED = """() => [...document.querySelectorAll('.scroll')].filter(node => node.scrollWidth > node.clientWidth + 1)
  .map(node => node.getAttribute('aria-label') || node.textContent.trim().slice(0, 40))"""
"""Tables of which a part is out of sight; commands that are copied may be longer than a line."""

TOO_WIDE = "() => document.documentElement.scrollWidth > window.innerWidth"


def pages():
    """(visitor, rule) of each page."""
    for who, method, rule in CASES:
        if method == "GET" and rule not in NO_PAGE and who in SEEN_BY:
            yield "contributor" if rule in OTHER else SEEN_BY[who], rule
    yield "stranger", "/nothing/here"
    yield "contributor", "/sign/<agreement>"


def window(chromium, full, role, home, language):
    """A browser window in which that visitor is signed in. Axe comes by the debugger, past our own policy."""
    context = chromium.new_context(bypass_csp=True, viewport={"width": 1280, "height": 900})
    context.set_default_timeout(15_000)
    cookies = [{"name": "language", "value": language, "url": home}]
    kept = full.browsers[role].get_cookie("countersign")
    if kept is not None:
        cookies.append({"name": "countersign", "value": kept.value, "url": home})
    context.add_cookies(cookies)
    return context


def faults(page, scheme, width, *, scrolls=False):
    """What is wrong with the page as it stands there, and at every width what a small screen would cut off.

    With `scrolls` its tables may be moved sideways on a small screen.
    """
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # or Axe sees a colour on its way to another
    yield from measures(page, 320, scrolls=scrolls)
    yield from measures(page, width, scrolls=scrolls)
    for violation in Axe().run(page, options=RULES).response["violations"]:
        yield f"{violation['id']}: {violation['nodes'][0]['html'][:160]}"


def measures(page, width, *, scrolls=False):
    """What is cut off or too small to be pressed at that width."""
    page.wait_for_load_state()  # with its style sheet: the text is there a moment before
    page.set_viewport_size({"width": width, "height": 900})
    if page.evaluate(TOO_WIDE):
        yield f"wider than {width}"
    for table in page.evaluate(CLIPPED) if width == LARGE or not scrolls else ():
        yield f"a table is wider than its place at {width}: {table}"
    for element in page.evaluate(TOO_SMALL):
        yield f"smaller than 24 px: {element}"


def complain(wrong, rule, error):
    """A script failed."""
    wrong.append(f"{rule}: {error}")


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", pytest.param("zh", marks=pytest.mark.nightly)])
def test_every_page_is_accessible_and_fits_its_window(full, chromium, language):
    """Axe looks at English, light and large, here, and at both languages in all four ways with LOOK=all (`make nightly`)."""
    wrong = []
    with served(full.portal.app) as home:
        windows = {role: window(chromium, full, role, home, language) for role in {role for role, _ in pages()}}
        shown = {role: context.new_page() for role, context in windows.items()}
        for role, rule in pages():
            page = shown[role]  # each new one would be a process of its own, which took half of the time
            page.on("pageerror", failed := partial(complain, wrong, rule))
            answer = page.goto(home + full.path(rule))
            if answer.status != (404 if rule == "/nothing/here" else 200):
                wrong.append(f"{rule}: {answer.status}")
            if language == "zh" and not ALL:
                wrong += [f"{rule} {fault}" for fault in measures(page, 320)]
            else:
                for scheme, width in CORNERS if ALL else CORNERS[:1]:
                    wrong += [f"{rule} {scheme} {width}: {fault}" for fault in faults(page, scheme, width)]
            page.remove_listener("pageerror", failed)
        for context in windows.values():
            context.close()

    assert wrong == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_preview_of_a_list_is_readable_on_a_phone_without_scrolling_the_table(full, chromium, language):
    with served(full.portal.app) as home:
        context = window(chromium, full, "manager", home, language)
        page = context.new_page()
        page.goto(home + full.path("/company/<company_id>/people/list"))
        page.fill(
            "#list", "carol\ncann\nnobody-has-such-a-long-login-at-github\nsomebody@a-partner.example.org\nx,y,z,1,2,3"
        )
        page.locator("form:has(#list) button").click()
        expect(page.locator("tbody tr")).to_have_count(5)
        wrong = [*measures(page, 320), *measures(page, LARGE)]
        context.close()

    assert wrong == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_numbers_of_a_busy_year_fit_two_screens(full, chromium, language):
    codes = list(verdict_codes.each("short", language))[:12]
    rows = [full.portal.pull(number) for number in range(20, 20 + len(codes))]
    with full.portal.services.sessions() as session:
        for row, code in zip(rows, codes, strict=True):
            check = Check(name="CLA", conclusion=Conclusion.FAILURE, problems=(Problem(code=code),))
            red = Verdict(conclusion=Conclusion.FAILURE, checks=(check,))
            verdicts.add(session, row, SHA, red, at=full.portal.at)
        green = Verdict(conclusion=Conclusion.SUCCESS, checks=())
        verdicts.add(session, rows[0], SHA, green, at=full.portal.at + timedelta(minutes=90))
    full.portal.at += timedelta(hours=2)
    full.browsers["administrator"] = full.portal.signed_in(**ROLES["administrator"])
    with served(full.portal.app) as home:
        context = window(chromium, full, "administrator", home, language)
        page = context.new_page()
        page.set_viewport_size({"width": LARGE, "height": 800})
        page.goto(f"{home}/admin/numbers")
        height = page.evaluate("document.documentElement.scrollHeight")
        charts = page.locator("figure.chart svg").count()
        context.close()

    assert charts == 7
    assert height <= 2 * 800, height


def test_a_receipt_prints_black_on_white_without_buttons(full, chromium):
    with served(full.portal.app) as home:
        context = window(chromium, full, "manager", home, "en")
        page = context.new_page()
        page.emulate_media(media="print", color_scheme="dark")
        page.goto(home + full.path("/receipts/<receipt>"))
        table = page.locator("dl.table")
        ink, paper = table.evaluate("node => [getComputedStyle(node).color, getComputedStyle(node).backgroundColor]")
        words = page.locator("body").inner_text()
        pressed = page.locator("a.button, button, nav a").evaluate_all("all => all.filter(node => node.offsetParent)")
        context.close()

    assert max(numbers(ink)) < 64
    assert min(numbers(paper)) > 250
    assert words.startswith("Countersign")
    assert "ada@example.com" in words
    assert pressed == []


def numbers(color):
    """Red, green and blue of a computed colour."""
    return [int(match) for match in re.findall(r"\d+", color)[:3]]


def test_a_page_has_at_most_60_kb_with_its_style_sheet_and_loads_nothing_from_elsewhere(full):
    with full.browsers["stranger"].get("/static/style.css") as answer:
        sheet = len(answer.data)
    for role, rule in pages():
        answer = full.browsers[role].get(full.path(rule))
        body = answer.get_data()
        assert len(body) + sheet <= 60_000, rule
        assert b"<script" not in body, rule
        assert not [part for part in body.split(b'src="')[1:] if not part.startswith(b"/static/")], rule
        assert "no-store" in answer.headers["Cache-Control"], rule
        assert "require-trusted-types-for 'script'" in answer.headers["Content-Security-Policy"], rule


@pytest.mark.parametrize("rule", ["/sign/<agreement>", "/company/request", "/me/emails"])
def test_the_tab_key_reaches_every_control_in_the_order_of_the_page(full, chromium, rule):
    everything = (
        "[...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary')]"
    )
    with served(full.portal.app) as home:
        context = window(chromium, full, "contributor", home, "en")
        page = context.new_page()
        page.goto(home + full.path(rule))
        wanted = page.evaluate(f"() => {everything}.filter(tag => tag.type !== 'radio' || tag.checked "
                               f"|| !document.querySelector(`input[name='${{tag.name}}']:checked`)).length")  # fmt: skip
        reached = []
        for _ in range(wanted + 5):
            page.keyboard.press("Tab")
            place, outline = page.evaluate(
                f"() => [{everything}.indexOf(document.activeElement), getComputedStyle(document.activeElement).outlineStyle]"
            )
            if place in reached or place < 0:
                break
            reached.append(place)
            assert outline != "none", place
        context.close()

    assert reached == sorted(reached)
    assert len(reached) >= wanted - 2, "radio buttons of one group are one stop"
