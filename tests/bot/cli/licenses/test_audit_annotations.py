"""What a runner reads as commands is ours alone, whatever stands in lock files and paths."""

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


def test_a_violation_and_a_finding():
    """At their lines: an error with what to do, another for what could not be read; the whole last."""
    first, second, last = printed(repository())

    assert first.startswith(
        "::error file=package-lock.json,line=4,title=incompatible%3A b b::GPL-3.0-only, static-link: "
    )
    assert "%0AReplace it, use it as a separate program, or " in first
    assert second == "::error file=x/package-lock.json,line=7,title=could-not-judge%3A file/broken::b"
    assert last == "countersign: 1 violation; 1 place could not be judged; licence data of 2024-11-04 (2 years old)"


def test_old_data():
    """A warning behind everything else, from three years on."""
    judge = Judge(Policy(), shipped(), date(2026, 11, 22))
    old = list(lines(build([judge.audited(repository())], datetime(2028, 1, 1, tzinfo=UTC))))[-2]
    assert old.startswith("::warning title=licence data::The licence data of 2024-11-04 is older than three years")


def test_what_is_only_told_is_a_warning():
    """Behind what could not be judged."""
    found = (Finding("license/altered", Place("a"), "x"), Finding("file/broken", Place("b"), "y"))
    first, _own, second, *_ = printed(Repository(name="o/r", findings=found))

    assert first.startswith("::error file=b,")
    assert second == "::warning file=a,title=license/altered::x"


def test_of_several_checkouts_paths_are_text():
    """Two files of the same name are not confused."""
    first, *_ = printed(repository(name="o/a"), repository(name="o/b"))

    assert first.startswith("::error title=incompatible%3A b b::o/a: GPL-3.0-only")
    assert first.endswith("%0Apackage-lock.json:4 (b)")


def test_what_is_waived_is_no_annotation():
    """Somebody took the responsibility."""
    waiver = Waiver(purl="pkg:npm/b@1", until=date(2027, 1, 1), reason="is being replaced", by="Ada")
    assert [line.partition(" ")[0] for line in printed(repository(), waivers=[waiver])] == [
        "::error",
        "countersign:",
    ]
    assert "file/broken" in printed(repository(), waivers=[waiver])[0]


def test_findings_are_bounded():
    """A thousand broken files fill no log."""
    many = Repository(name="o/r", findings=tuple(Finding("file/broken", Place(f"f{n}"), "x") for n in range(1000)))
    assert len(printed(many)) == 51


@pytest.mark.parametrize("text", HOSTILE)
def test_nobody_elses_commands(text):
    """In a name, a version, a path, a message: every line begins with our own words, and its properties are escaped."""
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


def test_what_was_not_looked_up_is_one_annotation():
    """At the first of them, with what to do; an own licence that is not known is an error, too."""
    waiting = Learned(None, Source.NOBODY, None, Unknown.OFFLINE)
    uses = tuple(
        Dependency(name=name, usage=Usage.VENDORED, license=waiting, places=(Place(f"{name}.lock", 3),))
        for name in "abc"
    )
    first, second, *rest = printed(Repository(name="o/r", dependencies=uses))

    assert first.startswith("::error file=a.lock,line=3,title=not looked up%3A 3::a, b and c: ")
    assert second.startswith("::error file=.,title=license/own-unknown::") or "license/own-unknown" in second
    assert rest[-1].startswith("countersign: 1 violation; 3 not looked up;")
