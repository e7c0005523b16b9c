"""A text is identified word for word, or it is unknown."""

import html
import re
import time

import pytest

from audit.licenses.spdx import lists, texts
from audit.texts import identification, pieces
from audit.texts.identification import MAX_TEXT_CHARACTERS, detect, family, is_license_file
from audit.texts.text_index import text_index
from tests.audit.alterations import abuses, alterations, changes

MIT = texts()["MIT"].replace("<year> <copyright holders>", "2020 Ada Lovelace")
APACHE = texts()["Apache-2.0"]
BSD = texts()["BSD-3-Clause"]
ISC = texts()["ISC"][texts()["ISC"].index("Permission to use") :]
LEGALCODE = texts()["CC-BY-4.0"].replace(
    "More considerations for licensors.",
    "More considerations for licensors: wiki.creativecommons.org/Considerations_for_licensors",
)
LEGALCODE = LEGALCODE[LEGALCODE.index("Creative Commons Corporation") :]
"""As creativecommons.org publishes it as plain text."""


def test_every_text_of_the_list_is_found_as_itself():
    tagged = set()
    for license_id, text in texts().items():
        if license_id in lists().deprecated:
            continue
        found = detect(text)
        if found.method == "tag":
            tagged.add(license_id)
        else:
            assert found.spdx in {fingerprint.license for fingerprint in text_index().of(license_id)}, (
                license_id,
                found,
            )
    assert tagged == {"CAL-1.0", "CAL-1.0-Combined-Work-Exception", "Community-Spec-1.0"}, "texts that hold a tag"


@pytest.mark.parametrize(
    ("text", "spdx", "method"),
    [
        (MIT, "MIT", "text"),
        (f"# The MIT License (MIT)\n\n{MIT}", "MIT", "text"),
        (f"Foo is licensed under the MIT license, reproduced below.\n\n{MIT}", "MIT", "text"),
        (f"{MIT}\n\n----------\n\n{APACHE}", "MIT AND Apache-2.0", "text"),
        (f"Dual-licensed under either the MIT License or the Apache License 2.0, at your option.\n\n{MIT}\n\n{APACHE}", "MIT OR Apache-2.0", "text"),
        (f"Licensed under both the MIT License and the Apache License 2.0.\n\n{MIT}\n\n{APACHE}", "MIT AND Apache-2.0", "text"),
        (f"{MIT}\n\n{MIT}", "MIT", "text"),
        (APACHE[APACHE.index("Licensed under the Apache") :], "Apache-2.0", "notice"),
        (APACHE[: APACHE.index("APPENDIX")], "Apache-2.0", "text"),
        (BSD.replace("the copyright holder nor", "Google Inc. nor").replace("THE COPYRIGHT HOLDERS AND", "GOOGLE INC. AND"), "BSD-3-Clause", "text"),
        ("# SPDX-License-Identifier: GPL-2.0-or-later\nimport os\n", "GPL-2.0-or-later", "tag"),
        ("# SPDX-License-Identifier: MIT\n# SPDX-License-Identifier: ISC\n", "MIT AND ISC", "tag"),
        (f"SPDX-License-Identifier: MIT\n\n{MIT}", "MIT", "tag"),
        (f"/* SPDX-License-Identifier: MIT */\n/*\n{BSD}*/\nint x;", "MIT AND BSD-3-Clause", "tag"),
        (f"// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause\n/*\n{BSD}*/\n", "GPL-2.0-only OR BSD-3-Clause", "tag"),
        (f"BSD License\n\nFor Zstandard software\n\n{BSD.replace('name of the copyright holder nor', 'name Facebook, nor Meta, nor')}", "BSD-3-Clause", "text"),
        (BSD.replace("the copyright holder nor", "this software nor"), "BSD-3-Clause", "text"),
        (BSD.replace("the copyright holder nor", "the  nor"), "BSD-3-Clause", "text"),
        (f"The ISC License\n\nCopyright (c) npm, Inc.\n\n{ISC}", "ISC", "text"),
        (f"<!-- This file is automatically added by @npmcli/template-oss. Do not edit. -->\n\nISC License\n\nCopyright npm, Inc.\n\n{ISC}", "ISC", "text"),
        (texts()["MPL-2.0"].replace("*  6. Disclaimer of Warranty", "6. Disclaimer of Warranty").replace("*" * 72, ""), "MPL-2.0", "text"),
        (f"Attribution 4.0 International\n\n{LEGALCODE}", "CC-BY-4.0", "text"),
        (texts()["NCSA"].replace("<Name of Development Group>", "LLVM Team", 1), "NCSA", "compared"),
    ],
)  # fmt: skip
def test_tags_texts_and_notices_are_identified(text, spdx, method):
    found = detect(text)
    assert (found.spdx, found.method) == (spdx, method)
    assert found.confidence >= 0.95
    assert found.nearest is None


@pytest.mark.parametrize(
    "value",
    [
        "MIT, GPL-3.0-only",
        "MIT; GPL-3.0-only",
        "MIT - GPL-3.0-only",
        "MIT, but lib/ is GPL-3.0-only",
        "NONE",
        "Foo-9",
        "GPL",
    ],
)
def test_a_tag_that_is_not_known_leaves_the_licence_unknown(value):
    tag = f"// SPDX-License-Identifier: {value}\n"
    assert (detect(tag).spdx, detect(tag).method) == (None, "none")
    for more in (f"// SPDX-License-Identifier: MIT\n{tag}", f"{tag}\n{MIT}"):
        assert (detect(more).spdx, detect(more).method, detect(more).nearest) == (None, "contains", "MIT")


def test_a_tag_of_a_family_is_explained_by_the_text_of_a_member():
    assert detect(f"SPDX-License-Identifier: BSD\n\n{BSD}").spdx == "BSD-3-Clause"


@pytest.mark.parametrize(
    ("text", "method", "nearest"),
    [
        (MIT.replace("without restriction", "with restriction"), "altered", "MIT"),
        (MIT.replace("any person", "any non-commercial person"), "altered", "MIT"),
        (MIT.replace("THE AUTHORS OR COPYRIGHT HOLDERS", "THE AUTHORS NOT"), "altered", "MIT"),
        (f"{MIT}\n\nThe Software may not be used for evil.", "contains", "MIT"),
        (f"{MIT}\n\nThis license does not apply to the folder contrib.", "contains", "MIT"),
        (MIT.replace("2020 Ada Lovelace", "2020 Ada Lovelace, for non-commercial use only"), "contains", "MIT"),
        (f"For non-commercial use only.\n{MIT}", "contains", "MIT"),
        (f"MIT License for non-commercial software\n\n{MIT}", "contains", "MIT"),
        (f"Copyright (c) npm, for commercial use only\n\n{MIT}", "contains", "MIT"),
        (f"Copyright users, without permission\n\n{MIT}", "contains", "MIT"),
        (f"SPDX-License-Identifier: MIT\n\n{MIT.replace('without restriction', 'with restriction')}", "altered", "MIT"),
        (APACHE.replace("irrevocable", "revocable"), "altered", "Apache-2.0"),
        (APACHE.replace("Version 2.0, January 2004", "Version 3.0, January 2004"), "contains", "Apache-2.0"),
        (BSD.replace("3. Neither", "3. You must pay. Neither"), "altered", "BSD-3-Clause"),
        (f"{MIT}\n\n{BSD.replace('must retain', 'need not retain')}", "altered", "BSD-3-Clause"),
        ("All rights reserved. Do not copy.", "none", None),
        ("Licensed under MIT", "none", None),
        ("Copyright 2020 Ada Lovelace", "none", None),
        ("import os\n", "none", None),
    ],
)  # fmt: skip
def test_an_altered_text_is_unknown_with_the_nearest_id(text, method, nearest):
    found = detect(text)
    assert (found.spdx, found.method, found.nearest, found.confidence) == (None, method, nearest, 0.0)


@pytest.mark.parametrize(
    "more", ["Commercial use is prohibited.", "This license does not apply to the folder contrib."]
)
def test_a_tag_does_not_speak_for_more_words_beside_a_licence_text(more):
    text = f"SPDX-License-Identifier: MIT\n\n{MIT}\n{more}\n"
    found = detect(text, is_license=True)
    assert (found.spdx, found.method, found.nearest) == (None, "contains", "MIT")
    assert detect(text).spdx == "MIT"
    assert detect(f"SPDX-License-Identifier: MIT\n\n{MIT}", is_license=True).spdx == "MIT"


def test_licence_files_are_told_by_name_or_folder():
    for path in (
        "LICENSE",
        "a/LICENCE-MIT.txt",
        "COPYING.LESSER",
        "LICENSE.MIT",
        "docs/mit-license.md",
        "LICENSES/MIT.txt",
        "UNLICENSE",
    ):
        assert is_license_file(path), path
    for path in ("license.c", "LICENSE/a.py", "src/license_check.rs", "README.md", "copyingmachine"):
        assert not is_license_file(path), path


@pytest.mark.parametrize(
    ("spdx_id", "other"),
    [
        ("ISC", "0BSD"), ("Apache-2.0", "Pixar"), ("MIT", "MIT-0"), ("BSD-2-Clause", "BSD-3-Clause"), ("BSD-3-Clause", "BSD-4-Clause"),
        ("BSD-2-Clause", "BSD-2-Clause-Views"), ("BSD-3-Clause", "BSD-3-Clause-Modification"), ("BSD-4-Clause", "BSD-4-Clause-UC"),
        ("MPL-2.0", "MPL-1.1"), ("LGPL-2.0-only", "LGPL-2.1-only"), ("MIT", "X11"), ("Python-2.0", "PSF-2.0"),
    ],
)  # fmt: skip
def test_texts_that_are_much_alike_are_told_apart(spdx_id, other):
    assert (detect(texts()[spdx_id]).spdx, detect(texts()[other]).spdx) == (spdx_id, other)


def test_each_text_is_found_with_its_lines():
    found = detect(f"{MIT}\n\n{BSD}")
    lines = MIT.count("\n") + 1
    assert [(found_license.spdx, found_license.method) for found_license in found.found] == [
        ("MIT", "text"),
        ("BSD-3-Clause", "text"),
    ]
    assert (found.found[0].start_line, found.found[0].end_line) == (5, lines)
    assert found.found[1].start_line == lines + 4


@pytest.mark.parametrize(
    ("text", "method"),
    [("", "empty"), (" \n", "empty"), ("\0\1", "binary"), ("x" * (MAX_TEXT_CHARACTERS + 1), "too-long")],
)
def test_empty_binary_and_too_long_texts_have_their_method(text, method):
    assert detect(text).method == method
    assert detect(text).spdx is None


@pytest.mark.parametrize(
    "piece",
    ["Permission is hereby granted, free of charge, ", "(", "copyright\n", "SPDX-License-Identifier: MIT\n", "<p>", "\u0301a", "Redistribution and use in source and binary forms\n"],
)  # fmt: skip
def test_hostile_texts_are_read_within_seconds(piece):
    start = time.process_time()
    detect(piece * (400_000 // len(piece)))
    assert time.process_time() - start < 10


def test_a_family_joins_licences_that_share_a_text():
    assert family("GPL-2.0-only") == family("GPL-2.0-or-later") == family("GPL-2.0+") == family("GPL-2.0") == "GPL-2.0"
    assert family("MIT") == "MIT"


def _taken(count, seed):
    """One word apart from another licence is that licence, and rightly so."""
    found = ((spdx_id, what, detect(text).spdx) for spdx_id, what, text in alterations(count, seed))
    return [(text, what) for text, what, said in found if said is not None and family(said) == family(text)]


@pytest.mark.slow
def test_an_altered_text_is_never_the_original():
    assert _taken(100, 1) == []


@pytest.mark.nightly
def test_two_thousand_altered_texts_are_never_the_originals():
    assert _taken(2000, 2) == []


def _taken_changed(step):
    some = list(changes())[::step]
    found = ((spdx_id, what, detect(text).spdx) for spdx_id, what, text in some)
    return len(some), [(text, what) for text, what, said in found if said is not None and family(said) == family(text)]


@pytest.mark.slow
def test_a_text_changed_on_purpose_is_never_the_original():
    count, taken = _taken_changed(8)
    assert count > 60
    assert taken == []


@pytest.mark.nightly
def test_six_hundred_texts_changed_on_purpose_are_never_the_originals():
    count, taken = _taken_changed(1)
    assert count > 550
    assert taken == []


@pytest.mark.slow
def test_no_sentence_around_mit_narrows_it_unseen():
    assert [] == [what for _, what, text in abuses(["MIT"]) if detect(text).spdx is not None]


@pytest.mark.nightly
def test_no_sentence_around_any_text_narrows_it_unseen():
    assert [] == [(spdx_id, what) for spdx_id, what, text in abuses() if detect(text).spdx is not None]


FMT = """-- NOTE: Third party dependency used by this software --
This software depends on the fmt lib (MIT License),
and users must comply to its license: https://raw.githubusercontent.com/fmtlib/fmt/master/LICENSE
"""
EPL = "".join(f"<p>{html.escape(line)}</p>\n" for line in texts()["EPL-2.0"].split("\n"))
PAGE = (
    "<!DOCTYPE html>\n<html><head><title>Eclipse Public License - Version 2.0</title>\n<style type='text/css'>\np {margin: 0}\n</style>"
    f"</head><body>{EPL.replace('“', '&ldquo;').replace('”', '&rdquo;')}</body></html>"
)
HEADED = re.sub(r"\n(\d+)\.(\w)", r"\n\n## \1. \2", texts()["EUPL-1.2"]).replace("‘", "'").replace("’", "'")


@pytest.mark.parametrize(
    ("text", "spdx"),
    [
        (f"= Flake8 License (MIT) =\n\n{MIT}", "MIT"),
        (f"This project is released under the MIT license:\n\n{MIT}", "MIT"),
        (f"{MIT}\n\n{FMT}", "MIT"),
        (MIT.replace("2020 Ada Lovelace", "2020 Ada Lovelace\nGrace Hopper <grace@example.org>"), "MIT"),
        (MIT.replace('"', "&quot;"), "MIT"),
        (APACHE.replace("Copyright [yyyy] [name of copyright owner]", "Copyright 2020 Ada Lovelace"), "Apache-2.0"),
        (APACHE.replace("Copyright [yyyy] [name of copyright owner]", "Copyright foo-libs contributors."), "Apache-2.0"),
        (PAGE, "EPL-2.0"),
        (HEADED, "EUPL-1.2"),
        (BSD.replace("specific prior", "prior"), "BSD-3-Clause"),
        (BSD.replace("the name of the copyright holder nor", "the names of the copyright holders nor").replace("of its contr", "of any of the contr"), "BSD-3-Clause"),
        (texts()["CC0-1.0"][texts()["CC0-1.0"].index("CC0 1.0 Universal") :], "CC0-1.0"),
        (texts()["BSD-2-Clause"].replace("THIS SOFTWARE IS", "THIS IS").replace("USE OF THIS SOFTWARE", "USE OF THIS"), "BSD-2-Clause"),
    ],
)  # fmt: skip
def test_texts_with_titles_holders_html_or_reviewed_changes_are_identified(text, spdx):
    assert detect(text).spdx == spdx


@pytest.mark.parametrize(
    "license_id", ["GPL-1.0-only", "GPL-2.0-only", "LGPL-2.0-only", "LGPL-2.1-only", "GFDL-1.2-only"]
)
@pytest.mark.parametrize(
    "address",
    [
        "59 Temple Place, Suite 330, Boston, MA  02111-1307  USA",
        "59 Temple Place - Suite 330, Boston, MA 02111-1307, USA.",
        "675 Mass Ave, Cambridge, MA 02139, USA",
        "51 Franklin St, Fifth Floor, Boston, MA  02110-1301  USA",
        "51 Franklin Street, Boston, MA 02110-1301, USA.",
    ],
)
def test_an_old_address_of_the_fsf_is_no_alteration(license_id, address):
    text, count = re.subn(
        r"(?:51 Franklin (?:Street|St)|59 Temple Place|675 Mass Ave)[^\n]{0,60}?USA", address, texts()[license_id]
    )
    assert count
    assert detect(text).spdx == license_id


def test_a_word_beside_the_address_is_seen():
    text = texts()["GPL-2.0-only"].replace("Boston, MA  02110-1301, USA", "Boston, MA  02110-1301, USA, or pay", 1)
    assert detect(text).spdx is None


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("THIS SOFTWARE IS", "THIS IS"),
        lambda text: text.replace("without specific prior", "with"),
        lambda text: text.replace("USE OF THIS SOFTWARE", "USE OF THIS"),
    ],
)
def test_one_change_of_a_reviewed_variant_alone_is_an_alteration(change):
    assert detect(change(texts()["BSD-3-Clause"])).spdx is None


@pytest.mark.slow
def test_the_work_of_a_text_is_the_same_each_time_and_bounded():
    altered = APACHE.replace("perpetual", "zebra")
    assert detect(MIT).work == len(MIT)
    assert len(altered) * 10 < detect(altered).work == detect(altered).work < 600_000
    many = f"{MIT}\n\n{altered}\n\n" * 40
    assert (detect(many).method, detect(many).nearest) == ("altered", "Apache-2.0")
    assert detect(many).work < len(many) + 1_300_000


@pytest.mark.slow
def test_sentences_around_texts_beyond_the_bound_leave_them_unknown():
    said = f"{MIT}\n\n{'the mit license the mit ' * 38}\n\n"
    assert detect(said * 3).spdx == "MIT"
    assert detect(said * 60).spdx is None
    bound = 500_000 + 1_300_000  # to read sentences, and to compare what is left
    assert len(said) * 60 + 400_000 < detect(said * 60).work < len(said) * 60 + bound
    assert detect(said * 300).work < len(said) * 300 + bound


@pytest.mark.slow
def test_a_text_that_is_not_compared_to_its_end_is_unknown():
    filled = texts()["NCSA"].replace("<Name of Development Group>", "LLVM Team", 1)
    several = "\n\n".join(f"{filled}\n\n{MIT}" for _ in range(3))
    assert (detect(several).spdx, detect(several).method) == ("MIT AND NCSA", "compared")
    assert detect("\n\n".join(f"{filled}\n\n{MIT}" for _ in range(600))).spdx is None


def test_a_text_of_exactly_the_longest_size_is_read(monkeypatch):
    monkeypatch.setattr(identification, "MAX_TEXT_CHARACTERS", len(texts()["MIT"]))

    assert detect(texts()["MIT"]).spdx == "MIT"
    assert detect(texts()["MIT"] + "\n").spdx is None


def test_a_text_of_exactly_the_longest_proposed_size_is_proposed(monkeypatch):
    text = MIT.replace("free of charge, ", "")
    monkeypatch.setattr(pieces, "_MAX_COMPARED", 5)
    monkeypatch.setattr(identification, "_MAX_PROPOSED_CHARACTERS", len(text))

    assert (detect(text).method, detect(text).nearest) == ("similar", "MIT")
    assert (detect(f"{text}\n").method, detect(f"{text}\n").nearest) == ("none", None)


def test_five_proposals_are_compared():
    proposals = ["MIT", "ISC", "0BSD", "Zlib", "BSL-1.0", "Apache-2.0"]

    assert identification._ids(proposals) == tuple(proposals[:5])
    assert identification._ids(["MIT AND ISC", "MIT"]) == ("MIT", "ISC")
