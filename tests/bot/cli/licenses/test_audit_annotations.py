"""The annotations of `audit`: no text from lock files or paths becomes a command of the runner."""

from datetime import UTC, date, datetime

import pytest

from audit.facts import Dependency, Finding, Learned, Place, Repository, Source, Unknown, Usage, Waiver
from audit.licenses.osadl import shipped
from audit.output.audit_run import build
from audit.verdict.policy import Policy
from audit.verdict.repository_verdict import Judge
from bot.cli.licenses.audit_annotations import lines

HOSTILE = ["::set-output name=x::y", "%0A::error::forged", "##[error]x", "a\n::error::x", "title=x,file=y::z", "\r::x"]


def printed(*repositories, waivers=()):
    """The lines for these."""
    judge = Judge(Policy(waivers=tuple(waivers)), shipped(), date(2026, 11, 22))
    return list(lines(build(map(judge.audited, repositories), datetime(2026, 11, 22, tzinfo=UTC))))


def repository(text="b", name="o/r", path="package-lock.json"):
    """One that has a violation and a finding, with this text wherever others may write."""
    use = Dependency(
        name=text, version=text, purl="pkg:npm/b@1", usage=Usage.STATIC_LINK, why=text,
        license=Learned("GPL-3.0-only", Source.LOCK_FILE, Place(path, 4, text)), places=(Place(path, 4, text),),
    )  # fmt: skip
    found = Finding("file/broken", Place(f"x/{path}", 7, text), text)
    return Repository(name=name, license=Learned("MIT"), dependencies=(use,), findings=(found,))


def test_a_violation_and_an_unreadable_file_are_errors_at_their_lines():
    conclusion, first, second, last = printed(repository())

    assert first.startswith(
        "::error file=package-lock.json,line=4,title=incompatible%3A b b::GPL-3.0-only, static-link: "
    )
    assert "%0AReplace it, use it as a separate program, or " in first
    assert second == "::error file=x/package-lock.json,line=7,title=could-not-judge%3A file/broken::b"
    assert conclusion == "countersign: 1 violation; 1 place could not be judged"
    assert last == "countersign: licence data of 2024-11-04 (2 years old)"


def test_licence_data_older_than_three_years_is_a_warning():
    judge = Judge(Policy(), shipped(), date(2026, 11, 22))
    old = list(lines(build([judge.audited(repository())], datetime(2028, 1, 1, tzinfo=UTC))))[-2]
    assert old.startswith("::warning title=licence data::The licence data of 2024-11-04 is older than three years")


def test_a_finding_that_fails_nothing_is_a_warning_after_the_errors():
    found = (Finding("license/altered", Place("a"), "x"), Finding("file/broken", Place("b"), "y"))
    _, first, _own, second, *_ = printed(Repository(name="o/r", findings=found))

    assert first.startswith("::error file=b,")
    assert second == "::warning file=a,title=license/altered::x"


def test_paths_of_several_checkouts_are_given_as_text():
    """Two checkouts may have files of the same name."""
    _, first, *_ = printed(repository(name="o/a"), repository(name="o/b"))

    assert first.startswith("::error title=incompatible%3A b b::o/a: GPL-3.0-only")
    assert first.endswith("%0Apackage-lock.json:4 (b)")


def test_a_waived_violation_has_no_annotation():
    waiver = Waiver(purl="pkg:npm/b@1", until=date(2027, 1, 1), reason="is being replaced", by="Ada")
    assert [line.partition(" ")[0] for line in printed(repository(), waivers=[waiver])] == [
        "countersign:",
        "::error",
        "countersign:",
    ]
    assert "file/broken" in printed(repository(), waivers=[waiver])[1]


def test_the_number_of_annotations_is_bounded():
    many = Repository(name="o/r", findings=tuple(Finding("file/broken", Place(f"f{n}"), "x") for n in range(1000)))
    assert len(printed(many)) == 52


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_others_never_becomes_a_command_of_the_runner(text):
    for line in printed(repository(text, path=f"{text}/x"), repository(text, "o/2")) + printed(
        repository(text, path=text)
    ):
        assert "\n" not in line
        assert "\r" not in line
        assert line.startswith(("::error ", "::warning ", "countersign: "))
        if line.startswith("::"):
            properties = line.split("::")[1]
            assert properties.count(",") <= 2
            assert {part.partition("=")[0] for part in properties.partition(" ")[2].split(",")} <= {
                "file",
                "line",
                "title",
            }


def test_dependencies_that_were_not_looked_up_share_one_annotation():
    waiting = Learned(None, Source.UNSTATED, None, Unknown.OFFLINE)
    uses = tuple(
        Dependency(name=name, usage=Usage.VENDORED, license=waiting, places=(Place(f"{name}.lock", 3),))
        for name in "abc"
    )
    conclusion, first, second, *_ = printed(Repository(name="o/r", dependencies=uses))

    assert first.startswith("::error file=a.lock,line=3,title=not looked up%3A 3::a, b and c: ")
    assert second.startswith("::error file=.,title=license/own-unknown::")
    assert conclusion.startswith("countersign: 1 violation; 3 not looked up")
