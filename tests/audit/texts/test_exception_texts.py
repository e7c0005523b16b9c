"""An exception that stands beside a licence word for word joins it by WITH; a changed one is no exception."""

import pytest

from audit.licenses.spdx import exception_texts as known
from audit.licenses.spdx import texts
from audit.texts import exception_texts
from audit.texts.identification import detect
from audit.texts.normalization import normalize


def test_found_among_other_words():
    """Its id and its words, wherever they stand."""
    words = normalize(known()["fmt-exception"]).form.split()
    assert exception_texts.find(["foo", *words, "bar"]) == ("fmt-exception", 1, len(words) + 1)
    assert exception_texts.find(words[:-1]) is None
    assert exception_texts.find([]) is None


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
