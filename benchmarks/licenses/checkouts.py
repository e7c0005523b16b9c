"""A checkout with 2,000 locked dependencies audited offline, the whole command; 60 real ones in one run; an SBOM of 5,000 packages."""

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime
from pathlib import Path

from figures import Figure, best_of, processor_of, run
from licenses import projects

from audit.facts import Dependency, Learned, Repository, Usage
from audit.licenses import osadl
from audit.output.spdx_document import sbom
from audit.output.spdx_validation import faults
from audit.verdict.policy import Policy
from audit.verdict.repository_verdict import Judge

LOCKED, QUICK, PACKAGES = 2_000, 200, 5_000
NEEDS = 4
"""How many others a locked dependency needs: most of a lock file's length."""
LICENSES = ("MIT", "ISC", "Apache-2.0", "BSD-3-Clause", "(MIT OR CC0-1.0)", "LGPL-2.1-or-later", "MPL-2.0")
ROUNDS = 3
MANY, QUICK_MANY = 60, 3
"""Checkouts that are audited in one run."""


def measure(*, quick: bool) -> list[Figure]:
    """Each ecosystem beside a Python that only starts; the document beside its bytes read as JSON."""
    count = QUICK if quick else LOCKED
    bare = _seconds([sys.executable, "-c", "pass"])
    found = []
    for name, files in _CHECKOUTS.items():
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder, "checkout")
            root.mkdir()
            for path, text in files(count).items():
                (root / path).write_text(text)
            command = [str(Path(sys.executable).parent / "countersign"), "audit", str(root), "--offline"]
            plain = _seconds(command, count)
            written = _seconds([*command, "--out", str(Path(folder, "out"))], count)
        target = "≤ 2 s" if count == LOCKED else ""
        beside = "`python -c pass`"
        found += [
            Figure(what=f"audit of {count:,} locked, {name}", value=plain, unit="s", target=target, baseline=bare, beside=beside),
            Figure(what=f"audit of {count:,} locked, {name}, all files written", value=written, unit="s", target=target, baseline=bare, beside=beside),
        ]  # fmt: skip
    return [*found, *_together(QUICK_MANY if quick else MANY), _document(PACKAGES // 10 if quick else PACKAGES)]


def _together(count: int) -> list[Figure]:
    """Foreign projects in one run with all files written: beside the half of them, twice that is what they should take."""
    trees = sorted(str(path) for path in projects.FOLDER.glob("*") if path.is_dir())[:count]
    if len(trees) < count:
        print(f"{len(trees)} of {count} projects are there; projects.py fetches them", file=sys.stderr)
        return []
    half = _audited(trees[: count // 2])
    wall, processor, memory, size = _audited(trees)
    beside = f"the first {count // 2}"
    what = f"audit of {count} real checkouts in one run"
    return [
        Figure(what=f"{what}, processor", value=processor, unit="s", target=f"≤ {count * 60:,}", baseline=half[1], beside=beside),
        Figure(what=f"{what}, wall clock", value=wall, unit="s", baseline=half[0], beside=beside),
        Figure(what=f"{what}, highest memory", value=memory, unit="MiB", target="≤ 1,024", baseline=half[2], beside=beside),
        Figure(what=f"{what}, all that it writes", value=size, unit="MiB", baseline=half[3], beside=beside),
    ]  # fmt: skip


def _audited(trees: list[str]) -> tuple[float, float, float, float]:
    """Wall clock and processor in seconds, highest memory and all files in MiB of one run."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "licenses.checkouts", *trees, folder]
        start = time.perf_counter()
        done = subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True, check=True)
        processor, memory = json.loads(done.stdout)
        wall = time.perf_counter() - start
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
        return wall, processor, memory, size / 2**20


def _run_of(trees: list[str], out: str) -> tuple[float, float]:
    """Seconds of processor and highest memory in MiB of the command, the only child of this process."""
    command = [str(Path(sys.executable).parent / "countersign"), "audit", *trees, "--offline", "--out", out]

    processor = processor_of(lambda: run(command))
    return processor, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def _seconds(command: list[str], count: int = 0) -> float:
    """The whole command from its start to its end, the best of some rounds."""

    def run() -> None:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        # Exit code 1 is an answer, too: a licence that is not allowed.
        if count and (done.returncode not in (0, 1) or _judged(done.stdout) != count):
            raise RuntimeError(done.stdout[:500] + done.stderr)

    return best_of(ROUNDS, run)


def _judged(said: str) -> int:
    counts = said.partition("\n")[0].rpartition("): ")[2]
    return sum(int(part.split()[0].replace(",", "")) for part in counts.split(", "))


def _names(count: int) -> Iterator[tuple[str, str, list[str], str]]:
    """Name, version, what it needs (later ones alone, so that there is no circle) and licence."""
    dice = random.Random(1)  # The same in each run.
    for number in range(count):
        later = range(number + 1, min(number + 200, count))
        needs = [f"lib-{need}" for need in sorted(dice.sample(later, min(NEEDS, len(later))))]
        # Each needs the next one: all can be reached from the first.
        if number + 1 < count:
            needs = sorted({*needs, f"lib-{number + 1}"})
        yield f"lib-{number}", f"{number % 9}.{number % 7}.1", needs, dice.choice(LICENSES)


def _npm(count: int) -> Mapping[str, str]:
    packages: dict[str, object] = {"": {"name": "tool", "license": "MIT", "dependencies": {"lib-0": "^0.0.1"}}}
    for name, version, needs, license_id in _names(count):
        packages[f"node_modules/{name}"] = {
            "version": version, "resolved": f"https://registry.example.org/{name}/-/{name}-{version}.tgz",
            "integrity": "sha512-" + "A" * 86 + "==", "license": license_id, "dependencies": dict.fromkeys(needs, "*"),
        }  # fmt: skip
    lock = {"name": "tool", "lockfileVersion": 3, "requires": True, "packages": packages}
    return {"package.json": json.dumps(packages[""]), "package-lock.json": json.dumps(lock, indent=2)}


def _python(count: int) -> Mapping[str, str]:
    """A uv.lock with two files for each package."""
    parts = ["version = 1\n", _uv("tool", "0.1.0", ["lib-0"], 'source = { virtual = "." }')]
    for name, version, needs, _ in _names(count):
        wheel = f'{{ url = "https://files.example.org/{name}-{version}.whl", hash = "sha256:{"0" * 64}", size = 1 }}'
        parts.append(_uv(name, version, needs, f'source = {{ registry = "https://pypi.org/simple" }}\nsdist = {wheel}\nwheels = [\n    {wheel},\n]'))  # fmt: skip
    project = '[project]\nname = "tool"\nversion = "0.1.0"\nlicense = "MIT"\ndependencies = ["lib-0"]\n'
    return {"pyproject.toml": project, "uv.lock": "\n".join(parts)}


def _uv(name: str, version: str, needs: list[str], more: str) -> str:
    listed = "".join(f'    {{ name = "{need}" }},\n' for need in needs)
    return f'[[package]]\nname = "{name}"\nversion = "{version}"\n{more}\ndependencies = [\n{listed}]\n'


def _rust(count: int) -> Mapping[str, str]:
    parts = ['version = 4\n\n[[package]]\nname = "tool"\nversion = "0.1.0"\ndependencies = [\n "lib-0",\n]\n']
    for name, version, needs, _ in _names(count):
        listed = "".join(f' "{need}",\n' for need in needs)
        parts.append(
            f'[[package]]\nname = "{name}"\nversion = "{version}"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\n'
            f'checksum = "{"0" * 64}"\ndependencies = [\n{listed}]\n'
        )
    manifest = '[package]\nname = "tool"\nversion = "0.1.0"\nlicense = "MIT"\n[dependencies]\nlib-0 = "0.0.1"\n'
    return {"Cargo.toml": manifest, "Cargo.lock": "\n".join(parts)}


_CHECKOUTS: Mapping[str, Callable[[int], Mapping[str, str]]] = {"npm": _npm, "uv": _python, "Cargo": _rust}


def _document(count: int) -> Figure:
    dice = random.Random(1)
    usages = list(Usage)
    uses = tuple(
        Dependency(
            name=name, version=version, purl=f"pkg:npm/{name}@{version}", usage=dice.choice(usages), license=Learned(said)
        )
        for name, version, _, said in _names(count)
    )  # fmt: skip
    repository = Repository(name="o/r", license=Learned("MIT"), dependencies=uses)
    audited = Judge(Policy(), osadl.shipped(), date(2026, 11, 22)).audited(repository)

    def write() -> str:
        text = sbom(audited, datetime(2026, 11, 22, tzinfo=UTC))
        if wrong := faults(text):
            raise RuntimeError(str(wrong[:3]))
        return text

    text = write()
    bare = best_of(1, lambda: json.loads(text))
    return Figure(
        what=f"SBOM of {count:,} packages written and validated", value=best_of(ROUNDS, write), unit="s",
        target="≤ 3 s" if count == PACKAGES else "", baseline=bare, beside="its bytes read as JSON",
    )  # fmt: skip


if __name__ == "__main__":
    *which, place = sys.argv[1:]
    print(json.dumps(_run_of(which, place)))
