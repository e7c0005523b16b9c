"""Which licence a file's text is, by what the text says word for word; what is not certain is said to be not known.

SPDX tags come first, then texts that are found by the digest of their words, then what `licenseclassifier` proposes, which
counts only where comparing it with SPDX's own text leaves nothing but replaceable fields. An altered text is no licence of
SPDX's list, however near it comes.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from licenseclassifier import identify_license

from audit.licenses import spdx
from audit.licenses.expression import Expression, all_of, any_of, atoms, read
from audit.texts import spdx_tags, statements
from audit.texts.boilerplate import MAX_WORDS, is_boilerplate
from audit.texts.comparison import PLACEHOLDER, compare, without_missing
from audit.texts.normalization import NormalizedText, normalize
from audit.texts.shingles import near
from audit.texts.text_index import TextFingerprint, TextMatch, is_title, text_index, title_words
from audit.texts.vocabulary import LAW

MAX_TEXT_CHARACTERS = 16_000_000
"""Characters of a file that is looked at."""
_MAX_PROPOSED_WORDS = 60_000
"""Characters of a text that the classifier is asked about; the longest licence has 46,000."""
_MIN_COVERAGE_PERCENT = 25.0
_MAX_PROPOSED = 5
_MAX_COMPARED = 60_000
"""Words of a piece that is compared with a licence; the longest licence has 7,000."""
_MAX_EFFORT = 1_200_000
"""Effort for the pieces of one text, after which the rest of them is not known; an altered GPL takes a million."""
_EFFORT_OF_WORD = 10
"""What a word that is compared costs beside a character that is read; so does a character that the classifier is asked about."""
_MAX_READ = 5_000
"""Words around the texts of one file that are read as sentences; a list of a hundred packages' licences has as many."""
_EFFORT_OF_SENTENCES = 100
"""What such a word costs beside a character that is read."""
_MIN_ALTERED_SHARE = 0.9
_LEGAL = re.compile(r"licen[cs]e|permission|redistribut|warrant|copyright|rights", re.IGNORECASE)
_GNU = re.compile(r"([AL]?GPL)-(\d)")
_APPLIES = " how to apply "
_END = " end of terms and conditions "
_PLACES = re.compile(
    r"(?:<|\[|\$?\{)[^<>\[\]{}\n:@/]{0,60}?\b(?:names?|year|yyyy|owner|holders?|organi[sz]ation|author|date|company|program|project|licensor|group|institution)\b"
    r"[^<>\[\]{}\n:@/]{0,60}(?:>|\]|\})",
    re.IGNORECASE,
)
_LICENSE_FILE = re.compile(
    r"(?:.*/)?(?:LICENSES/[^/]+|(?:[^/]{1,60}[-_.])?(?:(?:un)?li[cs]en[cs]es?|copying\d?)(?:[-_. ][^/]*)?)",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"\.(?:[ch]|cc|[ch]pp|cxx|hh|mm?|cs|go|rs|py|[cm]?[jt]sx?|vue|java|kts?|scala|swift|dart|exs?|erl|lua|p[lm]|php|r[bs]?|sh|sql|html?|css)$",
    re.IGNORECASE,
)
_MAX_BESIDE = 200
"""Words beside a tag and the texts that were found; if many of them are the law's, they are terms that nobody has recognised."""


@dataclass(frozen=True, slots=True)
class FoundLicense:
    """One licence in a file: its id (for a tag: its expression), its first and last line, and how it was found."""

    spdx: str
    start_line: int
    end_line: int
    method: str


@dataclass(frozen=True, slots=True)
class DetectedText:
    """What a file's text is.

    `spdx` is an expression, None when it is not known; `confidence` 0 to 1, of the expression. `method` is `tag`, `text`,
    `notice` or `compared` for one that is known, else why not: `altered`, `similar`, `contains`, `none`, `empty`, `binary` or
    `too-long`. `found` are the texts and tags within, each exactly what it is called; `nearest` is the id to which a text that
    is not known comes nearest, never its licence.
    """

    spdx: str | None
    method: str
    confidence: float = 0.0
    found: tuple[FoundLicense, ...] = ()
    nearest: str | None = None
    work: int = field(default=0, compare=False, repr=False)
    """What it took: characters read, and what was compared, reckoned in such. The same for the same text, on any machine."""


@dataclass(slots=True)
class _ComparisonBudget:
    """What comparing the pieces of one text took so far."""

    spent: int = 0
    read: int = 0

    @property
    def work(self) -> int:
        """All of it, reckoned in characters that are read."""
        return self.spent + self.read * _EFFORT_OF_SENTENCES

    def reads(self, words: int) -> bool:
        """True when so many more words around the texts may be read as sentences."""
        if self.read + words > _MAX_READ:
            return False
        self.read += words
        return True

    def take(self, words: int) -> bool:
        """True when so many more words may be compared."""
        if self.spent > _MAX_EFFORT:
            return False
        self.spent += words * _EFFORT_OF_WORD
        return True


def is_license_file(path: str) -> bool:
    """Whether a file holds a licence by its name, and not code that speaks of one."""
    return _LICENSE_FILE.fullmatch(path) is not None and _CODE.search(path) is None


def detect(text: str, proposals: Sequence[str] = (), *, is_license: bool = False) -> DetectedText:
    """What this text is; linear in its length, and never an exception.

    `proposals` are expressions of others (ScanCode's): their licences are compared, too, and believed no more than ours.
    `is_license` says that the file holds a licence and no code: what stands beside the licence's text is then a part of it.
    """
    if len(text) > MAX_TEXT_CHARACTERS:
        return DetectedText(None, "too-long")
    if "\0" in text:
        return DetectedText(None, "binary")
    if not text.strip():
        return DetectedText(None, "empty")
    tags, effort = spdx_tags.tags(text), _ComparisonBudget()
    body = _body(text, _ids(proposals), effort)
    return replace(_tagged(tags, body, text, is_license=is_license) if tags else body, work=len(text) + effort.work)


def _tagged(tags: Sequence[spdx_tags.Tag], body: DetectedText, text: str, *, is_license: bool) -> DetectedText:
    """What tags say, together with the texts below them; a text that was altered, or says more, takes the tag's word away."""
    found = tuple(FoundLicense(str(tag.expression), tag.line, tag.line, "tag") for tag in tags)
    said = all_of(tuple(tag.expression for tag in tags))
    families = {family(atom.license) for atom in atoms(said)}
    doubtful = {"altered", "similar", "contains"} if is_license else {"altered", "similar"}
    if body.method in doubtful or (body.spdx is None and _holds_terms(text)):
        return replace(body, found=(*found, *body.found))
    more = tuple(one for one in body.found if family(one.spdx) not in families)
    both = all_of((said, *(_atom(one.spdx) for one in more)))
    return DetectedText(str(both), "tag", 1.0, (*found, *body.found))


def _holds_terms(text: str) -> bool:
    """True when the text, outside of known licences, is mostly terms: a tag that stands in it does not speak for them."""
    form = normalize(text).form
    words = [word for piece in _around(form, list(text_index().found(form))) for word in piece.words]
    return len(words) > _MAX_BESIDE and sum(word in LAW for word in words) * 30 > len(words)


def _body(text: str, proposals: Sequence[str], effort: _ComparisonBudget) -> DetectedText:
    """What the words of a text are, tags left aside."""
    made = normalize(text)
    whole = text_index().whole(made.form)
    if whole is not None:
        end = made.form.rstrip().rfind(" ")
        one = FoundLicense(whole.license, made.line(1), made.line(end + 1), "notice" if whole.notice else "text")
        return DetectedText(whole.license, one.method, _CONFIDENCE[one.method], (one,))
    if not made.form.strip() or not _LEGAL.search(made.form):
        return DetectedText(None, "none")
    matches = list(text_index().found(made.form))
    pieces = _around(made.form, matches)
    known = tuple(dict.fromkeys(one.form for one in matches))
    found = [_found(made, one) for one in matches]
    doubtful = [
        piece
        for piece in pieces
        if not _is_explained(piece.words, known, effort, opens=piece.opens, closes=piece.closes)
    ]
    compared = [_compared(made, piece, known, proposals, effort) for piece in doubtful]
    found += [one for one in compared if isinstance(one, FoundLicense)]
    if not found or len(doubtful) > sum(isinstance(one, FoundLicense) for one in compared):
        return _unknown(text, tuple(found), [one for one in compared if isinstance(one, _NearestLicense)], effort)
    parts = tuple(_atom(one) for one in _without_versions([one.spdx for one in found]))
    said = any_of(parts) if any(statements.offers_choice(piece.words) for piece in pieces) else all_of(parts)
    method = max((one.method for one in found), key=("text", "notice", "compared").index)
    found.sort(key=lambda one: one.start_line)
    return DetectedText(str(said), method, _CONFIDENCE[method], tuple(found))


_CONFIDENCE = {"text": 1.0, "notice": 0.95, "compared": 0.95}


def _found(made: NormalizedText, match: TextMatch) -> FoundLicense:
    last = made.form.rfind(" ", 0, match.end - 1)
    method = "notice" if match.form.notice else "text"
    return FoundLicense(match.form.license, made.line(match.start + 1), made.line(last + 1), method)


@dataclass(frozen=True, slots=True)
class _Remainder:
    """Words outside of the texts that were found, where in the form the first begins, and whether they begin or end the file."""

    words: tuple[str, ...]
    at: int
    opens: bool = False
    closes: bool = False


@dataclass(frozen=True, slots=True)
class _NearestLicense:
    """The licence that a piece comes nearest to, how much of it is there, and how much of both is equal: 0 to 1."""

    license: str
    share: float
    alike: float


def _around(form: str, matches: Sequence[TextMatch]) -> list[_Remainder]:
    """The words before, between and behind the texts."""
    edges = [0, *(place for one in matches for place in (one.start, one.end - 1)), len(form)]
    pieces = [
        _Remainder(tuple(form[start:end].split()), start + 1, start == 0, end == len(form))
        for start, end in zip(edges[::2], edges[1::2], strict=True)
    ]
    return [piece for piece in pieces if piece.words]


def _is_explained(
    words: Sequence[str],
    known: Sequence[TextFingerprint],
    effort: _ComparisonBudget,
    *,
    opens: bool = False,
    closes: bool = False,
) -> bool:
    """True when these are a title of one of the licences, or sentences that only say that these are the licences."""
    names = spdx.lists().licenses
    bare = statements.without_purpose(words)

    def is_titled(some: Sequence[str]) -> bool:
        return any(is_title(some, form, names.get(form.license, "")) for form in known)

    if any(is_titled(one) for one in {tuple(words), tuple(bare)}):
        return True
    titles = frozenset(
        word for one in known for word in (*title_words(one, names.get(one.license, "")), *_short(one.license))
    )
    if statements.is_statement(words, titles):
        return True
    if len(words) > MAX_WORDS or not effort.reads(len(words)):
        return False
    return is_boilerplate(words, titles, is_titled, opens=opens, closes=closes)


def _short(license_id: str) -> list[str]:
    """What people write for a licence of GNU's: "gplv3"."""
    found = _GNU.match(license_id)
    return f"{found[1]}v{found[2]} {found[1]}{found[2]} {found[1]}".lower().split() if found else []


def _without_versions(ids: Sequence[str]) -> list[str]:
    """A notice with "or any later version" beside the text that it names: the notice says what is granted."""
    later = {one.removesuffix("-or-later") for one in ids if one.endswith("-or-later")}
    return [one for one in ids if one.removesuffix("-only") not in later]


def family(license_id: str) -> str:
    """What ids have in common that their text alone cannot tell apart: `GPL-2.0` of `-only`, `-or-later` and `+`."""
    for ending in ("-only", "-or-later", "+"):
        license_id = license_id.removesuffix(ending)
    return license_id


def _atom(license_id: str) -> Expression:
    expression = read(license_id)
    assert expression is not None, license_id
    return expression


def _compared(
    made: NormalizedText,
    piece: _Remainder,
    known: Sequence[TextFingerprint],
    proposals: Sequence[str],
    effort: _ComparisonBudget,
) -> FoundLicense | _NearestLicense | None:
    """What a piece is, if comparing leaves nothing; else what it comes nearest to."""
    if len(piece.words) > _MAX_COMPARED or not effort.take(len(piece.words)):
        return None
    best: _NearestLicense | None = None
    for license_id in dict.fromkeys((*near(piece.words), *proposals)):
        licence = without_missing(
            license_id, _licence(license_id, with_tail=_APPLIES in " ".join(piece.words)), piece.words
        )
        if not effort.take(len(licence) + len(piece.words)):
            break
        compared = compare(licence, piece.words)
        edges = (piece.words[: compared.start], piece.words[compared.end :])
        texts = (*known, *text_index().of(license_id))
        before = not edges[0] or _is_explained(edges[0], texts, effort, opens=piece.opens)
        if (
            compared.is_confirmed
            and before
            and (not edges[1] or _is_explained(edges[1], texts, effort, closes=piece.closes))
        ):
            return FoundLicense(
                license_id, _line(made, piece, compared.start), _line(made, piece, compared.end - 1), "compared"
            )
        alike = 2 * compared.equal / (len(licence) + len(piece.words))
        if best is None or alike > best.alike:
            best = _NearestLicense(license_id, compared.equal / len(licence), alike)
    return best


def _unknown(
    text: str, found: tuple[FoundLicense, ...], nearest: Sequence[_NearestLicense], effort: _ComparisonBudget
) -> DetectedText:
    """Why it is not known. What we cannot place ourselves, the classifier may."""
    best = max(nearest, key=lambda one: one.share, default=None)
    if best is not None and best.share >= _MIN_ALTERED_SHARE:
        return DetectedText(None, "altered", 0.0, found, best.license)
    if found:
        return DetectedText(None, "contains", 0.0, found, found[0].spdx)
    if best is None and len(text) <= _MAX_PROPOSED_WORDS and effort.take(len(text)):
        proposed = (_known(one.id) for one in identify_license(text, _MIN_COVERAGE_PERCENT))
        best = next((_NearestLicense(one, 0.0, 0.0) for one in proposed if one), None)
    return DetectedText(None, "similar", 0.0, (), best.license) if best else DetectedText(None, "none")


def _ids(proposals: Sequence[str]) -> tuple[str, ...]:
    """The ids of texts in these expressions; a few, since each is compared."""
    ids = (_known(atom.license) for one in proposals for atom in atoms(read(one)))
    return tuple(dict.fromkeys(one for one in ids if one))[:_MAX_PROPOSED]


def _known(name: str) -> str | None:
    """The id under which the texts hold what the classifier calls so."""
    return next((one for one in (name, f"{name}-only") if one in spdx.texts()), None)


@lru_cache(maxsize=64)
def _licence(license_id: str, *, with_tail: bool) -> tuple[str, ...]:
    """The words of SPDX's text, its places to fill in marked, without its title and what tells how to apply it, if so asked."""
    made = normalize(_PLACES.sub(f" {PLACEHOLDER.capitalize()} ", spdx.texts()[license_id])).form
    title = text_index().title(license_id)
    made = made.removeprefix(f" {title}") if title else made
    return tuple((made if with_tail else made.partition(_END)[0]).split())


def _line(made: NormalizedText, piece: _Remainder, at: int) -> int:
    return made.line(piece.at + sum(len(one) + 1 for one in piece.words[:at]))
