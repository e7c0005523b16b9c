"""The licence of a work: stated, completed by its text, a choice of files, and nested licences."""

from dataclasses import replace

import pytest

from audit.facts import UNLEARNED, Learned, Source, Text
from audit.texts.work_license import completed, nested, of_texts

CHOICE = "This software is made available under the terms of *either* of the licenses\nfound in LICENSE.APACHE or LICENSE.BSD."
BOTH = " Contributions to this software are made\nunder the terms of *both* these licenses."
TEXTS = {
    "mit": "MIT",
    "bsd3": "BSD-3-Clause",
    "bsd2": "BSD-2-Clause",
    "apache": "Apache-2.0",
    "gpl": "GPL-2.0-only",
    "gpl3": "GPL-3.0-only",
    "lgpl3": "LGPL-3.0-only",
    "isc": "ISC OR MIT",
}


def text(said, path="LICENSE"):
    """A licence file; its text is the key of TEXTS, or unknown."""
    return Text(path, said, said)


def detect(said, _path):
    """A table as a detector."""
    return TEXTS.get(said)


@pytest.mark.parametrize(
    ("stated", "texts", "expression"),
    [
        (None, ["mit"], "MIT"),
        (None, ["isc", "bsd2"], "(ISC OR MIT) AND BSD-2-Clause"),
        (None, ["mit", "mit"], "MIT"),
        (None, ["mit", "?"], None),
        (None, [], None),
        ("MIT", ["apache"], "MIT"),
        ("BSD", ["bsd3"], "BSD-3-Clause"),
        ("License :: OSI Approved :: Apache Software License", ["apache"], "Apache-2.0"),
        ("BSD", ["mit"], "BSD"),
        ("BSD", ["bsd3", "mit"], "BSD"),
        ("BSD", ["?"], "BSD"),
        ("GPL", ["gpl"], "GPL"),
        ("BSD OR MIT", ["bsd3"], "BSD OR MIT"),
        ("own words", ["mit"], "own words"),
        ("SEE LICENSE IN LICENSE-1", ["apache", "mit"], "MIT"),
        ("see license in ./license-0 ", ["mit"], "MIT"),
        ("SEE LICENSE IN LICENSE-0", ["?"], "SEE LICENSE IN LICENSE-0"),
        ("SEE LICENSE IN EULA", ["mit"], "SEE LICENSE IN EULA"),
        ("SEE LICENSE IN LICENSE-0 OR MIT", ["mit"], "SEE LICENSE IN LICENSE-0 OR MIT"),
    ],
)
def test_a_stated_licence_counts_and_a_text_completes_a_family(stated, texts, expression):
    said = Learned(stated, Source.METADATA) if stated else UNLEARNED
    found = completed(said, [text(value, f"LICENSE-{at}") for at, value in enumerate(texts)], detect)

    assert found.expression == expression
    assert found.source is (Source.LICENSE_TEXT if expression != stated else said.source)


@pytest.mark.parametrize(
    ("files", "expression", "place"),
    [
        ({"COPYING": "gpl3", "COPYING.LESSER": "lgpl3"}, "LGPL-3.0-only", "COPYING.LESSER"),
        ({"x/LICENSE.txt": "gpl3", "x/LICENSE.LESSER.txt": "lgpl3", "x/COPYING.ZLIB": "mit"}, "LGPL-3.0-only AND MIT", "x/LICENSE.LESSER.txt"),
        ({"COPYING": "gpl3", "COPYING-LGPL": "lgpl3"}, "GPL-3.0-only AND LGPL-3.0-only", "COPYING"),
        ({"COPYING.GPLv3": "gpl3", "COPYING.LESSER": "lgpl3"}, "GPL-3.0-only AND LGPL-3.0-only", "COPYING.GPLv3"),
        ({"COPYING": "gpl", "COPYING.LESSER": "lgpl3"}, "GPL-2.0-only AND LGPL-3.0-only", "COPYING"),
        ({"COPYING": "gpl3", "COPYING.LESSER": "mit"}, "GPL-3.0-only AND MIT", "COPYING"),
        ({"COPYING": "?", "COPYING.LESSER": "lgpl3"}, None, "COPYING"),
    ],
)  # fmt: skip
def test_the_gpl_beside_the_lgpl_is_one_licence(files, expression, place):
    """LGPL-3.0 consists of the GPL's terms and permissions, so its text comes in two files."""
    found = of_texts([text(said, path) for path, said in files.items()], detect)

    assert (found.expression, found.place and found.place.path) == (expression, place)


BSD = "Redistribution and use in source and binary forms … SUCH DAMAGE."
APACHE = "Licensed under the Apache License, Version 2.0 … limitations under the License."


@pytest.mark.parametrize(
    ("stated", "texts", "expression"),
    [
        ("BSD License", [f"The Kiwi licensing terms\n{BSD}\nAbout Kiwi"], "BSD-3-Clause"),
        ("BSD OR Apache", [f"{APACHE}\nThe above applies to …\n{BSD}"], "BSD-3-Clause OR Apache-2.0"),
        ("BSD OR MIT", [f"own\n{BSD}"], "BSD-3-Clause OR MIT"),
        ("LicenseRef-BSD AND BSD", [f"own\n{BSD}"], "LicenseRef-BSD AND BSD-3-Clause"),
        ("BSD", [f"own\n{BSD}", "Redistribution and use in source and binary forms … other SUCH DAMAGE."], "BSD"),
        ("BSD", ["Redistribution and use in source and binary forms"], "BSD"),
        ("BSD", [f"own\n{BSD[:48]}{'x' * 5_000} SUCH DAMAGE."], "BSD"),
        ("GPL", [f"own\n{BSD}"], "GPL"),
        ("MIT", [f"own\n{BSD}"], "MIT"),
    ],
)
def test_a_family_s_member_is_found_in_a_longer_file(stated, texts, expression):
    known = {BSD: "BSD-3-Clause", APACHE: "Apache-2.0"}
    said = Learned(stated, Source.METADATA)
    found = completed(said, [text(words) for words in texts], lambda words, _path: known.get(words))

    assert found == replace(said, expression=expression)


@pytest.mark.parametrize(
    ("words", "expression"),
    [
        (CHOICE, "Apache-2.0 OR BSD-2-Clause"),
        (CHOICE + BOTH, "Apache-2.0 OR BSD-2-Clause"),
        (CHOICE + BOTH.replace("are made", "is made"), "Apache-2.0 OR BSD-2-Clause"),
        (CHOICE + " You may not sell it.", None),
        (CHOICE.replace("either", "both"), None),
        (CHOICE.replace("LICENSE.BSD", "LICENSE.GPL"), None),
        (CHOICE.replace("LICENSE.BSD", "LICENSE"), None),
    ],
)
def test_a_file_may_offer_a_choice_between_the_files_it_names(words, expression):
    files = [text(words), text("apache", "x/LICENSE.APACHE"), text("bsd2", "x/LICENSE.BSD")]

    assert of_texts(files, detect).expression == expression
    assert of_texts([*files, text("mit", "COPYING")], detect).expression == (
        expression and f"({expression}) AND MIT"
    )  # fmt: skip


def test_a_choice_with_an_unknown_text_is_unknown():
    assert of_texts([text(CHOICE), text("?", "LICENSE.APACHE"), text("bsd2", "LICENSE.BSD")], detect) is UNLEARNED


LINES = "Copyright 2020-2024 Me Inc\nCopyright (c) 2021 The Me Authors. All rights reserved.\n"


@pytest.mark.parametrize(
    ("files", "expression"),
    [
        ({"LICENSE": "mit", "COPYRIGHT": LINES}, "MIT"), ({"COPYRIGHT": LINES}, None), ({"COPYING": "mit", "LICENSE": LINES}, None),
        ({"LICENSE": "mit", "COPYRIGHT": f"{LINES}For non-commercial use only.\n"}, None),
        *(({"LICENSE": "mit", name: "?"}, "MIT") for name in (
            "LICENSE-binary", "LICENSE_HEADER", "LICENSE.header", "license-header.txt", "LICENSE-3rdparty.txt", "LICENSES-THIRD-PARTY",
            "LICENSE_THIRD_PARTY.txt", "LICENSE-DEPENDENCIES.md", "LICENSE.third-party",
        )),
        *(({"LICENSE": "mit", name: "?"}, None) for name in ("LICENSE-logo", "LICENSE.zh-CN.md", "COPYING", "LICENSE-combined")),
        ({"LICENSE": "?", "LICENSE-binary": "mit"}, None), ({"LICENSE-binary": "?"}, None), ({"LICENSE": "mit", "LICENSE-binary": "bsd3"}, "MIT AND BSD-3-Clause"),
        ({"x/LICENSE": "mit", "x/LICENSE-3rdparty.txt": "?"}, None),
    ],
)  # fmt: skip
def test_copyright_lines_and_texts_of_parts_are_not_the_work_s_own(files, expression):
    assert of_texts([text(said, path) for path, said in files.items()], detect).expression == expression


def test_an_unknown_text_of_the_work_is_named():
    found = of_texts([text("mit"), text("?", "LICENSE_FAQ.md")], detect)
    assert (found.expression, found.source, found.place.path) == (None, Source.UNSTATED, "LICENSE_FAQ.md")
    assert of_texts([text("?", "x/LICENSE")], detect) == UNLEARNED


def test_nested_licences_beyond_the_bound_are_counted():
    inner = [text("bsd3", f"l/{at:03}/LICENSE") for at in range(150)]
    found = nested(Learned("MIT"), inner, [], detect)
    assert (len(found), found[-1].place.path) == (101, "l/100/LICENSE")
    assert found[-1].message.startswith("50 more folders under licences")


def test_nested_folders_with_another_licence_are_findings():
    inner = [
        text("bsd3", "src/a/LICENSE"),
        text("bsd3", "src/b/LICENSE"),
        text("mit", "c/LICENSE"),
        text("?", "d/LICENSE"),
    ]
    found = nested(Learned("MIT"), inner, [text("mit")], detect)

    assert [(finding.code, finding.place.path) for finding in found] == [
        ("license/nested", "src/a/LICENSE"),
        ("license/nested", "src/b/LICENSE"),
    ]
    assert "BSD-3-Clause" in found[0].message
    assert nested(Learned("MIT AND BSD-3-Clause"), inner, [], detect) == []
    assert len(nested(UNLEARNED, inner, [], detect)) == 3


@pytest.mark.parametrize("pointer", ["See COPYING\n", "Foo LICENCE\n\nPlease see the file COPYING in the Foo distribution for licensing details.\n\nEnd\n",
                                     "See the file COPYING for copyright and licensing information.", "Please read COPYING.", "See COPYING for details.", "See COPYING for more information.\n", "Refer to the file `COPYING` for the full license text."])  # fmt: skip
def test_a_file_that_only_points_to_the_licence_is_no_text(pointer):
    there, says = text("isc", "COPYING"), text(pointer)
    assert of_texts([there, says], detect).expression == "ISC OR MIT"
    assert of_texts([says], detect).expression is None
    assert of_texts([there, text(f"{pointer.strip()} You must pay.")], detect).expression is None
