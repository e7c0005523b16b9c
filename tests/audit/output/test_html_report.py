"""report.html: one page, offline, accessible, and safe from hostile words."""

import html
import html.parser
import re
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import expect

from audit.facts import Finding, Learned, LicenseVerdict, Place, Source, Unknown, Usage
from audit.output.audit_run import Totals, build
from audit.output.compatibility_page import matrix
from audit.output.heat_map import LEGEND
from audit.output.html_report import advice_as_html, groups, page, trend
from audit.output.html_report import html as escaped
from audit.verdict.advice import help_of
from tests.audit.runs import AT, audited, organisation, used, whole
from tests.bot.portal.test_look import faults

HOSTILE = "<img src=x onerror=alert(1)>\"'\x00\u202e&lt;</script>`${x}`|"


class Seen(html.parser.HTMLParser):
    """Elements that stand open, and every element with its attributes."""

    def __init__(self):
        super().__init__()
        self.open, self.all = [], []

    def handle_starttag(self, tag, attrs):
        self.all.append((tag, dict(attrs)))
        if tag not in {"meta", "input", "rect", "br"}:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.all.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def seen(text):
    """The page, read."""
    parser = Seen()
    parser.feed(text)
    assert parser.open == []
    return parser


def test_the_page_is_well_formed_with_unique_ids_and_working_links():
    found = seen(page(whole()))
    names = [attributes["id"] for _, attributes in found.all if "id" in attributes]

    assert len(names) == len(set(names))
    assert {attributes["href"].removeprefix("#") for _, attributes in found.all if "href" in attributes} <= set(names)
    assert not [
        attributes
        for _, attributes in found.all
        if "src" in attributes or "style" in attributes or any(name.startswith("on") for name in attributes)
    ]
    assert not {tag for tag, _ in found.all} & {"link", "img", "iframe", "object", "base"}


def test_hostile_words_make_no_elements():
    work = audited(
        used(HOSTILE, HOSTILE, Usage.BUNDLED, version=HOSTILE, why=HOSTILE), name=f"o/{HOSTILE}", license_id=HOSTILE
    )
    text = page(build([work], AT))

    assert {tag for tag, _ in seen(text).all} == {
        tag for tag, _ in seen(page(build([audited(used("a", "b", Usage.BUNDLED), license_id="b c")], AT))).all
    }
    assert text.count("</script>") == 1


def test_the_order_of_repositories_does_not_matter():
    assert page(build(tuple(reversed(organisation())), AT)) == page(whole())
    assert "Nothing is used." in page(build([], AT))


@pytest.mark.slow
def test_a_large_organisation_has_licences_as_columns_and_tells_the_rest():
    many = [
        used(f"n{number}", "MIT" if number % 3 else f"LicenseRef-{number}", list(Usage)[number % 15])
        for number in range(300)
    ]
    text = page(build([audited(*many, name=f"o/{number}") for number in range(60)], AT))

    assert "Repositories against licences" in text
    assert "all else" in text
    assert len(text) < 2_000_000
    seen(text)


def test_a_dependency_shows_its_version_and_the_whole_reason():
    text = page(whole())

    assert "<td><bdi>1.2.0</bdi></td>" in text
    for cell in whole().cells():
        assert f"<td><p>{html.escape(cell.judgement.reason)}</p>" in text
    assert 'into work under Apache-2.0</p><p class="todo"><b>What to do:</b> Replace it, use it' in text


def test_a_long_reason_is_not_cut():
    work = audited(used("a", "MIT", Usage.STATIC_LINK))
    reason = "; ".join(f"its part {number}: <b> & 'c' may not be merged" for number in range(100))
    cell = replace(work.cells[0], judgement=replace(work.cells[0].judgement, reason=reason))

    assert f"<p>{html.escape(reason)}</p>" in page(build([replace(work, cells=(cell,))], AT))


def test_findings_have_advice_once_for_each_kind():
    work = audited(findings=(Finding("file/broken", Place("a", 2), "no JSON"), Finding("no/such", Place("b"), "x")))
    text = page(build([work], AT))

    assert f"<dt><code>file/broken</code></dt><dd>{advice_as_html(help_of('file/broken'))}</dd>" in text
    assert "<dt><code>no/such</code></dt><dd>See &#x27;Findings&#x27; in the documentation.</dd>" in text


def test_an_unread_lock_file_is_told_instead_of_that_nothing_is_used():
    work = audited(findings=(Finding("file/broken", Place("package-lock.json", 2), "no JSON"),))

    for text in (page(build([work], AT)), matrix(build([work], AT))):
        assert "Nothing was found in the files that could be read." in text
        assert "Nothing is used." not in text


def test_a_range_is_shown_if_there_is_no_version():
    """Otherwise two ranges of one package could not be told apart."""
    ranges = ("^1.2", "^2")
    found = [
        used("a", "MIT", Usage.RUNTIME_IMPORT, version=None, purl="pkg:npm/a", version_range=span) for span in ranges
    ]
    text = page(build([audited(*found)], AT))

    assert [text.count(f"<td><bdi>{span}</bdi></td>") for span in ranges] == [1, 1]


def test_the_page_has_the_words_of_the_markdown():
    text, markdown = page(whole()), matrix(whole())

    for words in ("Licence compatibility", "Could not be judged", "Matrix", "Licences in use", "Data"):
        assert f"# {words}" in markdown
        assert f">{words}</h" in text
    for entry in LEGEND.values():
        assert entry.meaning in markdown
        assert entry.meaning in text
    assert "Repositories: 3. Uses of dependencies: 10." in markdown
    assert "Repositories: 3. Uses of dependencies: 10." in text


def test_licences_in_use_are_sorted_by_number_and_name():
    uses = [used(f"a{number}", name, Usage.BUNDLED) for number, name in enumerate(("Zlib", "ISC", "MIT", "MIT"))]
    section = page(build([audited(*uses)], AT)).partition(">Licences in use</h")[2]
    assert list(dict.fromkeys(re.findall("MIT|ISC|Zlib", section))) == ["MIT", "ISC", "Zlib"]


def test_a_trend_is_shown_if_earlier_nights_counted_otherwise():
    before = Totals(AT - timedelta(days=3), 3, 9, Counter())

    assert '<h2 id="trend">' not in page(whole())
    assert "Violations went from 9 to 3" in page(replace(whole(), earlier=(before,)))
    assert '<h2 id="trend">' not in page(replace(whole(), earlier=(whole().totals(),)))


def nights(*violations):
    """One a day."""
    return [
        Totals(AT + timedelta(days=day), 3, count, Counter({LicenseVerdict.INCOMPATIBLE: count}))
        for day, count in enumerate(violations)
    ]


def test_the_trend_begins_with_the_newest_night():
    said = page(replace(whole(), at=AT + timedelta(days=9), earlier=tuple(nights(4, 0, 2))))

    assert "Violations went from 4 to 3 since 2026-11-22." in said
    assert said.index('<th scope="row">2026-11-24') < said.index('<th scope="row">2026-11-22')
    assert trend(nights(4, 0, 2)) == "M0 1.0 H50.0 V23.0 H100.0 V12.0"
    assert trend(nights(0, 0)) == "M0 23.0 H100.0 V23.0"


def test_a_long_trend_is_cut_to_sixty_nights():
    said = page(replace(whole(), earlier=tuple(nights(*[0, 1] * 50))))

    assert said.partition('<h2 id="trend">')[2].count('<th scope="row">') == 60


GPL = used("readline", "GPL-3.0-or-later", Usage.STATIC_LINK)


def test_violations_are_grouped_and_the_worst_come_first():
    many = build([audited(GPL, used("a", "MIT", Usage.BUNDLED), name=f"o/{number}") for number in range(30)], AT)
    few = build([audited(GPL, name=f"o/{number}") for number in range(20)], AT)
    text = re.sub("(?<=>)\\n|\\n(?=</)", "", page(many))

    assert [(group.number, group.first.judgement.verdict, group.rows) for group in groups(many)] == [
        (0, LicenseVerdict.INCOMPATIBLE, list(range(30))),
        (1, LicenseVerdict.COMPATIBLE, list(range(30))),
    ]
    assert text.count("<li>and 10 more, see report.json</li>") == 2
    assert "more, see" not in page(few)
    assert (
        '<tr class="reason v-incompatible" data-n="readline" data-l="GPL-3.0-or-later" data-u="static-link" data-v="incompatible" '
        f'data-r="{" ".join(map(str, range(30)))}" id="r0"><td><b class="tag">incompatible</b></td>'
        '<th scope="row"><bdi>readline</bdi></th><td><bdi>'
    ) in text


def test_a_row_tells_rule_basis_reason_advice_waiver_and_places():
    rows = page(whole()).split('<tr class="reason')[1:]
    worst, second = rows[:2]

    assert '<p class="todo"><b>What to do:</b> Replace it' in worst.partition("<details>")[0]
    assert "<code>countersign license outbound</code> lists them." in worst
    assert "<dt>rule</dt><dd>license/none (see 'How licences are judged' in the documentation)</dd>" in second
    assert "<dt>basis</dt><dd>none</dd>" in second
    assert "package-lock.json:10 (mystery)" in second
    assert "licence: lock-file package-lock.json:10" in second
    (waived,) = (row for row in rows if "<small>waived</small>" in row)
    assert "is being replaced (Ada Example, until 2027-01-01)" in waived


def test_words_are_escaped_in_text_and_attributes():
    assert escaped("<b a='\">\n\x00&") == "&lt;b a=&#x27;&quot;&gt; &amp;"


@pytest.mark.browser
def test_the_page_works_offline_in_a_browser_and_passes_axe(chromium, tmp_path):
    Path(tmp_path / "report.html").write_text(page(whole()), encoding="utf-8")
    home = (tmp_path / "report.html").as_uri()
    context = chromium.new_context(offline=True)
    window = context.new_page()
    said = []
    window.on("console", lambda message: said.append(message.text))
    window.on("pageerror", lambda error: said.append(str(error)))
    window.on("request", lambda request: said.append(request.url) if request.url != home else None)
    window.goto(home)
    window.click("#heat td.v-incompatible a")
    window.wait_for_selector("#r0 dl", state="visible")
    expect(window.locator(".todo:visible")).to_have_count(5)
    window.fill("#f-n", "mys")
    expect(window.locator(".reason:visible")).to_have_count(2)
    expect(window.locator("#heat tbody tr:visible")).to_have_count(2)
    window.select_option("#f-v", "incompatible")
    expect(window.locator("#shown")).to_have_text("Dependencies: 0 of 10. Repositories: 0.")
    window.click("text=Show all")
    expect(window.locator("#shown")).to_contain_text("Dependencies: 10 of 10.")
    expect(window.locator(".reason:visible")).to_have_count(10)
    assert said == []
    context.close()
    context = chromium.new_context(bypass_csp=True)
    window = context.new_page()
    window.goto(home)
    window.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true })")
    assert [] == [
        fault
        for scheme, width in (("light", 1280), ("dark", 320))
        for fault in faults(window, scheme, width, scrolls=True)
    ]
    context.close()


@pytest.mark.browser
def test_the_page_works_without_its_script(chromium, tmp_path):
    Path(tmp_path / "report.html").write_text(page(whole()), encoding="utf-8")
    context = chromium.new_context(java_script_enabled=False)
    window = context.new_page()
    window.goto((tmp_path / "report.html").as_uri())

    expect(window.locator("#filters")).to_be_hidden()
    expect(window.locator("#r0 .todo")).to_be_visible()
    expect(window.locator("#r0 dl")).to_be_hidden()
    window.click("#heat td.v-incompatible a")
    expect(window.locator("#r0")).to_be_visible()
    context.close()


def test_the_warning_of_old_data_is_whole():
    assert "and run `countersign license refresh FILE`.</p>" in page(build(organisation(), AT.replace(year=2036)))


def test_unknown_parts_are_told_on_top_before_the_matrix():
    waiting = [
        replace(
            used(f"w{number}", None, Usage.STATIC_LINK), license=Learned(None, Source.UNSTATED, None, Unknown.OFFLINE)
        )
        for number in range(3)
    ]
    unread = Finding("file/unsupported", Place("build.sbt", 3), "names dependencies")
    work = audited(*waiting, used("a", "Apache-2.0", Usage.VENDORED), license_id=None)
    text = page(build([replace(work, findings=(*work.findings, unread))], AT))
    seen(text)

    assert '<strong class="bad">Violations: 1. Not looked up: 3. 1 file not read</strong>' in text
    order = [text.index(f'<h2 id="{name}">') for name in ("own", "waiting", "unread", "matrix")]
    assert order == sorted(order)
    assert text.count("without <code>--offline</code>") >= 1
