"""Objects that are read and written without git are those that git reads and writes."""

from itertools import pairwise

import pytest

from bot.demo.github.git import bare_repository, changed_files, loose_objects, objects

pytestmark = pytest.mark.slow


@pytest.fixture(name="twins")
def _twins(place):
    """A clone, its bare repository, and a commit of names and files made by git and by us, on the same parent."""
    clone = place.clone(place.runtime, place.ada)

    def made(message, files, *names):
        parent, at = clone.head, place.world.now()
        by_git = clone.commit(message, files, author=names[0], committer=names[-1])
        clone.push()
        author, committer = (bare_repository.GitIdentity(*name, at) for name in (names[0], names[-1]))
        ours = bare_repository.commit_files(
            place.runtime.git, parent, files, message=f"{message}\n", author=author, committer=committer
        )
        return by_git, ours

    return clone, place.runtime.git, made


def test_written_objects_are_those_that_git_writes(twins):
    clone, folder, made = twins
    ada, mia = ("Ada Wu", "ada@cann.example"), ("林晓", "mia@home.example")
    for message, files in (
        ("One", {"a.txt": "a\n", "a/b": "b", "a0": "", "deep/er/ü.txt": "ü"}),
        ("第二\n\nSigned-off-by: A <a@a>", {"deep/er/ü.txt": "x", "deep/other": "y" * 100_000}),
        ("Nothing", {}),
    ):
        by_git, ours = made(message, files, ada, mia)
        assert ours == by_git
    bare_repository.run("fsck", "--strict", cwd=folder)
    assert clone.git("status", "--porcelain") == ""


@pytest.fixture(name="answers")
def _answers():
    """All that is said of a repository, asked afresh."""

    def asked(folder, shas):
        for known in (
            bare_repository.between,
            bare_repository.merge_base,
            bare_repository._blob,
            changed_files.between,
        ):
            known.cache_clear()
        for kept in (bare_repository._COMMITS_READ, bare_repository._KNOWN_HASHES, changed_files._OF_COMMIT):
            kept.clear()
        pairs = [*pairwise(shas), *zip(shas[2:8], shas, strict=False)]
        return [
            [bare_repository.resolve(folder, sha) for sha in shas],
            [bare_repository.merge_base(folder, *pair) for pair in pairs],
            [[commit.sha for commit in bare_repository.between(folder, *pair)] for pair in pairs],
            [bare_repository.commit(folder, sha) for sha in shas],
            [changed_files.between(folder, *pair) for pair in pairs],
            [
                bare_repository.blob(folder, sha, path)
                for sha in shas
                for path in ("a/b", "a", "README.md", "sub", "no")
            ],
            [objects.tree_sha(folder, sha) for sha in shas],
        ]

    return asked


@pytest.mark.slow
def test_read_objects_are_those_that_git_reads(twins, answers):
    clone, folder, made = twins
    shas = [made(f"{n}\n\nBody \n", {"a/b": f"{n}\n"}, ("Ada", "ada@cann.example"))[0] for n in range(3)]
    clone.branch("side", start=shas[0])
    shas.append(clone.commit("Side", {"side.txt": "x"}))
    clone.git("mv", "side.txt", "moved.txt")
    clone.git("update-index", "--add", "--cacheinfo", f"160000,{shas[0]},sub")
    shas.append(clone.commit("Moved", author=("Dots.", "a@a"), committer=("X", "x@x")))
    clone.push()
    by, tip = bare_repository.commit(folder, shas[0]).author, bare_repository.resolve(folder, "main")
    shas.append(bare_repository.merge_commit(folder, tip, shas[-1], message="Merge", by=by))
    bare_repository.point(folder, "refs/heads/main", shas[-1])
    tree = bare_repository.commit(folder, shas[0]).tree
    for name, at, rest in (
        (b"L\xf6w", b"1 +0000", b"\xff"), (b"A", b"99999999999999 +0000", b"Late"), (b"", b"1 +0000", b"No name"),
        (b" B ", b"1 +9999", b"Odd zone"), (b"C", b"99999 -0700", b"\n\n Blank\0 and more"),
    ):  # fmt: skip
        raw = b"tree %s\nparent %s\nauthor %s <a@a> %s\ncommitter A <a@a> 1 +0000\nencoding latin1\n\n%s" % (
            tree.encode(), shas[-1].encode(), name, at, rest)  # fmt: skip
        for text in (raw, raw.replace(b"encoding latin1\n", b"")):
            kept = bare_repository.run(
                "hash-object", "-t", "commit", "-w", "--stdin", "--literally", cwd=folder, feed=text
            )
            shas.append(kept.decode().strip())
            bare_repository.point(folder, f"refs/heads/odd{len(shas)}", shas[-1])
    loose = answers(folder, shas)
    assert loose_objects.read(folder, shas[0]) is not None
    bare_repository.run("repack", "-a", "-d", "-q", cwd=folder)
    assert loose_objects.read(folder, shas[0]) is None
    assert answers(folder, shas) == loose
