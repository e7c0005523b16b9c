"""The licence part of the rulebook is read whole, and every mistake has its key path and advice."""

from datetime import date

import pytest

from agreements.rulebook.grammar import Node
from audit.facts import Delivery, LicenseVerdict, Usage, Waiver
from audit.headers.header_rule import HeaderRule
from audit.verdict import policy
from audit.verdict.allow_deny import AllowDenyEntry, AllowDenyLists
from audit.verdict.policy import CuratedLicense, Policy, fits

WAIVER = {"purl": "pkg:pypi/x@1.2", "until": "2027-01-01", "reason": "being replaced", "by": "Ada"}
EVERYTHING = {
    "delivery": "hosted",
    "repositories": {"driver": "Apache-2.0 AND GPL-2.0-only WITH Linux-syscall-note", "cann/docs-*": "CC-BY-4.0"},
    "dependencies": [
        {"name": "UPX", "license": "GPL-2.0-or-later", "usage": "build-tool", "reason": "compresses CI artefacts"},
        {"purl": "pkg:generic/libusb", "license": "LGPL-2.1-or-later", "usage": "dynamic-link", "in": ["runtime", "cann/hal-*"],
         "component": "Apache-2.0", "modified": True, "version": "1.0.27", "sha256": "b" * 64},
    ],
    "allow": ["MIT", {"license": "lgpl-2.1+", "usage": ["dynamic-link", "runtime-import"]}, {"purl": "pkg:pypi/own"}],
    "deny": ["AGPL-3.0-only", {"license": "GPL-2.0 with Classpath-exception-2.0", "usage": ["static-link"]},
             {"purl": "pkg:npm/left-pad", "reason": "use padStart"}],
    "exceptions": [{"purl": "pkg:cargo/ring", "license": "OpenSSL", "usage": ["static-link"], "reason": "counsel read it"}],
    "headers": {"spdx": "mit", "holder": "The Authors", "paths": ["src/**"], "exclude": ["**/vendor/**"], "mode": "report"},
    "waivers": [WAIVER, {**WAIVER, "sha256": "a" * 64}],
    "fail_on": ["review", "incompatible"], "issue": False, "notices": True,
}  # fmt: skip


def read(part):
    """The policy, and the mistakes as lines."""
    node = Node(part, ("licenses",))
    found = policy.read(node)
    return found, [
        f"{'.'.join(map(str, path))}: {message}{hint and ', ' + hint}" for path, message, hint in node.mistakes
    ]


def test_every_documented_key_is_read():
    found, mistakes = read(EVERYTHING)
    assert mistakes == []
    assert (found.delivery, found.fail_on) == (Delivery.HOSTED, (LicenseVerdict.REVIEW, LicenseVerdict.INCOMPATIBLE))
    assert found.dependencies == (
        CuratedLicense(name="UPX", license="GPL-2.0-or-later", usage=Usage.BUILD_TOOL, reason="compresses CI artefacts"),
        CuratedLicense(name="libusb", purl="pkg:generic/libusb", license="LGPL-2.1-or-later", usage=Usage.DYNAMIC_LINK,
                repositories=("runtime", "cann/hal-*"), component="Apache-2.0", modified=True, version="1.0.27", sha256="b" * 64),
    )  # fmt: skip
    waiver = Waiver(purl="pkg:pypi/x@1.2", until=date(2027, 1, 1), reason="being replaced", by="Ada")
    assert found.waivers[0] == waiver
    assert found.waivers[1].sha256 == "a" * 64
    assert (found.issue, found.notices, found.stated) == (False, True, True)
    classpath = "GPL-2.0-only WITH Classpath-exception-2.0"
    assert found.lists == (AllowDenyLists(
        allow=(AllowDenyEntry(license="MIT"), AllowDenyEntry(license="LGPL-2.1-or-later", usage=(Usage.DYNAMIC_LINK, Usage.RUNTIME_IMPORT)),
               AllowDenyEntry(purl="pkg:pypi/own")),
        deny=(AllowDenyEntry(license="AGPL-3.0-only"), AllowDenyEntry(license=classpath, usage=(Usage.STATIC_LINK,)),
              AllowDenyEntry(purl="pkg:npm/left-pad", reason="use padStart")),
        exceptions=(AllowDenyEntry(license="OpenSSL", purl="pkg:cargo/ring", usage=(Usage.STATIC_LINK,), reason="counsel read it"),),
    ),)  # fmt: skip


@pytest.mark.parametrize("part", [None, {}, {"dependencies": [], "repositories": {}, "waivers": []}])
def test_a_missing_licence_part_has_its_defaults(part):
    assert read(part) == (Policy(stated=part is not None), [])
    assert policy.read(None) == Policy(fail_on=(LicenseVerdict.INCOMPATIBLE, LicenseVerdict.UNKNOWN_LICENSE))


@pytest.mark.parametrize(
    ("purl", "name"),
    [
        ("pkg:generic/libusb@1", "libusb"), ("pkg:npm/%40s/a@1", "a"), ("pkg:npm/@s/a", "a"), ("pkg:npm/@s/a@1", "a"),
        ("pkg:github/o/n@release/1.0", "n"), ("pkg:npm/b?repository_url=https://x/y", "b"), ("pkg:github/o/n#sub/path", "n"),
    ],
)  # fmt: skip
def test_a_dependency_without_a_name_has_that_of_its_package(purl, name):
    found, mistakes = read({"dependencies": [{"purl": purl, "license": "MIT"}]})
    assert ([dependency.name for dependency in found.dependencies], mistakes) == ([name], [])


@pytest.mark.parametrize("key", ["allow", "deny", "exceptions"])
def test_an_empty_list_is_not_a_missing_one(key):
    assert read({key: []})[0].lists == (AllowDenyLists(**{key: ()}),)
    assert AllowDenyLists(allow=()) != AllowDenyLists()


def test_a_header_is_an_spdx_tag_or_a_text_of_lines():
    found, _ = read(EVERYTHING)
    assert found.headers == HeaderRule(
        spdx="mit", holder="The Authors", paths=("src/**",), exclude=("**/vendor/**",), fails=False
    )
    text = "Copyright {years} {holder}\n\nAll of it.\n"
    assert read({"headers": {"text": text, "holder": "Ann"}})[0].headers == HeaderRule(text=text, holder="Ann")
    assert read({})[0].headers is None


def test_an_empty_fail_on_lets_everything_pass():
    assert read({"fail_on": []})[0].fail_on == ()


@pytest.mark.parametrize(
    ("part", "line"),
    [
        ([], "licenses: must be a mapping, not a list"), (7, "licenses: must be a mapping, not a number"),
        ({"dependancies": []}, "licenses.dependancies: unknown key, did you mean dependencies?"),
        ({"delivery": "binaries"}, "licenses.delivery: must be one of source, binary, hosted, internal, did you mean binary?"),
        ({"repositories": []}, "licenses.repositories: must be a mapping, not a list"),
        ({"repositories": {"a": 7}}, "licenses.repositories.a: must be a text, not a number, write it in quotes"),
        ({"repositories": {"a": "MIT AND"}}, "licenses.repositories.a: is no licence expression, write SPDX's ids with AND, OR, WITH between them"),
        ({"dependencies": {}}, "licenses.dependencies: must be a list, not a mapping, write it in brackets: [a, b]"),
        ({"dependencies": [{}]}, "licenses.dependencies.0: names no dependency, write name: or purl:"),
        ({"dependencies": ["UPX"]}, "licenses.dependencies.0: must be a mapping, not a text"),
        ({"dependencies": [{"name": "x", "usage": "build"}]}, "licenses.dependencies.0.usage: must be one of source-merged"),
        ({"dependencies": [{"name": "x", "license": "NONE"}]}, "licenses.dependencies.0.license: is no licence expression"),
        ({"dependencies": [{"name": "x", "component": "("}]}, "licenses.dependencies.0.component: is no licence expression"),
        ({"dependencies": [{"purl": "libusb"}]}, "licenses.dependencies.0.purl: is no package URL, write pkg:type/name"),
        ({"dependencies": [{"name": "x", "in": "runtime"}]}, "licenses.dependencies.0.in: must be a list, not a text"),
        ({"dependencies": [{"name": "x", "modified": "yes"}]}, "licenses.dependencies.0.modified: must be true or false"),
        ({"dependencies": [{"name": "x", "version": 1.2}]}, "licenses.dependencies.0.version: must be a text, not a number, write it in quotes"),
        ({"waivers": [{**WAIVER, "until": None}]}, "licenses.waivers.0.until: must be a date: a waiver ends, write 2027-01-31"),
        ({"waivers": [{**WAIVER, "until": "soon"}]}, "licenses.waivers.0.until: must be a date"),
        ({"waivers": [{**WAIVER, "by": ""}]}, "licenses.waivers.0.by: must not be empty"),
        ({"waivers": [{**WAIVER, "sha256": "A" * 64}]}, "licenses.waivers.0.sha256: must be a SHA-256 in hexadecimal"),
        ({"fail_on": "review"}, "licenses.fail_on: must be a list, not a text"),
        ({"fail_on": ["compatible"]}, "licenses.fail_on.0: must be one of obligations, conditional, review, unknown-license, incompatible"),
        ({"allow": "MIT"}, "licenses.allow: must be a list, not a text"),
        ({"allow": [7]}, "licenses.allow.0: must be a mapping, not a number"),
        ({"allow": [""]}, "licenses.allow.0: must not be empty"),
        ({"allow": ["MIT OR Apache-2.0"]}, "licenses.allow.0: is not one licence, write one SPDX id, and each licence as an entry of its own"),
        ({"deny": ["GPL"]}, "licenses.deny.0: is not one licence, it may be any of GPL-1.0-only, GPL-2.0-only"),
        ({"deny": [{"license": "MIT AND"}]}, "licenses.deny.0.license: is not one licence"),
        ({"deny": [{}]}, "licenses.deny.0: names no licence and no package, write license: or purl:"),
        ({"deny": [{"purl": "left-pad"}]}, "licenses.deny.0.purl: is no package URL"),
        ({"deny": [{"license": "MIT", "usage": []}]}, "licenses.deny.0.usage: names no usage, leave it out"),
        ({"deny": [{"license": "MIT", "usage": ["static"]}]}, "licenses.deny.0.usage.0: must be one of source-merged"),
        ({"allow": [{"license": "MIT", "reason": "x"}]}, "licenses.allow.0.reason: unknown key, known here: license, purl, usage"),
        ({"exceptions": ["MIT"]}, "licenses.exceptions.0: must be a mapping, not a text"),
        ({"exceptions": [{"license": "MIT"}]}, "licenses.exceptions.0.reason: is missing"),
        ({"dependencies": [{"name": "x", "sha256": "A" * 64}]}, "licenses.dependencies.0.sha256: must be a SHA-256 in hexadecimal"),
        ({"headers": {}}, "licenses.headers: asks for no header, write either spdx: or text:"), ({"headers": "MIT"}, "licenses.headers: must be a mapping, not a text"),
        ({"headers": {"spdx": "MIT", "text": "x"}}, "licenses.headers: asks for two headers, write either spdx: or text:"),
        ({"headers": {"spdx": "MIT AND"}}, "licenses.headers.spdx: is no licence expression"), ({"headers": {"text": "a\tb"}}, "licenses.headers.text: must be lines of text"),
        ({"headers": {"text": " \n"}}, "licenses.headers.text: must not be empty"), ({"headers": {"text": 7}}, "licenses.headers.text: must be a text, not a number"),
        ({"headers": {"text": "© {holder}"}}, "licenses.headers.text: names {holder}, and there is no holder, write holder: beside it"),
        ({"headers": {"spdx": "MIT", "mode": "warn"}}, "licenses.headers.mode: must be one of fail, report"), ({"headers": {"spdx": "MIT", "paths": "src"}}, "licenses.headers.paths: must be a list"),
        *[({"waivers": [{key: value for key, value in WAIVER.items() if key != left}]}, f"licenses.waivers.0.{left}: is missing") for left in WAIVER],
    ],
)  # fmt: skip
def test_mistakes_are_named_with_place_and_advice(part, line):
    found, mistakes = read(part)
    assert any(mistake.startswith(line) for mistake in mistakes), mistakes
    assert found.waivers == () or "waivers" not in part or "sha256" in part["waivers"][0]


def test_a_repository_has_the_licence_of_its_first_fitting_pattern():
    found, _ = read(EVERYTHING)
    assert found.license_of("cann/Driver") == "Apache-2.0 AND GPL-2.0-only WITH Linux-syscall-note"
    assert found.license_of("cann/docs-site") == "CC-BY-4.0"
    assert found.license_of("other/docs-site") is None
    assert found.license_of("cann/runtime") is None
    assert fits(("ops-*",), "cann/OPS-math")
    assert not fits((), "cann/ops-math")
