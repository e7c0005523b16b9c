"""A piece is read text by text; one word that nobody knows leaves it unread."""

import json
from importlib import resources

import pytest

from audit.licenses import spdx
from audit.licenses.spdx import exception_texts as known
from audit.licenses.spdx import texts
from audit.texts.identification import detect
from audit.texts.normalization import normalize
from audit.texts.pieces import PieceReader, find_exception, near, shingles
from audit.texts.remainders import Effort, Remainder
from audit.texts.text_index import text_index
from tests.audit.build_index import derive_marks, rate

X11 = texts()["X11"].replace("THE X CONSORTIUM", "ADA LOVELACE").replace("the X Consortium", "Ada Lovelace")
X11 = X11.partition("X Window System is")[0]
TWICE = f"License for libfoo\n\n{X11}\n\nLicense for libbar\n\n{X11.replace('Ada Lovelace', 'Grace Hopper')}\n"


def _piece(text):
    return Remainder(tuple(normalize(text).form.split()), 1, opens=True, closes=True)


def test_two_texts_in_one_piece():
    """Each is found, also where the same licence stands twice."""
    reading = PieceReader((), (), Effort()).read(_piece(TWICE))
    assert [one.license for one in reading.texts] == ["X11", "X11"]
    assert reading.is_read
    assert detect(TWICE, is_license=True).spdx == "X11"


def test_words_between_them():
    """They are not passed over: what was found is told, and the piece is not read."""
    reading = PieceReader((), (), Effort()).read(_piece(TWICE.replace("License for libbar", "You must pay for libbar")))
    assert not reading.is_read
    assert detect(TWICE.replace("License for libbar", "You must pay for libbar")).spdx is None


def test_words_of_titles_alone():
    """They are read, and hold nothing."""
    reading = PieceReader(text_index().of("MIT"), (), Effort()).read(_piece("The MIT License"))
    assert (reading.is_read, reading.texts, reading.remarks) == (True, (), ())


def test_what_it_comes_nearest_to():
    """With the share of it that is there."""
    reading = PieceReader((), (), Effort()).read(_piece(texts()["Zlib"].replace("freely", "for a fee")))
    assert not reading.is_read
    assert reading.nearest is not None
    assert reading.nearest.license == "Zlib"
    assert 0.9 < reading.nearest.share < 1


def test_nothing_is_compared_beyond_the_effort():
    """Then it is not known."""
    effort = Effort(spent=1_200_001)
    assert not PieceReader((), (), effort).read(_piece(X11)).is_read


def test_found_among_other_words():
    """Its id and its words, wherever they stand."""
    words = normalize(known()["fmt-exception"]).form.split()
    assert find_exception(["foo", *words, "bar"]) == ("fmt-exception", 1, len(words) + 1)
    assert find_exception(words[:-1]) is None
    assert find_exception([]) is None


@pytest.mark.parametrize(
    ("license_id", "exception"),
    [("MIT", "fmt-exception"), ("GPL-2.0-only", "Classpath-exception-2.0"), ("Apache-2.0", "LLVM-exception"),
     ("GPL-3.0-only", "GCC-exception-3.1"), ("LGPL-2.1-only", "OCaml-LGPL-linking-exception")],
)  # fmt: skip
def test_with(license_id, exception):
    """Behind one licence's text."""
    found = detect(f"{texts()[license_id]}\n\n{known()[exception]}", is_license=True)
    assert found.spdx == f"{license_id} WITH {exception}"


def test_an_altered_exception_leaves_it_unknown():
    """A word more, or two licences to which it could belong."""
    altered = known()["fmt-exception"].replace("you may", "you may not")
    assert altered != known()["fmt-exception"]
    assert detect(f"{texts()['MIT']}\n\n{altered}", is_license=True).spdx is None
    both = f"{texts()['MIT']}\n\n{texts()['ISC']}\n\n{known()['fmt-exception']}"
    assert detect(both, is_license=True).spdx is None


def words(license_id):
    """Of the text's form."""
    return normalize(spdx.texts()[license_id]).form.split()


def test_the_file_is_what_the_texts_give():
    """Byte by byte; whoever changes how texts are read runs `make data`."""
    made = derive_marks(spdx.texts(), spdx.lists().deprecated)
    assert made == (resources.files("audit") / "data/license-marks.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("license_id", ["MIT", "Apache-2.0", "BSD-3-Clause", "GPL-3.0-only", "ISC", "MPL-2.0"])
def test_near(license_id):
    """With a word dropped in its middle."""
    altered = words(license_id)
    del altered[len(altered) // 2]
    assert license_id in near(altered)[:3]


def test_nothing_near():
    """Other words."""
    assert near(["word"] * 1000) == []
    assert near([]) == []


def test_samples():
    """The thinner one is part of the other; every text has some marks."""
    assert shingles(words("MPL-2.0"), 24) < shingles(words("MPL-2.0"))
    assert (rate(words("MIT")), rate(words("BSD-3-Clause")), rate(words("MPL-2.0"))) == (3, 3, 24)
    rows = json.loads((resources.files("audit") / "data/license-marks.json").read_text(encoding="utf-8"))
    assert [one for one, (_, *own) in rows.items() if not own] == []
