"""A tree at GitHub as ground: what is fetched when, and where links lead."""

import pytest

from audit.scan.file_tree import UnreadableFile
from bot.github.ports import TreeEntry
from bot.licenses.remote_tree import MAX_FETCHED_FILE_BYTES, MAX_LINKS, RemoteTree


def ground(files, own=("own", 10)):
    """A ground with these contents (`-> ` begins a link), and the list of what was asked for."""
    asked = []
    content = {path: text.removeprefix("-> ").encode() for path, text in files.items()}
    entries = [
        TreeEntry(path, f"sha of {path}", len(content[path]), link=files[path].startswith("-> ")) for path in files
    ]

    def fetch(sizes):
        asked.append(sorted(sizes))
        return {sha: content[sha.removeprefix("sha of ")] for sha in sizes if "gone" not in sha}

    return RemoteTree(entries, fetch, own), asked


def everything(_size):
    """Any size fits."""
    return True


def read(here, path, *, linked=True, fits=everything):
    """A file's first hundred bytes."""
    return here.read(path, 100, fits, linked=linked)


def test_wanted_files_are_fetched_together_after_a_walk():
    here, asked = ground({"a": "1", "b": "2", "c": "3", "d": "4", "own": "me"})
    assert [read(here, "a"), read(here, "b", linked=False), read(here, "a")] == [None, None, None]
    assert asked == []
    here.fetch()
    assert asked == [["sha of a", "sha of b", "sha of own"]]
    assert (read(here, "a"), here.read("b", 0, everything, linked=False), here.own) == (b"1", b"", b"me")
    here.expect(["c", "d", "nothing"])
    assert (read(here, "c"), read(here, "d")) == (b"3", b"4")
    assert asked[1:] == [["sha of c", "sha of d"]]
    assert here.used == {f"sha of {name}" for name in ("a", "b", "c", "d", "own")}


def test_gitmodules_is_fetched_during_the_first_walk():
    here, asked = ground({".gitmodules": "x"})
    assert read(here, ".gitmodules") == b"x"
    here.fetch()
    assert asked == [["sha of .gitmodules"]]


def test_files_beyond_the_bounds_are_not_fetched():
    here, asked = ground({"a": "1"})
    assert read(here, "a", fits=lambda size: size > 1) is None
    giant = RemoteTree([TreeEntry("b", "b", MAX_FETCHED_FILE_BYTES + 1)], dict, ("own", 1))
    with pytest.raises(UnreadableFile):
        read(giant, "b")
    here.fetch()
    giant.fetch()
    giant.expect(["b"])
    assert asked == []


def test_a_file_that_is_gone_is_not_asked_for_again():
    here, asked = ground({"gone": "1"})
    read(here, "gone")
    here.fetch()
    for _ in range(2):
        with pytest.raises(FileNotFoundError):
            read(here, "gone")
    assert len(asked) == 1


TREE = {"real": "r", "d/file": "f", "d/up": "-> ../real", "link": "-> d", "far": "-> link/up", "self": "-> self", "ring": "-> gnir",
        "gnir": "-> ring", "out": "-> ../x", "deep": "-> d/../../x/../..", "root": "-> /real", "none": "-> d/none", "through": "-> real/x",
        "folder": "-> d/.", "empty": "-> ", "dots": "-> ./d//./file"}  # fmt: skip


@pytest.mark.parametrize(
    ("path", "content"), [("far", b"r"), ("d/up", b"r"), ("link/file", b"f"), ("link/up", b"r"), ("dots", b"f")]
)
def test_links_inside_the_tree_are_followed(path, content):
    here, asked = ground(TREE)
    here.fetch()
    assert here.is_file(path)
    assert read(here, path) == content
    assert [len(batch) for batch in asked] == [sum(text.startswith("-> ") for text in TREE.values()), 1]


@pytest.mark.parametrize(("path", "code"), [
    ("self", "file/unreadable"), ("ring", "file/unreadable"), ("none", "file/unreadable"), ("through", "file/unreadable"),
    ("empty", "file/unreadable"), ("out", "file/outside"), ("deep", "file/outside"), ("root", "file/outside"),
])  # fmt: skip
def test_links_out_of_the_tree_or_to_nothing_are_as_in_a_checkout(path, code):
    here, _ = ground(TREE)
    assert not here.is_file(path)
    with pytest.raises(UnreadableFile) as amiss:
        read(here, path)
    assert (amiss.value.code, here.leads) == (code, True)
    here.expect([path])


def test_a_link_to_a_folder_is_no_file():
    here, _ = ground(TREE)
    assert not here.is_file("folder")
    with pytest.raises(IsADirectoryError):
        read(here, "folder")


def test_links_beyond_the_limit_lead_nowhere():
    here, asked = ground({f"{number:05}": "-> x" for number in range(MAX_LINKS + 5)} | {"x": "y"})
    assert here.is_file("00000")
    assert not here.is_file(f"{MAX_LINKS + 1:05}")
    assert [len(batch) for batch in asked] == [MAX_LINKS]


@pytest.mark.parametrize(("path", "leads"), [("a/requirements.txt", False), ("pom.xml", True)])
def test_only_a_link_to_a_file_that_is_not_read_makes_the_paths_insufficient(path, leads):
    here, _ = ground(
        {
            "a/requirements.txt": "-> ../requirements.txt",
            "requirements.txt": "x",
            "pom.xml": "-> other.bin",
            "other.bin": "y",
        }
    )
    read(here, path)
    assert here.leads is leads


def test_folders_list_their_contents_by_name():
    here, _ = ground({"b": "", "a/c": "", "a-b": "", "a/d/e": "-> x"})
    assert [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in here.listed("")] == [
        ("a", True),
        ("a-b", False),
        ("b", False),
    ]
    assert [entry.name for entry in here.listed("a")] == ["c", "d"]
    assert [entry.is_symlink() for entry in here.listed("a/d")] == [True]
    assert RemoteTree([], dict, ("own", 1)).listed("") == []
    assert not here.is_other("a")


@pytest.mark.parametrize("files", [{}, {"own": "x" * 11}, {"own": "-> a", "a": "b"}])
def test_an_absent_too_large_or_linked_own_file_is_none(files):
    here, _ = ground(files)
    here.fetch()
    assert here.own is None
