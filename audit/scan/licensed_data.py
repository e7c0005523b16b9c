"""Data, documents and weights of models that a sidecar or an annotation of REUSE puts under another licence: each is a use of its own."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from posixpath import commonpath

from audit import display_text
from audit.ecosystems import purls
from audit.facts import Dependency, Learned, Place, Source, Text, Usage
from audit.licenses.expression import Expression, atoms
from audit.scan.decoding import shown
from audit.scan.file_licenses import SOURCE_FILE, FileLicense
from audit.scan.tagged_sources import binds, is_named
from audit.usage import FOLDERS, usage_by_folder

_Key = tuple[str, Place, Usage]


def uses(
    found: Iterable[FileLicense],
    own: Expression | None,
    is_ours: Callable[[str], bool],
    texts: Sequence[Text],
    kinds: Mapping[str, Usage],
) -> list[Dependency]:
    """One use for each licence that the work's own does not name, and for each statement of it.

    Of weights any licence counts, wherever they lie: their terms are their own. Of all else one that binds counts; code is left to
    findings, and what only tests, examples and documentation have is left out. `texts` are those in `LICENSES`, `kinds` the usages
    of files of weights and of data by their paths.
    """
    others: dict[_Key, list[FileLicense]] = {}
    for one in found:
        said = one.expression
        if said is None or one.own or is_named(said, own):
            continue
        kind, aside = kinds.get(one.path, Usage.DATA_OR_DOC), usage_by_folder(one.path)
        is_weights = kind is Usage.MODEL_WEIGHTS
        if is_weights or (binds(said) and not aside and not SOURCE_FILE.fullmatch(one.path) and is_ours(one.path)):
            others.setdefault((str(said), one.place, aside or kind), []).append(one)
    return [_use(key, listed, texts, kinds) for key, listed in sorted(others.items(), key=_order)]


def _order(one: tuple[_Key, list[FileLicense]]) -> tuple[str, int, str, str]:
    (expression, place, usage), _ = one
    return place.path, place.line or 0, expression, usage


def _use(key: _Key, listed: Sequence[FileLicense], texts: Sequence[Text], kinds: Mapping[str, Usage]) -> Dependency:
    expression, place, usage = key
    paths = [shown(one.path) for one in listed]
    name = paths[0] if len(paths) == 1 else commonpath(paths) or f"files under {expression}"
    wanted = {one.license for one in atoms(listed[0].expression) if not one.license.startswith("LicenseRef-")}
    of_weights = " of weights" if kinds.get(listed[0].path) is Usage.MODEL_WEIGHTS else ""
    many = (
        display_text.count(len(paths), f"file{of_weights}", f"files{of_weights}")
        if len(paths) > 1
        else f"a file{of_weights}"
    )
    aside = f", in {FOLDERS[usage]}" if usage in FOLDERS else ""
    return Dependency(
        name=name,
        purl=purls.purl("generic", name.lower().replace(" ", "-")),
        usage=usage,
        why=f"{many} that {place.path} puts under this licence{aside}",
        license=Learned(expression, Source.METADATA, place),
        places=tuple(Place(one) for one in paths[:10]),
        direct=True,
        licenses=tuple(one for one in texts if one.path.rpartition("/")[2].removesuffix(".txt") in wanted),
    )
