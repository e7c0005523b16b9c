"""Data and documents of the work that a sidecar or an annotation of REUSE puts under another licence: each is a use of its own."""

from collections.abc import Callable, Iterable, Sequence
from posixpath import commonpath

from audit.ecosystems import purls
from audit.facts import Dependency, Learned, Place, Source, Text, Usage
from audit.licenses.expression import Expression, atoms
from audit.scan.decoding import shown
from audit.scan.file_licenses import SOURCE_FILE, FileLicense
from audit.scan.tagged_sources import binds, is_named
from audit.usage import usage_by_folder


def uses(
    found: Iterable[FileLicense], own: Expression | None, is_ours: Callable[[str], bool], texts: Sequence[Text]
) -> list[Dependency]:
    """One use for each licence that binds and that the work's own does not name, and for each statement of it.

    Code is left to findings; so is what only tests, examples and documentation have. `texts` are those in `LICENSES`.
    """
    others: dict[tuple[str, Place], list[FileLicense]] = {}
    for one in found:
        said = one.expression
        if said is None or one.own or SOURCE_FILE.fullmatch(one.path) or usage_by_folder(one.path):
            continue
        if binds(said) and not is_named(said, own) and is_ours(one.path):
            others.setdefault((str(said), one.place), []).append(one)
    return [
        _use(expression, place, listed, texts) for (expression, place), listed in sorted(others.items(), key=_order)
    ]


def _order(one: tuple[tuple[str, Place], list[FileLicense]]) -> tuple[str, int, str]:
    (expression, place), _ = one
    return place.path, place.line or 0, expression


def _use(expression: str, place: Place, listed: Sequence[FileLicense], texts: Sequence[Text]) -> Dependency:
    paths = [shown(one.path) for one in listed]
    name = paths[0] if len(paths) == 1 else commonpath(paths) or f"files under {expression}"
    wanted = {one.license for one in atoms(listed[0].expression) if not one.license.startswith("LicenseRef-")}
    many = f"{len(paths):,} files" if len(paths) > 1 else "a file"
    return Dependency(
        name=name,
        purl=purls.purl("generic", name.lower().replace(" ", "-")),
        usage=Usage.DATA_OR_DOC,
        why=f"{many} that {place.path} puts under this licence",
        license=Learned(expression, Source.METADATA, place),
        places=tuple(Place(one) for one in paths[:10]),
        direct=True,
        licenses=tuple(one for one in texts if one.path.rpartition("/")[2].removesuffix(".txt") in wanted),
    )
