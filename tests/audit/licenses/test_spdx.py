"""SPDX's list is whole and fits together with the other lists."""

from audit.licenses import osadl, spdx

LISTS = spdx.lists()


def test_the_list():
    """The ids of 3.29, those that were replaced among them, and the exceptions."""
    assert LISTS.version == "3.29.0"
    assert LISTS.licenses["MIT"] == "MIT License"
    assert len(LISTS.licenses) == 740
    assert "GPL-2.0" in LISTS.deprecated < set(LISTS.licenses)
    assert LISTS.exceptions["Classpath-exception-2.0"] == "Classpath exception 2.0"
    assert len([one for one in LISTS.exceptions if not one.startswith("LicenseRef-")]) == 86


def test_categories():
    """Of ids and references, by AboutCode."""
    assert LISTS.categories["MIT"] == "Permissive"
    assert LISTS.categories["LicenseRef-scancode-public-domain"] == "Public Domain"
    assert "LicenseRef-scancode-public-domain" in LISTS.references
    assert LISTS.keys["bsd-new"] == "BSD-3-Clause"


def test_texts():
    """727 of them, each for an id of the list."""
    texts = spdx.texts()
    assert len(texts) == 727
    assert set(texts) < set(LISTS.licenses)
    assert texts["MIT"].startswith("MIT License\n\nCopyright (c) <year> <copyright holders>")


def test_exception_texts():
    """189 of them, each for an exception of the list; each says something."""
    texts = spdx.exception_texts()
    assert len(texts) == 189
    assert set(texts) < set(LISTS.exceptions)
    assert len([one for one in texts if not one.startswith("LicenseRef-")]) == 79
    assert min(map(len, texts.values())) > 100
    assert "independent modules" in texts["Classpath-exception-2.0"]


def test_the_matrix_speaks_of_known_licences():
    """But for one with its exception, each is on the list."""
    known = set(LISTS.licenses) | LISTS.references
    assert set(osadl.shipped().names) - known == {"GPL-2.0-only WITH Classpath-exception-2.0"}
