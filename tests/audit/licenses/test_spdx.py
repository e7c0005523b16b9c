"""SPDX's list is whole and fits together with the other lists."""

from audit.licenses import osadl, spdx

LISTS = spdx.lists()


def test_the_list_has_the_licences_and_exceptions_of_its_version():
    assert LISTS.version == "3.29.0"
    assert LISTS.licenses["MIT"] == "MIT License"
    assert len(LISTS.licenses) == 740
    assert "GPL-2.0" in LISTS.deprecated < set(LISTS.licenses)
    assert LISTS.exceptions["Classpath-exception-2.0"] == "Classpath exception 2.0"
    assert len([exception for exception in LISTS.exceptions if not exception.startswith("LicenseRef-")]) == 86


def test_ids_and_references_have_categories():
    assert LISTS.categories["MIT"] == "Permissive"
    assert LISTS.categories["LicenseRef-scancode-public-domain"] == "Public Domain"
    assert "LicenseRef-scancode-public-domain" in LISTS.references
    assert LISTS.keys["bsd-new"] == "BSD-3-Clause"


def test_each_of_the_texts_belongs_to_an_id_of_the_list():
    texts = spdx.texts()
    assert len(texts) == 727
    assert set(texts) < set(LISTS.licenses)
    assert texts["MIT"].startswith("MIT License\n\nCopyright (c) <year> <copyright holders>")


def test_each_of_the_exception_texts_belongs_to_an_exception_of_the_list():
    texts = spdx.exception_texts()
    assert len(texts) == 189
    assert set(texts) < set(LISTS.exceptions)
    assert len([text for text in texts if not text.startswith("LicenseRef-")]) == 79
    assert min(map(len, texts.values())) > 100
    assert "independent modules" in texts["Classpath-exception-2.0"]


def test_every_licence_of_the_matrix_is_on_the_list():
    known = set(LISTS.licenses) | LISTS.references
    assert set(osadl.shipped().names) - known == {"GPL-2.0-only WITH Classpath-exception-2.0"}
