"""Answers of registries that are no JSON, in their promised forms and others."""

from contextlib import suppress
from time import process_time

import pytest

from audit.sources.answer_forms import index, metadata, nuspec, pom
from audit.sources.answers import MAX_ANSWER_BYTES, GarbledAnswer


def test_an_index_in_html_gives_its_files_with_their_marks():
    """PEP 503 defines the index, and PEP 592 and 658 its marks."""
    page = b"""<!DOCTYPE html><html><head><title>x</title></head><body><h1>Links for a</h1>
<a href="../a-1.tar.gz#sha256=0" data-requires-python="&gt;=3.8">a-1.tar.gz</a><br/>
<a href="https://h/a-1%2B1-py3-none-any.whl" data-core-metadata="sha256=0" data-yanked="">a-1+1-py3-none-any.whl</a>
<A HREF='b-1.zip' data-yanked='a &amp; b'> b-1.zip </A>"""

    assert index(page)["files"] == [
        {"filename": "a-1.tar.gz", "url": "../a-1.tar.gz#sha256=0", "yanked": False, "core-metadata": False},
        {"filename": "a-1+1-py3-none-any.whl", "url": "https://h/a-1%2B1-py3-none-any.whl", "yanked": True, "core-metadata": True},
        {"filename": "b-1.zip", "url": "b-1.zip", "yanked": True, "core-metadata": False},
    ]  # fmt: skip


def test_an_index_in_json_is_read_as_it_is():
    assert index(b'{"files": [], "versions": ["1"]}') == {"files": [], "versions": ["1"]}


def test_metadata_gives_the_fields_before_the_description():
    data = b"Metadata-Version: 2.4\r\nName: a\r\nLicense: MIT\r\n  License\r\nClassifier: License :: x\r\nClassifier: y\r\n\r\nLicense-Expression: GPL-3.0-only\r\n"

    assert metadata(data) == {
        "info": {"license_expression": None, "license": "MIT\nLicense", "classifiers": ["License :: x", "y"]}
    }


def test_a_pom_gives_its_own_licences_and_its_parent():
    data = b"""<project xmlns="http://maven.apache.org/POM/4.0.0"><parent><groupId>g</groupId><artifactId>p</artifactId><version>1</version></parent>
<dependencies><dependency><licenses><license><name>GPL</name></license></licenses></dependency></dependencies>
<licenses><license><name> MIT </name></license><license><url>https://x.example</url></license><license/></licenses></project>"""

    assert pom(data) == {"licenses": ["MIT", "https://x.example", ""], "parent": ["g", "p", "1"]}
    assert pom(b"<project/>") == {"licenses": [], "parent": []}


def test_a_nuspec_is_read_with_and_without_its_namespace():
    data = b'\xef\xbb\xbf<?xml version="1.0" encoding="utf-8"?><package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd"><metadata><license type="expression">MIT</license><licenseUrl>https://licenses.nuget.org/MIT</licenseUrl></metadata></package>'

    assert nuspec(data) == {"type": "expression", "license": "MIT", "url": "https://licenses.nuget.org/MIT"}
    assert nuspec(b"<package/>") == {"type": "", "license": "", "url": ""}


BOMB = b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><project>&b;</project>'


GARBLED = [b"", b"\xff\xfe", b"[]", b"[" * 100_000, b"<a " * 1_000_000, b"<a>" * 100_000, b"<a x" + b" x='" * 1_000_000, BOMB, b" " * (MAX_ANSWER_BYTES + 1)]  # fmt: skip


@pytest.mark.parametrize("form", [metadata, pom, nuspec])
@pytest.mark.parametrize("data", GARBLED)
def test_a_garbled_answer_is_one_short_error(form, data):
    with pytest.raises(GarbledAnswer) as error:
        form(data)
    assert len(str(error.value)) < 150


@pytest.mark.parametrize("data", GARBLED)
def test_a_garbled_index_is_an_error_or_empty_in_linear_time(data):
    begun = process_time()
    with suppress(GarbledAnswer):
        assert index(data) == {"files": []}
    assert process_time() - begun < 3
