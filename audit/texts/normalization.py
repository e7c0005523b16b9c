"""Brings a licence's text to the form in which two texts are compared: its words, and nothing that SPDX lets all people change.

Left out are letter case, punctuation, white space, comment signs, Markdown and HTML tags, numbers of list items, copyright
notices and tags; spellings that SPDX calls equal are made one. Everything else stays, each word in its place.
"""

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, groupby, islice
from operator import itemgetter

from audit.texts.copyrights.contact_lines import contacts
from audit.texts.copyrights.copyright_lines import conditional, lowered, notices
from audit.texts.replaceable_fields import FIELDS, SPELLINGS, ReplaceableField

# With the quotation marks and dashes of Windows-1252, which Latin-1 reads as control characters.
_SIGNS = str.maketrans(
    dict.fromkeys("“”„«»‟\x93\x94", '"')
    | dict.fromkeys("‘’‚`´\x91\x92", "'")
    | dict.fromkeys("‐‑‒–—−\x96\x97", "-")
    | dict.fromkeys("™®•·●▪◦", " ")
    | dict.fromkeys("\ufeff\u200b\u200c\u200d\u2060\u00ad")  # These cannot be seen: they are taken out.
    | dict.fromkeys("\u2028\u2029\u0085", "\n")
)
_SIGN = re.compile("[" + "".join(chr(code) for code in _SIGNS) + "]")
# Signs and quotation marks that were brought into UTF-8 a second time.
_TWICE_ENCODED = re.compile("Â(?=[§©®\u00a0])|â€[œ\u009d™“”\u0093\u0094\u0099\u009c]")
_SENTENCES = str.maketrans("\ufdfa\ufdfb", "xx")  # NFKC makes whole sentences of these two.
_MAX_MARKS = 30  # UAX #15 calls so many safe for streams.
_ENDS = re.compile(r"\r\n?|[\v\f]")
_TAGS = (
    "a|abbr|article|b|big|blockquote|body|br|center|code|dd|div|dl|dt|em|font|h[1-6]|head|header|hr|html|i|img|li|link|main|meta|ol|p|pre|section|"
    "script|small|span|strong|style|sub|sup|table|tbody|td|th|title|tr|tt|u|ul"
)
_TAG = re.compile(
    rf"<(?=[/!a-zA-Z])/?(?:{_TAGS})(?=[\s/>])[^<>]{{0,500}}>|<(?=!)!doctype[^<>]{{0,300}}>", re.IGNORECASE
)
_HTML_SNIFF_CHARACTERS = 2_000  # A page says here that it is one.
_HIDDEN = re.compile(r"<(script|style)(?=[\s>])[^<>]{0,500}>", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:[a-zA-Z]{2,8}|#\d{2,6}|#x[0-9a-fA-F]{2,6});")
# Repetitions are bounded, so that a file of numbers or blanks takes linear time.
_ITEM = re.compile(
    r"[ \t\n(](?P<number>\(?(?:\d{1,2}(?:\.\d{1,2}){0,3}|[a-z]|[ivx]{1,4})\\?[.)]|o(?=[ \t]{2})|\d{1,2}(?:\.\d{1,2}){1,3})(?=\s)"
    r"|\n(?P<joined>\d{1,2}\.)(?=[a-z]{4})"
)
_HEADING = re.compile(
    r"\n[ \t#*]{0,24}(?P<line>(?:\d{1,2}\.(?:\d{1,2}\.?){0,2}[ \t]+)?[A-Za-z][A-Za-z ,/-]{2,70})[*:.]{0,3}[ \t]*\n\s{0,24}[*-]?[ \t]{0,8}\(?\Z"
)
_NO_WORD = re.compile(r"\W*")
_AND_OR = re.compile(r"(?<!\w)(?:and|or|either)(?:\s{0,40}|[ \t]{0,4}\n\s{0,40}[*+-][ \t]{0,8})\Z")
_BULLET = re.compile(r"[ \t]{0,4}\n\s{0,40}[*+-][ \t]{0,8}")
_PARAGRAPH = re.compile(r"\n[^\w\n]{0,80}+\n[^\w\n]{0,24}\Z")
_STOP = re.compile(r"[.;:,][^\w(]{0,40}+\Z")
_OPENS = re.compile(r"\s{1,8}[\"'(]{0,2}[A-Z][a-z]")
_VERSION = re.compile(r"\bv(?:ersion)?\Z")
_LIST_CONTEXT_CHARACTERS = 120  # Characters before a number of a list that say whether it is one.
# Numbers of list items that are taken out of one text: a file with a thousand licences has some thousands.
_MAX_NUMBERS = 20_000
_TAG_LINE = re.compile(
    r"^[^\w\n]{0,24}SPDX-(?:License-Identifier|FileCopyrightText|FileContributor|FileType|SnippetBegin|SnippetEnd):?(?P<value>[^\n]{0,400})$",
    re.MULTILINE,
)
_COMPOUND = re.compile(r"[\w.+:]*[-.+:][\w.+:-]*")
_ASCII = str.maketrans({chr(code): " " for code in range(128) if not chr(code).isalnum()})
_ASCII_LINES = _ASCII | {ord("\n"): "\n"}
_TOKEN = re.compile(r"\S+")
# A word in small letters, or several with hyphens between them, and the signs around it.
_SMALL = re.compile(r"[^\w\s]*+[a-z]+(?:[-'][a-z]+)*+[^\w\s]*+")
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")


def clean(text: str) -> str:
    """The text with one kind of line end, quotation mark, dash and blank; what cannot be seen is taken out. Lines stay lines."""
    if "\r" in text or "\v" in text or "\f" in text:
        text = _ENDS.sub("\n", text)
    if not text.isascii():
        text = _TWICE_ENCODED.sub("", text)
        text = _SIGN.sub(lambda match: match[0].translate(_SIGNS), text)
        text = _composed(text)
    if "<" in text and _TAG.search(text):
        text = _TAG.sub(lambda tag: " " + "\n" * tag[0].count("\n"), _shown(text))
        text = html.unescape(text).translate(_SIGNS)
    # In plain text only whole entities: `html.unescape` would also take `&copy` within a word.
    elif "&" in text:
        text = _ENTITY.sub(lambda match: html.unescape(match[0]).translate(_SIGNS), text)
    return text


def _shown(text: str) -> str:
    """A page of HTML without its style sheets and scripts, which hold no text; line ends stay."""
    head = text[:_HTML_SNIFF_CHARACTERS].lower()
    if "<html" not in head and "<!doctype html" not in head:
        return text
    parts, at = [], 0
    for match in _HIDDEN.finditer(text):
        if match.start() < at:
            continue
        end = text.find(f"</{match[1]}", match.end())
        end = len(text) if end < 0 else end  # Never closed: it hides the rest.
        parts += [text[at : match.start()], "\n" * text.count("\n", match.start(), end)]
        at = end
        if end == len(text):
            break
    return "".join([*parts, text[at:]])


def _composed(text: str) -> str:
    # Unicode sorts the marks above one letter, in time that grows with the square of their number.
    if any(map(unicodedata.combining, text)):
        runs = groupby(text, lambda character: unicodedata.combining(character) > 0)
        text = "".join(
            character for are_marks, run in runs for character in (islice(run, _MAX_MARKS) if are_marks else run)
        )
    text = text.translate(_SENTENCES)
    return text if unicodedata.is_normalized("NFKC", text) else unicodedata.normalize("NFKC", text)


def _blank(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with these parts made blank, line ends kept: every other letter stays where it was."""
    parts, end = [], 0
    for start, stop in spans:
        parts += [text[end:start], "\n".join(" " * len(line) for line in text[start:stop].split("\n"))]
        end = stop
    return "".join([*parts, text[end:]]) if parts else text


_BLOCK_CHARACTERS = 4096  # Characters whose blanks are counted at once.
Change = tuple[int, int, int, int]
"""A part that was replaced: where the new one begins, its length, where the old one began, its length."""


@dataclass(frozen=True)
class NormalizedText:
    """A text in the form for comparing.

    `form` is a blank, then every word and a blank behind each, with replaceable fields as marks (`~…`); `plain` is the
    same with the fields' own words. `_bare` is the text in its lines, `_stages` are the changes of each kind of field.
    """

    plain: str
    form: str
    _bare: str
    _stages: tuple[tuple[Change, ...], ...]

    def line(self, position: int) -> int:
        """The line of the text, from 1, of the word at this position of `form`."""
        if self.plain.isspace():
            return 1
        place = self.in_plain(position)
        block = place // _BLOCK_CHARACTERS
        blanks = self._blanks[block] + self.plain.count(" ", block * _BLOCK_CHARACTERS, place)
        return bisect_right(self._counts, max(blanks - 1, 0)) + 1

    def in_plain(self, position: int) -> int:
        """The place in `plain` of a place in `form`."""
        for stage in reversed(self._stages):
            position = _before(stage, position)
        return position

    @cached_property
    def proper(self) -> frozenset[str]:
        """The words that stand in the text as names only: with a large first letter, or within a path, an address or a file's name."""
        small, other = set[str](), set[str]()
        for token in _TOKEN.findall(self._bare):
            (small if _SMALL.fullmatch(token) else other).update(_split(token.lower()))
        return frozenset(other - small)

    @cached_property
    def _blanks(self) -> list[int]:
        # By block: a text may hold thousands of licences, and each asks for its lines.
        counts = (
            self.plain.count(" ", start, start + _BLOCK_CHARACTERS)
            for start in range(0, len(self.plain), _BLOCK_CHARACTERS)
        )
        return list(accumulate(counts, initial=0))

    @cached_property
    def _counts(self) -> list[int]:
        if self._bare.isascii():
            return list(accumulate(len(line.split()) for line in self._bare.translate(_ASCII_LINES).split("\n")))
        return list(accumulate(len(_split(line)) for line in self._bare.split("\n")))


def _before(stage: Sequence[Change], position: int) -> int:
    """The position before a stage of changes; within a replaced part, the place where that part began."""
    at = bisect_right(stage, position, key=itemgetter(0)) - 1
    if at < 0:
        return position
    new, length, old, old_length = stage[at]
    return old if position < new + length else position - new - length + old + old_length


def _split(text: str) -> list[str]:
    return text.translate(_ASCII).split() if text.isascii() else _WORD.findall(text)


def normalize(text: str) -> NormalizedText:
    """The text in its form for comparing; linear in its length."""
    text = clean(text)
    bare = _blank(text, notices(text))
    bare = _blank(bare, contacts(bare))
    if "SPDX-" in bare:
        # A tag's line that holds words of a condition stays.
        bare = _blank(bare, (match.span() for match in _TAG_LINE.finditer(bare) if not _says_more(match["value"])))
    bare = _blank(bare, _numbers(bare))
    if "://" in bare:
        # As many blanks as letters, so that each word keeps its place.
        bare = bare.replace("https://", "        ").replace("http://", "       ")
    # Split before they are lowered: small letters of other alphabets may be longer, or two.
    words = _split(bare.lower()) if bare.isascii() else list(map(str.lower, _split(bare)))
    plain = f" {' '.join(map(SPELLINGS.get, words, words))} "
    form, stages = plain, []
    # In their order: a field may build on the mark of an earlier one.
    for field in FIELDS:
        form, changes = _replaced(form, field)
        if changes:
            stages.append(changes)
    return NormalizedText(plain, form, bare, tuple(stages))


def _says_more(value: str) -> bool:
    """True when a tag's value holds words of a condition; one word alone, and what looks like an id, is none."""
    return " " in value.strip() and conditional(_COMPOUND.sub(" ", value))


def _numbers(text: str) -> Iterator[tuple[int, int]]:
    """The numbers of list items: at the beginning of a paragraph, or behind a sign, "and" or "or"."""
    lower = "\n\n" + lowered(text)  # The text's beginning begins a paragraph.
    for match in islice(_ITEM.finditer(lower), _MAX_NUMBERS):
        number = match["number"] or match["joined"]
        start = match.start() + 1
        before = lower[max(start - 1 - _LIST_CONTEXT_CHARACTERS, 0) : start]
        # Behind a word it belongs to the sentence ("three (3) years", "version 2. "), wherever the line breaks.
        if _is_item(before.removesuffix("("), number) or _is_below_heading(text, start - 2, match.end() - 2):
            yield start - 2, match.end() - 2


def _is_below_heading(text: str, start: int, end: int) -> bool:
    """Whether a number opens the first paragraph below a heading: one in capitals, or one with a number, and a sentence behind it."""
    if not _OPENS.match(text, end):
        return False
    found = _HEADING.search("\n" + text[max(start - _LIST_CONTEXT_CHARACTERS, 0) : start])
    return found is not None and (found["line"][0].isdigit() or (found["line"].isupper() and " " in found["line"]))


def _is_item(before: str, number: str) -> bool:
    """Whether a figure with this before it counts an item: "1." does behind a paragraph's end or a sentence's."""
    closed, letter = number[-1] in ")o", number.strip("(.").isalpha()
    between = before[len(before) - _NO_WORD.match(before[::-1]).end() :]  # type: ignore[union-attr]  # it matches nothing, too
    is_joined = (not between or between.isspace() or _BULLET.fullmatch(between) is not None) and _AND_OR.search(
        before, max(len(before) - 44, 0)
    ) is not None
    paragraph = _PARAGRAPH.search(between)
    stop = _STOP.search(between)
    # What is nearest to the word before decides.
    if is_joined:
        return closed or letter
    if stop is None or (paragraph is not None and paragraph.start() < stop.start()):
        return paragraph is not None
    if stop[0][0] == ",":
        return closed
    end = len(before) - len(between) + stop.start()
    opens_line = "\n" in stop[0] and not _VERSION.search(before, max(end - 9, 0), end)
    # A number with parts opens paragraphs only: "2.0." behind a stop is that of "v. 2.0.".
    return closed or letter or opens_line or number.strip("(.").isalnum()


def _replaced(form: str, field: ReplaceableField) -> tuple[str, tuple[Change, ...]]:
    if field.hint not in form:  # Nearly all fields: their patterns are not even compiled.
        return form, ()
    parts: list[str] = []
    changes: list[Change] = []
    end = length = 0
    for match in field.pattern.finditer(form):
        new = field.replacement(match)
        if new is None:
            continue
        length += match.start() - end
        parts += [form[end : match.start()], new]
        changes.append((length, len(new), match.start(), match.end() - match.start()))
        length += len(new)
        end = match.end()
    return ("".join([*parts, form[end:]]), tuple(changes)) if changes else (form, ())
