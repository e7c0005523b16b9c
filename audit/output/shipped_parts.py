"""The parts that go out with a work, and the licence of each: only these have a say in its NOTICE and licence texts."""

from collections.abc import Iterable
from typing import Final

from audit import display_text
from audit.facts import Cell, Delivery, Dependency, RepositoryAudit, Text, Usage
from audit.licenses.expression import Expression, read
from audit.texts.copyrights.copyright_holders import copyrights

# Parts of the tree itself: a repository counts as a distribution (ASF, licensing how-to).
IN_SOURCE: Final = frozenset(
    {Usage.SOURCE_MERGED, Usage.VENDORED, Usage.DATA_OR_DOC, Usage.MODEL_WEIGHTS, Usage.TRAINING_DATA}
)
# Parts of the built artefact: also what was linked into it or packed with it, as an image's base is.
IN_BINARY: Final = IN_SOURCE | {
    Usage.STATIC_LINK,
    Usage.BUNDLED,
    Usage.HEADER_ONLY,
    Usage.GENERATED_OUTPUT,
    Usage.AGGREGATE,
}


def ships(usage: Usage, delivery: Delivery) -> bool:
    """Whether what is used so goes out with the work. Of hosted and internal work only the tree itself does."""
    return usage in (IN_BINARY if delivery is Delivery.BINARY else IN_SOURCE)


def shipped(audited: RepositoryAudit, delivery: Delivery | None = None) -> tuple[Cell, ...]:
    """The cells of what goes out, ordered; `delivery` is the repository's own unless another is asked for."""
    how = delivery or audited.repository.delivery
    found = []
    for cell in audited.cells:
        dependency = cell.dependency
        # A data set of which only a line of a card speaks does not go out: a model was trained on it.
        is_elsewhere = dependency.usage is Usage.TRAINING_DATA and all(
            place.line is not None for place in dependency.places
        )
        found += [cell] if ships(dependency.usage, how) and not is_elsewhere else []
    return tuple(sorted(found, key=lambda part: (label(part.dependency).casefold(), label(part.dependency))))


def taken(cell: Cell) -> Expression | None:
    """The licence under which it is used: the branch of an `OR` that was chosen; None when none can be read."""
    return read(cell.judgement.branch or cell.dependency.license.expression)


def ordered(texts: Iterable[Text]) -> list[Text]:
    """Texts in the order of their paths."""
    return sorted(texts, key=lambda text: (text.path, text.sha256))


def holders(cell: Cell) -> tuple[str, ...]:
    """The holders of a dependency, by the copyright lines of the texts that came with it."""
    files = ordered((*cell.dependency.licenses, *cell.dependency.notices))
    return copyrights((file.text for file in files), taken(cell)) if files else ()


def label(dependency: Dependency) -> str:
    """`name version (purl)` on one line, as a notice traces a text to it."""
    words = [display_text.line(dependency.name), display_text.line(dependency.version or "", 100)]
    url = display_text.line(dependency.purl or "", 300)
    return " ".join([word for word in words if word] + ([f"({url})"] if url else []))
