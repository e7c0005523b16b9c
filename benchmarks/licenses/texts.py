"""Licence texts: files a second, and right and wrong ids, beside licenseclassifier and (where it is on PATH) ScanCode."""

import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from figures import Figure, best_of, processor_of, run
from licenseclassifier import identify_license
from licenses import debian_sources, license_files

from audit.facts import Text
from audit.licenses.expression import atoms, read
from audit.scan.decoding import decode
from audit.sources import scancode
from audit.texts import work_license
from audit.texts.identification import detect, family
from audit.texts.prose import work_texts
from tests.audit.alterations import alterations

ALTERED = 500
STARTED = 60
"""Files that are looked at one after another, each by a process of its own."""
_SCRIPT = "import sys; from licenseclassifier import identify_license; print(identify_license(open(sys.argv[1], encoding='utf-8').read()))"
"""The shortest script that asks licenseclassifier about a file."""
_PATIENCE = 7_200.0
_NAME = re.compile(r"(?:licen[cs]e|copying|unlicense)[^/]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Case:
    """One licence file of an installed package, and the families of licences of which the package says that it is."""

    text: str
    truth: frozenset[str]


Answer = Callable[[str], frozenset[str]]


def measure(*, quick: bool) -> list[Figure]:
    """On the licence files of the packages that are installed here, and on altered texts."""
    cases = _cases()
    known = [case.text for case in cases if detect(case.text).method == "text"]
    altered = [(family(license_id), text) for license_id, _, text in alterations(ALTERED // (10 if quick else 1), 3)]
    theirs = _rate(_classified, known)
    figures = [
        Figure(what=f"known texts, {len(known)} files", value=_rate(_ours, known), unit="files/s", target="≥ 1,000", baseline=theirs, beside="licenseclassifier"),
        Figure(
            what=f"whole cascade, {len(cases)} files", value=_rate(_ours, [case.text for case in cases]), unit="files/s",
            baseline=_rate(_classified, [case.text for case in cases]), beside="licenseclassifier",
        ),
        *_judged("", cases, [_ours(case.text) for case in cases], [_classified(case.text) for case in cases], "licenseclassifier"),
        Figure(
            what=f"altered texts taken for the original, of {len(altered)}", value=sum(licence in _ours(text) for licence, text in altered),
            unit="", target="0", baseline=sum(licence in _classified(text) for licence, text in altered), beside="licenseclassifier",
        ),
    ]  # fmt: skip
    started = _started([case.text for case in cases], STARTED // (10 if quick else 1))
    return [*figures, started, *_scanned(cases), *_published(quick=quick)]


def _started(texts: Sequence[str], count: int) -> Figure:
    """The command for one file after another, beside a script that asks licenseclassifier; in turn, since the machine's pace changes."""
    some = texts[:: max(1, len(texts) // count)]
    tools = [str(Path(sys.executable).parent / "countersign"), "license", "detect"], [sys.executable, "-c", _SCRIPT]
    taken = [0.0, 0.0]
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(some):
            file = Path(folder, f"LICENSE-{number}")
            file.write_text(text, encoding="utf-8", errors="replace")
            for which, tool in enumerate(tools):
                command = [*tool, str(file)]
                # The better of two: the first may read from the disk.
                taken[which] += min(processor_of(lambda: run(command)) for _ in range(2))  # noqa: B023 - called at once
    ours, theirs = (1000 * seconds / len(some) for seconds in taken)
    return Figure(
        what=f"one after another from the command line, {len(some)} files: processor for each", value=ours, unit="ms",
        target="≤ before", baseline=theirs, beside="a script with licenseclassifier",
    )  # fmt: skip


def _published(*, quick: bool) -> list[Figure]:
    """The only licence file of each package of license_files.txt, and those of debian_sources.txt, if they were fetched."""
    packages = [file for file in license_files.files(license_files.FOLDER) if file.alone]
    figures = _beside("wheels and npm", [package for package in packages if not package.is_new], quick=quick)
    figures += _beside("wheels and npm, new", [package for package in packages if package.is_new], quick=quick)
    for half in ("written-on", "held-out", "new", "new2"):
        figures += _beside(f"C and C++, {half}", list(debian_sources.files(debian_sources.FOLDER, half)), quick=quick)
    return figures


def _beside(what: str, files: Sequence[license_files.File | debian_sources.RootFile], *, quick: bool) -> list[Figure]:
    """The numbers of files that each tool names right and otherwise, and how many files it takes a second."""
    found = files[: 50 if quick else None]
    if not found:
        return []
    texts = [file.text for file in found]
    # Debian's copyright file tells of the whole work, a package of the file.
    own = _own if isinstance(found[0], debian_sources.RootFile) else _ours
    tools: list[tuple[str, Callable[[Sequence[str]], list[frozenset[str]]]]] = [
        ("Countersign", lambda some: [own(text) for text in some]),
        ("licenseclassifier", lambda some: [_classified(text) for text in some]),
    ]
    if command := shutil.which("scancode"):
        tools.append(
            ("ScanCode", lambda some: [_families(said) for said in scancode.ask(Path(command), some, _PATIENCE)])
        )
    figures = []
    for who, answer in tools:
        start = time.perf_counter()
        answers = answer(texts)
        rate = len(texts) / (time.perf_counter() - start)
        right = sum(file.fits(said) for file, said in zip(found, answers, strict=True))
        other = sum(bool(said) and not file.fits(said) for file, said in zip(found, answers, strict=True))
        figures += [
            Figure(what=f"{what}, {who}: ids as declared, of {len(texts)} files", value=right, unit=""),
            Figure(what=f"{what}, {who}: other ids than declared", value=other, unit=""),
            Figure(what=f"{what}, {who}", value=rate, unit="files/s"),
        ]
    return figures


def _cases() -> list[Case]:
    """The files of packages that declare an SPDX expression, or one licence by a known name."""
    found = []
    for package in metadata.distributions():
        fields = package.metadata
        said = next((fields[name] for name in ("License-Expression", "License") if name in fields), None)
        expression = read(said)
        if expression is None:
            continue
        truth = frozenset(family(atom.license) for atom in atoms(expression))
        for file in package.files or ():
            if ".dist-info/" in str(file) and _NAME.fullmatch(file.name):
                path = Path(str(package.locate_file(file)))
                found.append(Case(decode(path.read_bytes())[0], truth))
    return found


def _ours(text: str) -> frozenset[str]:
    return _families(detect(text, is_license=True).spdx)


def _own(text: str) -> frozenset[str]:
    """The audit's answer about a work whose root holds this file: without the components that it lists."""

    def name(some: str, _path: str) -> str | None:
        return detect(some, is_license=True).spdx

    found = work_texts.of_work([Text("LICENSE", text, "")], name)
    return _families(work_license.of_texts(found.texts, name).expression)


def _classified(text: str) -> frozenset[str]:
    # It says of one file in one list all that is there.
    return frozenset(family(identification_result.id) for identification_result in identify_license(text))


def _families(said: str | None) -> frozenset[str]:
    expression = read(said)
    return frozenset() if expression is None else frozenset(family(atom.license) for atom in atoms(expression))


def _rate(answer: Answer, texts: Sequence[str]) -> float:
    return len(texts) / best_of(3, lambda: [answer(text) for text in texts])


def _judged(
    who: str, cases: Sequence[Case], ours: Sequence[frozenset[str]], theirs: Sequence[frozenset[str]], beside: str
) -> list[Figure]:
    """An answer is right when each id in it is declared, wrong when one is not; no answer is neither."""

    def right(answers: Sequence[frozenset[str]]) -> int:
        return sum(bool(answer) and answer <= case.truth for answer, case in zip(answers, cases, strict=True))

    def other(answers: Sequence[frozenset[str]]) -> int:
        return sum(bool(answer) and not answer <= case.truth for answer, case in zip(answers, cases, strict=True))

    return [
        Figure(
            what=f"{who}ids as declared, of {len(cases)} files",
            value=right(ours),
            unit="",
            baseline=right(theirs),
            beside=beside,
        ),
        Figure(what=f"{who}other ids than declared", value=other(ours), unit="", baseline=other(theirs), beside=beside),
    ]


def _scanned(cases: Sequence[Case]) -> list[Figure]:
    """The same files given to ScanCode in one run, its start included."""
    command = shutil.which("scancode")
    if command is None:
        return []
    start = time.perf_counter()
    said = scancode.ask(Path(command), [case.text for case in cases])
    seconds = time.perf_counter() - start
    ours = [_ours(case.text) for case in cases]
    return [
        Figure(
            what="whole cascade beside ScanCode",
            value=_rate(_ours, [case.text for case in cases]),
            unit="files/s",
            baseline=len(cases) / seconds,
            beside="ScanCode",
        ),
        *_judged("beside ScanCode: ", cases, ours, [_families(expression) for expression in said], "ScanCode"),
    ]
