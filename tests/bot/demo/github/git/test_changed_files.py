"""Files that commits change, as git says."""

from bot.demo.github.git import bare_repository, changed_files
from tests.bot.demo.github.git.conftest import BY


def test_a_renamed_file_has_both_names(folder):
    base = bare_repository.resolve(folder, "main")
    work = folder.parent / "work"
    bare_repository.run("clone", "--quiet", str(folder), str(work), cwd=folder)
    bare_repository.run("mv", "a.txt", "b.txt", cwd=work)
    who = {f"GIT_{role}_{part}": "x" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    bare_repository.run("commit", "--quiet", "--message", "Move", cwd=work, env=who)
    bare_repository.run("push", "--quiet", "origin", "HEAD:moved", cwd=work)
    (found,) = changed_files.between(folder, base, bare_repository.resolve(folder, "moved"))
    assert (found.path, found.previous, found.status, found.additions) == ("b.txt", "a.txt", "renamed", 0)


def test_the_files_of_a_commit_are_those_changed_since_its_first_parent(folder):
    first = bare_repository.resolve(folder, "refs/heads/main")
    side = bare_repository.write(folder, "refs/heads/side", {"c.txt": "c\n"}, message="Side", by=BY)
    empty = bare_repository.write(folder, "refs/heads/main", {}, message="Nothing", by=BY)
    merged = bare_repository.merge_commit(folder, empty, side, message="Merge", by=BY)
    commits = [bare_repository.commit(folder, sha) for sha in (first, side, empty, merged, merged)]
    found = changed_files.of_each(folder, commits)
    assert {sha: [file.path for file in files] for sha, files in found.items()} == {
        first: [], side: ["c.txt"], empty: [], merged: ["c.txt"],
    }  # fmt: skip
    assert found[merged] == changed_files.between(folder, empty, merged)
