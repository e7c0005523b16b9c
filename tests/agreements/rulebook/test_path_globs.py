"""Globs of small changes name files as those of licence headers do, or fewer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreements.rulebook.path_globs import fits, is_valid
from audit.headers import header_rule

PARTS = st.sampled_from(["a", "b.md", "*", "*.md", "?", "[ab]", "**", "docs", "a*.md", "", ".", "..", "***"])
NAMES = st.sampled_from(["a", "b.md", "README.MD", "docs", "ab.md", "c", "*", "**"])


@pytest.mark.parametrize(("glob", "those", "others"), [
    ("*.md", ["a.md", "docs/a.md", "docs/deep/a.md"], ["a.MD", "a.md/x", "amd", "a.mdx"]),
    ("/*.md", ["a.md"], ["docs/a.md"]), ("docs/*.md", ["docs/a.md"], ["a.md", "docs/deep/a.md", "other/docs/a.md"]),
    ("docs/**", ["docs/a", "docs/deep/a.c"], ["docs", "a/docs/b", "docs2/a"]), ("README.md", ["README.md", "x/README.md"], ["readme.md"]),
    ("docs", ["docs", "x/docs"], ["docs/a"]), ("**", ["a", "a/b"], []), ("/**", ["a", "a/b"], []), ("do*/[ab].md", ["dox/a.md"], ["dox/c.md", "d/o/a.md"]),
])  # fmt: skip
def test_a_glob_names_these_files_and_no_others(glob, those, others):
    assert [file for file in [*those, *others] if fits([glob], file)] == those


def test_one_glob_of_several_is_enough_and_none_names_nothing():
    assert fits(["*.txt", "*.md"], "a.md")
    assert not fits([], "a.md")


@pytest.mark.parametrize("glob", ["../a.md", "a/../b", "./a", "/", "//a", "a//b", "docs/", "**/a.md", "a/**/b", ".."])
def test_globs_that_can_name_no_file_are_not_valid(glob):
    assert not is_valid(glob)


@given(st.lists(PARTS, min_size=1, max_size=4).map("/".join), st.lists(NAMES, min_size=1, max_size=4).map("/".join))
def test_a_valid_glob_never_names_more_than_it_does_for_licence_headers(glob, path):
    assert not (is_valid(glob) and fits([glob], path)) or header_rule.fits([glob], path)
