"""Changes modules bit by bit in a copy and shows each change that no test notices: `python benchmarks/mutants.py [FOLDER | MODULE ...]`."""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
TOOL = "mutmut==3.8.1"  # In an environment of its own: it wants other versions of click and more
HOME = ROOT / ".venv" / "mutants"
MODULES = (
    "agreements.cla.company_cover", "agreements.cla.contributors", "agreements.cla.coverage", "agreements.completeness",
    "agreements.dco.signoff", "agreements.dco.trailers", "agreements.domains.canonical_form", "agreements.domains.masking", "agreements.domains.providers",
    "agreements.identity.certifiers", "agreements.identity.matching", "agreements.identity.subjects", "agreements.judge",
    "agreements.chain_verification", "agreements.whitelist",
    "agreements.store.companies.domain_claims", "agreements.store.companies.rosters",
    "agreements.store.lookup", "agreements.store.people.email_codes", "agreements.store.people.withdrawals",
    "agreements.store.people.signatures",
    "audit.ecosystems.go", "audit.ecosystems.python.specifiers", "audit.headers.header_rule", "audit.licenses.contradiction",
    "audit.licenses.expression", "audit.licenses.osadl", "audit.purl_match", "audit.rules.closed_work", "audit.rules.combined_work",
    "audit.rules.outbound_exception", "audit.rules.published_answer", "audit.rules.system_library", "audit.sources.questions",
    "audit.texts.grants",
    "audit.texts.mismatch", "audit.usage", "audit.verdict.allow_deny", "audit.verdict.pairing", "audit.verdict.unknown_license",
    "audit.version_range",
    "bot.access.roles", "bot.report.local_cla_check", "bot.report.dco_situation", "bot.report.markdown",
    "bot.report.verdict_tables", "bot.rulebook.exempt_bots", "bot.rulebook.merge", "bot.rulebook.patterns", "bot.webhook.commands",
    "bot.webhook.events", "bot.webhook.signature",
    "bot.flows.licenses.before_and_after", "bot.flows.merge_group", "bot.flows.override_commands", "bot.flows.publishing.labels",
    "bot.flows.publishing.review_publisher", "bot.flows.recheck", "bot.flows.review", "bot.flows.sweep",
    "bot.store.mailbox", "bot.store.pulls.overrides", "bot.store.pulls.verdicts", "bot.store.retry_policy",
)  # fmt: skip
"""What decides, in each folder; where it asks a database, a test gives it one of SQLite."""
BESIDE = {
    "agreements": (
        "agreements/dco/test_trailers",
        "agreements/dco/test_diagnosis",
        "agreements/dco/test_remediation",
        "promises/test_coverage",
        "promises/test_identity",
        "promises/test_sign_off",
    ),
    "agreements.store": (
        "agreements/store/companies/test_domain_claims",
        "agreements/store/companies/test_enrolments",
        "agreements/store/companies/test_managers",
    ),
    "audit": (
        "audit/rules/test_expression_compatibility",
        "audit/rules/test_pair_compatibility",
        "audit/verdict/test_policy",
    ),
}
"""Tests that try a folder's modules beside their own."""
AT_IMPORT = ("bot.webhook.events.x__check__", "bot.webhook.events.x__membership__")
"""Functions that run when their module is imported. The tool changes something only later, so nothing could notice it."""
PACKAGES = ("agreements", "audit", "bot", "migrations")
# Left out: properties of whole pull requests, what measures time, what fills a comment to its limit.
LONG = "not thousand and not actor_never_passes and not no_word_no_pass and not is_total and not within_githubs_limits"
CONFTEST = """
# Few examples and no PostgreSQL: every change is tried. An answer that was remembered before the change would hide it.
from functools import lru_cache
from hypothesis import HealthCheck
settings.register_profile("few", max_examples=25, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
settings.load_profile("few")
_postgres_programs = lambda: None
REMEMBERS = type(lru_cache(print))

def pytest_sessionstart():
    for module in [module for name, module in sys.modules.items() if name.startswith(("agreements.", "audit.", "bot."))]:
        for value in vars(module).values():
            if type(value) is REMEMBERS and value.cache_info().maxsize:  # the others hold what is read or built once
                value.cache_clear()
"""
NAMES = """
import sys
from pathlib import Path
from mutmut.mutation.file_mutation import mutate_file_contents
from mutmut.utils.format_utils import get_mutant_name
for path in sys.argv[1:]:
    for name in mutate_file_contents(path, Path(path).read_text("utf-8")).mutant_names:
        print(get_mutant_name(Path(path), name))
"""
SHOW = """
import sys
from mutmut.mutation.diff_apply import find_mutant, get_diff_for_mutant
for name in sys.argv[1:]:
    print("", name, sep="\\n")
    changed = get_diff_for_mutant(name, path=find_mutant(name).path).splitlines()
    print(*(line for line in changed if line[:1] in "-+" and line[:3] not in ("---", "+++")), sep="\\n")
"""
"""What the tool's commands can do for one change only, each time from the start."""


def main() -> int:
    """The exit code: 0 when all was tried, even if mutants survived."""
    wanted = _wanted()
    named = [name for name in MODULES if {name, _folder(name)} & set(wanted.where)] if wanted.where else list(MODULES)
    known = {*MODULES, *map(_folder, MODULES)}
    if unknown := set(wanted.where) - known:
        print(
            f"no such folder or module: {', '.join(sorted(unknown))}; there are {', '.join(sorted(known))}",
            file=sys.stderr,
        )
        return 2
    found: dict[str, Counter[str]] = {}
    for folder in dict.fromkeys(map(_folder, named)):
        with tempfile.TemporaryDirectory(prefix="mutants-") as place:
            copy = Path(place)
            modules = [name for name in named if _folder(name) == folder]
            _prepare(copy, folder, modules)
            drawn = _drawn(copy, modules, wanted)
            tried = _run(copy, "mutmut", "run", "--max-children", str(wanted.children), *drawn, shown=True)
            if tried.returncode:
                return tried.returncode
            found |= _survivors(copy, set(drawn))
    _table(found, wanted)
    return 0


def _wanted() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("where", nargs="*", help="folders or modules (default: all)")
    parser.add_argument(
        "--sample", type=int, default=0, help="so many changes of each module, drawn by the seed (default: all)"
    )
    parser.add_argument("--seed", type=int, default=1, help="(default: %(default)s)")
    parser.add_argument(
        "--children", type=int, default=os.cpu_count() or 1, help="changes tried at once (default: %(default)s)"
    )
    return parser.parse_args()


def _folder(module: str) -> str:
    package, *inner = module.split(".")
    return f"{package}.{inner[0]}" if inner[0] in ("flows", "store") else package


def _path(module: str) -> str:
    return f"{module.replace('.', '/')}.py"


def _prepare(copy: Path, folder: str, modules: list[str]) -> None:
    """The product and its tests. The modules remember no answers, as mutmut leaves decorated functions alone."""
    for name in (*PACKAGES, "tests", "docs"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in (copy / _path(name) for name in modules):
        path.write_text(re.sub(r"^@lru_cache.*\n", "", path.read_text("utf-8"), flags=re.MULTILINE), "utf-8")
    with (copy / "tests" / "conftest.py").open("a", encoding="utf-8") as conftest:
        conftest.write(CONFTEST)
    twins = [re.sub(r"(\w+)\.py$", r"test_\1.py", _path(name)) for name in MODULES if _folder(name) == folder]
    settings = {
        "source_paths": [*PACKAGES],
        "only_mutate": [_path(name) for name in modules],
        "also_copy": ["tests", "docs"],
        "pytest_add_cli_args_test_selection": [
            f"tests/{name}" for name in (*twins, *(f"{name}.py" for name in BESIDE.get(folder, ())))
        ],
        "pytest_add_cli_args": [
            *("-p", "no:cacheprovider", "-p", "no:xdist", "--import-mode=importlib"),
            *("-o", "tmp_path_retention_policy=none", "-k", LONG),
        ],
        "timeout_multiplier": 10.0,
        "timeout_constant": 3.0,
        "track_dependencies": False,
    }
    lines = "\n".join(f"{key} = {json.dumps(value)}" for key, value in settings.items())
    (copy / "pyproject.toml").write_text(f"[tool.mutmut]\n{lines}\n", "utf-8")
    (copy / "tmp").mkdir()


def _drawn(copy: Path, modules: list[str], wanted: argparse.Namespace) -> list[str]:
    """The names of the changes to try: all that the tool makes of these modules, or some of each."""
    chance = random.Random(wanted.seed)
    names = defaultdict[str, list[str]](list)
    for name in _run(copy, "python", "-c", NAMES, *map(_path, modules)).stdout.splitlines():
        if not name.startswith(AT_IMPORT):
            names[name.rpartition(".")[0]].append(name)
    size = wanted.sample
    return [name for all_ in names.values() for name in (chance.sample(all_, size) if 0 < size < len(all_) else all_)]


def _survivors(copy: Path, drawn: set[str]) -> dict[str, Counter[str]]:
    """The numbers of changes of each module by how they ended; a change that no test noticed is shown."""
    found = defaultdict[str, Counter[str]](Counter)
    left = []
    for line in _run(copy, "mutmut", "results", "--all", "true").stdout.splitlines():
        name, _, state = line.strip().partition(": ")
        if name in drawn:
            found[name.rpartition(".")[0]][state] += 1
            left += [name] * (state not in ("killed", "timeout"))  # A test that hangs has noticed.
    print(_run(copy, "python", "-c", SHOW, *left).stdout)
    return found


def _table(found: dict[str, Counter[str]], wanted: argparse.Namespace) -> None:
    drawn = f", {wanted.sample} of each module drawn by the seed {wanted.seed}" if wanted.sample else ""
    print(
        f"The changes{drawn}:\n\n| module | changes | noticed | too slow | not noticed | noticed |\n|---|---|---|---|---|---|"
    )
    folders = defaultdict[str, Counter[str]](Counter)
    for module, states in found.items():
        folders[_folder(module)] += states
    for name, states in [*found.items(), *((f"**{name}**", states) for name, states in folders.items())]:
        total, noticed = states.total(), states["killed"] + states["timeout"]
        print(
            f"| {name} | {total} | {states['killed']} | {states['timeout']} | {total - noticed} | {noticed / total:.1%} |"
        )


def _run(copy: Path, program: str, *words: str, shown: bool = False) -> subprocess.CompletedProcess[str]:
    """One of the tool's programs in the copy; what its tests write stays there."""
    command = ["env", f"TMPDIR={copy / 'tmp'}", str(_home() / program), *words]
    return subprocess.run(command, cwd=copy, check=not shown, capture_output=not shown, text=True)


def _home() -> Path:
    """The folder of the tool's programs, which find the project's libraries, too."""
    if not (HOME / "bin" / "mutmut").exists():
        subprocess.run([sys.executable, "-m", "venv", HOME], check=True)
        subprocess.run([HOME / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", TOOL], check=True)
    (libraries,) = HOME.glob("lib/python3*/site-packages")
    (libraries / "project.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    return HOME / "bin"


if __name__ == "__main__":
    sys.exit(main())
