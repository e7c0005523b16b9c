"""Names of licences in prose, and files and addresses."""

import pytest

from audit.texts.prose.license_names import worded


@pytest.mark.parametrize(
    ("said", "license_id"),
    [
        ("GPL v2", "GPL-2.0-only"), ("GPLv2+", "GPL-2.0-or-later"), ("GPL-3.0-or-later", "GPL-3.0-or-later"), ("GPL-2.0+", "GPL-2.0-or-later"),
        ("the GNU General Public License, version 3", "GPL-3.0-only"), ("GNU LGPL, version 2.1 or (at your option) any later version", "LGPL-2.1-or-later"),
        ("GNU Lesser General Public License as published by the Free Software Foundation; either version 2.1 of the License, or (at your option) any later version", "LGPL-2.1-or-later"),
        ("LGPL v2.1+", "LGPL-2.1-or-later"), ("GNU Affero General Public License v3.0", "AGPL-3.0-only"), ("the GPL", "GPL"), ("the GNU Lesser General Public License", "LGPL"),
        ("Apache License, Version 2.0", "Apache-2.0"), ("the Apache 2 license", "Apache-2.0"), ("Apache Software License 2.0", "Apache-2.0"),
        ("Mozilla Public License (MPL) version 1.1", "MPL-1.1"), ("MPL2", "MPL-2.0"), ("Eclipse Public License v1.0", "EPL-1.0"),
        ("the MIT license", "MIT"), ("BSD 2-Clause license", "BSD-2-Clause"), ("3-clause BSD", "BSD-3-Clause"), ("the zlib license", "Zlib"), ("the ISC license", "ISC"),
        ("Boost Software License, Version 1.0", "BSL-1.0"), ("CC0 1.0 Universal", "CC0-1.0"), ("GNU FDL license 1.3", "GFDL-1.3-only"), ("the FreeType License", "FTL"),
        ("Mulan PSL v2", "MulanPSL-2.0"), ("the public domain", "public domain"),
    ],
)  # fmt: skip
def test_a_licence_is_named_with_its_version(said, license_id):
    found = worded(f"Foo is under {said}.")
    assert (found.words, found.licenses) == ("foo is under §0", (license_id,))


@pytest.mark.parametrize(
    "said",
    ["a BSD-style license", "a license similar to the MIT license", "the Apache license", "the MPL", "other licenses", "the BSD license", "various free software licenses", "an MIT-like license"],
)  # fmt: skip
def test_a_vague_name_names_no_licence(said):
    found = worded(f"Foo is under {said}.")
    assert (found.words.split()[-1], found.licenses) == ("vague", ())


def test_file_names_and_addresses_are_told_apart_from_words():
    found = worded(
        "See `doc/COPYING`, LICENSE-MIT, [LICENSE](LICENSE), src/bdf/README or https://example.org/x and/or lib/."
    )
    assert found.words == "see pathname pathname pathname pathname or url and or pathname"
    assert found.files == ("COPYING", "LICENSE-MIT", "LICENSE", "README", "lib")


def test_quoted_words_are_files_only_if_they_look_like_one():
    assert worded("all files in `lib`").words == "all files in lib"


def test_section_signs_of_the_text_are_no_licences():
    found = worded("Under § 12 and §3 of the MIT license, §0.")
    assert (found.words, found.licenses) == ("under 12 and 3 of §0 0", ("MIT",))
