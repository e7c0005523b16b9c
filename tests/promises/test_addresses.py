"""`matching: exact` takes and refuses the addresses that cncf/dco2 does, by the grammar of the crate email_address 0.2.9.

Each row: the address, whether it is valid there, and why. The rows are read off the crate's source.
"""

import pytest

from agreements.dco.trailers import well_formed_in_dco2
from tests.promises.pull import commit, sign_off

LONG = ".".join(["a" * 63] * 3 + ["a" * 62])  # 254 octets
CASES = [
    # The split
    ("ada@x.org", True, "the plain form"),
    ("a@b", True, "one label is enough"),
    ("", False, "nothing"),
    ("@", False, "nothing on either side"),
    ("ada.x.org", False, "no @"),
    ("@x.org", False, "no local part"),
    ("ada@", False, "no domain"),
    ("a@b@c", False, "split at the last @: the local part holds another"),
    ("ada@x.org ", False, "a space is no atom character, and nothing is trimmed"),
    (" ada@x.org", False, "the same before it"),
    # A local part of atoms
    ("a.b.c@x.org", True, "dots between atoms"),
    (".a@x.org", False, "an empty atom first"),
    ("a.@x.org", False, "an empty atom last"),
    ("a..b@x.org", False, "an empty atom within"),
    ("!#$%&'*+-/=?^_`{|}~@x.org", True, "every atom character"),
    ("-@-.org", False, "a hyphen is an atom, but no label"),
    ("-@x.org", True, "an atom may be a hyphen alone"),
    ("a(b)@x.org", False, "no comments"),
    ("a,b@x.org", False, "a comma is special"),
    ("a:b@x.org", False, "a colon is special"),
    ("a\\b@x.org", False, "a backslash is special"),
    ("a[b]@x.org", False, "brackets are special"),
    ("a\tb@x.org", False, "a tab is no atom character"),
    ("a\x7fb@x.org", False, "DEL is no atom character"),
    ("a\x80b@x.org", False, "a control character beyond ASCII is no letter"),
    ("a" * 64 + "@x.org", True, "64 octets"),
    ("a" * 65 + "@x.org", False, "65 octets"),
    ("é" * 32 + "@x.org", True, "64 octets of 32 letters"),
    ("é" * 33 + "@x.org", False, "66 octets of 33 letters"),
    # A local part beyond ASCII: only letters and digits
    ("jörg@x.org", True, "a letter"),
    ("张三@x.org", True, "ideographs are letters"),
    ("अजय@x.org", True, "letters"),
    ("कि@x.org", True, "a dependent vowel sign is alphabetic"),
    ("क्ष@x.org", False, "a virama is not alphabetic"),
    ("٣@x.org", True, "a digit of another script"),
    ("Ⅷ@x.org", True, "a Roman number is numeric"),
    ("½@x.org", True, "a fraction is numeric"),
    ("ⓐ@x.org", True, "a circled letter is alphabetic"),
    ("jo\u0308rg@x.org", False, "a combining mark is not alphabetic"),
    ("a\u0345@x.org", True, "the iota subscript is alphabetic"),
    ("ada\u200b@x.org", False, "a zero-width space is no letter"),
    ("ada\u200d@x.org", False, "nor a zero-width joiner"),
    ("a\u00adda@x.org", False, "nor a soft hyphen"),
    ("\ufeffada@x.org", False, "nor a byte order mark"),
    ("a\u00a0b@x.org", False, "nor a no-break space"),
    ("\u202eada@x.org", False, "nor a direction mark"),
    ("😀@x.org", False, "an emoji is a symbol"),
    ("a€@x.org", False, "a currency sign is a symbol"),
    ("a–b@x.org", False, "a dash is punctuation"),
    ("a·b@x.org", False, "a middle dot is punctuation"),
    ("ªb@x.org", True, "the ordinal indicator is a letter"),
    ("a\ufffdb@x.org", False, "the replacement character is a symbol"),
    ("\ue000@x.org", False, "private use is no letter"),
    ("각@x.org", True, "a Hangul syllable is a letter"),
    ("\ud7a4@x.org", True, "unassigned, but its number reads as two octets of UTF-8"),
    ("\ud7fc@x.org", False, "unassigned, and its number does not"),
    # A quoted local part
    ('"a b"@x.org', True, "a space within quotes"),
    ('"a@b"@x.org', True, "an @ within quotes"),
    ('"a\tb"@x.org', True, "a tab within quotes"),
    ('" "@x.org', True, "a space alone"),
    ('"a\\"b"@x.org', True, "an escaped quote"),
    ('"a\\\\"@x.org', True, "an escaped backslash"),
    ('"a\\"@x.org', False, "the closing quote is escaped"),
    ('"a\\ b"@x.org', False, "a space may not be escaped"),
    ('"a"b"@x.org', False, "a quote within"),
    ('""@x.org', False, "empty quotes"),
    ('"@x.org', False, "one quote alone"),
    ('"a"b@x.org', False, "quotes around a part only"),
    ('"a".b@x.org', False, "quotes around one atom"),
    ('"a\x01b"@x.org', False, "a control character"),
    ('"é"@x.org', False, "within quotes ASCII alone"),
    ('"각"@x.org', False, "the same for Hangul whose number does not read as UTF-8"),
    ('"슀"@x.org', True, "but not for Hangul whose number does"),
    # The labels of a domain
    ("a@b.c.d.e", True, "many labels"),
    ("a@x.1", True, "a number as label"),
    ("a@1.2.3.4", True, "four numbers are labels"),
    ("a@x_y.org", True, "an underscore within"),
    ("a@_dmarc.org", False, "an underscore first"),
    ("a@x_.org", False, "an underscore last"),
    ("a@x-y.org", True, "a hyphen within"),
    ("a@-x.org", False, "a hyphen first"),
    ("a@x-.org", False, "a hyphen last"),
    ("a@x.org-", False, "a hyphen at the very end"),
    ("a@x.-org", False, "a hyphen first in the last label"),
    ("a@x!y.org", True, "any atom character within"),
    ("a@!x.org", False, "but not first"),
    ("a@x#", False, "nor last"),
    ("a@x.org.", False, "no final dot"),
    ("a@.x.org", False, "an empty label first"),
    ("a@x..org", False, "an empty label within"),
    ("a@.", False, "empty labels alone"),
    ("a@x y.org", False, "a space"),
    ("a@" + "b" * 63 + ".org", True, "a label of 63 octets"),
    ("a@" + "b" * 64 + ".org", False, "a label of 64 octets"),
    ("a@" + "é" * 31 + ".org", True, "62 octets of 31 letters"),
    ("a@" + "é" * 32 + ".org", False, "64 octets of 32 letters"),
    ("a@" + LONG, True, "a domain of 254 octets"),
    ("a@" + LONG + "a", False, "255 octets"),
    ("a@" + LONG[:-1] + "é", False, "255 octets of 254 letters"),
    # A domain beyond ASCII
    ("a@bücher.example", True, "a letter"),
    ("用户@例子.广告", True, "ideographs"),
    ("अजय@डाटा.भारत", True, "it ends in a dependent vowel sign, which is alphabetic"),
    ("a@क्.org", False, "it ends in a virama, which is not"),
    ("a@bu\u0308cher.example", False, "a combining mark"),
    ("a@x\u3002org", False, "the ideographic full stop is punctuation"),
    ("a@x\u200b.org", False, "a zero-width space last"),
    ("a@x\u200by.org", False, "and within"),
    ("a@x\u00ady.org", False, "a soft hyphen"),
    ("a@😀.org", False, "an emoji"),
    ("a@x①", True, "a circled digit is numeric"),
    # A literal as domain
    ("a@[127.0.0.1]", True, "an address"),
    ("a@[IPv6:::1]", True, "an address of the other kind"),
    ("a@[999]", True, "what stands there is not read"),
    ("a@[]", True, "it may be empty"),
    ("a@[", False, "no closing bracket"),
    ("a@]", False, "no opening bracket"),
    ("a@[x", False, "the same with something in it"),
    ("a@[1 2]", False, "a space"),
    ("a@[a[b]", False, "a bracket within"),
    ("a@[a\\b]", False, "a backslash"),
    ("a@[é]", False, "ASCII alone"),
    ("a@[슀]", True, "but for Hangul whose number reads as UTF-8"),
    ("a@[" + "1" * 252 + "]", True, "254 octets"),
    ("a@[" + "1" * 253 + "]", False, "255 octets"),
    # Bots
    ("x[bot]@users.noreply.github.com", True, "dco2 takes every address with this end"),
    ("[bot]@users.noreply.github.com", True, "the end alone"),
    ("x y\u200b[bot]@users.noreply.github.com", True, "with any text before it"),
    ("x[bot]@USERS.noreply.github.com", False, "in these very letters"),
    ("x[bot]@users.noreply.github.com.", False, "at the end"),
    # A name before the address
    ("Ada <ada@x.org>", True, "the last ` <` begins an address in brackets"),
    ("Ada <b@c> <ada@x.org>", True, "the last one"),
    (" <ada@x.org>", True, "the name may be empty"),
    ("Ada <ada@x.org>\u3000\n", True, "white space behind it is trimmed"),
    ("Ada <ada@x.org >", False, "but not within it"),
    ("Ada <ada@x.org", False, "no closing bracket"),
    ("Ada <ada>", False, "what stands in the brackets is an address"),
    ("<ada@x.org>", False, "brackets without ` <`"),
    ("Ada<ada@x.org>", False, "no space before the bracket"),
    ("Ada <x[bot]@users.noreply.github.com>", False, "a bot's address is known by its end"),
]
SIGNABLE = [(address, valid) for address, valid, _ in CASES if " <" not in address and "\n" not in address]


@pytest.mark.parametrize(("address", "valid", "why"), CASES)
def test_each_address_is_valid_by_the_grammar_or_not(address, valid, why):
    assert well_formed_in_dco2(address) is valid, why


def test_a_sign_off_counts_exactly_where_its_address_is_valid():
    for address, valid in SIGNABLE:
        work = commit(email=address, message=f"Add\n\nSigned-off-by: Ada <{address}>")
        expected = ("dco/signed",) if valid else ("dco/invalid-email",)
        assert sign_off(work, rulebook={"dco": {"matching": "exact"}}) == [expected], address


def test_a_valid_address_behind_a_name_leaves_the_other_person_to_sign():
    for address, valid, _ in CASES:
        if " <" in address:
            work = commit(
                email=address, message="Signed-off-by: Bo <bo@y.org>", committer={"name": "Bo", "email": "bo@y.org"}
            )
            assert (sign_off(work, rulebook={"dco": {"matching": "exact"}}) == [("dco/signed",)]) is valid, address
