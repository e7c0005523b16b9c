"""A kept repository comes back as it was, or not at all."""

import json
import zlib
from dataclasses import replace
from typing import get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.facts import Dependency, Finding, Learned, Place, Repository, Text, Unknown
from audit.scan.serialization import CannotUnpack, RepositorySnapshot, pack, unpack
from tests.audit.runs import LANG, LEFT_PAD, MYSTERY

WORDS = st.text(st.characters(codec=None), max_size=12)  # half letters, too, which only JSON can hold
PLACES = st.builds(Place, WORDS, st.none() | st.integers(1, 10**6), WORDS)
TEXTS = st.lists(st.builds(Text, WORDS, st.sampled_from(["", "MIT", "文本\r\n\0"]), WORDS), max_size=3).map(tuple)


@pytest.fixture(name="repositories")
def _repositories():
    """Repositories with anything in any field that its type allows; other tests draw their texts as before."""
    st.register_type_strategy(str, WORDS)
    yield _shapes()
    st.register_type_strategy(str, st.text())


def _shapes():
    shapes = {
        kind: {name: st.from_type(hint) for name, hint in get_type_hints(kind).items()}
        for kind in (Dependency, Repository, Finding)
    }
    finding = st.builds(Finding, **shapes[Finding])
    common = {"licenses": TEXTS, "notices": TEXTS}
    places = st.lists(PLACES, max_size=2).map(tuple)
    dependency = st.builds(Dependency, **{**shapes[Dependency], **common, "places": places})
    lists = {
        "dependencies": st.lists(dependency, max_size=3).map(tuple),
        "findings": st.lists(finding, max_size=2).map(tuple),
    }
    return st.builds(Repository, **{**shapes[Repository], **common, **lists})


@pytest.mark.slow
def test_a_kept_repository_comes_back_as_it_was(repositories):
    @settings(max_examples=60)
    @given(repositories, st.none() | WORDS)
    def comes_back(repository, rulebook):
        kept = RepositorySnapshot(repository, rulebook)
        assert unpack(pack(kept)) == kept
        assert pack(unpack(pack(kept))) == pack(kept)

    comes_back()


def test_a_text_of_many_dependencies_is_written_once():
    text = Text("LICENSE", "not to be squeezed: " + "".join(chr(33 + (at * at) % 900) for at in range(3000)), "0" * 64)
    many = tuple(replace(MYSTERY, name=f"n{at}", licenses=(text,)) for at in range(50))
    assert len(pack(RepositorySnapshot(Repository(name="x", dependencies=many)))) < 4 * len(
        pack(RepositorySnapshot(Repository(name="x", licenses=(text,))))
    )


def test_too_large_a_repository_is_kept_without_texts_and_says_so():
    whole = Repository(name="x", license=Learned("MIT"), dependencies=(LANG, LEFT_PAD), licenses=LEFT_PAD.licenses)
    found = unpack(pack(RepositorySnapshot(whole), most=10)).repository
    assert [dependency.name for dependency in found.dependencies] == [LANG.name, LEFT_PAD.name]
    assert (found.licenses, found.dependencies[1].licenses) == ((), ())
    assert [finding.code for finding in found.findings] == ["tree/cut-short"]


def _changed(change):
    data = json.loads(zlib.decompress(pack(RepositorySnapshot(Repository(name="x", dependencies=(LEFT_PAD,))))))
    change(data)
    return zlib.compress(json.dumps(data).encode())


@pytest.mark.parametrize(
    "packed",
    [
        b"",
        b"no zlib",
        zlib.compress(b"no json"),
        zlib.compress(b"[1]"),
        zlib.compress(b"{}"),
        _changed(lambda data: data.__setitem__(0, "0" * 16)),
        _changed(lambda data: data[1].append("one field more")),
        _changed(lambda data: data[1][3][0].__setitem__(3, "no usage")),
        _changed(lambda data: data.__setitem__(3, [])),
    ],
)
def test_broken_and_foreign_bytes_are_refused(packed):
    with pytest.raises(CannotUnpack):
        unpack(packed)


def test_the_reason_of_an_unknown_licence_is_kept():
    why = Learned(unknown=Unknown.PRIVATE, place=Place("https://pypi.org/x", None, "knows no such package"))
    whole = Repository(name="x", license=why)

    assert unpack(pack(RepositorySnapshot(whole))).repository == whole
