"""Changes pure modules bit by bit in a copy and shows each change that no test notices: `python benchmarks/mutants.py [MODULE ...]`."""

import json
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
TOOL = "mutmut==3.8.1"  # in an environment of its own: it wants other versions of click and more
HOME = ROOT / ".venv" / "mutants"
MODULES = (
    "agreements.dco.signoff", "agreements.cla.coverage", "agreements.domains.domains", "agreements.cla.companies",
    "agreements.identity.certifiers", "agreements.domains.providers", "agreements.identity.people", "agreements.cla.contributors",
    "agreements.judge", "agreements.identity.equivalence", "agreements.dco.trailers",
    "audit.rules.closed_work", "audit.rules.combined_work", "audit.rules.outbound_exception", "audit.rules.published_answer",
    "audit.rules.system_library", "audit.usage", "audit.verdict.pairing",
    "bot.rulebook.patterns", "bot.webhook.commands", "bot.webhook.signature", "bot.report.markdown",
)  # fmt: skip
BESIDE = (
    "agreements.dco.address_grammar",
    "agreements.dco.diagnosis",
    "agreements.dco.remediation",
    "audit.rules.derivation",
)
"""Modules whose tests try those above, too."""
TESTS = ["tests/" + re.sub(r"(\w+)$", r"test_\1.py", name.replace(".", "/")) for name in (*MODULES, *BESIDE)]
TESTS += [f"tests/promises/test_{name}.py" for name in ("coverage", "identity", "sign_off")]
PACKAGES = ("agreements", "audit", "bot", "migrations")
# left out: properties of whole pull requests, and what measures time
LONG = "not thousand and not never_passes and not no_word_no_pass and not is_total"
CONFTEST = '''"""Few examples: every change is tried."""
import sys
from pathlib import Path
from hypothesis import HealthCheck, settings
sys.path.insert(0, str(Path(__file__).parents[1]))
settings.register_profile("few", max_examples=25, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
settings.load_profile("few")
'''


def main() -> int:
    """The exit code: 0 when all was tried, whatever it showed."""
    named = sys.argv[1:] or MODULES
    if unknown := set(named) - set(MODULES):
        print(f"no such module: {', '.join(sorted(unknown))}; there are {', '.join(MODULES)}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Path(folder)
        _prepare(copy)
        tried = subprocess.run([_tool(), "run", *(f"{name}.*" for name in named)], cwd=copy, check=False)
        if tried.returncode:
            return tried.returncode
        _show(copy)
    return 0


def _tool() -> Path:
    """The tool, which finds the project's libraries, too."""
    if not (HOME / "bin" / "mutmut").exists():
        subprocess.run([sys.executable, "-m", "venv", HOME], check=True)
        subprocess.run([HOME / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", TOOL], check=True)
    (libraries,) = HOME.glob("lib/python3*/site-packages")
    (libraries / "project.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    return HOME / "bin" / "mutmut"


def _prepare(copy: Path) -> None:
    """The core and its tests; without caches, as mutmut leaves decorated functions alone."""
    for name in (*PACKAGES, "tests", "docs"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in (path for name in PACKAGES for path in (copy / name).rglob("*.py")):
        path.write_text(re.sub(r"^@(?:lru_cache|cache).*\n", "", path.read_text("utf-8"), flags=re.MULTILINE), "utf-8")
    (copy / "tests" / "conftest.py").write_text(CONFTEST, "utf-8")
    settings = {
        "source_paths": [*PACKAGES],
        "only_mutate": [f"{name.replace('.', '/')}.py" for name in MODULES],
        "also_copy": ["tests", "docs"],
        "pytest_add_cli_args_test_selection": TESTS,
        "pytest_add_cli_args": ["-p", "no:cacheprovider", "-p", "no:xdist", "--import-mode=importlib", "-k", LONG],
        "timeout_multiplier": 10.0,
        "timeout_constant": 10.0,
    }
    lines = "\n".join(f"{key} = {json.dumps(value)}" for key, value in settings.items())
    (copy / "pyproject.toml").write_text(f"[tool.mutmut]\n{lines}\n", "utf-8")


def _show(copy: Path) -> None:
    """Each survivor as a difference, then a row of the table per module."""
    found = defaultdict[str, Counter[str]](Counter)
    for line in _ask(copy, "results", "--all", "true").splitlines():
        name, _, state = line.strip().partition(": ")
        found[name.rpartition(".")[0]][state] += 1
        if state not in ("killed", "not checked"):
            changed = [one for one in _ask(copy, "show", name).splitlines() if re.match(r"[-+](?![-+])", one)]
            print(f"\n{name}: {state}", *changed, sep="\n")
    print("\n| module | changes | noticed | too slow | not noticed | noticed |\n|---|---|---|---|---|---|")
    for module, states in found.items():
        total = sum(states.values()) - states["not checked"]
        if total:
            noticed = states["killed"] + states["timeout"]
            print(
                f"| {module} | {total} | {states['killed']} | {states['timeout']} | {total - noticed} | {noticed / total:.1%} |"
            )


def _ask(copy: Path, *words: str) -> str:
    return subprocess.run([_tool(), *words], cwd=copy, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    sys.exit(main())
