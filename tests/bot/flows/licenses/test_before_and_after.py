"""A change is judged for licences if it touches relevant files, by the trees on either side of it."""

from datetime import date
from types import SimpleNamespace

import pytest

from audit.headers.header_rule import HeaderRule
from audit.licenses.osadl import shipped
from audit.verdict.policy import Policy
from audit.verdict.pull_request import Severity
from audit.verdict.repository_verdict import Judge
from bot.flows.licenses.before_and_after import change, lacking, touches
from bot.github.ports import Files, GitTree, RepositoryPlace, TreeEntry
from bot.licenses import remote_repository
from tests.bot.flows.licensed import LEFT_PAD, Silent, locked

TAG = HeaderRule(spdx="MIT")
GOOD = "# SPDX-License-Identifier: MIT\n"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (Files(), False),
        (Files(("logo.png", "tests/a.py")), False),
        (Files(("README.md", "src/a.py", "src/a.css")), False),
        (Files(("src/a.c",)), True),
        (Files(("weights/model.bin.license",)), True),
        (Files(("weights/REUSE.toml",)), True),
        (Files(("README.md", "package-lock.json")), True),
        (Files(("LICENSE",)), True),
        (Files((), gone=("LICENSE",)), True),
        (Files((), gone=("logo.png",)), False),
        (Files(("third_party/zlib/inflate.c",)), True),
        (Files(("README.md",), complete=False), True),
    ],
)
def test_a_change_of_a_read_removed_or_unknown_file_may_matter(files, expected):
    assert touches(files) is expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (Files(("tests/a.py",), added=("tests/a.py",)), True), (Files(("tests/a.py",)), False),
        (Files(("docs/a.md",), added=("docs/a.md",)), False), (Files(("vendor/a.py",), added=("vendor/a.py",)), True),
    ],
)  # fmt: skip
def test_new_source_files_matter_where_headers_are_required(files, expected):
    assert touches(files, HeaderRule(spdx="MIT")) is expected


class Hub:
    """Two commits of one repository, and what was asked about them."""

    def __init__(self, **trees):
        self.trees, self.asked = trees, []

    def merge_base(self, _place, _base, _head):
        """The branch forked from there."""
        return "start"

    def tree(self, _place, commit):
        """The files of a commit."""
        entries = tuple(TreeEntry(path, content, len(content)) for path, content in self.trees[commit].items())
        return GitTree(commit, entries)

    def blobs(self, _place, sizes):
        """The blobs; here their names are what they say."""
        self.asked += sizes
        return {sha: sha.encode() for sha in sizes}


def changed(hub, *paths, policy=None, added=()):
    """What the change of these files brings."""
    place = RepositoryPlace(1, "cann", "ops", 11)
    look = SimpleNamespace(place=place, base_sha="base", head_sha="head")
    parts = SimpleNamespace(hub=hub, learner=Silent)
    files = Files((*paths, *added), added=added)
    return change(look, files, Judge(policy or Policy(), shipped(), date(2026, 11, 22)), parts)


def test_a_file_that_is_the_same_on_both_sides_is_fetched_once():
    start = locked(LEFT_PAD)
    hub = Hub(start=start, head={**start, "requirements.txt": "x==1\n"})
    found = changed(hub, "requirements.txt")

    assert sorted(hub.asked) == sorted([*start.values(), "x==1\n"])
    assert [move.after.dependency.name for move in found.moves] == ["x"]


@pytest.mark.parametrize(("fails", "weight"), [(True, Severity.FAILS), (False, Severity.TOLD)])
def test_a_new_file_without_its_header_fails_or_is_noted_as_the_rule_says(fails, weight):
    hub = Hub(start={"old.py": "x\n"}, head={"old.py": "x\n", "new.py": "y\n"})
    found = changed(hub, added=("new.py",), policy=Policy(headers=HeaderRule(spdx="MIT", fails=fails)))
    assert [(finding.finding.code, finding.finding.place.path, finding.weight) for finding in found.findings] == [
        ("header/missing", "new.py", weight)
    ]
    assert hub.asked == ["x\n", "y\n"]
    assert changed(hub, added=("new.py",)).findings == ()


def test_of_very_many_sources_only_the_touched_ones_are_read():
    """A change to a large work could otherwise never be judged."""
    many = {f"src/{number}.c": f"int x{number};" for number in range(remote_repository.MAX_SOURCES + 1)}
    hub = Hub(start=many, head={**many, "src/7.c": "#include <linux/fs.h>\n"})
    found = changed(hub, "src/7.c")

    assert hub.asked == ["int x7;", "#include <linux/fs.h>\n"]
    assert [move.after.dependency.name for move in found.moves] == ["linux"]
    assert [noted for noted in found.findings if noted.finding.code == "tree/cut-short"] == []


GPL_HEAD = "# SPDX-License-Identifier: GPL-3.0-only\n"
MANIFEST = '[project]\nname = "x"\nlicense = "MIT"\n'


def test_only_the_headers_of_changed_files_are_read():
    start = {"pyproject.toml": MANIFEST, "a.py": "a = 1\n", "b.py": "b = 1\n"}
    hub = Hub(start=start, head={**start, "a.py": GPL_HEAD})
    found = changed(hub, "a.py")
    assert [(finding.finding.code, str(finding.finding.place), finding.weight) for finding in found.findings] == [
        ("license/source", "a.py:1", Severity.TOLD)
    ]
    assert not found.is_compatible
    assert sorted(hub.asked) == sorted([MANIFEST, "a = 1\n", GPL_HEAD])


REUSE = 'version = 1\n[[annotations]]\npath = "*.bin"\nSPDX-License-Identifier = "GPL-3.0-only"\n'


@pytest.mark.parametrize(
    ("path", "content"),
    [("REUSE.toml", REUSE), ("LICENSE", "Other terms"), ("m.bin.license", GPL_HEAD), ("LICENSES/MIT.txt", "x")],
)
def test_a_change_that_speaks_of_other_files_has_all_headers_read(path, content):
    start = {"pyproject.toml": MANIFEST, "a.py": "a = 1\n", "m.bin": "m"}
    hub = Hub(start=start, head={**start, path: content})
    changed(hub, path)
    assert "a = 1\n" in hub.asked


def test_the_use_that_a_new_annotation_of_data_brings_is_judged():
    start = {"pyproject.toml": MANIFEST, "m.bin": "m"}
    found = changed(Hub(start=start, head={**start, "REUSE.toml": REUSE}), "REUSE.toml")
    assert [(move.after.dependency.name, move.fails) for move in found.moves] == [("m.bin", True)]


def tree(files):
    """A tree whose blobs are called by what they say."""
    return GitTree("sha", tuple(TreeEntry(path, text, len(text)) for path, text in files.items()))


def told(added, before, after, *, complete=True, header=TAG, gone=()):
    """Code and path of each finding, and what was fetched."""
    fetched = []

    def fetch(sizes):
        fetched.extend(sizes)
        return {sha: sha.encode() for sha in sizes if sha not in gone}

    found = lacking(
        Files(tuple(added), complete=complete, added=tuple(added)), (tree(before), tree(after)), header, fetch
    )
    return [(finding.code, finding.place.path) for finding in found], fetched


OLD = {"old.py": "old\n"}
NEW = {
    **OLD,
    "a.py": "x\n",
    "b.py": GOOD,
    "c.py": "# SPDX-License-Identifier: ISC\n",
    "d.md": "x",
    "vendor/e.py": "x",
    "f.py": "",
}


@pytest.mark.parametrize("complete", [True, False])
def test_only_new_source_files_are_asked_for_a_header(complete):
    found, fetched = told([path for path in NEW if path not in OLD] if complete else [], OLD, NEW, complete=complete)
    assert found == [("header/missing", "a.py"), ("header/other", "c.py")]
    assert sorted(fetched) == sorted([NEW["a.py"], NEW["b.py"], NEW["c.py"], ""])


def test_edited_and_moved_files_are_not_asked_for_a_header():
    assert told([], OLD, {"old.py": "edited\n", "moved.py": "x\n"}) == ([], [])


def test_links_and_large_files_are_not_asked_for_a_header():
    entries = (TreeEntry("a.py", "x", 1, link=True), TreeEntry("b.py", "y", 2_000_001))
    assert lacking(Files(added=("a.py", "b.py")), (tree({}), GitTree("sha", entries)), TAG, {}.__getitem__) == ()


def test_new_files_beyond_the_limit_and_missing_ones_are_findings():
    many = {f"{number:04}.py": GOOD for number in range(1_001)}
    assert told(many, {}, many)[0] == [("tree/cut-short", ".")]
    assert told(["a.py"], {}, {"a.py": "x\n"}, gone=["x\n"])[0] == [("file/unreadable", "a.py")]
