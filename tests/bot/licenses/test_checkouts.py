"""Checkouts become an audit: named, scanned, judged by the rulebook in force; a broken rulebook is never a pass."""

import shutil
import subprocess
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from audit.facts import LicenseVerdict
from audit.licenses.osadl import shipped
from audit.scan.walk import Limits
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


def test_a_checkout_without_a_rulebook(tool):
    """Its own licence is what it says itself; what does not fit fails."""
    assert verdicts(tool) == ({"a": LicenseVerdict.COMPATIBLE, "b": LicenseVerdict.INCOMPATIBLE}, 1)


def test_the_organisation_s_rulebook_and_the_checkout_s_own(tool):
    """The first says what is known better, the second may only be stricter."""
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
    """Where and what, and nothing was judged."""
    write(tool, text)
    with pytest.raises(RulebookBroken) as broken:
        list(checkouts.audit([tool], given()))

    assert said in str(broken.value)


def test_a_rulebook_outside_of_the_checkout_is_none(tool, tmp_path):
    """A link of a stranger's checkout leads nowhere."""
    (tmp_path / "rules.yml").write_text(OWN)
    (tool / ".github").mkdir()
    (tool / ".github" / "countersign.yml").symlink_to(tmp_path / "rules.yml")

    assert verdicts(tool)[1] == 1
    assert checkouts.policy(tool, "tool", None).fail_on == (LicenseVerdict.INCOMPATIBLE, LicenseVerdict.UNKNOWN_LICENSE)


def test_names(tmp_path, tool):
    """As the remote says; else the folder's; never the same twice."""
    clone, other = tmp_path / "clone", tmp_path / "else" / "tool"
    other.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", clone], check=True)
    subprocess.run(["git", "-C", clone, "remote", "add", "origin", "https://github.com/cann/driver.git"], check=True)

    assert checkouts.names([clone, tool, other]) == ("cann/driver", "tool", "tool-2")


def test_the_commit_that_was_read(tmp_path, tool):
    """In the report; marked where a file was changed since, not known where git knows none."""
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


def test_each_step_is_told(tool, tmp_path):
    """Which checkout of how many."""
    other = tmp_path / "other"
    other.mkdir()
    steps = []
    list(checkouts.audit([tool, other], given(), steps.append))

    assert [(one.name, one.number, one.of, one.asked) for one in steps][:1] == [("tool", 1, 2, None)]
    assert steps[-1].number == 2


def test_what_is_no_folder(tool):
    """It is said before anything is believed to be clean."""
    with pytest.raises(NotADirectoryError):
        list(checkouts.audit([tool / "package-lock.json"], given()))


def test_a_text_that_contradicts_is_a_finding(tool):
    """Declared Apache-2.0, shipped MIT."""
    text = "MIT License\n\nCopyright (c) 2020 Ada\n\n" + MIT
    (tool / "LICENSE").write_text(text)
    (found,) = checkouts.audit([tool], given())

    assert [one.code for one in found.audited.findings] == ["license/mismatch"]


def test_a_budget_for_each_checkout(tool, tmp_path):
    """A text beyond it is not known and a finding says so; the next checkout has its own, though the text is remembered."""
    (tool / "LICENSE").write_text(MIT)
    other = shutil.copytree(tool, tmp_path / "other")
    (other / "third_party" / "x").mkdir(parents=True)
    (other / "third_party" / "x" / "LICENSE").write_text(f"ISC License\n{MIT}")
    limits = Limits(identified=100)
    first, second = checkouts.audit([tool, other], replace(given(), limits=limits))

    assert [one.code for one in first.audited.findings] == ["license/mismatch"]
    assert [(one.code, one.place.path) for one in second.audited.findings] == [("tree/cut-short", "LICENSE")]


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


def test_headers_that_the_rulebook_asks_for(tool):
    """Are findings, and no violations."""
    (tool / "a.py").write_text("x\n")
    write(tool, "version: 1\nlicenses: {headers: {spdx: MIT}}\n")
    (found,) = checkouts.audit([tool], given())
    assert [one.code for one in found.audited.findings if one.code.startswith("header/")] == ["header/missing"]


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
    """The one that was given, or the checkout's own."""
    if own:
        write(tool, own)
    (found,) = checkouts.audit([tool], given(above))
    assert [(one.code, one.place.path) for one in found.audited.findings] == [("waiver/expired", path)]


def test_files_that_are_not_checked_out(tmp_path):
    """A sparse checkout, or one of nothing at all, is never a pass; one that lacks what nobody reads is fine."""
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
        return [(one.code, one.place.path, one.files) for one in unjudged(found.audited)]

    assert told(source) == [("scope/sparse", "b/requirements.txt", 1)]
    assert told(bare) == [("scope/sparse", "a/package.json", 2), ("scope/empty", ".", 1)]
    subprocess.run([*git, "sparse-checkout", "set", "a", "b"], check=True)
    assert told(source) == []
