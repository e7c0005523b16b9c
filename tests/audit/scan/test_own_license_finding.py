"""The reason that a repository's own licence is unknown: its file, the nearest licence, the difference."""

import pytest

from audit.facts import OWN_UNKNOWN, UNLEARNED, Finding, Learned, Place, Repository, Source, Text
from audit.licenses.spdx import texts
from audit.scan.own_license_finding import difference, explained
from audit.texts.identification import detect

MIT, APACHE = texts()["MIT"], texts()["Apache-2.0"]
ODD = "You may look at this at home. No licence and no permission beyond that."
STATED = Learned("SEE LICENSE IN LICENSE.md", Source.METADATA, Place("package.json", 3))


def reason(files, said=UNLEARNED):
    """Where and why, without the words that all have in common."""
    repository = Repository(
        name="o/r", license=said, licenses=tuple(Text(path, text, path) for path, text in files.items())
    )
    (found,) = explained(repository, lambda text, _path: detect(text)).findings
    assert found.code == OWN_UNKNOWN
    return found.place.path, found.message.removeprefix("the licence of the work itself is not known: ")


@pytest.mark.parametrize(
    ("files", "said", "place", "why"),
    [
        ({}, UNLEARNED, ".", "no licence file is at its root, and no manifest there states exactly one"),
        ({"LICENSE": ODD}, UNLEARNED, "LICENSE", "LICENSE is no licence that is known, and comes near none"),
        ({}, STATED, "package.json", "package.json says that the licence is in LICENSE.md, which is not there"),
        ({"LICENSE": "Copyright 2026 X\nAll rights reserved.\n"}, UNLEARNED, "LICENSE",
         "LICENSE reserves all rights: nobody may use the work without asking (a closed work is stated as UNLICENSED)"),
        ({"LICENSE": "All rights reserved. You have permission to look.\n"}, UNLEARNED, "LICENSE", "LICENSE is no licence that is known, and comes near none"),
        ({"LICENSE": ""}, UNLEARNED, "LICENSE", "LICENSE is empty"),
        ({"COPYING": MIT.replace("without limitation", "with limitation")}, UNLEARNED, "COPYING",
         "COPYING is not recognised: nearest is MIT, and where that has “without” it has “with”"),
        ({"LICENSE": f"{MIT}\nThe Software shall be used for good and never for evil by anybody.\n"}, UNLEARNED, "LICENSE",
         "LICENSE is not recognised: nearest is MIT, to which it adds “the software shall be used for good and never for evil by …”"),
        ({"LICENSE": MIT, "LICENSE.ee": ODD}, UNLEARNED, "LICENSE",
         "LICENSE.ee is no licence that is known, and comes near none; LICENSE is MIT"),
        ({"LICENSE.md": ODD}, STATED, "package.json",
         "package.json says that the licence is in LICENSE.md; LICENSE.md is no licence that is known, and comes near none"),
        ({f"LICENSE-{name}": ODD for name in "abcd"}, UNLEARNED, "LICENSE-a",
         "; ".join(f"LICENSE-{name} is no licence that is known, and comes near none" for name in "abc") + "; and 1 file more"),
        ({"LICENSE": f"{MIT}\nMoon terms apply by night.\n{APACHE}"}, UNLEARNED, "LICENSE",
         "LICENSE holds the texts of MIT, Apache-2.0, and what stands in line 19 was not understood: “Moon terms apply by night. Apache License Version 2.0, January 2004 http://www.apache.org/licenses/”"),
        ({"LICENSE": "All files in lib/ are under the MIT license.\nThe rest is under the GPL version 2.\nYou must pay for both.\n"}, UNLEARNED, "LICENSE",
         "LICENSE says in its own words which licences there are (GPL-2.0-only, MIT), and line 1 was not understood: “You must pay for both.”"),
        ({"sub/LICENSE": ODD, "LICENSE": MIT}, UNLEARNED, "LICENSE", "LICENSE is MIT"),
    ],
)  # fmt: skip
def test_the_reason_names_the_file_and_the_nearest_licence(files, said, place, why):
    assert reason(files, said) == (place, why)


@pytest.mark.parametrize(
    ("files", "findings", "why"),
    [
        ({}, [("file/too-large", "LICENSE")], "LICENSE could not be read"),
        ({}, [("file/outside", "LICENSE"), ("file/broken", "pom.xml"), ("file/unreadable", "src/LICENSE"), ("file/unreadable", ".")], "LICENSE could not be read"),
        ({}, [("file/broken", "pom.xml"), ("file/broken", "a.png")], "no licence file is at its root, and pom.xml could not be read"),
        ({"COPYING": ""}, [("file/unreadable", "LICENSE")], "COPYING is empty; LICENSE could not be read"),
        ({}, [("license/remark", "LICENSE")], "no licence file is at its root, and no manifest there states exactly one"),
    ],
)  # fmt: skip
def test_a_file_that_could_not_be_read_is_the_reason(files, findings, why):
    there = tuple(Finding(code, Place(path), "x") for code, path in findings)
    texts_there = tuple(Text(path, text, path) for path, text in files.items())
    told = explained(Repository(name="o/r", licenses=texts_there, findings=there), lambda text, _path: detect(text))
    assert told.findings[0].message == f"the licence of the work itself is not known: {why}"


def test_a_missing_sentence_is_quoted():
    without = APACHE.replace(
        "Unless required by applicable law or agreed to in writing, Licensor provides the Work",
        "Licensor provides the Work",
    )
    assert (
        ", of which it lacks “unless required by applicable law or agreed to in writing” "
        in f"{difference(without, 'Apache-2.0')} "
    )
    assert difference(MIT, "MIT") == ""
    assert difference(MIT, "GPL-2.0-only") == ""
    assert difference(MIT, "no-such-id") == ""


def test_a_known_licence_and_an_empty_checkout_have_no_reason():
    known = Repository(name="o/r", license=Learned("MIT", Source.METADATA))
    empty = Repository(name="o/r", findings=(Finding("scope/empty", Place("."), "x"),))
    assert explained(known, lambda text, _path: detect(text)) is known
    assert explained(empty, lambda text, _path: detect(text)) is empty
