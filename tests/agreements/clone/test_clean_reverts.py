"""A clean revert is told by git's objects alone: what changed, changed back, and nothing else."""

import pytest

from agreements.clone.history import Clone
from tests.revert_cases import CHANGES, FILES, judged, revert, save, write


def told(desk, base="main"):
    """What is known of the last commit of the range."""
    clone = Clone(str(desk.folder))
    span = clone.range(f"{base}..HEAD")
    return clone.with_reverts(tuple(clone.commits(span)), span.base)[-1].reverts


@pytest.fixture(name="reverted")
def _reverted(desk):
    """The SHA of a change that `main` has."""
    sha = judged(desk)
    desk.git("branch", "--force", "main")
    return sha


@pytest.mark.parametrize("case", CHANGES)
def test_a_revert_is_clean_where_it_changes_exactly_what_was_changed(desk, reverted, case):
    change, clean = CHANGES[case]
    revert(desk, reverted, change)
    assert told(desk) is clean


@pytest.mark.parametrize(("path", "clean"), [("kept.txt", True), ("many.txt", False)])
def test_other_files_may_have_changed_since_and_the_same_file_may_not(desk, reverted, path, clean):
    write(desk, {path: FILES.get(path, "").replace("9", "nine").replace("kept", "other")})
    save(desk, "Since")
    desk.git("branch", "--force", "main")
    revert(desk, reverted)
    assert told(desk) is clean


def test_a_revert_of_a_commit_that_the_base_does_not_have_is_not_known_to_be_clean(desk):
    revert(desk, judged(desk))
    assert told(desk) is False


@pytest.mark.parametrize("said", ["0" * 40, "f" * 64])
def test_a_commit_that_is_not_there_proves_nothing(desk, reverted, said):
    revert(desk, reverted, said=said)
    assert told(desk) is False


def test_the_message_names_the_commit_and_proves_nothing(desk, reverted):
    revert(desk, reverted, said=desk.git("rev-parse", f"{reverted}^"))
    assert told(desk) is False
    desk.git("reset", "--quiet", "--hard", "main")
    write(desk, {"more.txt": "more"})
    save(desk, f"Revert\n\nThis reverts commit {reverted}.")
    assert told(desk) is False


def test_a_revert_of_a_revert_is_clean_once_the_base_has_the_first(desk, reverted):
    first = revert(desk, reverted)
    revert(desk, first)
    assert told(desk) is False
    assert told(desk, first) is True


@pytest.mark.parametrize("case", ["nothing more", "one more file"])
def test_a_merge_is_reverted_against_what_its_branch_had_before(desk, reverted, case):
    desk.git("checkout", "--quiet", "-b", "side", "HEAD~1")
    write(desk, {"side.txt": "side"})
    save(desk, "Side")
    desk.git("checkout", "--quiet", "fix")
    desk.git("merge", "--quiet", "--no-ff", "-m", "Merge", "side")
    desk.git("branch", "--force", "main")
    change, clean = CHANGES[case]
    revert(desk, desk.head(), change, mainline=("-m", "1"))
    assert told(desk) is clean


def test_the_first_commit_of_a_repository_has_nothing_to_go_back_to(desk, reverted):
    first = desk.git("rev-list", "--max-parents=0", "HEAD")
    write(desk, {"file1": "x"})
    save(desk, f"Revert\n\nThis reverts commit {first}.")
    assert told(desk) is False
