"""A text that contradicts the declared licence is a finding; an unknown text is none."""

import pytest

from audit.facts import Dependency, Finding, Learned, Place, Repository, Source, Text
from audit.licenses.spdx import texts
from audit.texts.detector import DetectionCache, Detector
from audit.texts.mismatch import contradicted, mismatches

DETECT = Detector(DetectionCache(), 10**9).detect


def shipped(*ids):
    """The texts of these licences, each in a file of its own."""
    return [Text(f"LICENSE.{number}", texts().get(value, value), "") for number, value in enumerate(ids)]


def codes(declared, *ids):
    """What is found."""
    return [mismatch.code for mismatch in mismatches(Learned(declared, Source.METADATA), shipped(*ids), DETECT)]


@pytest.mark.parametrize(
    ("declared", "ids"),
    [
        ("MIT", ["MIT"]), ("MIT OR Apache-2.0", ["MIT"]), ("MIT AND BSD-3-Clause", ["MIT", "BSD-3-Clause"]), ("MIT", ["MIT", "BSD-3-Clause"]),
        ("GPL-2.0-or-later", ["GPL-2.0-only"]), ("GPL-2.0", ["GPL-2.0-only"]), ("LGPL-3.0-or-later", ["GPL-3.0-only"]),
        ("GPL-2.0-only WITH Classpath-exception-2.0", ["GPL-2.0-only"]), ("BSD", ["BSD-2-Clause"]), ("LicenseRef-Own", ["MIT"]), ("PSFL", ["PSF-2.0"]),
        ("MIT", ["Some words that nobody knows."]), ("MIT", []), (None, ["MIT"]), ("NOASSERTION", ["MIT"]), ("UNLICENSED", ["All rights reserved."]), ("UNLICENSED OR MIT", ["MIT"]),
    ],
)  # fmt: skip
def test_the_same_licence_family_or_branch_is_no_mismatch(declared, ids):
    assert codes(declared, *ids) == []


@pytest.mark.parametrize(
    ("declared", "ids"),
    [("ISC", ["MIT"]), ("MIT", ["MIT-0"]), ("MIT", ["GPL-3.0-only"]), ("GPL-3.0-only", ["GPL-2.0-only"]), ("Apache-2.0 OR ISC", ["MIT"]), ("GPL-2.0-only", ["LGPL-2.1-only"]),
     ("UNLICENSED", ["GPL-3.0-only"]), ("proprietary", ["MIT"]), ("LicenseRef-Commercial", ["AGPL-3.0-only", "Our own terms."]), ("LicenseRef-Proprietary OR ISC", ["MIT"])],
)  # fmt: skip
def test_texts_of_other_licences_are_a_mismatch(declared, ids):
    assert codes(declared, *ids) == ["license/mismatch"]


def test_the_finding_names_text_place_and_declaration():
    declared = Learned("ISC", Source.METADATA, Place("package.json", 3))
    (found,) = mismatches(declared, shipped("MIT"), DETECT)
    assert found.message == "declares ISC, ships the text of MIT"
    assert str(found.place) == "LICENSE.0:5 (declared in package.json:3)"


def test_an_altered_text_of_the_declared_licence_is_a_finding():
    altered = texts()["MIT"].replace("any person", "any non-commercial person")
    declared = Learned("MIT", Source.METADATA, Place("package.json", 3))
    (found,) = mismatches(declared, [Text("LICENSE", altered, "")], DETECT)
    assert str(found.place) == "LICENSE (declared in package.json:3)"
    assert (found.code, found.message) == ("license/altered", "declares MIT, ships an altered text of MIT")


def test_every_dependency_of_a_repository_is_compared():
    before = Finding("file/broken", Place("x"), "x")
    wrong = Dependency(name="a", license=Learned("MIT", Source.METADATA), licenses=tuple(shipped("Apache-2.0")))
    found = contradicted(
        Repository(
            name="n", license=wrong.license, licenses=wrong.licenses, dependencies=(wrong, wrong), findings=(before,)
        ),
        DETECT,
    )

    assert [finding.code for finding in found.findings] == ["file/broken", "license/mismatch"]
    fine = Repository(name="n", findings=(before,))
    assert contradicted(fine, DETECT) is fine


def test_a_sentence_beside_the_own_licence_text_is_told():
    own = f"{texts()['MIT'].rstrip()}\n\nSee THIRDPARTY.md for license information of other software\n"
    line = own.count("\n")
    found = contradicted(
        Repository(name="o/r", license=Learned("MIT", Source.LICENSE_TEXT), licenses=(Text("LICENSE", own, ""),)),
        DETECT,
    )
    [remark] = found.findings
    assert (remark.code, remark.place) == ("license/remark", Place("LICENSE", line))
    assert remark.message == "says beside the licence: See THIRDPARTY.md for license information of other software"
    plain = Repository(
        name="o/r", license=Learned("MIT", Source.LICENSE_TEXT), licenses=(Text("LICENSE", texts()["MIT"], ""),)
    )
    assert contradicted(plain, DETECT) is plain
