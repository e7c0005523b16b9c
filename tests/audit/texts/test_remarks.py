"""Sentences that leave the licence as it is are put aside and shown; others that come near leave the text not known."""

import pytest

from audit.licenses.spdx import texts
from audit.texts import remarks
from audit.texts.identification import detect

NARROWS = (
    "Note that the only valid version of the GPL as far as this project is concerned is _this_ particular version of the license (ie v2, not "
    "v2.2 or v3.x or whatever), unless explicitly otherwise stated."
)
BOX = (
    "--- A note on GPL versions\n\nFooBox is distributed under version 2 of the General Public License (included in its entirety, below). "
    "Version 2 is the only version of this license which this version of FooBox (or modified versions derived from this one) may be "
    "distributed under."
)


@pytest.mark.parametrize(
    ("license_id", "before", "behind"),
    [
        ("GPL-2.0-only", NARROWS, ""),
        ("GPL-2.0-only", BOX, ""),
        ("GPL-2.0-only", "", "This program is also available under a commercial proprietary license. For more information, contact us at license @ foo.example."),
        ("MIT", "", "See THIRDPARTY.md for license information of other software"),
        ("MIT", "", "Please refer to the file NOTICE for licensing information about third party software included in this project."),
        ("MIT", "", "The externally maintained libraries used by libfoo are:\n - tree.h (from FreeBSD), copyright Ada Lovelace. Two clause BSD license."),
        (
            "MIT",
            ("Except where otherwise noted in the source code (e.g. the files hash.c and list.c, which are covered by a similar licence but "
            "with different Copyright notices) all the files are:"), "",
        ),
    ],
)  # fmt: skip
def test_put_aside_and_shown(license_id, before, behind):
    """The id is the text's, and the sentence is handed on with its lines."""
    found = detect(f"{before}\n\n{texts()[license_id]}\n\n{behind}\n", is_license=True)
    assert found.spdx == license_id
    [remark] = found.remarks
    said = " ".join((before or behind).replace("---", "").split())
    assert said[:30] in remark.text
    assert remark.start_line <= remark.end_line


@pytest.mark.parametrize(
    ("license_id", "before", "behind"),
    [
        ("GPL-3.0-only", NARROWS, ""),
        ("MIT", BOX, ""),
        ("GPL-2.0-only", NARROWS.replace("v2, not", "v3, not"), ""),
        ("MIT", "", "See THIRDPARTY.md for license information of this software"),
        ("MIT", "", "See THIRDPARTY.md for license information of other software that you must buy"),
        ("MIT", "", "See TERMS.md for license information of other software"),
        ("GPL-2.0-only", "", "This program is also available under a commercial license, which you need to sell it."),
        ("MIT", "", "The externally maintained libraries used by libfoo are: tree.h, which you may not sell."),
        ("MIT", "", "Foo is subject to patents of Foo Inc."),
        ("MIT", "", "Foo is subject to the royalty-free patent licenses which are specified at: https://example.org"),
    ],
)  # fmt: skip
def test_what_comes_near_is_not_put_aside(license_id, before, behind):
    """Another version, another file, a duty more, a patent clause."""
    found = detect(f"{before}\n\n{texts()[license_id]}\n\n{behind}\n", is_license=True)
    assert (found.spdx, found.remarks) == (None, ())


def test_beside_the_licence_that_it_speaks_of():
    """A sentence about version 2 counts beside version 2 only."""
    said = (
        "the only valid version of the gpl as far as this project is concerned is this particular version of the license ie v2 not v2 2 or v3 x "
        "or whatever unless explicitly otherwise stated "
    )
    assert list(remarks.ends(said, 0, {"GPL-2.0-only"})) == [len(said)]
    assert not list(remarks.ends(said, 0, {"GPL-3.0-only"}))
