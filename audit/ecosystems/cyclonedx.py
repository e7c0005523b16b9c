"""CycloneDX in JSON: components with scopes, and their dependencies among each other."""

from audit import usage
from audit.ecosystems import json_text, purls
from audit.ecosystems.reading import Broken, Graph, Read, learned, said, table, text, texts
from audit.facts import Dependency, Place, Source, Usage

_SCOPES = {"excluded": Usage.DEV_TOOL}
_TYPES = {
    "container": Usage.SEPARATE_PROCESS,
    "operating-system": Usage.SEPARATE_PROCESS,
    "data": Usage.DATA_OR_DOC,
    "file": Usage.VENDORED,
}
_DEEPEST = 50


def read(path: str, content: str) -> Read:
    """All components but the root; those below another one are contained in it."""
    data = json_text.top(content)
    if data.get("bomFormat") != "CycloneDX":
        raise Broken("this is no CycloneDX document: no bomFormat", 1)
    root = table(table(data.get("metadata")).get("component"))
    direct = _direct(data, text(root.get("bom-ref")))
    found = []
    waiting = [(one, 0) for one in reversed(json_text.items(data.get("components")))]
    while waiting:
        one, depth = waiting.pop()
        found.append(_component(path, one, direct))
        if depth < _DEEPEST:
            waiting += [(child, depth + 1) for child in reversed(json_text.items(one.get("components")))]
    return Read(dependencies=tuple(one for one in found if one.name), graph=Graph(decided=True))


def _direct(data: json_text.Located, root: str) -> set[str] | None:
    """References of what the root needs itself; None where the document does not say."""
    listed = {
        text(one.get("ref")): texts(one.get("dependsOn") or []) for one in json_text.items(data.get("dependencies"))
    }
    return set(listed[root]) if root and root in listed else None


def _component(path: str, one: json_text.Located, direct: set[str] | None) -> Dependency:
    """One component."""
    url = purls.canonical(text(one.get("purl")))
    group, name = text(one.get("group")), text(one.get("name"))
    scope = text(one.get("scope"))
    how = _SCOPES.get(scope) or _TYPES.get(text(one.get("type"))) or usage.default(purls.kind_of(url))
    return Dependency(
        name=f"{group}{':' if purls.kind_of(url) == 'maven' else '/'}{name}" if group else name,
        version=text(one.get("version")) or None,
        purl=url,
        usage=how,
        why=f"CycloneDX: {f'scope {said(scope)}' if scope else said(one.get('type')) or 'component'}",
        license=learned(_license(one), path, one.line, Source.SBOM),
        places=(Place(path, one.line, said(text(one.get("purl")) or name)),),
        direct=None if direct is None else text(one.get("bom-ref")) in direct,
        optional=scope == "optional",
    )


def _license(one: json_text.Located) -> str:
    """One expression, or ids of which all apply; a name that is no id is given as it stands, if it is the only one."""
    listed = json_text.items(one.get("licenses"))
    stated = [text(entry.get("expression")) for entry in listed if text(entry.get("expression"))]
    if stated:
        return stated[0]
    named = [table(entry.get("license")) for entry in listed]
    words = [text(entry.get("id")) or text(entry.get("name")) for entry in named]
    return " AND ".join(word for word in words if word)
