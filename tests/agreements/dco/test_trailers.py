"""Trailers of a commit message, and lines that only look like them."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agreements.dco.trailers import Remediation, coauthors, remediations, signoffs, well_formed, well_formed_in_dco2
from agreements.facts import Coauthor, Identity
from agreements.github_server import GITHUB_COM
from tests.promises.exact_oracle import BEHALF, OWN, sign_offs


@pytest.mark.parametrize(("message", "expected"), [
    ("Fix\n\nSigned-off-by: Ada <ada@x.org>", [Identity("Ada", "ada@x.org")]),
    ("signed-OFF-by: Ada <ada@x.org>\n", [Identity("Ada", "ada@x.org")]), ("Signed-off-by: Ada <a@x> \t\r\n", [Identity("Ada", "a@x")]),
    ("SIGNED-OFF-BY: Ada <a@x>\xa0", [Identity("Ada", "a@x")]), ("a\nSigned-off-by: A <a@x>\nb\nSigned-off-by: B <b@x>\n", [Identity("A", "a@x"), Identity("B", "b@x")]),
    ("Signed-off-by:  Ada <a@x>", [Identity(" Ada", "a@x")]), ("Signed-off-by: Ada <b> <a@x>", [Identity("Ada <b>", "a@x")]),
    ("Signed-off-by:  <>", [Identity("", "")]), ("Signed-off-by: Ada  < a@x >", [Identity("Ada ", " a@x ")]),
    (" Signed-off-by: Ada <a@x>", []), ("Signed-off-by:Ada <a@x>", []), ("Signed-off-by: Ada <a@x>.", []), ("Signed-off-by: Ada<a@x>", []),
    ("Signed-off-by: <a@x>", []), ("Signed-off-by: Ada a@x", []), ("x\rSigned-off-by: Ada <a@x>", []), ("> Signed-off-by: Ada <a@x>", []), ("", []),
    ("Signed-off-by: Ada <a@x>\x1c", []), ("Signed-off-by: Ada <a@x>\ufeff", []), ("Signed-off-by: ", []), ("Signed-off-by: >", []),
    ("Signed-off-by: A <a@x>\nsigned-off-by: A <a@x> ", [Identity("A", "a@x")]),
])  # fmt: skip
def test_a_sign_off_is_an_unindented_line_of_one_shape_in_any_case(message, expected):
    assert list(signoffs(message)) == expected


FOLDED = [("Ada", "ada@x.org")]


@pytest.mark.parametrize(("message", "expected"), [
    ("x\n\nSigned-off-by: Ada\n  <ada@x.org>", FOLDED), ("Signed-off-by: Ada\n\t<ada@x.org>\n", FOLDED), ("Signed-off-by:\n Ada\n <ada@x.org>", FOLDED),
    ("Signed-off-by: Ada\r\n  <ada@x.org>\r\n", FOLDED), ("Signed-off-by: Ada\n<ada@x.org>", []), ("Signed-off-by: Ada\n\n <ada@x.org>", []),
    ("Signed-off-by: Ada <ada@x.org>\n  (at work)", FOLDED), ("Signed-off-by: Ada\n  Signed-off-by: Bo <bo@x.org>", [("Ada Signed-off-by: Bo", "bo@x.org")]),
    ("  Signed-off-by: Ada\n  <ada@x.org>", []), ("x\n  Signed-off-by: Ada <ada@x.org>", []),
])  # fmt: skip
def test_a_folded_sign_off_is_read_with_the_indented_lines_below_it(message, expected):
    assert [(signoff.name, signoff.email) for signoff in signoffs(message, folded=True)] == expected
    assert all(found in signoffs(message, folded=True) for found in signoffs(message))


@pytest.mark.parametrize(("message", "expected"), [
    ("x\n\nCo-authored-by: Bo <bo@x.org>", [("Bo", "bo@x.org")]), ("CO-AUTHORED-BY: Bo <bo@x.org>\r\n", [("Bo", "bo@x.org")]),
    ("co-authored-by:Bo<bo@x.org>", [("Bo", "bo@x.org")]), ("Co-Authored-By : Bo <bo@x.org> and more", [("Bo", "bo@x.org")]),
    ("  Coauthored-by: Bo <bo@x.org>", [("Bo", "bo@x.org")]), ("Co authored by: <bo@x.org>", [("", "bo@x.org")]),
    ("Co_authored_by: A <a@x.org>, B <b@x.org>", [("A", "a@x.org"), ("B", "b@x.org")]), ("Co-authored-by: Bo bo@x.org", [("Bo", "bo@x.org")]),
    ("Co-authored-by: Bo bo@x.org>", [("Bo", "bo@x.org")]), ("Co-authored-by: Bo Xu X@X, from work", [("Bo Xu from work", "X@X")]),
    ("Co-authored-by: Bo <bo@x.org>: tests", [("Bo", "bo@x.org")]), ("Co-authored-by： Bo： tests <bo@x.org>", [("Bo： tests", "bo@x.org")]),
    (f"Co-authored-by{'-' * 25}: Bo <bo@x.org>", [("Bo", "bo@x.org")]), (f"Co-authored-by{'-' * 26}: Bo <bo@x.org>", []),
    ("Co-authored-by: Bo <bo@x.org", [("Bo", "bo@x.org")]), ("Co-authored-by:", []), ("Co-authored-by: everyone", []), ("authored-by: A <a@x.org>", []),
    ("Co-authored-by: Bo\n <bo@x.org>\nx", [("Bo", "bo@x.org")]), ("Co-authored-by:\r\n\tBo\r\n  <bo@x.org>\r\n", [("Bo", "bo@x.org")]),
    ("Co-authored-by: A <a@x.org>,\n B <b@x.org>\n\n C <c@x.org>", [("A", "a@x.org"), ("B", "b@x.org")]),
    ("Co-authored-by: A <a@x.org>\n  Co-authored-by: B <b@x.org>", [("A", "a@x.org"), ("B", "b@x.org")]),
    ("Fix\rCo-authored-by: Bo <bo@x.org>\rx", [("Bo", "bo@x.org")]), ("Co-authored-by： Bo <bo@x.org>", [("Bo", "bo@x.org")]),
    ("> Co-authored-by: Bo <bo@x.org>", [("Bo", "bo@x.org")]), ("Co\u2010authored\u2010by: Bo <bo@x.org>", [("Bo", "bo@x.org")]), ("Co-authored-by\t:\tBo\t<bo@x.org>", [("Bo", "bo@x.org")]),
    ("Co-authored-by: Bo <>", [("Bo", "")]), ("Co-authored-by: Bo < bo@x.org >", [("Bo", "bo@x.org")]), ("Co-authored-by: Bo <bo@@x>", [("Bo", "bo@@x")]), ("Co-authored-by: bo@x.org", [("", "bo@x.org")]),
    ("Co-authored-by: Bo <bo@x.org>\nCo-authored-by: Bo <bo@x.org>", [("Bo", "bo@x.org")]), ("Co-authored-by: Bo <波@x.org>", [("Bo", "波@x.org")]), ("Signed-off-by: A <a@x.org>\nCo-authored-by: Bo <bo@x.org>\n\nmore", [("Bo", "bo@x.org")]),
    ("See co-authored-by: lines like Bo <bo@x.org> in the old log", []), ("Co-authored-by: @ @", [("@", "@")]),
    (f"{' ' * 60}Co-authored-by: Bo <bo@x.org>", [("Bo", "bo@x.org")]), ("İ\nCo-authored-by: Bo\n <bo@x.org>", [("Bo", "bo@x.org")]),
])  # fmt: skip
def test_coauthors_are_read_in_every_spelling_without_accounts(message, expected):
    assert coauthors(message) == tuple(Coauthor(name, email) for name, email in expected)


@pytest.mark.parametrize(("line", "expected"), [
    ("I, Ada <ada@x.org>, hereby add my Signed-off-by to this commit: abc", Remediation("abc", Identity("Ada", "ada@x.org"))),
    ("i, ADA <ada@x.org>, HEREBY add my signed-off-by TO this commit: abc ", Remediation("abc ", Identity("ADA", "ada@x.org"))),
    ("On behalf of Bo <bo@x.org>, I, Ada <ada@x.org>, hereby add my Signed-off-by to this commit: abc",
     Remediation("abc", Identity("Ada", "ada@x.org"), Identity("Bo", "bo@x.org"))),
    ("I, Ada <ada@x.org>, hereby add my \u017figned-off-by to thi\u017f commit: \u017f", Remediation("\u017f", Identity("Ada", "ada@x.org"))),
    (" I, Ada <ada@x.org>, hereby add my Signed-off-by to this commit: abc", None),
    ("I, Ada ada@x.org, hereby add my Signed-off-by to this commit: abc", None), ("I, Ada <ada@x.org> hereby add this commit: abc", None),
    ("On behalf of Bo, I, Ada <ada@x.org>, hereby add my Signed-off-by to this commit: abc", None), ("I, robot", None),
    ("I, Ada <ada@x.org hereby add my Signed-off-by to this commit: abc", None), ("On behalf of Bo b@x>, I, Ada <a@x>, hereby add my Signed-off-by to this commit: abc", None),
    ("On behalf of Bo <b@x>, I, Ada a@x>, hereby add my Signed-off-by to this commit: abc", None), ("On behalf of Bo <b@x>, I, Ada <a@x> hereby add my Signed-off-by to this commit: abc", None),
    ("I, A <a@x>, hereby add my Signed-off-by to this commit: b>, hereby add my Signed-off-by to this commit: c", Remediation("c", Identity("A", "a@x>, hereby add my Signed-off-by to this commit: b"))),
    ("On behalf of B <b@x>, I, C <c@x>, I, A <a@x>, hereby add my Signed-off-by to this commit: d", Remediation("d", Identity("A", "a@x"), Identity("B <b@x>, I, C", "c@x"))),
    ("On behalf of B <b@x>, I, A <a@x>, hereby add my Signed-off-by to this commit: c <d>, I, e", Remediation("c <d>, I, e", Identity("A", "a@x"), Identity("B", "b@x"))),
    ("On behalf of B <b@x>, I, A <a@x>, hereby add my Signed-off-by to this commit: c>, hereby add my Signed-off-by to this commit: d", Remediation("d", Identity("A", "a@x>, hereby add my Signed-off-by to this commit: c"), Identity("B", "b@x"))),
])  # fmt: skip
def test_a_remediation_starts_its_line_and_its_fixed_words_may_be_in_any_case(line, expected):
    assert remediations(f"Subject\n\n{line}\nmore") == (() if expected is None else (expected,))


def plain_coauthors(message):
    """The same as `coauthors`, one line at a time: a line that is not indented ends the one before."""
    values, open_value = [], None
    for line in message.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        open_value = open_value if line[:1] in (" ", "\t") else None
        key, colon, value = line.replace("：", ":", 1).partition(":")
        if colon and len(key.strip()) < 40 and re.sub(r"[\W_]", "", key.casefold()) == "coauthoredby":
            values.append(open_value := [value])
        elif open_value is not None and not line.isspace():
            open_value.append(line)
    found = []
    for value in map(" ".join, values):
        found += [(name.strip(AROUND), email.strip()) for name, email in re.findall("([^<>]*)<(?=([^<>]*))", value)]
        if "<" not in value and "@" in value:
            words = value.split()
            address = words.pop(next(at for at, word in enumerate(words) if "@" in word))
            found.append((" ".join(words), address.strip(",;()<>")))
    return found


def plain_remediations(message):
    """The same as `remediations`, by two patterns: who, for whom, and the commit."""
    for line in message.split("\n"):
        if match := OWN.fullmatch(line):
            yield Remediation(match[3], Identity(match[1], match[2]))
        if match := BEHALF.fullmatch(line):
            yield Remediation(match[5], Identity(match[3], match[4]), Identity(match[1], match[2]))


def read_plainly(message):
    """What the message says to each of the three readers, read a second time in the simplest way."""
    signed = tuple(dict.fromkeys(Identity(*pair) for pair in sign_offs(message)))
    helped = tuple(Coauthor(*coauthor) for coauthor in dict.fromkeys(plain_coauthors(message)))
    return signed, helped, tuple(dict.fromkeys(plain_remediations(message)))


def read_all(message):
    """What the three readers find."""
    return signoffs(message), coauthors(message), remediations(message)


AROUND = " \t\r\n\xa0,;&"
HEREBY = "I, a <b>, hereby add my Signed-off-by to this commit: "


@pytest.mark.parametrize("end", ["", " <a@x>, hereby add my Signed-off-by to this commit: <c>"])
@pytest.mark.parametrize("piece", ["Signed-off-by: ", " <", "> <", ">, I, ", HEREBY, "On behalf of ", "Co-authored-by: <",
                                   " \t", "\n", "\r", "Signed-off-by: a <b>\n"])  # fmt: skip
def test_lines_without_an_end_are_read_like_others(piece, end):
    """benchmarks/verdicts/messages.py measures the speed of reading them."""

    def shortened(found):
        once = re.escape(repr(piece)[1:-1])
        return re.sub(f"({once})+", lambda many: many[1], repr(found))

    for start in ("Signed-off-by: ", "On behalf of ", "I, ", "Co-authored-by: ", ""):
        short = start + piece * 6 + end
        assert read_all(short) == read_plainly(short)
        assert shortened(read_all(start + piece * (300_000 // len(piece)) + end)) == shortened(read_all(short))


MESSAGES = st.lists(st.sampled_from(["Signed-off-by: ", "\nſigned-OFF-by: A", " <a@x>\n", "\nCo-authored-by: ", "co authored by:", " <", "<", ">", "İ", "@", ", ",
    " ", "\t", "\n", "\r", "\r\n", "\xa0", "\n ", HEREBY, "\nOn behalf of B <b@x>, I, A", "\nI, A <a@x", ">, hereby add my Signed-off-by to thi\u017f commit: c"]), max_size=14).map("".join)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=1000)
@given(MESSAGES | st.text(max_size=80))
def test_any_message_is_read_as_its_lines_say(message):
    assert read_all(message) == read_plainly(message)


@pytest.mark.parametrize("address", [
    "a@x.org", "a@localhost", "a.b+c@x.org", "张@例子.cn", '"a b"@x.org', '"a\\"b"@x.org', "a@[1.2.3.4]", "a@[IPv6:::1]", "a_b@x_y.org",
    "49699333+dependabot[bot]@users.noreply.github.com", "x y[bot]@users.noreply.github.com", "a" * 64 + "@x", '"a@b"@x.org',
    "a@[]", '"a\tb"@x.org', '"é"@x.org', '"\\\\"@x.org', "é" * 32 + "@x",
])  # fmt: skip
def test_addresses_of_one_label_any_script_and_quoted_strings_are_well_formed(address):
    assert well_formed(address, GITHUB_COM)


@pytest.mark.parametrize("address", [
    "", "a", "@x.org", "a@", "a b@x.org", "a@x.org.", "a@.x.org", "a@x..org", ".a@x.org", "a.@x.org", "a..b@x.org", "a@b@x.org", '""@x.org', '"@x.org', '"a\\ b"@x.org',
    '"\\é"@x.org', '"a\x7fb"@x.org', "a@[é]", "a@[\x7f]", "a@[", "a@]", "a@[x", "a@[[]", "a\x7fb@x.org",
    "a@[1 2]", '"a"b"@x.org', '"a\\"@x.org', '"a\nb"@x.org', "<a@x.org>", "a" * 65 + "@x", "é" * 33 + "@x", "a@x y", "none",
])  # fmt: skip
def test_addresses_that_mail_would_never_take_are_not_well_formed(address):
    assert not well_formed(address, GITHUB_COM)


@pytest.mark.parametrize(("address", "wide", "dco2"), [
    ("ada@x.org", True, True), ("x[bot]@users.noreply.github.com", True, True), ("a@b@c", False, False), ("", False, False), ("a@-x.org", True, False), ("a" * 65 + "@x", False, False),
    ("a\u200b@x.org", True, False), ("a@" + "b" * 64, True, False), ("Ada <ada@x.org>", False, True), ("a@[é]", False, False), ('"é"@x.org', True, False), ("ren\udce9@x.org", True, False),
])  # fmt: skip
def test_the_grammar_of_dco2_is_narrower_except_for_a_name_before_the_address(address, wide, dco2):
    """tests/promises/test_addresses.py compares the grammars row by row."""
    assert (well_formed(address, GITHUB_COM), well_formed_in_dco2(address)) == (wide, dco2)
