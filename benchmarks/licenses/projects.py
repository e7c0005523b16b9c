"""Foreign projects audited offline: what each uses and under which licence it stands in truth, and what is said of it.

projects.txt names each project by its source package in Debian and a pinned version, and what was found by other means than ours: the
work's own licence (Debian's copyright file for `Files: *`, and the upstream's own files as they were read), the libraries that
Debian's binaries of it are linked with (`Depends`, as source packages), what lies in its tree and is others', and what its manifests
name. `python -m licenses.projects [NAME…]` in this folder's parent fetches what is not there yet (a deb-src line, 600 MB, 2 GB unpacked)
and prints the table; `--trees FOLDER` takes the trees that lie there under the projects' names, `--names` prints what was missed and
what is an alarm. An alarm is a name that has a say in the work and is none of its libraries; tools and tests have none.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from figures import Figure, processor_of, run
from licenses.debian_sources import download

from audit.ecosystems.native import known_libraries
from audit.licenses.expression import read

PROJECTS: Final = Path(__file__).with_suffix(".txt")
FOLDER: Final = Path(__file__).parents[1] / "results" / "projects"
PATIENCE: Final = 1_800
LONGEST: Final = 60
"""Seconds of processor that no project may take."""
QUICK: Final = 5
_FIELD: Final = re.compile(r"^([A-Z][a-z]+): *((?:[^\n]|\n )*)", re.MULTILINE)
_SOURCE: Final = re.compile(r"Debian [0-9.]+, (\S+)")
_FINE: Final = frozenset({"not-applicable", "compatible", "obligations"})
"""Verdicts that ask for nothing but notices and sources; `conditional` says what has to be true, as that all goes under the GPL."""
HEAD: Final = ("project", "language", "own licence", "found", "missed", "false alarms", "false fine", "not read", "seconds")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Project:
    """One project as projects.txt has it.

    `licenses` are the expressions that are right for the work as a whole, `parts` what files of it are under and may be said, too. Names are sets of words for one thing (`jbigkit|jbig`):
    `linked` is in the work and must be found with a say in it, `declared` is what manifests name and must be found, `also` is right
    and need not be found (what the build can take and Debian leaves out, what is needed by what is needed), `wrong` are those that
    the work may not be linked with.
    """

    name: str
    version: str
    language: str
    licenses: tuple[str, ...]
    parts: frozenset[str]
    linked: tuple[frozenset[str], ...]
    declared: tuple[frozenset[str], ...]
    also: frozenset[str]
    wrong: tuple[frozenset[str], ...]

    @property
    def used(self) -> int:
        """The number of names that must be found."""
        return len(self.linked) + len(self.declared)

    @property
    def is_native(self) -> bool:
        """Whether it is a work in C or C++."""
        return self.language in ("C", "C++")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer of the audit about one project, held against the truth."""

    project: Project
    said: str | None
    own: str
    missed: tuple[str, ...]
    alarms: tuple[str, ...]
    fine: tuple[str, ...]
    not_read: int
    seconds: float

    def row(self) -> tuple[str, ...]:
        """The cells below `HEAD`."""
        used = self.project.used
        counts = (len(self.missed), len(self.alarms), len(self.fine), self.not_read)
        found = f"{used - len(self.missed)} of {used}"
        return (self.project.name, self.project.language, self.own, found, *map(str, counts), f"{self.seconds:.1f}")

    def figure(self) -> Figure:
        """The same as one line of results.md."""
        cells = [f"{name} {cell}" for name, cell in zip(HEAD[2:-1], self.row()[2:-1], strict=True)]
        what = f"{self.project.name} ({self.project.language}): {', '.join(cells)}"
        return Figure(what=what, value=self.seconds, unit="s", target=f"≤ {LONGEST}")


def projects() -> Iterator[Project]:
    """Each paragraph of projects.txt."""
    for paragraph in PROJECTS.read_text(encoding="utf-8").split("\n\n"):
        fields: Mapping[str, str] = dict(_FIELD.findall(paragraph))
        if not fields:
            continue
        name, version, language = fields["Project"].split()
        yield Project(
            name, version, language,
            tuple(part.strip() for part in fields["Licence"].split("|")),
            frozenset(part.replace("~", " ") for part in fields.get("Parts", "").split()),
            tuple(_keys(word) for word in f"{fields.get('Links', '')} {fields.get('Bundles', '')}".split()),
            tuple(_keys(word) for word in fields.get("Uses", "").split()),
            frozenset(key for word in fields.get("Also", "").split() for key in _keys(word)),
            tuple(_keys(word) for word in fields.get("Wrong", "").split()),
        )  # fmt: skip


def fetch(project: Project, folder: Path) -> Path | None:
    """The project's tree as its upstream published it; None for one that cannot be had here, which is said."""
    place = folder / project.name
    if place.exists():
        return place
    with tempfile.TemporaryDirectory() as scratch:
        if not download(project.name, project.version, Path(scratch)):
            return None
        [description] = Path(scratch).glob("*.dsc")
        tree = Path(scratch, "tree")
        # As its upstream published it: without Debian's patches, and without its folder.
        command = ["dpkg-source", "--no-check", "--skip-patches", "--extract", str(description), str(tree)]
        subprocess.run(command, cwd=scratch, capture_output=True, timeout=PATIENCE, check=True)
        shutil.rmtree(tree / "debian", ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        shutil.move(tree, place)
    return place


def outcome(project: Project, tree: Path) -> Outcome:
    """Audit the tree as a user does, and compare."""
    with tempfile.TemporaryDirectory() as out:
        command = [str(Path(sys.executable).parent / "countersign"), "audit", str(tree), "--offline", "--out", out, "--format", "json"]  # fmt: skip
        seconds = processor_of(lambda: run(command, PATIENCE))
        report: dict[str, Any] = json.loads(Path(out, "report.json").read_text(encoding="utf-8"))
    [repository] = report["repositories"]
    verdicts: dict[str, set[str]] = {}
    for cell in repository["cells"]:
        verdicts.setdefault(cell["name"], set()).add(report["judgements"][cell["judgement"]]["verdict"])
    named = {name: _reported(name) for name in verdicts}
    has_a_say = {name: keys for name, keys in named.items() if verdicts[name] != {"not-applicable"}}
    known = project.also.union(*project.linked, *project.declared, *project.wrong)
    missed = [library for library in project.linked if not any(library & keys for keys in has_a_say.values())]
    missed += [library for library in project.declared if not any(library & keys for keys in named.values())]
    return Outcome(
        project, repository["license"], _own(repository["license"], project),
        missed=tuple("|".join(sorted(library)) for library in missed),
        alarms=tuple(sorted(name for name, keys in has_a_say.items() if not keys & known)),
        # A library that is not found at all counts as fine, too.
        fine=tuple(
            "|".join(sorted(library)) for library in project.wrong
            if all(verdicts[name] <= _FINE for name, keys in named.items() if keys & library)
        ),
        not_read=repository["not_read"],
        seconds=seconds,
    )  # fmt: skip


def _own(said: str | None, project: Project) -> str:
    if said is None:
        return "unknown"
    found, parts = _operands(said), {frozenset({part}) for part in project.parts}
    right = any(operands <= found <= operands | parts for operands in map(_operands, project.licenses))
    return "right" if right else "wrong"


def _operands(expression: str) -> frozenset[frozenset[str]]:
    """The operands of `AND`, each as those of `OR`: the same for expressions that differ in order alone."""
    return frozenset(frozenset(part.strip(" ()").split(" OR ")) for part in str(read(expression)).split(" AND "))


def _keys(word: str) -> frozenset[str]:
    return frozenset(_key(part) for part in word.split("|"))


def _reported(name: str) -> frozenset[str]:
    """A reported name, and the source package of Debian that the table of libraries has for it."""
    known = known_libraries.by_name(name)
    package = _SOURCE.match(known.source) if known else None
    return frozenset({_key(name)} | ({_key(package[1])} if package else set()))


def _key(name: str) -> str:
    """One spelling of what build files and distributions write in several."""
    plain = re.sub(r"[^a-z0-9+@/:]", "", name.casefold())
    return plain[3:] if plain.startswith("lib") and len(plain) > len("libxx") else plain


def totals(found: list[Outcome]) -> dict[str, tuple[int, int]]:
    """Each count, and the number that it is out of."""
    used = sum(answer.project.used for answer in found)
    own = [answer.own for answer in found]
    return {
        "own licence right": (own.count("right"), len(found)),
        "own licence said to be unknown": (own.count("unknown"), len(found)),
        "own licence wrong": (own.count("wrong"), len(found)),
        "uses found": (used - sum(len(answer.missed) for answer in found), used),
        "false alarms": (sum(len(answer.alarms) for answer in found), 0),
        "false fine": (sum(len(answer.fine) for answer in found), sum(len(answer.project.wrong) for answer in found)),
    }


def measure(*, quick: bool) -> list[Figure]:
    """Totals of the projects that were fetched, of those in C and C++, and of the others; then a line for each."""
    there = [project for project in projects() if (FOLDER / project.name).exists()]
    found = [outcome(project, FOLDER / project.name) for project in there[: QUICK if quick else None]]
    if not found:
        print("no project was fetched yet: `python -m licenses.projects` in benchmarks/ fetches them")
        return []
    figures = []
    for whose, some in (
        ("", found),
        (", C and C++", [answer for answer in found if answer.project.is_native]),
        (", other languages", [answer for answer in found if not answer.project.is_native]),
    ):
        for what, (count, of) in totals(some).items():
            shown = f"{what}{', of ' + format(of, ',') if of else ''} ({len(some)} projects{whose})"
            figures.append(Figure(what=shown, value=count, unit="", target="0" if what == "false fine" else ""))
    return [*figures, *(answer.figure() for answer in found)]


def main() -> None:
    """Print the table of the projects that are named (all without a name) as Markdown."""
    parser = argparse.ArgumentParser(prog="licenses.projects", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--trees", type=Path, default=FOLDER)
    parser.add_argument("--names", dest="names_too", action="store_true")
    arguments = parser.parse_args()
    chosen = [project for project in projects() if not arguments.names or project.name in arguments.names]
    found = []
    print(f"| {' | '.join(HEAD)} |\n|{' --- |' * len(HEAD)}")
    for project in chosen:
        tree = fetch(project, arguments.trees)
        if tree is None:
            continue
        answer = outcome(project, tree)
        found.append(answer)
        print(f"| {' | '.join(answer.row())} |", flush=True)
        if arguments.names_too:
            print(
                f"  said: {answer.said}; missed: {answer.missed}; alarms: {answer.alarms}; fine: {answer.fine}",
                flush=True,
            )
    print()
    for what, (count, of) in totals(found).items():
        print(f"{what}: {count:,}{f' of {of:,}' if of else ''}")


if __name__ == "__main__":
    main()
