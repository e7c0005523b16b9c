"""How many pull requests a second `evaluate --lines` judges, and how long `evaluate` and `check` take to start."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from figures import Figure, best_of, quantile

NOW = "2026-11-21T00:00:00Z"
COMMITS = 3
PARSE_ONLY = "import json, sys\nfor line in sys.stdin: sys.stdout.write(json.dumps(json.loads(line)) + '\\n')\n"


def measure(*, quick: bool) -> list[Figure]:
    """Signed and unsigned, with and without a sign-off, one line each; beside reading and writing the same JSON."""
    count = 1_000 if quick else 20_000
    with tempfile.TemporaryDirectory(prefix="countersign-bench-") as folder:
        path, file = Path(folder) / "facts.jsonl", Path(folder) / "one.json"
        lines = [json.dumps(facts(number)) for number in range(count)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        file.write_text(lines[0], encoding="utf-8")
        whole = best_of(2, partial(_run, ["-m", "bot", "evaluate", "--lines", str(path)]))
        parsed = best_of(2, partial(_run, ["-c", PARSE_ONLY], path))
        starts = _starts(file, _clone(Path(folder) / "clone"))
        bare = [best_of(1, partial(_run, ["-c", "pass"])) for _ in range(9)]
    return [
        Figure(
            what=f"evaluate --lines, {count:,} pull requests of {COMMITS} commits",
            value=count / whole,
            unit="/s",
            target="≥ 3,000 /s",
            baseline=count / parsed,
            beside="json.loads + dumps of the same lines",
        ),
        *(
            Figure(
                what=f"start of countersign {name}, median",
                value=quantile(times, 0.5) * 1000,
                unit="ms",
                target="" if name == "--help" else "≤ 500 ms",
                baseline=quantile(bare, 0.5) * 1000,
                beside="python -c pass",
            )
            for name, times in starts.items()
        ),
    ]


def _starts(path: Path, clone: Path) -> dict[str, list[float]]:
    commands = {
        "evaluate, one pull request": ["evaluate", str(path)],
        "check, three commits": ["check", str(clone), "--range", "HEAD~3..HEAD"],
        "--help": ["--help"],
    }
    return {
        name: [best_of(1, partial(_run, ["-m", "bot", *command])) for _ in range(9)]
        for name, command in commands.items()
    }


def _clone(path: Path) -> Path:
    git = ["git", "-C", str(path), "-c", "user.name=Person", "-c", "user.email=person@example.org"]
    subprocess.run(["git", "init", "--quiet", str(path)], check=True)
    for number in range(COMMITS + 1):
        subprocess.run([*git, "commit", "--quiet", "--signoff", "--allow-empty", "-m", f"Change {number}"], check=True)
    return path


def facts(number: int) -> dict[str, Any]:
    """One pull request of three commits under `both`: every second opener signed, every third leaves a sign-off out."""
    login, identity = f"person{number}", {"name": f"Person {number}", "email": f"person{number}@example.org"}
    account = {"id": number + 1, "login": login, "type": "User"}
    signed = {"agreement": "icla", "version": "2.0", "account": account, "signed_at": "2026-01-01T00:00:00Z"}
    trailer = "" if number % 3 == 0 else f"\n\nSigned-off-by: {identity['name']} <{identity['email']}>"
    commits = [
        {
            "sha": f"{number:08x}{place:032x}",
            "message": f"Change number {place}{trailer}",
            "parents": [f"{number:08x}{place - 1:032x}"],
            "author": identity,
            "author_account": account,
            "committer": identity,
            "committer_account": account,
        }
        for place in range(1, COMMITS + 1)
    ]
    return {
        "rulebook": {"version": 1, "repositories": [{"match": ["*"], "require": "both"}]},
        "repository": {"full_name": "cann/ops-math", "owner_type": "Organization"},
        "pull_request": {
            "number": number + 1,
            "opener": account,
            "created_at": "2026-11-01T00:00:00Z",
            "base": "main",
            "head_sha": commits[-1]["sha"],
        },
        "commit_count": COMMITS,
        "commits": commits,
        "signatures": [signed] if number % 2 else [],
        "now": NOW,
    }


def _run(arguments: Sequence[str], feed: Path | None = None) -> None:
    with feed.open("rb") if feed else open("/dev/null", "rb") as source:  # noqa: PTH123 - a device, not a path of ours
        done = subprocess.run([sys.executable, *arguments], stdin=source, stdout=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1):  # 1: a verdict that does not pass
        raise RuntimeError(f"{arguments} ended with {done.returncode}")
