"""Judges hostile pull requests and says where a verdict is wrong: `python tests/hostile/run.py [CASES [FIRST_SEED]]`."""

import json
import os
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))  # after PYTHONPATH: planted faults stand there

from agreements.json.facts_reader import FactsInvalid, read
from agreements.json.verdict_writer import plain
from agreements.judge import judge
from tests.hostile import oracle
from tests.hostile.generator import case

CHUNK = 250


class Silent:
    """No words: only codes are compared."""

    message = fix = ""


def verdict(facts):
    """The verdict as plain data, None when the facts are refused."""
    try:
        return plain(judge(read(facts)), lambda item: Silent)
    except FactsInvalid:
        return None


def wrong(trial):
    """How the verdict of a case differs from what it must be; an exception is a difference, too."""
    try:
        return oracle.faults(trial.expected, verdict(trial.facts))
    except Exception as error:  # noqa: BLE001 - the case that caused the exception is what helps
        return [f"{type(error).__name__}: {error}"]


def run(seeds):
    """The smallest case that was judged wrong, as text, or None; and how often everything occurred."""
    found, counts = [], Counter()
    for seed in seeds:
        trial = case(seed)
        ends = "pass" if trial.expected.passes else "fail"
        counts.update([f"{trial.side}: {ends}", *(f"{name}: {ends}" for name in set(trial.attacks))])
        counts.update(
            f"persons {'covered' if covered else 'not covered'}" for covered, _ in trial.expected.people.values()
        )
        counts.update(f"commits {'signed' if fine else 'not signed'}" for fine in trial.expected.commits)
        if differences := wrong(trial):
            counts["WRONG"] += 1
            facts = json.dumps(trial.facts, ensure_ascii=True)
            found.append((len(facts), f"seed {seed}, {trial.side}, {', '.join(trial.attacks)}: {differences}\n{facts}"))
    return min(found, default=(0, None))[1], counts


def main(cases, first):
    """Judge that many, on all processors; print the table; the exit code says whether all were judged right."""
    began, counts, texts = time.monotonic(), Counter(), []
    chunks = [range(start, min(start + CHUNK, first + cases)) for start in range(first, first + cases, CHUNK)]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for text, counted in pool.map(run, chunks):
            counts += counted
            texts += [text] if text else []
    for name in sorted({name.partition(":")[0] for name in counts if ":" in name}):
        print(f"{name:28} {counts[f'{name}: pass']:8} pass {counts[f'{name}: fail']:8} fail")
    for name in sorted(name for name in counts if ":" not in name and name != "WRONG"):
        print(f"{name:28} {counts[name]:8}")
    print(f"{cases} pull requests in {time.monotonic() - began:.0f} s, {counts['WRONG']} judged wrong")
    if texts:
        print(min(texts, key=len))
    return 1 if texts else 0


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    sys.exit(main(*[*numbers, *(2000, 0)[len(numbers) :]]))
