"""package-lock.json and npm-shrinkwrap.json, versions 1 to 3: npm says itself what is for development, optional, a peer."""

from audit.ecosystems import json_text, npm_names
from audit.ecosystems.npm import SECTIONS
from audit.ecosystems.reading import Graph, Read, learned, said, table, text
from audit.facts import Dependency, Place, Usage

_DEEPEST = 200
_FOLDER = "node_modules/"


def read(path: str, content: str) -> Read:
    """Every entry that is installed from elsewhere; workspaces are the repository's own."""
    data = json_text.top(content)
    packages = data.get("packages")
    if isinstance(packages, json_text.Located):
        found, own = _flat(path, packages)
    else:
        found, own = _nested(path, data), frozenset[str]()
    return Read(dependencies=tuple(found), graph=Graph(decided=True), own=own)


def _flat(path: str, packages: json_text.Located) -> tuple[list[Dependency], frozenset[str]]:
    """Versions 2 and 3: one object a folder."""
    entries = json_text.objects(packages)
    inside = {folder: one for folder, one in entries.items() if _FOLDER not in folder}
    asked = {(f"{folder}/" if folder else "", name) for folder, one in inside.items() for name in _asked(one)}
    direct = {f"{_FOLDER}{name}" for _, name in asked} | {f"{at}{_FOLDER}{name}" for at, name in asked}
    found = []
    for folder, entry in entries.items():
        if folder in inside or entry.get("link") is True:
            continue
        name = text(entry.get("name")) or folder.rpartition(_FOLDER)[2]
        found.append(_dependency(path, name, entry, direct=folder in direct))
    own = {text(one.get("name")) or folder.rpartition("/")[2] for folder, one in inside.items()}
    return found, frozenset(own - {""})


def _asked(entry: json_text.Located) -> list[str]:
    """Names of all that a package of the repository asks for."""
    return [text(name) for section in SECTIONS for name in table(entry.get(section))]


def _nested(path: str, data: json_text.Located) -> list[Dependency]:
    """Version 1: dependencies within dependencies; which ones are direct stands in package.json alone."""
    found = []
    waiting = [(data, 0)]
    while waiting:
        holder, depth = waiting.pop()
        for name, entry in json_text.objects(holder.get("dependencies")).items():
            version = text(entry.get("version"))
            if not version.startswith("file:"):
                one = npm_names.package(name, version)
                if one:
                    real = json_text.Located(entry)
                    real["version"], real.line = one.version or version, entry.line
                    real["resolved"] = version if version.startswith("git") else entry.get("resolved")
                    found.append(_dependency(path, one.name, real, direct=None if depth == 0 else False))
            if depth < _DEEPEST:
                waiting.append((entry, depth + 1))
    return sorted(found, key=lambda one: (one.places[0].line or 0, one.name))


def _dependency(path: str, name: str, entry: json_text.Located, *, direct: bool | None) -> Dependency:
    """One entry with the flags that npm gives it."""
    one = npm_names.of_lock(name, text(entry.get("version")), text(entry.get("resolved")))
    flags = [
        flag for flag in ("dev", "optional", "devOptional", "peer", "inBundle", "bundled") if entry.get(flag) is True
    ]
    return Dependency(
        name=one.name,
        version=one.version,
        purl=one.purl,
        usage=Usage.DEV_TOOL if "dev" in flags else Usage.RUNTIME_IMPORT,
        why=f"package-lock.json: {', '.join(flags) or 'what runs'}",
        license=learned(_license(entry), path, entry.line),
        places=(Place(path, entry.line, said(f"{one.name}@{one.version or ''}")),),
        direct=direct,
        optional="optional" in flags or "devOptional" in flags,
    )


def _license(entry: json_text.Located) -> str:
    """The licence as npm copied it, older forms included."""
    stated = entry.get("license")
    return text(stated) or text(table(stated).get("type"))
