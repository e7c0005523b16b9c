"""The licence texts at a work's root that are of the work itself, where the files say so in their own words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from audit.facts import Place, Text
from audit.licenses.expression import Or, atoms, read
from audit.texts.identification import family
from audit.texts.prose.component_lists import Component, lists
from audit.texts.prose.licensing import Licensing, licensing, opening
from audit.texts.prose.sentences import section
from audit.texts.work_license import Detect

# Names of texts of what comes with the code.
_OF_DOCUMENTS: Final = re.compile(
    r"(?:copying|licen[cs]e)[-_.](?:docs?|documentation|manual|examples?|logos?|artwork|images|fonts?|data)(?:\.(?:txt|md))?",
    re.IGNORECASE,
)
_MAX_TEXTS: Final = 40  # Texts at the root of a work of which it is asked how they belong together.


@dataclass(frozen=True, slots=True)
class WorkTexts:
    """The `texts` of the work and of its `parts`, the `components` of a list, and if prose says so (`is_stated`)."""

    texts: tuple[Text, ...]
    parts: tuple[Text, ...] = ()
    components: tuple[tuple[str, Component], ...] = ()
    is_stated: bool = False


def of_work(texts: Sequence[Text], detect: Detect) -> WorkTexts:
    """The texts without what is said to be of parts of the work, or of what it bundles."""
    if len(texts) > _MAX_TEXTS:
        return WorkTexts(tuple(texts))
    own: list[Text] = []
    components: list[tuple[str, Component]] = []
    for text in texts:
        listed = () if licensing(text.text).is_read else lists(text.text)
        found = next((each for each in listed if detect(each.above, text.path)), None)
        # A file that lists components counts up to that list.
        own.append(text if found is None else replace(text, text=found.above))
        components += [(text.path, each) for each in found.components] if found else []
    known = [text for text in own if detect(text.text, text.path)] if len(own) > 1 else own
    # A text is of a part by its name, if that is one of the documentation's, or if it says so above it.
    parts = [
        text
        for text in known
        if _OF_DOCUMENTS.fullmatch(text.path) or (not licensing(text.text).is_read and opening(text.text).is_of_parts)
    ]
    # The text of some files counts where no other text is known.
    if len(parts) == len(known):
        parts = []
    own = [text for text in own if text not in parts]
    for text in own:
        said = licensing(text.text)
        if said.is_read and said.expression is not None and detect(text.text, text.path) == str(said.expression):
            # Texts that the prose names do not count once more.
            left = tuple(other for other in own if other is text or not _is_spoken_for(other, said, detect))
            return WorkTexts(left, tuple(parts), tuple(components), is_stated=True)
    return WorkTexts(tuple(own), tuple(parts), tuple(components))


def chosen(texts: Sequence[Text], readme: Text | None, detect: Detect) -> tuple[str, Place] | None:
    """The choice that a README offers between the licences whose texts are there: the expression, and its place."""
    said = None if readme is None else of_readme(readme.text)
    if readme is None or said is None or not isinstance(said.expression, Or):
        return None
    named, there = _families(str(said.expression)), [_families(detect(text.text, text.path)) for text in texts]
    # Each text has to be of the choice, and each licence of the choice has to have its text.
    if not all(there) or frozenset[str]().union(*there) != named:
        return None
    return str(said.expression), Place(readme.path, said.stated[0][1].line)


def stated(readme: Text | None) -> tuple[str, Place] | None:
    """The licence in a README's section on licences, and its place; None where that is not understood."""
    said = None if readme is None else of_readme(readme.text)
    if readme is None or said is None or said.expression is None or said.is_of_parts:
        return None
    return str(said.expression), Place(readme.path, said.stated[0][1].line)


def of_readme(text: str) -> Licensing | None:
    """The sense of a README's section that is headed "License"; None where it has none, or it is not understood."""
    said = licensing(section(text))
    return said if said.is_read else None


def _is_spoken_for(text: Text, said: Licensing, detect: Detect) -> bool:
    families = _families(detect(text.text, text.path))
    is_named = text.path.rpartition("/")[2] in said.files or families <= {family(name) for name in said.named}
    return bool(families) and is_named


def _families(expression: str | None) -> frozenset[str]:
    return frozenset(family(atom.license) for atom in atoms(read(expression)))
