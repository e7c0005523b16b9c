"""A piece is read text by text; one unknown word leaves it unread."""

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


def test_two_texts_in_one_piece_are_both_found():
    reading = PieceReader((), (), Effort()).read(_piece(TWICE))
    assert [text.license for text in reading.texts] == ["X11", "X11"]
    assert reading.is_read
    assert detect(TWICE, is_license=True).spdx == "X11"


def test_words_between_two_texts_leave_the_piece_unread():
    reading = PieceReader((), (), Effort()).read(_piece(TWICE.replace("License for libbar", "You must pay for libbar")))
    assert not reading.is_read
    assert detect(TWICE.replace("License for libbar", "You must pay for libbar")).spdx is None


def test_a_piece_of_titles_alone_is_read_and_empty():
    reading = PieceReader(text_index().of("MIT"), (), Effort()).read(_piece("The MIT License"))
    assert (reading.is_read, reading.texts, reading.remarks) == (True, (), ())


def test_an_unread_piece_has_its_nearest_licence_with_a_share():
    reading = PieceReader((), (), Effort()).read(_piece(texts()["Zlib"].replace("freely", "for a fee")))
    assert not reading.is_read
    assert reading.nearest is not None
    assert reading.nearest.license == "Zlib"
    assert 0.9 < reading.nearest.share < 1


def test_a_piece_beyond_the_effort_is_unread():
    effort = Effort(spent=1_200_001)
    assert not PieceReader((), (), effort).read(_piece(X11)).is_read


def test_an_exception_is_found_among_other_words():
    words = normalize(known()["fmt-exception"]).form.split()
    assert find_exception(["foo", *words, "bar"]) == ("fmt-exception", 1, len(words) + 1)
    assert find_exception(words[:-1]) is None
    assert find_exception([]) is None


@pytest.mark.parametrize(
    ("license_id", "exception"),
    [("MIT", "fmt-exception"), ("GPL-2.0-only", "Classpath-exception-2.0"), ("Apache-2.0", "LLVM-exception"),
     ("GPL-3.0-only", "GCC-exception-3.1"), ("LGPL-2.1-only", "OCaml-LGPL-linking-exception")],
)  # fmt: skip
def test_an_exception_behind_one_licence_text_is_joined_with_it(license_id, exception):
    found = detect(f"{texts()[license_id]}\n\n{known()[exception]}", is_license=True)
    assert found.spdx == f"{license_id} WITH {exception}"


def test_an_altered_or_ambiguous_exception_leaves_the_text_unknown():
    altered = known()["fmt-exception"].replace("you may", "you may not")
    assert altered != known()["fmt-exception"]
    assert detect(f"{texts()['MIT']}\n\n{altered}", is_license=True).spdx is None
    both = f"{texts()['MIT']}\n\n{texts()['ISC']}\n\n{known()['fmt-exception']}"
    assert detect(both, is_license=True).spdx is None


def words(license_id):
    """Of the text's form."""
    return normalize(spdx.texts()[license_id]).form.split()


@pytest.mark.slow
def test_the_shipped_marks_are_derived_from_the_texts():
    """After a change of how texts are read, `make data` derives them anew."""
    made = derive_marks(spdx.texts(), spdx.lists().deprecated)
    assert made == (resources.files("audit") / "data/license-marks.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("license_id", ["MIT", "Apache-2.0", "BSD-3-Clause", "GPL-3.0-only", "ISC", "MPL-2.0"])
def test_a_text_with_a_word_dropped_is_near_its_licence(license_id):
    altered = words(license_id)
    del altered[len(altered) // 2]
    assert license_id in near(altered)[:3]


def test_other_words_are_near_no_licence():
    assert near(["word"] * 1000) == []
    assert near([]) == []


def test_the_thinner_sample_of_a_text_is_part_of_the_other():
    assert shingles(words("MPL-2.0"), 24) < shingles(words("MPL-2.0"))
    assert (rate(words("MIT")), rate(words("BSD-3-Clause")), rate(words("MPL-2.0"))) == (3, 3, 24)
    rows = json.loads((resources.files("audit") / "data/license-marks.json").read_text(encoding="utf-8"))
    assert [value for value, (_, *own) in rows.items() if not own] == []
