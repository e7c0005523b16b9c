"""Cuts GitHub's own published schemas and payload examples down to what Countersign uses; the same bytes every time."""

import hashlib
import json
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import graphql

from tests.contract import enterprise

HERE = Path(__file__).resolve().parent
DATA = HERE / "data"
CASES = HERE.parent / "cases" / "github"
WANTED = HERE / "wanted"

# Package, version, and what it gives. The notice of each is in data/README.md.
OPENAPI = "@octokit/openapi@23.0.2"
EXAMPLES = "@octokit/webhooks-examples@7.6.1"
GRAPHQL = "@octokit/graphql-schema@15.26.1"

# Keywords of a schema that say nothing to a validator, or that we don't check.
SILENT = frozenset({
    "default", "deprecated", "description", "discriminator", "example", "examples", "externalDocs", "operationId",
    "readOnly", "security", "summary", "tags", "title", "writeOnly", "x-github", "x-githubCloudOnly", "x-octokit",
})  # fmt: skip
NAMED = frozenset({"headers", "patternProperties", "properties", "responses"})  # their keys are names, never keywords
PLAIN = (graphql.EnumTypeDefinitionNode, graphql.InputObjectTypeDefinitionNode, graphql.ScalarTypeDefinitionNode)
BUILT_IN = {"Boolean", "Float", "ID", "Int", "String"}


def main() -> None:
    """Fetch the pinned packages and write tests/contract/data and tests/cases/github anew."""
    with tempfile.TemporaryDirectory() as folder:
        rest = json.loads(unpacked(OPENAPI, Path(folder), "generated/api.github.com.json"))
        examples = json.loads(unpacked(EXAMPLES, Path(folder), "api.github.com/index.json"))
        document = unpacked(GRAPHQL, Path(folder), "schema.graphql").decode()
        lacking = enterprise.table(
            lambda package, member: unpacked(package, Path(folder), member),
            wanted("operations"),
            wanted("webhooks"),
            rest,
        )
    write(DATA / "github-openapi.json", lines(slim_rest(rest, wanted("operations"), wanted("webhooks")), 3))
    write(DATA / "github.graphql", slim_graphql(document, wanted("types")))
    write(DATA / "github-enterprise-server.json", lines(lacking, 2))
    for event in wanted("examples"):
        write(CASES / f"{event}.json", lines(payloads(examples, event), 1))
    record()


def wanted(kind: str) -> list[str]:
    """The lines of wanted/<kind>.txt without comments."""
    lines = (WANTED / f"{kind}.txt").read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


@cache
def packed(package: str, folder: Path) -> Path:
    """The archive of an npm package of an exact version, fetched once."""
    made = subprocess.run(["npm", "pack", "--silent", package], cwd=folder, check=True, capture_output=True, text=True)
    return folder / made.stdout.split()[-1]


def unpacked(package: str, folder: Path, member: str) -> bytes:
    """One file of an npm package of an exact version."""
    with tarfile.open(packed(package, folder)) as archive:
        content = archive.extractfile(f"package/{member}")
        assert content is not None, f"{package} has no {member}"
        return content.read()


def write(path: Path, text: str) -> None:
    """Write UTF-8 on every machine."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def lines(value: object, depth: int) -> str:
    """JSON with one entry a line down to this depth: small, and git still compares it well."""
    if depth == 0 or not value or not isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if isinstance(value, list):
        return "[\n" + ",\n".join(lines(item, depth - 1) for item in value) + "\n]"
    entries = (f"{json.dumps(key)}: {lines(item, depth - 1)}" for key, item in value.items())
    return "{\n" + ",\n".join(entries) + "\n}"


def record() -> None:
    """Write the SHA-256 of every derived file into the last section of data/README.md."""
    readme = DATA / "README.md"
    files = sorted([*DATA.glob("github*"), *CASES.glob("*.json")])
    sums = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.relative_to(HERE.parent)}" for file in files]
    kept, heading, _ = readme.read_text(encoding="utf-8").partition("## SHA-256\n")
    readme.write_text(f"{kept}{heading}\n```\n" + "\n".join(sums) + "\n```\n", encoding="utf-8")


def slim_rest(full: dict, operations: list[str], webhooks: list[str]) -> dict:
    """The wanted operations and webhooks with the closure of components that they need."""
    paths: dict = {}
    for line in operations:
        method, path = line.split()
        whole = full["paths"][path]
        if "parameters" in whole:
            paths.setdefault(path, {})["parameters"] = bare(whole["parameters"])
        paths.setdefault(path, {})[method.lower()] = bare(whole[method.lower()])
    hooks = {
        name: {"post": {"requestBody": bare(full["x-webhooks"][name]["post"]["requestBody"])}} for name in webhooks
    }
    slim = {"openapi": full["openapi"], "info": {"title": full["info"]["title"], "version": full["info"]["version"]},
            "paths": paths, "x-webhooks": hooks, "components": {}}  # fmt: skip
    waiting, seen = sorted(set(references(slim))), set()
    while waiting:
        reference = waiting.pop()
        if reference in seen:
            continue
        seen.add(reference)
        _, _, kind, name = reference.split("/")
        component = bare(full["components"][kind][name])
        slim["components"].setdefault(kind, {})[name] = component
        waiting += sorted(set(references(component)))
    slim["components"] = {kind: dict(sorted(named.items())) for kind, named in sorted(slim["components"].items())}
    return slim


def bare(node: object, *, names: bool = False) -> object:
    """Without the silent keywords; `names` says that the keys of this object are names of fields."""
    if isinstance(node, list):
        return [bare(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: bare(value, names=key in NAMED and not names) for key, value in node.items() if names or key not in SILENT
    }


def references(node: object) -> Iterator[str]:
    """Every `$ref` below this node."""
    if isinstance(node, list):
        for item in node:
            yield from references(item)
    elif isinstance(node, dict):
        for key, value in node.items():
            if key == "$ref" and isinstance(value, str):
                yield value
            else:
                yield from references(value)


def slim_graphql(document: str, names: list[str]) -> str:
    """The wanted types; a field stays when its type is wanted or comes along: inputs, enums and scalars do."""
    parsed = graphql.parse(document, no_location=True)
    types = {node.name.value: node for node in parsed.definitions if isinstance(node, graphql.TypeDefinitionNode)}
    directives = [node for node in parsed.definitions if isinstance(node, graphql.DirectiveDefinitionNode)]
    assert not set(names) - set(types), f"no such types: {sorted(set(names) - set(types))}"
    plain = {name for name, node in types.items() if isinstance(node, PLAIN)} | BUILT_IN
    kept: dict[str, graphql.DefinitionNode] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in kept and name in types:
            kept[name] = graphql.visit(types[name], Cut(plain | set(names)))
            waiting += sorted(mentioned(kept[name]))
    ordered = [graphql.visit(node, Cut(plain)) for node in directives] + [kept[name] for name in sorted(kept)]
    return "\n\n".join(graphql.print_ast(node) for node in ordered)


class Cut(graphql.Visitor):
    """Drops descriptions, and the fields, interfaces and union members whose type is not kept."""

    def __init__(self, kept: set[str]) -> None:
        super().__init__()
        self.kept = kept

    def enter(self, node: graphql.Node, key: object, parent: object, *_: object) -> object:
        """Called by graphql-core on the way down: REMOVE cuts the node out, None goes on."""
        if isinstance(node, graphql.FieldDefinitionNode) and named(node.type) not in self.kept:
            return graphql.REMOVE
        # Types that stand in a list by themselves: `implements A & B`, `union C = D | E`.
        if isinstance(node, graphql.NamedTypeNode) and isinstance(key, int) and node.name.value not in self.kept:
            return graphql.REMOVE
        return replace(node, description=None) if getattr(node, "description", None) else None


def named(kind: graphql.TypeNode) -> str:
    """`Label` for `[Label!]!`."""
    while not isinstance(kind, graphql.NamedTypeNode):
        kind = kind.type
    return kind.name.value


def mentioned(node: graphql.Node) -> set[str]:
    """The names of the types that a cut definition still needs."""
    found: set[str] = set()

    class Seen(graphql.Visitor):
        def enter_named_type(self, node: graphql.NamedTypeNode, *_: object) -> None:
            found.add(node.name.value)

    graphql.visit(node, Seen())
    return found


def payloads(examples: list, event: str) -> list:
    """GitHub's example payloads of one event, as published."""
    return next(entry["examples"] for entry in examples if entry["name"] == event)


if __name__ == "__main__":
    main()
