"""An attacker who controls all git metadata gets no person past the checks, and brings no other person down.

The generator decides who is covered before it writes git data, and calls nothing of the core: an uncovered actor never
passes, and a covered one never fails for what others write. 6,000 cases here, any number with `make hostile`.
"""

import ast
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.hostile.attacks import GIT
from tests.hostile.generator import case
from tests.hostile.noise import NOISE
from tests.hostile.planted import FAULTS, ROOT
from tests.hostile.run import run, verdict
from tests.hostile.stage import AROUND

CASES = 6000
HERE = Path(__file__).parent


@pytest.fixture(scope="module", name="results")
def _results():
    """All cases of this run, judged once: the smallest wrong one, and what occurred."""
    text, counts = run(range(CASES))
    return text, counts


def test_every_verdict_on_hostile_pull_requests_is_right(results):
    text, counts = results

    assert 0 == counts["WRONG"], text


def test_every_attack_occurs_and_verdicts_go_both_ways(results):
    _, counts = results

    assert [] == [
        attack.__name__
        for attack in (*GIT, *AROUND, *NOISE)
        if not counts[f"{attack.__name__}: pass"] + counts[f"{attack.__name__}: fail"]
    ]
    assert 0 == counts["innocent: fail"]
    assert (
        min(counts["innocent: pass"], counts["guilty: fail"], counts["mixed: fail"], counts["mixed: pass"]) > CASES / 10
    )


def test_no_uncovered_actor_passes():
    ends = Counter()
    for seed in range(0, CASES, 4):
        trial = case(seed)
        if trial.side == "guilty" and trial.expected.require in ("cla", "both") and "overridden" not in trial.attacks:
            ends[(verdict(trial.facts) or {"conclusion": "refused"})["conclusion"]] += 1

    assert sum(ends.values()) > 20
    assert set(ends) <= {"failure", "action_required", "refused"}


@pytest.mark.slow
def test_the_real_program_says_the_same():
    facts = [case(seed).facts for seed in range(0, CASES, CASES // 50)]
    ran = subprocess.run(
        [Path(sys.executable).parent / "countersign", "evaluate", "--lines", "-"],
        input="".join(json.dumps(data) + "\n" for data in facts), capture_output=True, text=True, check=False,
    )  # fmt: skip
    lines = [json.loads(line) for line in ran.stdout.splitlines()]

    assert [verdict(data) for data in facts] == [None if "error" in line else _without_words(line) for line in lines]


def _without_words(said):
    for check in said["checks"]:
        for finding in (*check["problems"], *check["notes"]):
            finding.update({key: "" for key in ("message", "fix") if key in finding})
    return said


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_the_hostile_cases_find_each_planted_fault(name, tmp_path):
    FAULTS[name].plant(tmp_path)
    script = (
        "import agreements, sys\n"
        "from tests.hostile.generator import case\n"
        "from tests.hostile.run import wrong\n"
        f"assert agreements.__file__.startswith({str(tmp_path)!r}), agreements.__file__\n"
        f"cases, among = (case(seed) for seed in range({CASES})), {FAULTS[name].among!r}\n"
        "sys.exit(not any(wrong(trial) for trial in cases if not among or among in trial.attacks))\n"
    )
    paths = os.pathsep.join([str(tmp_path), str(ROOT)])
    ran = subprocess.run(
        [sys.executable, "-P", "-c", script],
        env={"PYTHONPATH": paths},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert 0 == ran.returncode, f"not found: {FAULTS[name].sentence}\n{ran.stderr}"


def test_a_planted_fault_needs_its_place(tmp_path):
    fault = FAULTS["opener"]
    gone = type(fault)(fault.sentence, (("identity/subjects", "no such line", "x"),))

    with pytest.raises(LookupError, match="0 times"):
        gone.plant(tmp_path)


@pytest.mark.parametrize("path", sorted(HERE.glob("*.py")), ids=lambda path: path.name)
def test_the_generator_imports_nothing_of_the_core(path):
    """The expected result must not be computed by the code under test."""
    if path.name in ("run.py", "test_hostile.py"):
        return
    imported = {
        name
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [alias.name for alias in getattr(node, "names", [])]
        )
        if isinstance(node, ast.Import | ast.ImportFrom)
    }

    assert not any(name.split(".")[0] in ("agreements", "bot") for name in imported)


def test_the_same_seed_gives_the_same_facts_in_any_process():
    script = "import json; from tests.hostile.generator import case; print(json.dumps([case(seed).facts for seed in range(20)]))"
    ran = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)

    assert json.loads(ran.stdout) == [case(seed).facts for seed in range(20)]
