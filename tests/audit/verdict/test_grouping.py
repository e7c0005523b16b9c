"""Uses with the same outcome are grouped."""

from audit.facts import Learned, Source, Unknown, Usage
from audit.verdict.grouping import by_reason, called, listed, names
from tests.audit.runs import audited, used

OFFLINE = {"license": Learned(None, Source.UNSTATED, None, Unknown.OFFLINE)}


def cells():
    """Four dependencies that were not looked up, two with the same licence, and a last dependency with its own."""
    from dataclasses import replace

    waiting = [replace(used(f"w{number}", None, Usage.STATIC_LINK), **OFFLINE) for number in range(4)]
    gpl = [used(name, "GPL-2.0-only", Usage.STATIC_LINK) for name in "ba"]
    return audited(*waiting, *gpl, used("z", "AGPL-3.0-only", Usage.STATIC_LINK)).cells


def test_cells_are_grouped_by_reason_and_the_worst_come_first():
    assert [[cell.dependency.name for cell in some] for some in by_reason(cells())] == [
        ["a", "b"],
        ["z"],
        ["w0", "w1", "w2", "w3"],
    ]


def test_a_few_names_are_told_and_the_others_counted():
    last = by_reason(cells())[-1]
    assert called(last[0]) == "w0 1.2.0"
    assert names([*last, *last], 3) == ["w0 1.2.0", "w1 1.2.0", "w2 1.2.0", "1 more"]
    assert listed(last, 3) == "w0 1.2.0, w1 1.2.0, w2 1.2.0 and 1 more"
    assert listed(last[:1]) == "w0 1.2.0"
