"""A repository read at GitHub is the Repository that a checkout of it is; what is asked of GitHub is as little as may be."""

from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.facts import OWN_UNKNOWN
from audit.licenses.spdx import texts as spdx_texts
from audit.scan.checkout import scan
from audit.scan.own_license_finding import explained
from audit.scan.walk_limits import Limits
from audit.texts.identification import detect
from audit.texts.mismatch import contradicted
from audit.verdict.policy import RULEBOOK
from bot.demo.github.git import bare_repository, objects
from bot.demo.github.simulated_github import SimulatedGitHub
from bot.demo.github.simulated_server import SimulatedGitHubServer
from bot.github.connection import connect
from bot.github.ports import UNREADABLE, GitTree, Missing, RepositoryPlace, TreeEntry
from bot.licenses import remote_repository

HERE = RepositoryPlace(5, "cann", "ops", 9)
MIT, APACHE = spdx_texts()["MIT"], spdx_texts()["Apache-2.0"]
LINK = "-> "
"""How a content begins that is the way of a link."""


class Checkout:
    """A git repository with a work tree, and its trees and blobs as GitHub would give them; what was asked is counted."""

    def __init__(self, folder, files):
        self.folder = folder
        folder.mkdir(parents=True)
        self.git = folder.with_suffix(".git")  # beside the files, so that it is not walked
        bare_repository.initialise(self.git, "main")
        self.asked = []
        self.commit = self.write(files)

    def write(self, files):
        """Commit these files; None removes a file."""
        for path, content in files.items():
            place = self.folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            if content is None:
                place.unlink()
            elif isinstance(content, str) and content.startswith(LINK):
                place.symlink_to(content.removeprefix(LINK))
            else:
                place.write_bytes(content if isinstance(content, bytes) else content.encode())
        here = [
            f"--git-dir={self.git}",
            f"--work-tree={self.folder}",
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@b.example",
        ]
        bare_repository.run(*here, "add", "-A", "-f")
        bare_repository.run(*here, "commit", "-q", "--allow-empty", "-m", "x")
        self.commit = bare_repository.resolve(self.git, "HEAD")
        return self.commit

    def tree(self, _place, commit):
        """As the hub gives it."""
        items = objects.tree(self.git, commit, recursive=True)
        files = [
            TreeEntry(item.path, item.sha, item.size, link=item.mode == "120000")
            for item in items
            if item.kind == "blob"
        ]
        return GitTree(commit, tuple(files))

    def blobs(self, _place, sizes):
        """As the hub gives them."""
        self.asked.append(dict(sizes))
        return {sha: objects.content(self.git, sha) for sha in sizes}

    def scanned(self, **more):
        """The Repository that the checkout itself is."""
        found = scan(self.folder, name=HERE.full_name, detect=lambda text, _path: detect(text).spdx, **more)
        found = contradicted(replace(found, head=self.commit), lambda text, _path: detect(text))
        return explained(found, lambda text, _path: detect(text))

    def read(self):
        """What is read of it as of GitHub."""
        return remote_repository.of_tree(HERE, self.tree(HERE, self.commit), self)


TREES = {
    "nothing": {"README.md": "x"},
    "python": {"LICENSE": MIT, "requirements.txt": "-r deps/base.list\n-r gone.txt\n-r ../../x\nflask==1",
               "deps/base.list": "a==1\n-r ../requirements.txt", "pyproject.toml": '[project]\nname = "n"\nlicense = "Apache-2.0"\n'},
    "npm": {"package.json": '{"dependencies": {"a": "1"}}', "NOTICE": "ours",
            "node_modules/a/package.json": '{"name": "a", "version": "1.0.0", "license": "ISC"}', "node_modules/a/LICENSE": MIT,
            "node_modules/@s/b/package.json": '{"name": "@s/b", "version": "2.0.0"}', "node_modules/@s/b/NOTICE": "theirs"},
    "submodule": {".gitmodules": '[submodule "z"]\n path = libs/zlib\n url = https://github.com/madler/zlib\n',
                  "libs/zlib/LICENSE": "Zlib text", "libs/zlib/package.json": '{"dependencies": {"no": "1"}}', "libs/zlib/x.py": ""},
    "vendored": {"third_party/b/b.c": "int b;", "third_party/b/COPYING": APACHE, "vendor/github.com/o/n/x.go": "package n",
                 "vendor/modules.txt": "# github.com/o/n v1.0.0\n", "go.mod": "module m\nrequire github.com/o/n v1.0.0\n"},
    "kernel": {"drv/Makefile": "obj-m += drv.o\n", "drv/drv.c": '#include <linux/module.h>\nMODULE_LICENSE("GPL");\n',
               "src/a.c": "int a;" + " " * 400_000, "src/b.h": " " * 300_000 + "#include <linux/fs.h>\n"},
    "encodings": {"requirements.txt": "a==1".encode("utf-16"), "x/requirements.txt": b"a==1 # \xe9", "package.json": "{",
                  "y/requirements.txt": b"PK\x03\x04\x00\x00", "LICENSE": b"", "z/Cargo.lock": b"\xff\xfe\xfd"},
    "links": {"real/base.txt": "a==1", "requirements.txt": "-> ../secret/../../x", "requirements-a.txt": "-> requirements-b.txt",
              "requirements-b.txt": "-> requirements-a.txt", "requirements-c.txt": "-> nowhere", "x/up": "-> ..",
              "requirements-d.txt": "-> real/base.txt", "requirements-e.txt": "-> x/up/real/./base.txt", "LICENSE": "-> real",
              "requirements-f.txt": "-> real/base.txt/more", "requirements-g.txt": "-> /etc/hostname", "third_party/l/x.c": "-> ../../real/base.txt",
              "COPYING": "-> real/MIT", "real/MIT": MIT, "dir/LICENSE": "-> ../COPYING", "y/pom.xml": "-> ../requirements-c.txt"},
    "through a link": {"requirements.txt": "-r here/base.list\n-r gone/base.list", "here": "-> deps/now", "deps/now/base.list": "a==2",
                       "gone": "-> nowhere"},
    "passed over": {"__pycache__/requirements.txt": "no==1", ".tox/requirements.txt": "no==1", "a/.hypothesis/pom.xml": "<x"},
    "odd names": {"ü/requirements.txt": "a==1", "a b/package.json": "{}", "c'd/\"e/LICENSE": MIT, "x\ty/Cargo.toml": ""},
}  # fmt: skip


@pytest.mark.parametrize("files", TREES.values(), ids=TREES)
def test_a_repository_at_github_equals_its_checkout(tmp_path, files):
    checkout = Checkout(tmp_path / "repo", files)

    assert checkout.read().repository == checkout.scanned()


FOLDERS = ("", "src/", "a/b/", "third_party/p/", "third_party/p/licenses/", "vendor/github.com/o/n/", "node_modules/x/",
           "node_modules/@s/y/", "libs/z/", "LICENSES/", "__pycache__/", "lib/site-packages/q/", "q-1.0.dist-info/")  # fmt: skip
NAMES = ("LICENSE", "COPYING.txt", "NOTICE", "package.json", "package-lock.json", "requirements.txt", "base.list", "METADATA", "x.py",
         "x.c", "Makefile", "Cargo.toml", "go.mod", "pom.xml", "CMakeLists.txt", ".gitmodules", "README.md", "MIT.txt")  # fmt: skip
CONTENTS = (MIT, APACHE, "", "{", "a==1\n-r base.list\n", '{"name": "x", "version": "1.0.0", "license": "MIT", "dependencies": {"y": "1"}}',
            '[submodule "z"]\n path = libs/z\n url = https://github.com/o/z\n', "#include <linux/fs.h>\n", b"\xff\xfe\0",
            "Name: q\nVersion: 1.0\nLicense: BSD\n", "module m\nrequire github.com/o/n v1.0.0\n", "<project>",
            )  # fmt: skip
LINKS = (
    "-> LICENSE",
    "-> ../LICENSE",
    "-> ../base.list",
    "-> ../../..",
    "-> nowhere",
    "-> .",
    "-> ../node_modules/x/LICENSE",
)


FILES = st.builds(str.__add__, st.sampled_from(FOLDERS), st.sampled_from(NAMES))


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(
        st.builds(str.__add__, st.sampled_from(FOLDERS), st.sampled_from(NAMES)),
        st.sampled_from(CONTENTS + LINKS),
        max_size=14,
    )
)
def test_any_tree_at_github_equals_its_checkout(tmp_path_factory, files):
    files = {
        path: content for path, content in files.items() if not (path.endswith(".gitmodules") and content in LINKS)
    }
    checkout = Checkout(tmp_path_factory.mktemp("any") / "repo", files)

    assert checkout.read().repository == checkout.scanned()


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        (Limits(manifest=50), "file/too-large"), (Limits(depth=2), "tree/cut-short"), (Limits(entries=5), "tree/cut-short"),
        (Limits(total=105), "tree/cut-short"), (Limits(legal=10), "file/too-large"), (Limits(source=20), None),
        (Limits(sources=1), "tree/cut-short"),
    ], ids=str,
)  # fmt: skip
def test_the_bounds_are_the_same_as_for_a_checkout(tmp_path, limits, code):
    files = {"a/b/c/requirements.txt": "deep==1", "package.json": "{}" + " " * 100, "requirements.txt": "a==1", "LICENSE": MIT,
             "z/requirements.txt": "z==1", "x.c": " " * 30 + "#include <linux/fs.h>", "y.c": "#include <linux/fs.h>"}  # fmt: skip
    checkout = Checkout(tmp_path / "repo", files)

    found = remote_repository.of_tree(HERE, checkout.tree(HERE, checkout.commit), checkout, limits=limits).repository

    assert found == checkout.scanned(limits=limits)
    assert {finding.code for finding in found.findings} - {OWN_UNKNOWN} == ({code} if code else set())


@pytest.mark.parametrize("sources", [1, 2])
def test_all_or_no_sources_of_go_are_fetched(tmp_path, sources):
    files = {"go.mod": "module x.org/x\ngo 1.21\nrequire github.com/google/go-cmp v0.6.0\n"}
    files |= {f"{name}_test.go": f'package {name}\nimport "github.com/google/go-cmp/cmp"\n' for name in "ab"}
    checkout, limits = Checkout(tmp_path / "repo", files), Limits(sources=sources)

    found = remote_repository.of_tree(HERE, checkout.tree(HERE, checkout.commit), checkout, limits=limits).repository

    assert found == checkout.scanned(limits=limits)
    assert [dependency.usage.value for dependency in found.dependencies] == [
        "test-only" if sources == 2 else "static-link"
    ]


def test_files_are_fetched_together_and_once(tmp_path):
    files = {f"{number}/requirements.txt": f"-r more{number}.bin\na==1" for number in range(9)}
    files |= {f"{number}/more{number}.bin": f"b{number}==1" for number in range(9)}
    checkout = Checkout(
        tmp_path / "repo",
        files | {"a/LICENSE": MIT, "b/LICENSE": MIT, "other.png": b"\x89PNG", "c/LICENSE": "-> ../b/LICENSE"},
    )

    found = checkout.read()

    assert [len(batch) for batch in checkout.asked] == [1, 10, 9]
    assert found.blobs == {sha for batch in checkout.asked for sha in batch}


def test_sources_for_which_a_manifest_does_not_speak_are_fetched_together_once_it_was_read(tmp_path):
    sources = {f"src/m{number}.py": f"import p{number}\n" for number in range(9)}
    whole = Checkout(tmp_path / "whole", {**sources, "pyproject.toml": "[project]\nname = 'x'\n"})
    settings = Checkout(tmp_path / "settings", {**sources, "pyproject.toml": "[tool.black]\n"})

    assert "scope/language" not in [finding.code for finding in whole.read().repository.findings]
    [language] = [finding for finding in settings.read().repository.findings if finding.code == "scope/language"]
    assert language.files == 9
    assert len(settings.asked) <= len(whole.asked) + 1


def test_a_repository_without_a_read_file_is_not_fetched_from(tmp_path):
    checkout = Checkout(tmp_path / "repo", {"logo.png": "x", "tests/main.py": "y"})
    assert checkout.read().repository.dependencies == ()
    assert checkout.asked == []
    assert remote_repository.of_tree(HERE, GitTree("a" * 40, ()), checkout).repository.findings[0].code == "scope/empty"


def test_licence_texts_beyond_the_budget_are_a_finding(tmp_path):
    checkout = Checkout(tmp_path / "repo", {"LICENSE": MIT, "third_party/x/LICENSE": f"{MIT}\nx"})
    tree = checkout.tree(HERE, checkout.commit)

    for limits, told in ((Limits(identified=1), [("tree/cut-short", "third_party/x/LICENSE")]), (Limits(), [])) * 2:
        found = remote_repository.of_tree(HERE, tree, checkout, limits=limits).repository
        assert [
            (finding.code, finding.place.path) for finding in found.findings if finding.code != "scope/no-source"
        ] == told


def test_a_tree_that_github_cuts_short_says_so_and_is_read(tmp_path):
    checkout = Checkout(tmp_path / "repo", {"requirements.txt": "a==1"})
    tree = replace(checkout.tree(HERE, checkout.commit), complete=False)

    found = remote_repository.of_tree(HERE, tree, checkout).repository

    assert [(finding.code, finding.place.path) for finding in found.findings][1:] == [("tree/cut-short", ".")]
    assert [dependency.name for dependency in found.dependencies] == ["a"]


def test_a_blob_that_has_disappeared_is_a_finding(tmp_path):
    checkout = Checkout(tmp_path / "repo", {"requirements.txt": "a==1", "z/requirements.txt": "z==1"})
    [gone] = [entry.sha for entry in checkout.tree(HERE, checkout.commit).entries if entry.path == "requirements.txt"]

    class Lossy:
        def blobs(self, place, sizes):
            return checkout.blobs(place, {sha: size for sha, size in sizes.items() if sha != gone})

    found = remote_repository.of_tree(HERE, checkout.tree(HERE, checkout.commit), Lossy()).repository

    assert [(finding.code, finding.place.path) for finding in found.findings][1:] == [
        ("file/unreadable", "requirements.txt")
    ]
    assert [dependency.name for dependency in found.dependencies] == ["z"]


def test_no_beginning_of_a_giant_is_fetched():
    """Only the beginning of a source counts, but GitHub gives the whole."""
    giant = TreeEntry("a.c", "1" * 40, 40_000_000)

    class UnaskedGitHub:
        def blobs(self, place, sizes):
            raise AssertionError("asked for")

    found = remote_repository.of_tree(
        HERE, GitTree("a" * 40, (giant, replace(giant, path="pom.xml"))), UnaskedGitHub()
    ).repository

    assert [(finding.code, finding.place.path) for finding in found.findings][1:] == [
        ("file/too-large", "a.c"),
        ("file/too-large", "pom.xml"),
    ]


def test_documents_of_dependencies_count_as_if_they_were_in_the_tree(tmp_path):
    checkout = Checkout(tmp_path / "repo", {"README.md": "x"})
    document = '{"bomFormat": "CycloneDX", "specVersion": "1.5", "components": [{"type": "library", "name": "a", "version": "1"}]}'

    found = remote_repository.of_tree(HERE, checkout.tree(HERE, checkout.commit), checkout, {"told.cdx.json": document})

    assert [dependency.name for dependency in found.repository.dependencies] == ["a"]


@pytest.mark.parametrize(("content", "said"), [
    (None, None), ("version: 1\n", "version: 1\n"), (b"\xff", UNREADABLE), ("#" * 1_000_001, UNREADABLE), ("-> ../README.md", UNREADABLE),
])  # fmt: skip
def test_a_rulebook_that_cannot_be_read_is_not_absent(tmp_path, content, said):
    files = {"README.md": "x"} | ({} if content is None else {RULEBOOK: content})

    assert Checkout(tmp_path / "repo", files).read().rulebook == said


@pytest.mark.parametrize(("files", "change", "same"), [
    ({"requirements.txt": "a==1"}, {"logo.png": "y", "tests/x.py": "z"}, True),
    ({"requirements.txt": "a==1"}, {"src/x.py": "z"}, False),
    ({"REUSE.toml": "version = 1\n"}, {"logo.png": "y"}, False),
    ({"requirements.txt": "a==1"}, {"requirements.txt": "a==2"}, False),
    ({"requirements.txt": "a==1"}, {"z/package.json": "{}"}, False),
    ({"requirements.txt": "a==1"}, {"requirements.txt": None}, False),
    ({"requirements.txt": "a==1"}, {"third_party/n/n.py": "x"}, False),
    ({"requirements.txt": "a==1"}, {RULEBOOK: "version: 1\n"}, False),
    ({"requirements.txt": "-r x.list", "x.list": "a==1"}, {"x.list": "a==2"}, False),
    ({"requirements.txt": "-r x.list"}, {"x.list": "a==2"}, False),
    ({"requirements.txt": "-> x.list", "x.list": "a==1"}, {"x.list": "a==2"}, False),
    ({"requirements.txt": "-> x.list"}, {"x.list": "a==2"}, False),
    ({"requirements.txt": "-> d/x.txt", "d": "-> e", "e/x.txt": "a==1", "f/x.txt": "a==2"}, {"d": None, "README.md": "y"}, False),
])  # fmt: skip
def test_another_commit_with_the_same_read_files_is_known_by_its_tree(tmp_path, files, change, same):
    checkout = Checkout(tmp_path / "repo", files)
    before = checkout.read()

    after = checkout.tree(HERE, checkout.write(change))

    assert remote_repository.is_same(before.fingerprint, after) is same
    if same:
        assert replace(checkout.read().repository, head=None) == replace(before.repository, head=None)


def test_another_release_reads_anew():
    tree = GitTree("a" * 40, ())
    known = remote_repository.fingerprint(tree)
    assert remote_repository.is_current(known)
    assert remote_repository.is_same(known, replace(tree, commit="b" * 40))
    assert not remote_repository.is_same(known, replace(tree, complete=False))
    assert not remote_repository.is_current(f"0.0-{known}")
    assert not remote_repository.is_same("", tree)


@pytest.fixture(name="github")
def _github(tmp_path, gate):
    """The small GitHub with a repository, a hub, and where it is."""
    key = rsa.generate_private_key(65537, 2048)
    private = key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    (tmp_path / "git").mkdir()
    world = SimulatedGitHub(tmp_path / "git")
    with SimulatedGitHubServer(world, wrap=gate.wrap) as server:
        cann = world.organization("cann", admins=[ada := world.user("ada")])
        repo = world.repository(cann, "ops")
        installed = world.install(world.app("countersign", cann, public), cann, ada)
        hub = connect(
            api_url=server.api_url, server=world.server, app_id=installed.app.id, private_key=private, pause=0
        )
        yield world, repo, hub, RepositoryPlace(installed.id, "cann", "ops", repo.id)
        hub.close()
    assert world.refused == []


@pytest.mark.slow
@pytest.mark.parametrize("cut", [100_000, 2], ids=["at once", "folder by folder"])
def test_all_trees_over_the_wire_equal_their_checkouts(tmp_path, github, cut):
    world, repo, hub, place = github
    together = {
        f"{number}/{path}": content for number, files in enumerate(TREES.values()) for path, content in files.items()
    }
    checkout = Checkout(tmp_path / "repo", together)
    bare_repository.run("push", "-q", str(repo.git), "+HEAD:refs/heads/main", cwd=checkout.git)
    world.tree_limit = cut

    found = remote_repository.of_tree(place, hub.tree(place, checkout.commit), hub)

    assert found.repository == checkout.scanned()
    assert len(found.repository.findings) > 10
    world.delete(repo)
    with pytest.raises(Missing):
        remote_repository.of_tree(place, hub.tree(place, checkout.commit), hub)


@pytest.mark.parametrize(
    ("limits", "touched", "read", "left"),
    [
        (Limits(), None, ["a.css", "b.css"], 0), (Limits(heads=1), None, ["a.css"], 1), (Limits(headed=44), None, ["a.css"], 1),
        (Limits(), {"b.css"}, ["b.css"], 0), (Limits(heads=1), {"b.css"}, ["b.css"], 0), (Limits(), (), [], 0),
    ], ids=str,
)  # fmt: skip
def test_heads_of_text_files_are_read_within_bounds_or_where_touched(tmp_path, limits, touched, read, left):
    files = {
        "package.json": '{"license": "MIT"}',
        "a.css": "/* SPDX-License-Identifier: GPL-3.0-only */\n",
        "b.css": "/* SPDX-License-Identifier: AGPL-3.0-only */\n",
        "m.bin": "x",
    }
    checkout = Checkout(tmp_path / "repo", files)
    tree = checkout.tree(HERE, checkout.commit)
    found = remote_repository.of_tree(HERE, tree, checkout, limits=limits, touched=touched).repository
    assert sorted(finding.place.path for finding in found.findings if finding.code == "license/source") == read
    assert [finding.message.partition(" ")[0] for finding in found.findings if finding.code == "scope/tags"] == (
        [str(left)] if left else []
    )
    assert len(checkout.asked) <= 1
    assert not any(finding.code == "tree/cut-short" for finding in found.findings)
