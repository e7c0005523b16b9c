"""The reach of a licence: by our lists first, then OSADL's word, then the category."""

from pathlib import Path

import pytest

from audit.licenses import aliases, osadl, spdx, strength
from audit.licenses.strength import Strength


@pytest.mark.parametrize(
    ("license_id", "reach", "scope"),
    [
        ("MIT", "NONE", "NONE"), ("CC0-1.0", "NONE", "NONE"), ("Artistic-2.0", "NONE", "NONE"), ("MPL-2.0", "FILE", "FILE"),
        ("EPL-1.0", "FILE", "FILE"), ("CDDL-1.1", "FILE", "FILE"), ("LGPL-2.1-only", "WEAK", "WEAK"), ("CC-BY-SA-4.0", "UNCLEAR", "UNCLEAR"), ("QPL-1.0", "UNCLEAR", "UNCLEAR"), ("NGPL", "STRONG", "STRONG"),
            ("RPL-1.5", "NETWORK", "STRONG"), ("CECILL-C", "WEAK", "WEAK"), ("NASA-1.3", "FILE", "FILE"),
        ("GPL-3.0-only", "STRONG", "STRONG"), ("Sleepycat", "STRONG", "STRONG"), ("AGPL-3.0-only", "NETWORK", "STRONG"),
        ("EUPL-1.2", "NETWORK", "STRONG"), ("OSL-3.0", "NETWORK", "STRONG"), ("APSL-2.0", "NETWORK", "WEAK"), ("CPAL-1.0", "NETWORK", "STRONG"),
        ("MS-PL", "UNCLEAR", "UNCLEAR"), ("OpenSSL", "UNCLEAR", "UNCLEAR"), ("WordNet", "STRONG", "STRONG"),
    ],
)  # fmt: skip
def test_a_licence_has_a_reach_and_a_scope(license_id, reach, scope):
    assert strength.of(license_id).name == reach
    assert strength.scope(license_id).name == scope


def test_the_words_for_a_closed_licence_count_in_any_case_and_stand_on_the_page():
    page = (Path(__file__).parents[3] / "docs/reference/license-rules.md").read_text(encoding="utf-8")
    for word in ("LicenseRef-Proprietary", "LICENSEREF-PROPRIETARY", "Proprietary", "UNLICENSED", "unlicensed"):
        assert strength.is_closed(word)
    for word in ("LicenseRef-ours", "Unlicense", "MIT"):
        assert not strength.is_closed(word)
    section = page.partition("## Closed works")[2].partition("\n## ")[0].casefold()
    assert all(
        f"`{word}`" in section for word in strength._CLOSED if "scancode" not in word and word != "all-rights-reserved"
    )


def test_an_exception_known_to_osadl_has_a_strength_of_its_own():
    assert strength.of("GPL-2.0-only", "Classpath-exception-2.0") is Strength.WEAK
    assert strength.of("GPL-2.0-or-later", "Classpath-exception-2.0") is Strength.STRONG


def test_the_lists_name_current_ids_once():
    assert strength.FILE_LEVEL | strength.NETWORK <= aliases.known()
    assert not strength.FILE_LEVEL & strength.NETWORK
    assert set(strength._CATEGORIES) <= set(spdx.lists().licenses)


@pytest.mark.parametrize(
    "license_id",
    ["BUSL-1.1", "SSPL-1.0", "JSON", "CC-BY-NC-4.0", "UnRAR", "WordNet", "LicenseRef-scancode-proprietary-license"],
)
def test_noncommercial_and_proprietary_licences_restrict_use(license_id):
    assert strength.restricts_use(license_id)
    assert not strength.is_permissive(license_id)


@pytest.mark.parametrize("license_id", ["MIT", "CC0-1.0", "Apache-2.0", "LicenseRef-scancode-public-domain"])
def test_permissive_licences_have_no_copyleft_and_do_not_restrict_use(license_id):
    assert strength.is_permissive(license_id)
    assert not strength.restricts_use(license_id)


def test_every_licence_of_the_matrix_is_known():
    assert all(strength.is_known(name) for name in osadl.shipped().names)
    assert not strength.is_known("LicenseRef-ours")
    assert not strength.is_known("GPL-2.0")  # no caller asks for it: it became GPL-2.0-only
