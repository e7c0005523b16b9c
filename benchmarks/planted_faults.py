"""Plants faults in a copy, one at a time, and counts which the tests notice: `python benchmarks/planted_faults.py [FAULT | FOLDER ...]`.

`mutants.py` tries many changes of the modules that decide, by their twins. Here are few, from every folder of the product,
by all tests that concern them, those marked slow only with SLOW=1 in the environment; a fault keeps its name as long as
its statement stays as it is.
"""

import argparse
import ast
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import zip_longest
from pathlib import Path
from queue import SimpleQueue

import pytest
from faults import Fault, changes

ROOT = Path(__file__).parents[1]
FAULTS, LARGE, IN_LARGE = 80, 15, 3
"""So many are drawn; a folder of so many modules has at least so many of them."""
TWIN_SECONDS, OTHER_SECONDS = 150, 400
EQUIVALENT = {
    "1db54967": "a name that begins with a slash holds one, which the condition asks for as well",
    "76ca398c": "ruamel.yaml marks the place of each problem of a document",
}
"""Changes that nothing can observe, by the fault's name, and why. Another fault is drawn in place of each."""


def main() -> int:
    """The exit code: 0 when all faults were tried, and the tests that noticed them pass without them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("where", nargs="*", help="names of faults, or folders (default: all that are drawn)")
    parser.add_argument("--seed", type=int, default=1, help="(default: %(default)s)")
    parser.add_argument("--list", action="store_true", help="print the faults, try none")
    wanted = parser.parse_args()
    of = {*wanted.where}
    drawn = [fault for fault in _drawn(wanted.seed) if not of or {fault.name, _folder(fault.module)} & of]
    if wanted.list:
        print(*drawn, sep="\n")
        return 0
    with tempfile.TemporaryDirectory(prefix="faults-") as place:
        copies, children = SimpleQueue[Path](), os.cpu_count() or 1
        for number in range(children):
            left_out = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".deployment", ".*_cache")
            copies.put(shutil.copytree(ROOT, Path(place) / str(number), ignore=left_out))
        with ThreadPoolExecutor(children) as pool:
            found = dict(zip(drawn, pool.map(partial(_tried, copies), drawn), strict=True))
        failing = _run(copies.get(), sorted({test for test in found.values() if test.startswith("tests/")}), 3600)
    _print_table(found)
    print(f"\nThis fails without a fault, too: {failing}" * bool(failing))
    return bool(failing)


def _folder(module: str) -> str:
    parts = Path(module).parts
    return "/".join(parts[:2]) if len(parts) > 2 else parts[0]


def _drawn(seed: int) -> list[Fault]:
    """Faults of every folder, of kinds that alternate. The rank of a fault depends on that fault alone, not on the rest of the code."""

    def rank(*of: object) -> bytes:
        return hashlib.sha256(repr((seed, *of)).encode()).digest()

    modules = Counter[str]()
    by_kind = defaultdict[str, defaultdict[str, list[Fault]]](lambda: defaultdict(list))
    for path in sorted(path for package in ("agreements", "audit", "bot") for path in (ROOT / package).rglob("*.py")):
        module = str(path.relative_to(ROOT))
        modules[_folder(module)] += 1
        for fault, _ in changes(ast.parse(path.read_text("utf-8")), module):
            if fault.name not in EQUIVALENT:
                by_kind[_folder(module)][fault.kind].append(fault)
    quota = {folder: IN_LARGE if count >= LARGE else 1 for folder, count in modules.items()}
    while sum(quota.values()) < FAULTS:
        quota[max(quota, key=lambda folder: modules[folder] / quota[folder])] += 1
    drawn = []
    for folder, kinds in sorted(by_kind.items()):
        ranked = [sorted(faults, key=lambda fault: rank(fault.name)) for faults in kinds.values()]
        ranked.sort(key=lambda faults: rank(folder, faults[0].kind))
        drawn += [fault for row in zip_longest(*ranked) for fault in row if fault][: quota[folder]]
    return drawn


def _tried(copies: SimpleQueue[Path], fault: Fault) -> str:
    """The test that noticed the fault, "too slow", or nothing."""
    copy = copies.get()
    path = copy / fault.module
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    next(change for found, change in changes(tree, fault.module) if found == fault)()
    twin, others = _tests(fault.module)
    try:
        _write(path, ast.unparse(ast.fix_missing_locations(tree)))
        return _run(copy, twin, TWIN_SECONDS) or _run(copy, others, OTHER_SECONDS)
    finally:
        _write(path, text)
        copies.put(copy)


def _write(path: Path, text: str) -> None:
    # What was compiled of it goes, too: its time and size may be those of before.
    path.write_text(text, "utf-8")
    for compiled in path.parent.glob(f"__pycache__/{path.stem}.*"):
        compiled.unlink()


def _tests(module: str) -> tuple[list[str], list[str]]:
    """The twin of a module; the other tests of the twin's folder and those that import the module."""
    dotted = re.sub(r"(/__init__)?\.py$", "", module).replace("/", ".")
    package, _, name = dotted.rpartition(".")
    twin = Path("tests", *package.split("."), f"test_{name}.py")
    imported = re.compile(
        rf"^\s*(?:from|import) (?:{dotted}\b|{package} import (?:\([^)]*|.*)\b{name}\b)", re.MULTILINE
    )
    others = [str(it.relative_to(ROOT)) for it in (ROOT / "tests").rglob("test_*.py")
              if it.parent == (ROOT / twin).parent or imported.search(it.read_text("utf-8"))]  # fmt: skip
    return [str(twin)] if (ROOT / twin).exists() else [], sorted({*others} - {str(twin)})


def _run(copy: Path, tests: list[str], seconds: int) -> str:
    """The first test that fails, if one does; "too slow" when they do not end in time."""
    words = ("-m", "pytest", "-x", "-q", "--tb=no", "-rfE", "-p", "no:cacheprovider", "-p", "no:xdist", *tests)
    command = ["env", f"PYTHONPATH={copy}", sys.executable, *words]
    try:
        ended = subprocess.run(command, cwd=copy, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return "too slow"
    named = re.search(r"^(?:FAILED|ERROR) ([^\s\[]+)", ended.stdout, re.MULTILINE)
    failed = ended.returncode not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    return named[1] if named else f"exit code {ended.returncode}" * failed


def _print_table(found: dict[Fault, str]) -> None:
    rows = defaultdict[str, Counter[str]](Counter)
    for fault, test in found.items():
        by_twin = test.partition("::")[0] in ("too slow", *_tests(fault.module)[0])
        for row in (_folder(fault.module), "**all**"):
            rows[row].update({"faults": 1, "noticed": int(bool(test)), "by the twin": int(by_twin)})
    print("| folder | faults | noticed | by the twin |\n|---|---|---|---|")
    for name in sorted(rows, key=lambda name: (name.startswith("*"), name)):
        print("|", " | ".join([name, *map(str, rows[name].values())]), "|")
    print(*(f"{fault}\n  {test or 'NOT NOTICED'}" for fault, test in found.items()), sep="\n")


if __name__ == "__main__":
    sys.exit(main())
