"""Along a lock file's graph: the most binding use decides, circles end."""

from audit import ecosystems
from audit.ecosystems.parsed_file import Graph, Read, Root
from audit.ecosystems.usage_propagation import match_manifests
from audit.facts import Dependency, Usage


def graph(needs, roots):
    """A lock file of packages named a, b, c …, with their needs by name."""
    names = "abcdef"[: len(needs)]
    found = tuple(Dependency(name=name, version="1", purl=f"pkg:npm/{name}@1") for name in names)
    starts = tuple(Root(key, usage, "x", optional) for key, usage, optional in roots)
    return Read(dependencies=found, graph=Graph(tuple((name,) for name in names), tuple(map(tuple, needs)), starts))


def test_what_binds_most_decides():
    """B is needed by both; c goes round; f by nobody."""
    lock = graph(
        ["b", "c", "b", "bf", "", ""],
        [("d", Usage.DEV_TOOL, False), ("a", Usage.RUNTIME_IMPORT, False), ("e", Usage.BUILD_TOOL, True)],
    )
    married = match_manifests(lock, [])

    assert [one.usage.value for one in married.entries] == [
        "runtime-import", "runtime-import", "runtime-import", "dev-tool", "build-tool", "dev-tool",
    ]  # fmt: skip
    assert [one.optional for one in married.entries] == [False, False, False, False, True, False]


def test_optional_alone():
    """Is optional only what nothing else needs."""
    lock = graph(["c", "c", "d", ""], [("a", Usage.RUNTIME_IMPORT, True), ("b", Usage.RUNTIME_IMPORT, False)])
    assert [one.optional for one in match_manifests(lock, []).entries] == [True, False, False, False]


def test_nobody_says():
    """It is a guess then, and said to be one."""
    married = match_manifests(graph([""], []), [])

    assert married.guessed == {0}
    assert married.entries[0].usage is Usage.RUNTIME_IMPORT
    assert "counted as needed at run time" in married.entries[0].why


def test_missing_in_the_lock():
    """What a manifest names and the lock lacks is given back."""
    manifest = ecosystems.read("package.json", '{"dependencies": {"a": "1", "z": "1"}}')
    assert match_manifests(graph([""], []), [manifest]).missing == {1}
