"""The examples of facts give what the pages say of them, and docs/reference/facts.csv names just the keys that there are."""

import csv
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from agreements.facts import Account, Check, CommitStatus, Conclusion, Note, Problem, Verdict
from agreements.json.facts_reader import FactsInvalid, read
from agreements.json.verdict_writer import plain
from bot.report.words import text

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs/reference/facts.md").read_text(encoding="utf-8")
with (ROOT / "docs/reference/facts.csv").open(encoding="utf-8", newline="") as table:
    KEYS = list(csv.DictReader(table))
COUNTERSIGN = Path(sys.executable).parent / "countersign"


def facts(name):
    """An example as data."""
    return json.loads((ROOT / "examples/facts" / name).read_text(encoding="utf-8"))


def commands():
    """The page's lines that run `evaluate`, each with the exit code in its comment."""
    return re.findall(r"^countersign (evaluate .*?)\s+# .*\(exit code ([0-2])\)$", PAGE, re.MULTILINE)


def test_the_page_shows_an_example_that_passes_and_one_that_fails():
    assert [line for line, _ in commands()] == [
        "evaluate examples/facts/passes.json",
        "evaluate examples/facts/fails.json --format text",
    ]


@pytest.mark.parametrize(("line", "code"), commands())
def test_the_commands_of_the_page_end_as_it_says(line, code):
    ran = subprocess.run([COUNTERSIGN, *line.split()], cwd=ROOT, capture_output=True, text=True, check=False)

    assert (ran.returncode, ran.stderr) == (int(code), "")
    assert ran.stdout.startswith("{" if "--format" not in line else "failure: CLA failure, DCO failure\n")


def test_a_key_is_needed_exactly_where_the_page_says_so():
    whole = facts("passes.json")
    needed = {row["key"] for row in KEYS if row["required"]}

    for key in whole:
        less = {name: value for name, value in whole.items() if name != key}
        if key in needed:
            with pytest.raises(FactsInvalid, match=key):
                read(less)
        else:
            assert read(less)
    assert needed < set(whole)
    assert set(whole) <= {row["key"] for row in KEYS}


@pytest.mark.parametrize("key", sorted({"full_name", "number", "head_sha", "sha"}))
def test_a_key_below_is_needed_exactly_where_the_page_says_so(key):
    whole = facts("passes.json")
    for part in (whole["repository"], whole["pull_request"], whole["commits"][0]):
        part.pop(key, None)

    assert f"`{key}` ●" in PAGE + "".join(row["meaning"] for row in KEYS)
    with pytest.raises(FactsInvalid, match=key):
        read(whole)


def test_the_verdict_has_just_the_keys_of_the_page():
    problem = Problem(code="dco/missing", sha="a" * 40, account=Account(1, "ada"), values={"expected": ()})
    note = Note(code="dco/merge", sha="b" * 40)
    check = Check(
        name="DCO", conclusion=Conclusion.FAILURE, problems=(problem,), notes=(note,),
        commits=(CommitStatus("a" * 40, "fail", ("dco/missing",)),),
    )  # fmt: skip
    found = plain(
        Verdict(conclusion=check.conclusion, checks=(check, replace(check, commits=None))),
        lambda note: text(note, "en"),
    )
    written = set(re.findall(r"`(\w+)`", PAGE.partition("## Verdict")[2]))
    (first, _) = found["checks"]
    keys = {*found, *first, *first["commits"][0], *first["problems"][0], *first["notes"][0]}

    assert keys - written == set()
    assert set(first["problems"][0]) - set(first["notes"][0]) == {"role", "fix"}
