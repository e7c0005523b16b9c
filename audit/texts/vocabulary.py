"""Words by which the readers of licence files tell names from conditions; each list is small, and errs towards conditions."""

from typing import Final

from audit.licenses.spdx import data_file

_WORDS: Final = data_file("vocabulary.toml")


def words(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


CONDITIONS = words(_WORDS["conditions"])
"""Words of conditions: where one stands, words are no names. Far more than the law needs: a doubt costs an id, no more."""
RESTRICTING = words(_WORDS["restricting"])
"""Words that narrow for whom, what or when something is, as a name could ("Foo, academic edition"), and words that stand in sentences, not in names."""
NAMES = words(_WORDS["names"])
"""Words of conditions that are names, too, or parts of them, when only their first letter is large."""
SENTENCE = words(_WORDS["sentence"])
"""Words behind "copyright" where a sentence goes on, in the texts of SPDX's list; a test compares."""
JOINING = words(_WORDS["joining"])  # Words in small letters that stand between names.
DESCRIBED = words(_WORDS["described"])
"""Verbs of sentences that say what code is and where it comes from; none of them can allow, ask or forbid anything."""
DESCRIBING = DESCRIBED | words(_WORDS["describing"])
"""Words of such sentences: with these and names alone, nothing can be allowed, asked or forbidden."""
DOUBTFUL = words(_WORDS["doubtful"])  # Words that are no names, even with a large first letter.
LAW = words(_WORDS["law"])  # Words that stand in terms more than anywhere else.
PLAIN = words(_WORDS["plain"])
"""Words of a sentence that only says which licences there are; with these alone nothing can be forbidden, asked or left out."""
VERBS = words(_WORDS["verbs"])  # One of these stands in such a sentence, and in no title.
GENERIC = words(_WORDS["generic"])  # Words in titles of licences besides a name.
