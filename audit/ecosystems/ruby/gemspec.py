"""Gemspecs: the needs and the licence of a gem of the repository, where they are spelled out."""

from typing import Final

from audit.ecosystems.formats.tokenizer import Token, TokenKind, tokens, value
from audit.ecosystems.parsed_file import PackageDetails, ParsedFile, dependency_at, learned, not_read, said
from audit.ecosystems.purls import purl
from audit.ecosystems.ruby.gemfile import ANY, COMPUTED, exact
from audit.facts import UNLEARNED, Dependency, Place, Source, Usage

_CALLS: Final = {
    "add_dependency": Usage.RUNTIME_IMPORT,
    "add_runtime_dependency": Usage.RUNTIME_IMPORT,
    "add_development_dependency": Usage.DEV_TOOL,
}

_SPECIFICATION: Final = ["Gem", ":", "Specification", "."]


def read(path: str, content: str) -> ParsedFile:
    """The literal calls of `add_dependency` and its kin; `license` and `licenses` where they name one licence."""
    found: dict[tuple[str, Usage], Dependency] = {}
    own, stated, end, computed = "", UNLEARNED, 0, None
    pieces = tokens(content)
    for at, token in enumerate(pieces):
        if token.kind is not TokenKind.WORD:
            continue
        if token.text == "new" and [each.text for each in pieces[max(at - 4, 0) : at]] == _SPECIFICATION:
            # `Gem::Specification.new "name", version do |s|`: the name may stand in the call itself.
            behind = [each for each in pieces[at + 1 : at + 3] if each.text != "(" or each.kind is not TokenKind.MARK]
            own = own or (behind[0].text if behind and behind[0].kind is TokenKind.STRING else "")
        elif token.text in _CALLS:
            asked = _asked(path, pieces, at)
            if asked:
                found.setdefault((asked.name, asked.usage), asked)
            elif computed is None:
                computed = token.line
        elif at >= end and _assigned(pieces, at, "name"):
            words, end = _lone(pieces, at)
            own = own or words
        elif at >= end and (_assigned(pieces, at, "license") or _assigned(pieces, at, "licenses")):
            # A gemspec does not say how several licences relate, so the licence texts have to.
            words, end = _lone(pieces, at)
            stated = stated if stated.expression else learned(words, path, token.line, Source.METADATA)
    unread = (not_read(path, computed, COMPUTED),) if computed else ()
    return ParsedFile(dependencies=tuple(found.values()), findings=unread, own=frozenset({own} - {""}), license=stated)


def _asked(path: str, pieces: list[Token], at: int) -> Dependency | None:
    """One call; None where the gem's name is computed."""
    call: list[Token] = []
    for piece in pieces[at + 1 : at + 60]:  # Longer calls are no literal ones.
        if piece.kind is TokenKind.LINE and (not call or call[-1].text not in {",", "(", "["}):
            break
        if piece.kind is not TokenKind.LINE:
            call.append(piece)
    strings = [token for token in call if token.kind is TokenKind.STRING]
    behind = call[1:] if call and call[0].text == "(" else call
    if not strings or behind[0] is not strings[0] or not strings[0].text:
        return None
    name, versions = strings[0].text, [string.text for string in strings[1:]]
    version = exact(versions[0]) if len(versions) == 1 else None
    place, why = Place(path, strings[0].line, said(" ".join([name, *versions]))), pieces[at].text
    url, file = purl("gem", name, version), path.rpartition("/")[2]
    more = PackageDetails(direct=True, version_range="" if version else ", ".join(versions) or ANY)
    return dependency_at(place, name, version, url, _CALLS[why], f"{file}: {why}", **more)


def _assigned(pieces: list[Token], at: int, name: str) -> bool:
    """Whether `.name = value` stands there."""
    before = pieces[at - 1].text if at else ""
    return pieces[at].text == name and before == "." and pieces[min(at + 1, len(pieces) - 1)].text == "="


def _lone(pieces: list[Token], at: int) -> tuple[str, int]:
    """The one string that is assigned, and where the value ends."""
    assigned, end = value(pieces, at + 2)
    return assigned[0].text if len(assigned) == 1 and assigned[0].kind is TokenKind.STRING else "", end
