"""A piece is read text by text; one word that nobody knows leaves it unread."""

from audit.licenses.spdx import texts
from audit.texts.identification import detect
from audit.texts.normalization import normalize
from audit.texts.pieces import PieceReader
from audit.texts.remainders import Effort, Remainder
from audit.texts.text_index import text_index

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
