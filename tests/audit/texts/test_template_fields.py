"""The open fields of SPDX's templates take a name or one of the offered words."""

import pytest

from audit.licenses import spdx
from audit.texts.identification import detect
from audit.texts.template_fields import PLACEHOLDER, fields_form, is_filled, is_place

X11 = spdx.texts()["X11"]
NTP = spdx.texts()["NTP"]
BSD, TWO = spdx.texts()["BSD-3-Clause"], spdx.texts()["BSD-2-Clause"]
HPND, SELL = spdx.texts()["HPND"], spdx.texts()["HPND-sell-variant"]


def test_each_field_of_a_form_is_one_place():
    assert f" authorization from {PLACEHOLDER} " in fields_form("X11")
    assert PLACEHOLDER not in fields_form("Zlib")
    assert is_place(f"{PLACEHOLDER}7")
    assert not is_place("software")


@pytest.mark.parametrize(
    ("licence", "text", "expected"),
    [
        ([PLACEHOLDER], ["ada", "lovelace"], True), ([PLACEHOLDER], [], False), ([], ["ada"], False), (["software"], ["ada"], False),
        ([PLACEHOLDER], ["ada", "except", "users"], False), ([PLACEHOLDER, PLACEHOLDER], ["ada"], True), ([PLACEHOLDER], ["ada"] * 41, False),
    ],
)  # fmt: skip
def test_a_place_is_filled_by_the_words_of_a_name(licence, text, expected):
    assert is_filled(licence, text) is expected


@pytest.mark.parametrize(
    ("license_id", "text"),
    [
        ("X11", X11.replace("THE X CONSORTIUM", "ADA LOVELACE").replace("the X Consortium", "Ada Lovelace").replace("X Window System is a trademark of X Consortium, Inc.", "")),
        ("X11", X11.replace("the name of the X Consortium", "the names of the authors or their institutions").replace("from the X Consortium", "from the authors")),
        ("X11", X11.replace("THE X CONSORTIUM", "THE FREE SOFTWARE FOUNDATION").replace("the X Consortium", "the Free Software Foundation").replace("X Window System is a trademark of X Consortium, Inc.", "")),
        ("HPND", HPND.replace("<copyright holder>", "Foo Corporation").replace("specific, written prior", "specific prior written").replace("It is provided", "It is provided")),
        ("HPND", HPND[: HPND.index("<copyright holder> makes no")] + HPND[HPND.index("<copyright holder> DISCLAIMS") :]),
        ("HPND-sell-variant", SELL.replace("name of OpenVision not", "name OpenVision not").replace("FITNESS, IN NO", "FITNESS FOR A PARTICULAR PURPOSE. IN NO")),
        ("BSD-3-Clause", BSD.replace("Neither the name of the copyright holder nor the names of its contributors", "Neither Foo nor the names of its contributors")),
        ("BSD-3-Clause", BSD.replace("Neither the name of the copyright holder nor the names of its contributors", "Neither the name Foo Inc. nor the name of Bar")),
        ("BSD-3-Clause", BSD.replace("3. Neither", "3. [This condition was removed.]\n4. Neither")),
        ("BSD-3-Clause", BSD.replace("written permission.", "written permission of Foo Inc.").replace("use in source", "use of this software in source")),
        ("BSD-2-Clause", TWO.replace("THE COPYRIGHT HOLDERS AND CONTRIBUTORS", "THE PROJECT AND CONTRIBUTORS").replace("THE COPYRIGHT HOLDER OR CONTRIBUTORS", "THE PROJECT OR CONTRIBUTORS")),
        ("BSD-2-Clause", TWO.replace("1. Redistributions", "a Redistribution").replace("2. Redistributions", "b Redistributions").replace("notice, this list", "notice(s), this list")),
        ("Apache-1.1", spdx.texts()["Apache-1.1"].partition("Portions of this software are based")[0]),
        ("LGPL-3.0-only", spdx.texts()["LGPL-3.0-only"].partition("GNU GENERAL PUBLIC LICENSE\nVersion 3")[0].replace("license document", "licensedocument", 1)),
        ("NTP", NTP.replace("(TrademarkedName)", "the University of Foo")),
        ("MIT", spdx.texts()["MIT"].replace("SOFTWARE IS", "MATERIALS ARE")),
        ("BSD-3-Clause", spdx.texts()["BSD-3-Clause"].replace("Neither the name of the copyright holder nor the names of its contributors may", "None of the names of the Foo project and any contributors may")),
        ("curl", spdx.texts()["curl"].replace("<daniel@haxx.se>.", "<daniel@haxx.se>, and many\ncontributors, see the THANKS file.")),
        ("bzip2-1.0.6", spdx.texts()["bzip2-1.0.6"].replace("1996-2010", "1996-2019").replace("1.0.6 of 6 September 2010", "1.0.8 of 13 July 2019").replace("bzip.org", "acm.org")),
    ],
)  # fmt: skip
def test_published_variants_are_their_licence(license_id, text):
    assert text != spdx.texts()[license_id]
    assert detect(text, is_license=True).spdx == license_id


@pytest.mark.parametrize(
    "text",
    [
        X11.replace("from the X Consortium", "from the X Consortium, which is not granted"),
        X11.replace("THE X CONSORTIUM", "NOBODY WHO HAS PAID"),
        NTP.replace("(TrademarkedName)", "(TrademarkedName) and any non-commercial use"),
        spdx.texts()["MIT"].replace("copies of the Software", "copies of the Services"),
        spdx.texts()["BSD-3-Clause"].replace("Redistributions of source code", "Redistributions of documentation"),
        spdx.texts()["bzip2-1.0.6"].replace("1996-2010", "1996-2010 for evaluation only"),
        spdx.texts()["curl"].replace("<daniel@haxx.se>.", "<daniel@haxx.se>, and many\nusers, see the TERMS file."),
    ],
)
def test_words_of_conditions_fill_no_field(text):
    assert detect(text, is_license=True).spdx is None
