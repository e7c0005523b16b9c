"""A table that a program reads back and no spreadsheet calculates."""

import csv
import io
from datetime import date
from pathlib import Path

import pytest

from audit.facts import Place, Usage, Waiver
from audit.output.dependency_table import HEADER, dependency_table
from audit.verdict.policy import Policy
from bot.spreadsheet import escape
from tests.audit.output.test_spdx_document import HOSTILE
from tests.audit.runs import MYSTERY, audited, organisation, used

GOLDEN = Path(__file__).parents[2] / "cases/licenses/dependencies.csv"


def rows(*dependencies, supplier=None, **more):
    """The rows by column, as a program reads them."""
    table = dependency_table(audited(*dependencies, **more), escape, supplier)
    return list(csv.DictReader(io.StringIO(table.removeprefix("\ufeff"), newline="")))


def test_the_whole_table_is_as_kept():
    assert GOLDEN.read_bytes() == dependency_table(organisation()[0], escape).encode()


def test_a_row_has_every_column_by_name():
    waiver = Waiver(purl="pkg:npm/mystery@1.2.0", until=date(2027, 1, 1), reason="secret", by="Ada Example")
    either = used(
        "a", "GPL-2.0-only OR MIT", Usage.BUNDLED, direct=False, optional=True, modified=True, component="MIT",
        download="https://npm.example.com/a.tgz", places=(Place("package.json"),),
    )  # fmt: skip
    first, second = rows(either, MYSTERY, policy=Policy(waivers=(waiver,)))

    assert list(first) == list(HEADER)
    assert {name: first[name] for name in HEADER if name not in {"reason", "what to do", "rule"}} == {
        "repository": "org/work", "name": "a", "version": "1.2.0", "usage": "bundled", "license": "GPL-2.0-only OR MIT",
        "concluded": "MIT", "verdict": "compatible", "waived until": "", "direct": "no", "optional": "yes", "modified": "yes",
        "component": "MIT", "supplier": "npm.example.com", "purl": "pkg:npm/a@1.2.0",
        "download": "https://npm.example.com/a.tgz", "file": "package.json", "line": "",
    }  # fmt: skip
    assert (second["waived until"], second["direct"], second["line"]) == ("2027-01-01", "", "10")
    assert second["what to do"] == (
        "Find out the licence and set it in the rulebook, or ask the authors to state one. Without a licence, no use is allowed."
    )


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@x", "\t=1", "a;=1", 'a","=1', *HOSTILE])
def test_no_cell_is_a_formula_and_a_row_stays_one_row(name):
    use = used(name, name, Usage.BUNDLED, version=name, purl=name, places=(Place(name, 1, name),), component=name)
    found = rows(use, name=name, supplier=name)

    assert len(found) == 1
    for value in found[0].values():
        assert not value.lstrip("\t ").startswith(("=", "+", "-", "@"))
        assert ";=" not in value
