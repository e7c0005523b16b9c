"""Reverts as real git makes them, and as an attacker would change them: for a clone and for the small GitHub alike."""

IGNORED = '[submodule "module"]\n\tpath = module\n\turl = ../module\n\tignore = all\n'
"""What hides a changed submodule from `git diff-tree`."""
FILES = {
    "folder/deep.txt": "deep",
    "kept.txt": "kept",
    "many.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
    ".gitmodules": IGNORED,
}


def write(desk, files):
    """Files of the work tree, staged; None removes one."""
    for path, text in files.items():
        place = desk.folder / path
        if text is None:
            place.unlink()
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
    desk.git("add", "--all", *files)


def save(desk, message):
    """A commit of what is staged; gives its SHA."""
    ada = ("-c", "user.name=Ada", "-c", "user.email=ada@huawei.com")
    desk.git(*ada, "commit", "--quiet", "--allow-empty", "-m", message)
    return desk.git("rev-parse", "HEAD").strip()


def submodule(desk, sha):
    """A submodule at that commit, staged."""
    desk.git("update-index", "--add", "--cacheinfo", f"160000,{sha},module")


def judged(desk):
    """Commits for the base: files, and a change of several of them; gives the SHA of the change."""
    write(desk, FILES)
    submodule(desk, "1" * 40)
    save(desk, "Files")
    write(desk, {"folder/deep.txt": None, "many.txt": FILES["many.txt"].replace("1", "one"), "new/file.txt": "new"})
    return save(desk, "Change")


def revert(desk, sha, change=lambda _desk: None, *, mainline=(), said=None):
    """A commit that reverts `sha`, with that `change` beside."""
    desk.git("revert", "--no-commit", *mainline, sha)
    change(desk)
    return save(desk, f'Revert "Change"\n\nThis reverts commit {said or sha}.')


CHANGES = {
    "nothing more": (lambda _desk: None, True),
    "one more file": (lambda desk: write(desk, {"more.txt": "more"}), False),
    "one more file in a new folder": (lambda desk: write(desk, {"new/more/file.txt": "more"}), False),
    "one more line": (lambda desk: write(desk, {"many.txt": FILES["many.txt"] + "10\n"}), False),
    "the mode of a reverted file": (lambda desk: desk.git("update-index", "--chmod=+x", "many.txt"), False),
    "the mode of another file": (lambda desk: desk.git("update-index", "--chmod=+x", "kept.txt"), False),
    "a submodule that is said to be ignored": (lambda desk: submodule(desk, "2" * 40), False),
    "a file less": (lambda desk: desk.git("reset", "--quiet", "HEAD", "--", "folder/deep.txt"), False),
    "a link in place of a file": (lambda desk: desk.git(
        "update-index", "--cacheinfo", f"120000,{desk.git('rev-parse', ':folder/deep.txt').strip()},folder/deep.txt"), False),
    "a folder in place of a file": (lambda desk: (write(desk, {"kept.txt": None}), write(desk, {"kept.txt/x": "kept"})), False),
    "nothing at all": (lambda desk: desk.git("reset", "--quiet", "HEAD"), False),
}  # fmt: skip
"""By name: what a revert changes beside, and whether it is a clean one."""
