"""Whole expressions: the best of a choice, the worst of a conjunction, and an answer for any text."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.facts import Delivery, LicenseVerdict, Usage
from audit.licenses import osadl
from audit.rules.expression_compatibility import judge
from audit.usage import NOT_SHIPPED

MATRIX = osadl.shipped()
TABLE = (Path(__file__).parents[2] / "cases/licenses/golden.txt").read_text(encoding="utf-8")
GOLDEN = [
    [cell.strip() for cell in line.split("|")]
    for line in TABLE.splitlines()
    if line.strip() and not line.startswith("#")
]


def asked(outbound, inbound, usage=Usage.SOURCE_MERGED, delivery=Delivery.BINARY):
    """The judgement by the shipped matrix."""
    return judge(outbound, inbound, usage, delivery, MATRIX)


@pytest.mark.parametrize("row", GOLDEN, ids=lambda row: " ".join(row[:4]))
def test_each_golden_row_is_judged_as_written(row):
    outbound, inbound, usage, delivery, *expected = row
    found = asked(outbound, inbound, Usage(usage), Delivery(delivery))
    assert [found.verdict, found.rule, found.branch or ""] == expected


def test_every_cell_of_the_matrix_is_followed_except_where_the_fsf_says_otherwise():
    counted = Counter(
        (MATRIX.answer(outbound, inbound).value, asked(outbound, inbound).verdict.value)
        for outbound in MATRIX.names
        for inbound in MATRIX.names
    )
    assert counted == {
        ("Yes", "compatible"): 8538, ("Yes", "obligations"): 75, ("Same", "compatible"): 84, ("Same", "obligations"): 31,
        ("No", "incompatible"): 3327, ("No", "conditional"): 92, ("Check dependency", "incompatible"): 52, ("Check dependency", "conditional"): 8,
        ("Unknown", "review"): 927, ("Unknown", "compatible"): 15, ("Unknown", "obligations"): 1, ("Unknown", "incompatible"): 75,
    }  # fmt: skip


@pytest.mark.parametrize("closed", ["Commercial", "LicenseRef-Commercial", "LicenseRef-Proprietary"])
def test_a_choice_of_a_closed_licence_is_unknown(closed):
    """A closed branch may not be taken without asking its owner."""
    assert asked("MIT", f"GPL-3.0-only OR {closed}", Usage.BUNDLED).verdict is LicenseVerdict.UNKNOWN_LICENSE


def test_a_lost_branch_of_the_work_s_own_choice_is_named():
    lost = asked("Apache-2.0 OR GPL-2.0-only", "Apache-2.0")
    assert lost.reason.endswith(
        "the work could no longer be offered under GPL-2.0-only, a choice of its own Apache-2.0 OR GPL-2.0-only"
    )
    part = asked("Apache-2.0 AND GPL-2.0-only", "GPL-2.0-only")
    assert part.reason.endswith("this is about the part under Apache-2.0 of the work's own Apache-2.0 AND GPL-2.0-only")


@pytest.mark.parametrize(("inbound", "reason"), [
    (None, "no licence is given"), (" ", "no licence is given"), ("NONE", "NONE names no licence"),
    ("NOASSERTION", "NOASSERTION names no licence"), ("((MIT", "'((MIT' cannot be read as a licence"),
])  # fmt: skip
def test_the_reason_tells_a_missing_licence_from_an_unreadable_one(inbound, reason):
    assert asked("Apache-2.0", inbound).reason == reason


def test_a_tool_of_which_no_licence_is_stated_is_listed_apart():
    """Words that are no licence are another thing: tests/cases/licenses/golden.txt."""
    assert asked("Apache-2.0", None, Usage.BUILD_TOOL).rule == "usage/no-license"


@pytest.mark.slow
def test_a_reason_stays_short():
    own = " OR ".join(["GPL-2.0-only", *(f"Nobody-{number}" for number in range(290)), "MIT"])
    assert len(asked(own, "Apache-2.0").reason) < 500


def test_an_exception_outside_the_table_is_named():
    said = asked("Apache-2.0", "GPL-3.0-only WITH Nobody-exception", Usage.STATIC_LINK).reason
    assert said.endswith("(Nobody-exception is not on SPDX's list of exceptions, and changes nothing)")


def test_the_first_of_equal_branches_is_chosen():
    assert asked("Apache-2.0", "BSD-3-Clause OR MIT").branch == "BSD-3-Clause"
    assert asked("Apache-2.0", "MIT").branch is None


IDS = st.sampled_from(
    ["MIT", "Apache-2.0", "GPL-2.0-only", "GPL-2.0-or-later", "GPL-3.0-only", "LGPL-2.1-only", "MPL-2.0", "AGPL-3.0-only", "BSD-4-Clause",
     "CC0-1.0", "SSPL-1.0", "BSD", "GPL-2.0-only WITH Classpath-exception-2.0", "Nobody-1.0"]
)  # fmt: skip
USAGES, DELIVERIES = st.sampled_from(list(Usage)), st.sampled_from(list(Delivery))


@settings(max_examples=150)
@given(IDS, st.lists(IDS, min_size=1, max_size=4), USAGES, DELIVERIES)
def test_a_choice_is_as_good_as_its_best_branch_and_a_conjunction_as_its_worst_part(outbound, parts, usage, delivery):
    ranks = [asked(outbound, part, usage, delivery).verdict.rank for part in parts]
    assert asked(outbound, " OR ".join(parts), usage, delivery).verdict.rank == min(ranks)
    assert asked(outbound, " AND ".join(parts), usage, delivery).verdict.rank == max(ranks)


@settings(max_examples=100)
@given(IDS, IDS, USAGES, DELIVERIES)
def test_an_unknown_part_never_improves_a_verdict(outbound, inbound, usage, delivery):
    known = asked(outbound, inbound, usage, delivery).verdict.rank
    least = 0 if usage in NOT_SHIPPED or usage is Usage.SEPARATE_PROCESS else LicenseVerdict.UNKNOWN_LICENSE.rank
    both = asked(outbound, f"{inbound} AND Nobody-2.0", usage, delivery)
    assert both.verdict.rank >= known
    assert max(both.verdict.rank, both.counts_as.rank) >= least


@pytest.mark.slow
@settings(max_examples=300)
@given(st.text() | st.none(), st.text() | st.none(), USAGES, DELIVERIES)
def test_any_text_has_an_answer(outbound, inbound, usage, delivery):
    assert asked(outbound, inbound, usage, delivery).reason


WORDS = st.sampled_from(
    ["MIT", "and", "OR", "With", "(", ")", "Classpath-exception-2.0", "x/y", "+", "GPL-2.0+", "later", "é"]
)


@pytest.mark.slow
@settings(max_examples=300)
@given(st.lists(WORDS, max_size=12).map(" ".join))
def test_any_words_have_an_answer(inbound):
    assert asked("Apache-2.0", inbound).reason
