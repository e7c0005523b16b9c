"""The licence that a file's text is, by what it says word for word; what is not certain is said to be not known.

SPDX tags come first, then texts that are found by the digest of their words, then what `licenseclassifier` proposes,
which counts only where comparing it with SPDX's own text leaves nothing but replaceable fields. An altered text is no
licence of SPDX's list, however near it comes.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from audit.licenses import spdx
from audit.licenses.aliases import FAMILIES
from audit.licenses.expression import Atom, Expression, all_of, any_of, atoms, read
from audit.texts import spdx_tags
from audit.texts.normalization import NormalizedText, clean, normalize
from audit.texts.remainders import Effort, Remainder, around, offers_choice
from audit.texts.text_index import TextMatch, text_index
from audit.texts.vocabulary import LAW

if TYPE_CHECKING:
    from audit.texts.pieces import NearestLicense, PieceReader, PieceReading

MAX_TEXT_CHARACTERS = 16_000_000  # Characters of a file that is looked at.
_MAX_PROPOSED_CHARACTERS = 60_000  # Of a text that the classifier is asked about; the longest licence has 46,000.
_MIN_COVERAGE_PERCENT = 25.0
_MAX_PROPOSED = 5  # Each is compared.
_MIN_ALTERED_SHARE = 0.9  # With less of a licence, a text is not an altered one of it.
_MAX_REMARK_CHARACTERS = 600
_MAX_PROSE_WORDS = 3_000
_PROSE_EFFORT = 5  # Characters of prose that cost what a word costs that is compared.
_MAX_LONGER_CHARACTERS, _MAX_LONGER_WORDS = 4_000, 4_000
"""Letters of a text of which it is asked whether a longer one begins so, and words behind it."""
_LEGAL = re.compile(r"licen[cs]e|permission|redistribut|warrant|copyright|rights", re.IGNORECASE)
_LICENSE_FILE = re.compile(
    r"(?:.*/)?(?:LICENSES/[^/]+|(?:[^/]{1,60}[-_.])?(?:(?:un)?li[cs]en[cs]es?|copying\d?)(?:[-_. ][^/]*)?)",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"\.(?:[ch]|cc|[ch]pp|cxx|hh|mm?|cs|go|rs|py|[cm]?[jt]sx?|vue|java|kts?|scala|swift|dart|exs?|erl|lua|p[lm]|php|r[bs]?|sh|sql|html?|css)$",
    re.IGNORECASE,
)
_MAX_BESIDE = 200
"""Words beside a tag and the texts that were found; if many of them are the law's, they are terms that were not recognised."""


@dataclass(frozen=True, slots=True)
class FoundLicense:
    """One licence in a file (`spdx`: an id, or a tag's expression), from `start_line` to `end_line`, by a `method`."""

    spdx: str
    start_line: int
    end_line: int
    method: str


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence beside the texts that neither gives nor takes: its `text`, from `start_line` to `end_line`."""

    text: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class DetectedText:
    """The licence that a file's text is.

    `spdx` is an expression, None when it is not known; `confidence` 0 to 1, of the expression. `method` is `tag`,
    `text`, `notice`, `compared` or `prose` (the authors' own sentences) for one that is known, else why not: `altered`,
    `similar`, `contains`, `none`, `empty`, `binary` or `too-long`. `found` are the texts and tags within, each exactly
    what it is called; `nearest` is the id to which a text that is not known comes nearest, never its licence. `remarks`
    are what else a file says that is known: it is for people to read. `unread` is what is not known beside the texts
    within.
    """

    spdx: str | None
    method: str
    confidence: float = 0.0
    found: tuple[FoundLicense, ...] = ()
    nearest: str | None = None
    remarks: tuple[Remark, ...] = ()
    unread: tuple[Remark, ...] = ()
    work: int = field(default=0, compare=False, repr=False)
    """Characters read, and what was compared, reckoned in such: the same for the same text on any machine."""


def is_license_file(path: str) -> bool:
    """Whether a file holds a licence by its name, and not code that speaks of one."""
    return _LICENSE_FILE.fullmatch(path) is not None and _CODE.search(path) is None


def detect(text: str, proposals: Sequence[str] = (), *, is_license: bool = False) -> DetectedText:
    """The licence of this text, in time linear in its length, and never an exception.

    `proposals` are expressions of others (ScanCode's): their licences are compared, too, and believed no more than
    ours. `is_license` says that the file holds a licence and no code: what stands beside the licence's text is then a
    part of it.
    """
    if len(text) > MAX_TEXT_CHARACTERS:
        return DetectedText(None, "too-long")
    if "\0" in text:
        return DetectedText(None, "binary")
    if not text.strip():
        return DetectedText(None, "empty")
    tags, effort = spdx_tags.tags(text, only_known=False), Effort()
    body = _body(text, _ids(proposals), effort)
    # Sentences are read only where no text was found, and not in code.
    if is_license and body.spdx is None and not body.found and effort.take(len(text) // _PROSE_EFFORT):
        body = _in_prose(text) or body
    return replace(_tagged(tags, body, text, is_license=is_license) if tags else body, work=len(text) + effort.work)


def _tagged(tags: Sequence[spdx_tags.Tag], body: DetectedText, text: str, *, is_license: bool) -> DetectedText:
    """The tags with the texts below them; a text that was altered, or says more, takes the tags' word away."""
    known = [tag for tag in tags if spdx_tags.is_known(tag.expression)]
    found = tuple(FoundLicense(str(tag.expression), tag.line, tag.line, "tag") for tag in known)
    # A family's name says nothing against the text of one of its members.
    members = {member for tag in tags for member in FAMILIES.get(str(tag.expression), ())}
    is_member = any(hit.spdx in members for hit in body.found)
    if any(tag not in known and not (is_member and str(tag.expression) in FAMILIES) for tag in tags):
        nearest = found[0].spdx if found else body.spdx or body.nearest
        return DetectedText(None, "contains" if nearest else "none", 0.0, (*found, *body.found), nearest)
    if not known:
        return body
    said = all_of(tuple(tag.expression for tag in known))
    families = {family(atom.license) for atom in atoms(said)}
    # What stands beside a text in a licence file is a part of it.
    doubtful = {"altered", "similar", "contains"} if is_license else {"altered", "similar"}
    if body.method in doubtful or (body.spdx is None and _holds_terms(text)):
        return replace(body, found=(*found, *body.found))
    # The text of the licence that a tag names adds nothing.
    more = tuple(hit for hit in body.found if family(hit.spdx.partition(" WITH ")[0]) not in families)
    both = all_of((said, *(_atom(hit.spdx) for hit in more)))
    return DetectedText(str(both), "tag", 1.0, (*found, *body.found))


def _holds_terms(text: str) -> bool:
    """True when the text, outside of known licences, is mostly terms: a tag that stands in it does not speak for them."""
    form = normalize(text).form
    words = [word for piece in around(form, list(text_index().found(form))) for word in piece.words]
    # Terms have more than one of the law's words in thirty.
    return len(words) > _MAX_BESIDE and sum(word in LAW for word in words) * 30 > len(words)


def _body(text: str, proposals: Sequence[str], effort: Effort) -> DetectedText:
    made = normalize(text)
    whole = text_index().whole(made.form)
    if whole is not None:
        end = made.form.rstrip().rfind(" ")
        hit = FoundLicense(whole.license, made.line(1), made.line(end + 1), "notice" if whole.notice else "text")
        return DetectedText(whole.license, hit.method, _CONFIDENCE[hit.method], (hit,))
    if not made.form.strip() or not _LEGAL.search(made.form):  # Most files speak of no rights.
        return DetectedText(None, "none")
    from audit.texts.pieces import PieceReader  # noqa: PLC0415 - a file that is one text as it stands needs none of it

    matches = list(text_index().found(made.form))
    pieces = around(made.form, matches)
    reader = PieceReader(tuple(dict.fromkeys(match.form for match in matches)), proposals, effort, made.proper)
    readings = [reader.read(piece) for piece in pieces]
    matches, readings = _longer(made.form, matches, pieces, readings, reader)
    found = [_found(made, match) for match in matches]
    compared = [variant for reading in readings for variant in reading.texts]
    read = [variant for variant in compared if not variant.is_exception]
    found += [FoundLicense(variant.license, *_lines(made, variant.words), "compared") for variant in read]
    exceptions = {variant.license for variant in compared if variant.is_exception}
    if (
        not found
        or not all(reading.is_read for reading in readings)
        # It is not known to which of several licences the exception belongs.
        or (exceptions and len({*exceptions, *(hit.spdx for hit in found)}) > 2)
    ):
        unread = tuple(remainder for reading in readings for remainder in reading.unread)
        prose = None if exceptions else _beside_prose(made, text, found, readings, unread)
        left = tuple(_remark(made, remainder, text) for remainder in unread) if found else ()
        return prose or _unknown(text, tuple(found), [each.nearest for each in readings if each.nearest], effort, left)
    found = [replace(hit, spdx=" WITH ".join([hit.spdx, *sorted(exceptions)])) for hit in found]
    # A notice with "or any later version" beside the text that it names: the notice says what is granted.
    later = {hit.spdx.removesuffix("-or-later") for hit in found if hit.spdx.endswith("-or-later")}
    parts = tuple(_atom(hit.spdx) for hit in found if hit.spdx.removesuffix("-only") not in later)
    said = any_of(parts) if any(offers_choice(piece.words) for piece in pieces) else all_of(parts)
    method = max((hit.method for hit in found), key=("text", "notice", "compared").index)  # The least certain.
    found.sort(key=lambda hit: hit.start_line)
    remarks = tuple(_remark(made, remark, text) for reading in readings for remark in reading.remarks)
    return DetectedText(str(said), method, _CONFIDENCE[method], tuple(found), remarks=remarks)


_CONFIDENCE = {"text": 1.0, "notice": 0.95, "compared": 0.95, "prose": 0.9}


def _in_prose(text: str) -> DetectedText | None:
    """The licence that a file without any text of a licence states, if every sentence of it is understood."""
    from audit.texts.prose.licensing import licensing, quoted  # noqa: PLC0415 - few files are prose, and its patterns are many

    said = licensing(text)
    if not said.is_read or said.expression is None:
        return None
    found = tuple(
        FoundLicense(str(statement.expression), sentence.line, sentence.last, "prose")
        for statement, sentence in said.stated
        if statement.expression is not None
    )
    remarks = tuple(Remark(text[:_MAX_REMARK_CHARACTERS], first, last) for text, first, last in quoted(said.remarks))
    return DetectedText(str(said.expression), "prose", _CONFIDENCE["prose"], found, remarks=remarks)


def _beside_prose(
    made: NormalizedText,
    text: str,
    found: Sequence[FoundLicense],
    readings: "Sequence[PieceReading]",
    unread: Sequence[Remainder],
) -> DetectedText | None:
    """Texts and sentences that say what they are the licences of: "under A or B", and both texts."""
    if (
        not found
        or not unread
        or sum(len(remainder.words) for remainder in unread) > _MAX_PROSE_WORDS
        or any(not reading.is_read and not reading.unread for reading in readings)
    ):
        return None
    from audit.texts.prose.licensing import licensing  # noqa: PLC0415 - few files are prose, and its patterns are many

    lines = clean(text).split("\n")
    said = [
        licensing("\n".join(lines[first - 1 : last]))
        for first, last in (_lines(made, remainder) for remainder in unread)
    ]
    texts = {alike for hit in found for alike in (hit.spdx, f"{family(hit.spdx)}-only", f"{family(hit.spdx)}-or-later")}
    if not all(each.is_read_beside(texts) for each in said):  # Each has to be understood.
        return None
    named = {family(license_id) for each in said for license_id in each.named}
    stated = tuple(each.expression for each in said if each.expression is not None)
    # The sentences do not speak of a text that they do not name.
    if not stated or any(family(hit.spdx) not in named for hit in found):
        return None
    whole = all_of(tuple(dict.fromkeys(stated)))
    remarks = tuple(_remark(made, remainder, text) for remainder in unread)
    found = sorted(found, key=lambda hit: hit.start_line)
    return DetectedText(str(whole), "prose", _CONFIDENCE["prose"], tuple(found), remarks=remarks)


def _found(made: NormalizedText, match: TextMatch) -> FoundLicense:
    last = made.form.rfind(" ", 0, match.end - 1)
    method = "notice" if match.form.notice else "text"
    return FoundLicense(match.form.license, made.line(match.start + 1), made.line(last + 1), method)


def _longer(
    form: str,
    matches: list[TextMatch],
    pieces: Sequence[Remainder],
    readings: "Sequence[PieceReading]",
    reader: "PieceReader",
) -> "tuple[list[TextMatch], list[PieceReading]]":
    # A text with unknown words behind it may be the first part of a longer licence's: X11's begins as MIT does.
    left, made = list(matches), []
    for piece, own in zip(pieces, readings, strict=True):
        reading = own
        before = next((match for match in left if match.end == piece.at), None)
        is_short = len(piece.words) <= _MAX_LONGER_WORDS
        if (
            before is not None
            and not own.is_read
            and is_short
            and not before.form.notice
            and before.form.length <= _MAX_LONGER_CHARACTERS
        ):
            words = Remainder(
                tuple(form[before.start : piece.end].split()), before.start + 1, before.start == 0, piece.closes
            )
            joined = reader.read(words)
            if joined.is_read:
                left.remove(before)
                reading = joined
        made.append(reading)
    return left, made


def _lines(made: NormalizedText, words: Remainder) -> tuple[int, int]:
    return made.line(words.at), made.line(words.end - len(words.words[-1]))


def _remark(made: NormalizedText, words: Remainder, text: str) -> Remark:
    first, last = _lines(made, words)
    said = " ".join(" ".join(clean(text).split("\n")[first - 1 : last]).split())
    return Remark(said[:_MAX_REMARK_CHARACTERS], first, last)


def family(license_id: str) -> str:
    """The part of ids that their text alone can tell: `GPL-2.0` of `-only`, `-or-later` and `+`."""
    for ending in ("-only", "-or-later", "+"):
        license_id = license_id.removesuffix(ending)
    return license_id


def _atom(license_id: str) -> Expression:
    if " " not in license_id:
        return Atom(license_id)
    expression = read(license_id)
    assert expression is not None, license_id
    return expression


def _unknown(
    text: str,
    found: tuple[FoundLicense, ...],
    nearest: "Sequence[NearestLicense]",
    effort: Effort,
    unread: tuple[Remark, ...] = (),
) -> DetectedText:
    from audit.texts.pieces import NearestLicense  # noqa: PLC0415 - only a text that is not known needs it

    best = max(nearest, key=lambda candidate: candidate.share, default=None)
    if best is not None and best.share >= _MIN_ALTERED_SHARE:
        return DetectedText(None, "altered", 0.0, found, best.license, unread=unread)
    if found:
        return DetectedText(None, "contains", 0.0, found, found[0].spdx, unread=unread)
    # The classifier may know what comes near no text of ours; it only proposes.
    if best is None and len(text) <= _MAX_PROPOSED_CHARACTERS and effort.take(len(text)):
        from licenseclassifier import identify_license  # noqa: PLC0415 - its tables are loaded only for a text that we cannot place

        proposed = (_known(result.id) for result in identify_license(text, _MIN_COVERAGE_PERCENT))
        best = next((NearestLicense(license_id, 0.0, 0.0) for license_id in proposed if license_id), None)
    return DetectedText(None, "similar", 0.0, (), best.license) if best else DetectedText(None, "none")


def _ids(proposals: Sequence[str]) -> tuple[str, ...]:
    """The ids of texts in these expressions; a few, since each is compared."""
    ids = (_known(atom.license) for proposal in proposals for atom in atoms(read(proposal)))
    return tuple(dict.fromkeys(license_id for license_id in ids if license_id))[:_MAX_PROPOSED]


def _known(name: str) -> str | None:
    return next((license_id for license_id in (name, f"{name}-only") if license_id in spdx.texts()), None)
