"""Path patterns of REUSE and Debian; hostile ones take no longer."""

import time

import pytest

from audit.scan.reuse.path_patterns import of_dep5, of_reuse_toml


@pytest.mark.parametrize(
    ("pattern", "fits", "others"),
    [
        ("a.py", ["a.py"], ["b/a.py", "a.pyc", ""]),
        ("*", ["a", ".a"], ["a/b"]),
        ("**", ["a", "a/b/c"], []),
        ("src/**", ["src/a", "src/a/b"], ["src", "asrc/a"]),
        ("**/foo", ["foo", "a/foo", "a/b/foo", "barfoo"], ["foo/a"]),
        ("a*b/*.txt", ["ab/1.txt", "axb/.txt"], ["ax/b/1.txt", "ab/c/1.txt"]),
        ("m**/n", ["m/n", "mn", "mx/y/n"], ["n", "m/n/x"]),
        ("***k", ["k", "a/k"], ["ka"]),
        ("o/**/p/*", ["o/p/1", "o/x/p/1", "o/x/y/p/1"], ["o/p/1/2"]),
        (r"q\*.txt", ["q*.txt"], ["qq.txt", r"q\*.txt"]),
        (r"r\\s", [r"r\s"], ["rs"]),
        (r"t\u", ["tu"], [r"t\u"]),
        ("e?.[ab]", ["e?.[ab]"], ["e1.a"]),
        ("dir/", [], ["dir/a", "dir"]),
        ("./a", [], ["a"]),
        ("é*", ["éa"], ["ea"]),
    ],
)
def test_a_star_of_reuse_toml_stays_within_a_name_and_two_stars_do_not(pattern, fits, others):
    path_pattern = of_reuse_toml(pattern)
    assert [path for path in (*fits, *others) if path_pattern.matches(path)] == fits


@pytest.mark.parametrize(
    ("pattern", "fits", "others"),
    [
        ("*", ["a", "a/b"], []),
        ("po/*.po", ["po/a.po", "po/x/y.po"], ["po/a.pot", "x/po/a.po"]),
        ("a/?.txt", ["a/1.txt"], ["a/12.txt", "a/.txt"]),
        (r"a\*b", ["a*b"], ["axb"]),
        (r"a\?", ["a?"], ["ab"]),
        ("./a", ["a"], []),
        ("?*?", ["ab", "a/b"], ["a"]),
    ],
)
def test_a_star_of_dep5_goes_over_slashes(pattern, fits, others):
    path_pattern = of_dep5(pattern)
    assert [path for path in (*fits, *others) if path_pattern.matches(path)] == fits


def test_hostile_patterns_take_work_in_proportion_to_the_path():
    pattern, path = of_reuse_toml("*a" * 300 + "*b"), "a" * 20_000
    start = time.process_time()
    assert not pattern.matches(path)
    assert time.process_time() - start < 5
