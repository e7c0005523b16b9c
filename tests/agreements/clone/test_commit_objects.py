"""A commit object of any bytes becomes a commit that can be judged."""

import time
from datetime import UTC, datetime

import pytest

from agreements.clone import commit_objects
from agreements.facts import Coauthor, Identity

SHA = "a" * 40
HEAD = (
    b"tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n"
    b"parent 1111111111111111111111111111111111111111\n"
    b"author Ada <ada@huawei.com> 1700000000 +0800\n"
    b"committer Bo <bo@x.org> 1700000001 -0500\n"
)


def read(data):
    return commit_objects.read(SHA, data)


def test_every_header_and_the_coauthors_of_a_commit_are_read():
    commit = read(HEAD + b"\nAdd\n\nCo-authored-by: Eve <eve@x.org>\n")
    assert (commit.sha, commit.parents) == (SHA, ("1" * 40,))
    assert (commit.author, commit.committer) == (Identity("Ada", "ada@huawei.com"), Identity("Bo", "bo@x.org"))
    assert commit.authored_at == datetime.fromtimestamp(1700000000, UTC)
    assert commit.message == "Add\n\nCo-authored-by: Eve <eve@x.org>\n"
    assert commit.coauthors == (Coauthor("Eve", "eve@x.org"),)
    assert (commit.verified, commit.author_account, commit.committer_account) == (None, None, None)


def test_the_lines_of_a_signature_belong_to_its_one_header():
    signed = HEAD + b"gpgsig -----BEGIN\n \n author Eve <eve@x.org> 1 +0000\n -----END\n\nAdd\n"
    assert read(signed).author == Identity("Ada", "ada@huawei.com")
    assert read(signed).message == "Add\n"


def test_a_second_author_header_is_ignored_as_git_does():
    assert read(HEAD + b"author Eve <eve@x.org> 1 +0000\n\nAdd\n").author == Identity("Ada", "ada@huawei.com")


@pytest.mark.parametrize(
    ("line", "identity"),
    [
        (b"Ada <ada@x.org> 1 +0000", Identity("Ada", "ada@x.org")),
        (b" <ada@x.org> 1 +0000", Identity("", "ada@x.org")),
        (b"Ada <> 1 +0000", Identity("Ada", "")),
        (b"Ada", Identity("Ada", "")),
        (b"Ada <ada@x.org", Identity("Ada", "")),
        (b"A <x> <ada@x.org> 1 +0000", Identity("A", "x")),
        (b"\xff\xfe <a@x.org> 1 +0000", Identity("\udcff\udcfe", "a@x.org")),
        (b"Ren\xe9 <r\xe9@x.org> 1 +0000", Identity("Ren\udce9", "r\udce9@x.org")),
        (b"\xed\xb3\xa9 <a@x.org> 1 +0000", Identity("\udced\udcb3\udca9", "a@x.org")),
    ],
)
def test_names_and_addresses_are_cut_where_git_cuts_them(line, identity):
    assert read(b"tree x\nauthor " + line + b"\n\nAdd\n").author == identity


def test_a_commit_without_author_and_committer_has_neither():
    commit = read(b"tree x\n\nAdd\n")
    assert (commit.author, commit.committer, commit.authored_at) == (None, None, None)


@pytest.mark.parametrize("seconds", [b"99999999999999999999", b"x", b"-99999999999999999"])
def test_times_outside_the_calendar_are_unknown(seconds):
    assert read(b"author Ada <a@x.org> " + seconds + b" +0000\n\n").authored_at is None


@pytest.mark.parametrize(
    ("charset", "text"), [("gbk", "贡献"), ("ISO-8859-1", "Jörg"), ("utf-8", "İlker"), ("EUC-JP", "日本")]
)
def test_names_and_message_are_read_in_the_charset_that_the_commit_names(charset, text):
    encoded = text.encode(charset)
    commit = read(
        b"author " + encoded + b" <a@x.org> 1 +0000\nencoding " + charset.encode() + b"\n\n" + encoded + b"\n"
    )
    assert (commit.author.name, commit.message) == (text, text + "\n")


@pytest.mark.parametrize(
    "charset",
    [b"nonsense", b"hex", b"rot13", b"utf-7", b"punycode", b"idna", b"unicode_escape", b"\xff", b"a\0b", b"..x"],
)
def test_an_unknown_charset_is_read_as_utf8(charset):
    """Neither a name that git does not know nor one that only Python knows changes how a message is read."""
    assert read(b"encoding " + charset + b"\n\nAdd \xc3\xa9 +AGE- \\x61\n").message == "Add é +AGE- \\x61\n"


@pytest.mark.parametrize(
    "charset", [b"", b"encoding utf-8\n", b"encoding gbk\n", b"encoding iso2022_jp\n", b"encoding nonsense\n"]
)
def test_undecodable_bytes_are_equal_in_headers_and_message_and_differ_from_others(charset):
    commit = read(b"author Ren\xff <a@x.org> 1 +0000\n" + charset + b"\nSigned-off-by: Ren\xff <a@x.org>\n")
    assert f"Signed-off-by: {commit.author.name} <a@x.org>\n" == commit.message
    assert commit.author.name != read(b"author Ren\xfe <a@x.org> 1 +0000\n" + charset + b"\n").author.name


@pytest.mark.parametrize("charset", [b"utf-16", b"iso2022_jp"])
def test_cut_off_letters_and_escape_sequences_are_read_as_replacement_characters(charset):
    assert "\ufffd" in read(b"author A <a@x.org> 1 +0000\nencoding " + charset + b"\n\nAB\x1b").message


def test_the_message_ends_at_a_nul():
    """Git shows no one what follows a NUL, so it certifies nothing."""
    assert read(HEAD + b"\nAdd\0\nSigned-off-by: Ada <ada@huawei.com>\n").message == "Add"


@pytest.mark.parametrize("data", [b"", b"\n", b"\n\n", b"tree", b"author", b"parent\n\n", b" x\n\n", b"\0"])
def test_any_bytes_are_read_without_failing(data):
    assert read(data).sha == SHA


def test_a_commit_of_ten_megabytes_is_read_within_two_seconds():
    start = time.process_time()
    read(b"author " + b"<" * 5_000_000 + b"\nencoding gbk\n\n" + b"\x81 Signed-off-by: " * 300_000)
    assert time.process_time() - start < 2
