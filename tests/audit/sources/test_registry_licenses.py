"""The licence statement of each registry, in its promised forms and others."""

import pytest

from audit.licenses.declared_license import ALL_OF_THEM, UNREADABLE
from audit.sources import registry_licenses
from audit.sources.answers import MISSING

OSI = "License :: OSI Approved :: "


@pytest.mark.parametrize(
    ("info", "licence"),
    [
        ({"license_expression": "MIT OR Apache-2.0", "license": "BSD", "classifiers": [f"{OSI}BSD License"]}, "MIT OR Apache-2.0"),
        ({"license_expression": None, "classifiers": [f"{OSI}MIT License"], "license": "whatever"}, "MIT"),
        ({"classifiers": [f"{OSI}BSD License"], "license": "BSD-3-Clause"}, "BSD-3-Clause"),
        ({"classifiers": [f"{OSI}BSD License"], "license": "see LICENSE"}, "BSD License"),
        ({"classifiers": [f"{OSI}BSD License", f"{OSI}Apache Software License"], "license": "BSD-3-Clause OR Apache-2.0"}, "BSD-3-Clause OR Apache-2.0"),
        ({"classifiers": [f"{OSI}MIT License", f"{OSI}ISC License (ISCL)"]}, "MIT AND ISC"),
        ({"classifiers": [f"{OSI}MIT License", f"{OSI}GNU General Public License v2 or later (GPLv2+)"]}, "MIT AND GPL-2.0-or-later"),
        ({"classifiers": [f"{OSI}MIT License", "License :: Other/Proprietary License"]}, None),
        ({"classifiers": ["License :: OSI Approved", f"{OSI}MIT License"]}, "MIT"),
        ({"classifiers": ["License :: OSI Approved"], "license": "Apache 2.0"}, "Apache 2.0"),
        ({"classifiers": [f"{OSI}GNU General Public License v3 or later (GPLv3+)"]}, "GNU General Public License v3 or later (GPLv3+)"),
        ({"classifiers": ["License :: CC0 1.0 Universal (CC0 1.0) Public Domain Dedication"]}, "CC0-1.0"),
        ({"classifiers": [f"{OSI}Zope Public License"]}, None),
        ({"license": "Permission is hereby granted, free of charge " * 40}, None),
        ({"license": "UNKNOWN"}, None),
        ({"license": "Copyright (c) Ada"}, None),
        ({"license": ""}, None),
        ({"license": ["MIT"], "classifiers": "License :: OSI Approved :: MIT License", "license_expression": 7}, None),
        ({"classifiers": [7, None, ["License :: x"]]}, None),
        ({"license": "Dual License", "classifiers": [f"{OSI}BSD License", f"{OSI}Apache Software License"]}, "BSD OR Apache"),
        ({"license": "Dual License", "classifiers": [f"{OSI}MIT License", "License :: Other/Proprietary License"]}, None),
        ({"license": "Dual License", "classifiers": [f"{OSI}MIT License"]}, "MIT"),
        ({"license": "Dual License"}, None),
        (None, None),
    ],
)  # fmt: skip
def test_pypi_states_a_licence_by_expression_text_or_classifier_in_this_order(info, licence):
    assert registry_licenses.pypi({"info": info}).expression == licence


@pytest.mark.parametrize(
    ("answer", "licence"),
    [
        ({"license": "MIT"}, "MIT"),
        ({"license": "(MIT OR Apache-2.0)"}, "(MIT OR Apache-2.0)"),
        ({"licence": "ISC"}, "ISC"),
        ({"license": {"type": "ISC", "url": "https://x"}}, "ISC"),
        ({"license": ["MIT", "Apache-2.0"]}, "MIT OR Apache-2.0"),
        ({"licenses": [{"type": "MIT"}, {"type": "GPL-2.0 OR MPL-2.0"}]}, "MIT OR (GPL-2.0-only OR MPL-2.0)"),
        ({"licenses": [{"type": "BSD"}]}, "BSD"),
        ({"license": "UNLICENSED"}, "UNLICENSED"),
        ({"license": "SEE LICENSE IN LICENSE"}, None),
        ({"licenses": [{"type": "MIT"}, {"url": "https://x"}]}, None),
        ({"licenses": {"type": "MIT"}}, None),
        ({"license": {"type": ["MIT"]}}, None),
        ({"license": None, "licenses": None}, None),
        ({"license": 7}, None),
        ({}, None),
    ],
)
def test_a_list_of_licences_at_npm_is_a_choice(answer, licence):
    assert registry_licenses.npm(answer).expression == licence


@pytest.mark.parametrize(
    ("answer", "licence"),
    [
        ({"version": {"license": "MIT OR Apache-2.0"}}, "MIT OR Apache-2.0"),
        ({"version": {"license": "MIT/Apache-2.0"}}, "MIT OR Apache-2.0"),
        ({"version": {"license": "non-standard"}}, None),
        ({"version": {"license": None}}, None),
        ({"version": {"license": ["MIT"]}}, None),
        ({"version": "MIT"}, None),
        ({"errors": [{"detail": "x"}]}, None),
    ],
)
def test_crates_states_an_expression_and_non_standard_is_none(answer, licence):
    assert registry_licenses.crates(answer).expression == licence


@pytest.mark.parametrize(
    ("answer", "licence"),
    [
        ({"licenses": ["MIT"]}, "MIT"),
        ({"licenses": ["Ruby", "BSD-2-Clause"]}, "Ruby AND BSD-2-Clause"),
        ({"licenses": []}, None),
        ({"licenses": None}, None),
        ({"licenses": "MIT"}, None),
        ({"licenses": [["MIT"]]}, None),
        ({}, None),
    ],
)
def test_several_licences_at_rubygems_all_count(answer, licence):
    assert registry_licenses.rubygems(answer).expression == licence


@pytest.mark.parametrize(
    ("answer", "licence", "note"),
    [
        ({"meta": {"licenses": ["Apache-2.0"]}}, "Apache-2.0", registry_licenses.OF_ALL),
        ({"meta": {"licenses": ["MIT", "ISC"]}}, "MIT AND ISC", f"{ALL_OF_THEM}; {registry_licenses.OF_ALL}"),
        ({"meta": {"licenses": []}}, None, ""),
        ({"meta": ["MIT"]}, None, ""),
        ({}, None, ""),
    ],
)
def test_hex_states_a_licence_of_all_versions_with_a_note(answer, licence, note):
    found = registry_licenses.hex_pm(answer)
    assert (found.expression, found.note) == (licence, note)


def archives(*licences):
    """An answer with archives of these licences."""
    return {"distributions": [{"attrs": {"license": licence}} for licence in licences]}


@pytest.mark.parametrize(
    ("answer", "licence"),
    [
        (archives("MIT", "MIT"), "MIT"),
        (archives("MIT", "Apache-2.0"), "MIT AND Apache-2.0"),
        (archives("MIT", None, ""), "MIT"),
        (archives(None), None),
        ({"distributions": [7, {"attrs": 7}, {}]}, None),
        ({"distributions": {}}, None),
        ({}, None),
    ],
)
def test_licences_of_differing_archives_at_anaconda_all_count(answer, licence):
    assert registry_licenses.anaconda(answer).expression == licence


@pytest.mark.parametrize(
    ("answer", "licence"),
    [
        ({"licenses": ["MIT"]}, "MIT"),
        ({"licenses": ["Apache-2.0 OR MIT"]}, "Apache-2.0 OR MIT"),
        ({"licenses": ["Apache-2.0", "BSD-3-Clause"]}, "Apache-2.0 AND BSD-3-Clause"),
        ({"licenses": ["non-standard"]}, None),
        ({"licenses": ["MIT", "non-standard"]}, None),
        ({"licenses": ["non-standard"], "licenseDetails": [{"license": "MIT or GPL-2.0", "spdx": "non-standard"}]}, "MIT or GPL-2.0"),
        ({"licenses": ["non-standard"], "licenseDetails": [{"license": "Corp Terms", "spdx": "non-standard"}]}, None),
        ({"licenses": ["MIT"], "licenseDetails": [{"license": "The MIT License", "spdx": "MIT"}]}, "MIT"),
        ({"licenses": []}, None),
        ({"licenses": "MIT"}, None),
        ({"licenses": [["MIT"]]}, None),
        ({"licenses": None, "licenseDetails": {"spdx": "MIT"}}, None),
        ({}, None),
    ],
)  # fmt: skip
def test_several_licences_at_deps_dev_all_count(answer, licence):
    assert registry_licenses.deps_dev(answer).expression == licence


def test_several_licences_at_deps_dev_have_a_note_that_they_are_unrelated():
    """Otherwise the authors would seem to have written AND."""
    assert registry_licenses.deps_dev({"licenses": ["MIT", "ISC"]}).note == ALL_OF_THEM


VERSIONS = [
    {"version": "3.0.0", "license": ["MIT", "GPL-2.0-or-later"]},
    {"version": "v2.0.0"},
    {"version": "1.0.0", "license": "__unset"},
    {"version": "0.9.0", "license": ["BSD-3-Clause"]},
    {"version": "0.8.0", "license": ["MIT", None]},
    {"version": 7, "license": ["MIT"]},
]


@pytest.mark.parametrize(
    ("version", "short", "long"),
    [
        ("3.0.0", "MIT OR GPL-2.0-or-later", "MIT OR GPL-2.0-or-later"),
        ("2.0.0", "MIT OR GPL-2.0-or-later", None),
        ("1.0.0", None, None),
        ("v0.9.0", "BSD-3-Clause", "BSD-3-Clause"),
        ("0.8.0", None, None),
        ("0.1.0", None, None),
    ],
)
def test_packagist_s_short_form_repeats_the_licence_of_the_newer_version(version, short, long):
    packages = {"packages": {"a/b": VERSIONS}}
    assert registry_licenses.packagist({"minified": "composer/2.0", **packages}, version).expression == short
    assert registry_licenses.packagist(packages, version).expression == long


@pytest.mark.parametrize("answer", [{}, {"packages": []}, {"packages": {"a/b": {"1": {}}}}, {"packages": {"a/b": [7]}}])
def test_packagist_answers_of_other_shapes_state_nothing(answer):
    assert registry_licenses.packagist(answer, "1").expression is None


@pytest.mark.parametrize(
    ("answer", "licence"),
    [
        ({"licenses": ["Apache License, Version 2.0"]}, "Apache License, Version 2.0"),
        ({"licenses": ["Apache-2.0", "GNU Lesser General Public License v2.1 only"]}, "Apache-2.0 OR LGPL-2.1-only"),
        ({"licenses": ["EPL-1.0", "our own terms"]}, None),
        ({"licenses": ["http://www.apache.org/licenses/LICENSE-2.0.txt"]}, "http://www.apache.org/licenses/LICENSE-2.0.txt"),
        ({"licenses": [""]}, None),
        ({"licenses": []}, None),
        ({}, None),
    ],
)  # fmt: skip
def test_several_licences_at_maven_are_a_choice(answer, licence):
    assert registry_licenses.maven(answer).expression == licence


@pytest.mark.parametrize(
    ("answer", "licence"),
    [
        ({"type": "expression", "license": "MIT OR Apache-2.0"}, "MIT OR Apache-2.0"),
        ({"type": "expression", "license": "MIT", "url": "https://licenses.nuget.org/GPL-3.0-only"}, "MIT"),
        ({"type": "file", "license": "LICENSE.md", "url": "https://aka.ms/deprecateLicenseUrl"}, None),
        ({"type": "file", "license": "MIT", "url": "https://licenses.nuget.org/MIT"}, None),
        ({"url": "https://licenses.nuget.org/Apache-2.0%20OR%20MIT"}, "Apache-2.0 OR MIT"),
        ({"url": "http://www.apache.org/licenses/LICENSE-2.0"}, "http://www.apache.org/licenses/LICENSE-2.0"),
        ({"url": "https://opensource.org/licenses/MIT"}, "https://opensource.org/licenses/MIT"),
        ({"url": "https://go.microsoft.com/fwlink/?LinkId=329770"}, None),
        ({"url": "", "license": ""}, None),
        ({}, None),
    ],
)
def test_nuget_states_an_expression_or_a_known_address(answer, licence):
    assert registry_licenses.nuget(answer).expression == licence


def test_nuget_tells_an_unreadable_licence_from_none():
    assert registry_licenses.nuget({"url": "https://x.example/terms"}).note == UNREADABLE
    assert registry_licenses.nuget({"type": "file", "license": "LICENSE.md"}).note == UNREADABLE
    assert registry_licenses.nuget({}).note == ""


def test_one_version_of_npm_s_whole_answer_is_read_like_its_own():
    answer = {"versions": {"1.0.0": {"licenses": [{"type": "LGPL"}, {"type": "MIT"}]}, "2.0.0": None}}

    assert registry_licenses.npm_version(answer, "1.0.0").expression == "LGPL OR MIT"
    assert registry_licenses.npm_version(answer, "2.0.0").expression is None
    assert registry_licenses.npm_version(answer, "3.0.0") == MISSING
    assert registry_licenses.npm_version({"versions": []}, "1.0.0") == MISSING


def test_several_licences_of_deps_dev_for_maven_are_a_choice():
    answer = {"licenses": ["Apache-2.0", "LGPL-2.1-only"]}

    assert registry_licenses.deps_dev(answer, choice=True).expression == "Apache-2.0 OR LGPL-2.1-only"
    assert registry_licenses.deps_dev(answer).expression == "Apache-2.0 AND LGPL-2.1-only"
    assert registry_licenses.deps_dev({"licenses": ["Apache-2.0", "non-standard"]}, choice=True).expression is None
