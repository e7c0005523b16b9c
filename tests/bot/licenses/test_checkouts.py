"""Checkouts become an audit: named, scanned, judged by the rulebook in force; a broken rulebook is never a pass."""

import shutil
import subprocess
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from audit.facts import LicenseVerdict
from audit.licenses.osadl import shipped
from audit.scan.walk_limits import Limits
from audit.verdict.unreadable_input import unjudged
from bot.licenses import checkouts
from bot.licenses.checkouts import AuditOptions, RulebookBroken

LOCK = """{"lockfileVersion": 3, "packages": {
  "": {"name": "tool", "license": "Apache-2.0", "dependencies": {"a": "1", "b": "2"}},
  "node_modules/a": {"version": "1.0.0", "license": "MIT"},
  "node_modules/b": {"version": "2.0.0", "license": "GPL-3.0-only"}
}}"""
ABOVE = "version: 1\nlicenses:\n  delivery: source\n  repositories: {tool: MIT}\n"
OWN = "version: 1\nlicenses:\n  fail_on: [obligations, incompatible, unknown-license]\n"


@pytest.fixture(name="tool")
def _tool(tmp_path):
    """A checkout that is no repository of git's, with a lock file of two packages."""
    root = tmp_path / "tool"
    root.mkdir()
    (root / "package.json").write_text(
        '{"name": "tool", "license": "Apache-2.0", "dependencies": {"a": "1", "b": "2"}}'
    )
    (root / "package-lock.json").write_text(LOCK)
    return root


AT = datetime(2026, 11, 21, tzinfo=UTC)


def given(above=None):
    """Everything that a run is given."""
    return AuditOptions(None if above is None else ("above.yml", above), shipped(), date(2026, 11, 21))


def write(root, text):
    """The checkout's own rulebook."""
    (root / ".github").mkdir(exist_ok=True)
    (root / ".github" / "countersign.yml").write_bytes(text if isinstance(text, bytes) else text.encode())


def verdicts(root, above=None):
    """How each package came out, and how many fail."""
    (found,) = checkouts.audit([root], given(above))
    failing = checkouts.written([found], AT).violations()
    return {cell.dependency.name: cell.judgement.verdict for cell in found.audited.cells}, len(list(failing))


def test_a_checkout_is_judged_by_the_licence_that_it_declares(tool):
    assert verdicts(tool) == ({"a": LicenseVerdict.COMPATIBLE, "b": LicenseVerdict.INCOMPATIBLE}, 1)


def test_the_checkouts_own_rulebook_may_only_be_stricter_than_the_organisations(tool):
    write(tool, OWN)
    (found,) = checkouts.audit([tool], given(ABOVE))

    assert found.audited.repository.license.expression == "MIT"
    assert found.audited.repository.delivery == "source"
    write(tool, "version: 1\nlicenses:\n  repositories: {tool: GPL-3.0-only}\n")
    with pytest.raises(RulebookBroken, match=r"line 3.*only the organisation's"):
        list(checkouts.audit([tool], given(ABOVE)))
    assert verdicts(tool) == ({"a": LicenseVerdict.COMPATIBLE, "b": LicenseVerdict.OBLIGATIONS}, 0)


@pytest.mark.parametrize(
    ("text", "said"),
    [("version: 1\nlicenses:\n  fail-on: []\n", "line 3"), (b"\xff", "not UTF-8"), ("#" * 1_000_001, "larger")],
)
def test_a_broken_rulebook_is_no_pass(tool, text, said):
    write(tool, text)
    with pytest.raises(RulebookBroken) as broken:
        list(checkouts.audit([tool], given()))

    assert said in str(broken.value)


def test_a_rulebook_behind_a_link_out_of_the_checkout_is_ignored(tool, tmp_path):
    """A stranger's checkout may hold such a link."""
    (tmp_path / "rules.yml").write_text(OWN)
    (tool / ".github").mkdir()
    (tool / ".github" / "countersign.yml").symlink_to(tmp_path / "rules.yml")

    assert verdicts(tool)[1] == 1
    assert checkouts.policy(tool, "tool", None).fail_on == (LicenseVerdict.INCOMPATIBLE, LicenseVerdict.UNKNOWN_LICENSE)


def test_a_checkout_is_named_by_its_remote_or_folder_and_never_twice(tmp_path, tool):
    clone, other = tmp_path / "clone", tmp_path / "else" / "tool"
    other.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", clone], check=True)
    subprocess.run(["git", "-C", clone, "remote", "add", "origin", "https://github.com/cann/driver.git"], check=True)

    assert checkouts.names([clone, tool, other]) == ("cann/driver", "tool", "tool-2")


def test_the_report_has_the_commit_and_marks_changed_files(tmp_path, tool):
    (found,) = checkouts.audit([tool], given())
    assert found.audited.repository.head is None

    commit = ["git", "-C", tool, "-c", "user.name=A", "-c", "user.email=a@x.org", "commit", "-q", "-m", "x"]
    for command in (["git", "init", "-q", tool], ["git", "-C", tool, "add", "-A"], commit):
        subprocess.run(command, check=True)
    (found,) = checkouts.audit([tool], given())
    sha = found.audited.repository.head
    assert len(sha) == 40
    (tool / "package.json").write_text((tool / "package.json").read_text() + "\n")
    (found,) = checkouts.audit([tool], given())
    assert found.audited.repository.head == f"{sha}-dirty"


def test_each_step_tells_which_checkout_of_how_many(tool, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    steps = []
    list(checkouts.audit([tool, other], given(), steps.append))

    assert [(step.name, step.number, step.of, step.asked) for step in steps][:1] == [("tool", 1, 2, None)]
    assert steps[-1].number == 2


def test_a_path_that_is_no_folder_is_refused(tool):
    with pytest.raises(NotADirectoryError):
        list(checkouts.audit([tool / "package-lock.json"], given()))


def test_a_text_that_contradicts_the_declared_licence_is_a_finding(tool):
    text = "MIT License\n\nCopyright (c) 2020 Ada\n\n" + MIT
    (tool / "LICENSE").write_text(text)
    (found,) = checkouts.audit([tool], given())

    assert [finding.code for finding in found.audited.findings] == ["license/mismatch"]


def test_each_checkout_has_its_own_budget_for_licence_texts(tool, tmp_path):
    (tool / "LICENSE").write_text(MIT)
    other = shutil.copytree(tool, tmp_path / "other")
    (other / "third_party" / "x").mkdir(parents=True)
    (other / "third_party" / "x" / "LICENSE").write_text(f"ISC License\n{MIT}")
    limits = Limits(identified=100)
    first, second = checkouts.audit([tool, other], replace(given(), limits=limits))

    assert [finding.code for finding in first.audited.findings] == ["license/mismatch"]
    assert [(finding.code, finding.place.path) for finding in second.audited.findings] == [
        ("tree/cut-short", "LICENSE")
    ]


MIT = """Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to
use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE
FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""


def test_missing_headers_are_findings_and_no_violations(tool):
    (tool / "a.py").write_text("x\n")
    write(tool, "version: 1\nlicenses: {headers: {spdx: MIT}}\n")
    (found,) = checkouts.audit([tool], given())
    assert [finding.code for finding in found.audited.findings if finding.code.startswith("header/")] == [
        "header/missing"
    ]


WAIVED = "licenses: {waivers: [{purl: 'pkg:npm/b', until: 2026-01-01, reason: r, by: x}]}\n"


@pytest.mark.parametrize(
    ("above", "own", "path"),
    [
        (None, f"version: 1\n{WAIVED}", ".github/countersign.yml"),
        (f"version: 1\n{WAIVED}", None, "above.yml"),
        (f"version: 1\n{WAIVED}", OWN, "above.yml"),
    ],
)
def test_a_finding_about_the_rulebook_names_its_file(tool, above, own, path):
    if own:
        write(tool, own)
    (found,) = checkouts.audit([tool], given(above))
    assert [(finding.code, finding.place.path) for finding in found.audited.findings] == [("waiver/expired", path)]


def test_a_sparse_checkout_without_a_read_file_is_no_pass(tmp_path):
    source, bare = tmp_path / "source", tmp_path / "bare"
    git = ["git", "-C", source, "-c", "user.name=A", "-c", "user.email=a@x.org"]
    subprocess.run(["git", "init", "-q", source], check=True)
    for path in ("a/package.json", "b/requirements.txt", "c/picture.png"):
        (source / path).parent.mkdir()
        (source / path).write_text("{}" if path.startswith("a") else "")
    for command in (("add", "-A"), ("commit", "-q", "-m", "x"), ("sparse-checkout", "set", "a")):
        subprocess.run([*git, *command], check=True)
    subprocess.run(["git", "clone", "-q", "--no-checkout", source, bare], check=True)

    def told(root):
        (found,) = checkouts.audit([root], given())
        return [(finding.code, finding.place.path, finding.files) for finding in unjudged(found.audited)]

    assert told(source) == [("scope/sparse", "b/requirements.txt", 1)]
    assert told(bare) == [("scope/sparse", "a/package.json", 2), ("scope/empty", ".", 1)]
    subprocess.run([*git, "sparse-checkout", "set", "a", "b"], check=True)
    assert told(source) == []
