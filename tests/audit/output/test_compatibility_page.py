"""LICENSE-COMPATIBILITY.md: violations with advice, the matrix, the licences, the data."""

from dataclasses import replace
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from audit.facts import (
    Cell,
    Finding,
    Judgement,
    Learned,
    LicenseVerdict,
    Place,
    Repository,
    RepositoryAudit,
    Source,
    Unknown,
    Usage,
)
from audit.output.audit_run import build
from audit.output.compatibility_page import matrix
from tests.audit.runs import AT, audited, used, whole
from tests.audit.test_display_text import HOSTILE

GOLDEN = Path(__file__).parents[2] / "cases/licenses"


def test_the_whole_page_is_as_kept():
    assert (GOLDEN / "LICENSE-COMPATIBILITY.md").read_text() == matrix(whole())


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (None, "There are none."),
        ("file/broken", "None was found in the files that could be read."),
        ("license/nested", "Only folders of unknown origin were found. See the findings."),
        ("license/altered", "There are none."),
    ],
)
def test_the_page_says_none_only_if_nothing_is_open(code, said):
    """A file that could not be read may name anything."""
    findings = (Finding(code, Place("x/LICENSE"), "why"),) if code else ()
    page = matrix(build([audited(used("a", "MIT", Usage.BUNDLED), findings=findings)], AT))

    assert f"## Violations\n\n{said}\n" in page
    assert ("## Could not be judged" in page) == (code == "file/broken")


def test_licence_headers_have_a_section_of_their_own():
    work = audited(used("a", "MIT", Usage.BUNDLED))
    found = RepositoryAudit(work.repository, work.cells, (Finding("header/missing", Place("a.c"), "lacks it"),))
    page = matrix(build([found], AT))
    assert "## Licence headers\n\n- " in page
    assert "`header/missing` a.c: lacks it" in page
    assert "## Findings" not in page
    assert "## Licence headers" not in matrix(build([work], AT))


def test_tools_of_unknown_licence_are_listed_apart_and_once():
    tool = used("gcc", None, Usage.BUILD_TOOL, version=None, places=(Place("ci.yml", 3),))
    judged = Judgement(
        verdict=LicenseVerdict.NOT_APPLICABLE, rule="usage/tool", basis="usage", reason="x", data_version="2024-11-04"
    )
    known = Cell(used("make", "GPL-3.0-only", Usage.BUILD_TOOL), judged)
    whole_of = [RepositoryAudit(Repository(name=name), (Cell(tool, judged), known)) for name in ("o/a", "o/b")]
    page = matrix(build(whole_of, AT))

    assert "## Tools of unknown licence" in page
    assert "| gcc |  | build-tool | o/a: ci.yml:3 and 1 more |" in page
    assert "| make |" not in page.partition("## Tools of unknown licence")[2].partition("## Matrix")[0]
    assert "## Tools" not in matrix(build([RepositoryAudit(Repository(name="o/a"), (known,))], AT))


def test_an_audit_without_repositories_has_a_page():
    assert "Nothing is used." in matrix(build([], AT))


def test_long_lists_are_cut_and_say_so():
    many = [used(f"n{number}", f"LicenseRef-{number}", Usage.BUNDLED) for number in range(300)]
    page = matrix(build([audited(*many[: 300 if number < 2 else 1], name=f"o/r{number}") for number in range(600)], AT))

    assert "And 100 more, see report.json." in page
    assert "- and 580 more, see report.json" in page
    assert "And 100 more repositories in report.json" in page
    assert "all else" in page
    assert len(page) < 200_000


def test_hostile_names_make_no_elements():
    named = [used(words, words, Usage.BUNDLED, version=words) for words in HOSTILE]
    tools = [used(words, None, Usage.BUILD_TOOL, version=words) for words in HOSTILE]
    page = matrix(build([audited(*named, *tools, name=f"o/{HOSTILE[3]}")], AT))
    assert "## Tools of unknown licence" in page
    shown = MarkdownIt("gfm-like", {"linkify": False}).render(page)

    assert not any(sign in shown for sign in ("<img", "<a ", 'javascript:1)"', "<script"))


def test_a_reason_that_many_dependencies_share_is_said_once():
    waiting = [
        replace(
            used(f"w{number}", None, Usage.STATIC_LINK), license=Learned(None, Source.UNSTATED, None, Unknown.OFFLINE)
        )
        for number in range(30)
    ]
    unpinned = [
        replace(
            used(f"u{number}", None, Usage.STATIC_LINK),
            license=Learned(None, Source.UNSTATED, None, Unknown.NOT_PINNED),
        )
        for number in range(30)
    ]
    unread = Finding("file/unsupported", Place("build.sbt", 3), "names dependencies")
    work = audited(*waiting, *unpinned)
    text = matrix(
        build(
            [
                replace(work, findings=(unread,)),
                audited(used("a", "Apache-2.0", Usage.VENDORED), name="org/own", license_id=None),
            ],
            AT,
        )
    )

    assert "**Violations: 31.** **Not looked up: 30.** **1 file not read.**" in text
    assert text.count("### ") == 2
    assert "### ❓ 30 dependencies: unknown-license" in text
    assert "### ❓ unknown-license: the licence of org/own itself" in text
    assert text.count("Run the audit again without `--offline`") == 1
    assert "## Not looked up\n" in text
    assert "## Not read\n" in text
    assert "Why licences are not known: version not pinned: 30." in text
