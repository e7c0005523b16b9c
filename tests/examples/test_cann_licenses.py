"""The community's example: its licence page is what follows from its rulebook, and the three pitfalls come out right.

`python tests/examples/test_cann_licenses.py` writes the page anew.
"""

import sys
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2]))

from audit.facts import LicenseVerdict, Repository
from audit.licenses.osadl import shipped
from audit.output.audit_run import build
from audit.output.compatibility_page import matrix
from audit.verdict.repository_verdict import Judge
from bot.rulebook import effective

FOLDER = Path(__file__).parents[2] / "examples" / "cann"
PAGE = FOLDER / "LICENSE-COMPATIBILITY.md"
AT = datetime(2026, 11, 22, tzinfo=UTC)
"""The moment on the page: it changes with the page alone."""


def audited():
    """Every repository that the rulebook gives a licence, with nothing but what the rulebook says that it uses."""
    policy = effective.parse_rulebook((FOLDER / "countersign.yml").read_text(encoding="utf-8")).policy
    judge = Judge(policy, shipped(), date(2026, 11, 22))
    return [judge.audited(Repository(name=name)) for name in policy.repositories]


def made():
    """The page as it must be."""
    return matrix(build(audited(), AT))


@pytest.fixture(name="cells", scope="module")
def _cells():
    """Verdict by repository and dependency."""
    return {
        (one.repository.name, cell.dependency.name): cell.judgement.verdict for one in audited() for cell in one.cells
    }


def test_the_page_is_current():
    assert PAGE.read_text(encoding="utf-8") == made()


def test_no_repository_of_the_example_has_a_violation(cells):
    assert len(cells) == 20 * 13 + 3
    assert {verdict for verdict in cells.values() if verdict.rank > LicenseVerdict.CONDITIONAL.rank} == set()


@pytest.mark.parametrize(
    ("name", "repository", "verdict"),
    [
        ("UPX", "ops-math", LicenseVerdict.NOT_APPLICABLE),
        ("libusb", "driver", LicenseVerdict.OBLIGATIONS),
        ("Linux kernel headers", "driver", LicenseVerdict.OBLIGATIONS),
    ],
)
def test_the_three_pitfalls_come_out_right(cells, name, repository, verdict):
    assert cells[repository, name] is verdict


if __name__ == "__main__":
    PAGE.write_text(made(), encoding="utf-8")
