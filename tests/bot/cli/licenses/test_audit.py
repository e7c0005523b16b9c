"""`audit` and `license outbound`: reports, exit codes, and one line for a mistake."""

import json
import re

import pytest

from bot.cli.licenses import audit
from bot.cli.licenses.license import command as license_command
from tests.terminal import TerminalRunner

PACKAGE = '{"name": "tool", "license": "Apache-2.0", "dependencies": {"a": "1", "b": "2"}}'
LOCK = """{"lockfileVersion": 3, "packages": {
  "": {"name": "tool", "license": "Apache-2.0", "dependencies": {"a": "1", "b": "2"}},
  "node_modules/a": {"version": "1.0.0", "license": "MIT"},
  "node_modules/b": {"version": "2.0.0", "license": "%s"}
}}"""
FILES = {
    "LICENSE-COMPATIBILITY.md", "report.json", "report.html", "tool/NOTICE", "tool/THIRD-PARTY-LICENSES", "tool/sbom.spdx.json",
    "tool/dependency-licenses.json", "tool/bom.cdx.json", "tool/dependencies.csv", "tool/licenses.sarif",
}  # fmt: skip


@pytest.fixture(name="tool")
def _tool(tmp_path):
    """A checkout that uses two packages; gives its folder, made with the second one's licence."""

    def made(second="MIT"):
        root = tmp_path / "tool"
        root.mkdir(exist_ok=True)
        (root / "package.json").write_text(PACKAGE)
        (root / "package-lock.json").write_text(LOCK % second)
        return root

    return made


@pytest.fixture(name="run")
def _run(tmp_path):
    """A command with its data file in a folder of the test's."""
    runner = TerminalRunner(env={"COUNTERSIGN_LICENSE_DATA": str(tmp_path / "data.json")})
    return lambda command, *arguments: runner.invoke(command, [str(argument) for argument in arguments])


def test_a_waiver_counts_until_its_day_and_then_the_violation_is_back(run, tool, tmp_path):
    rules = tmp_path / "rules.yml"
    for until, code in (("2099-01-01", 0), ("2020-01-01", 1)):
        waiver = f"{{purl: 'pkg:npm/b', until: {until}, reason: being replaced, by: Ada}}"
        rules.write_text(f"version: 1\nlicenses: {{waivers: [{waiver}]}}\n")
        result = run(audit.command, tool("GPL-3.0-only"), "--rulebook", rules)
        assert result.exit_code == code
        assert ("1 incompatible, 1 compatible; 1 waived\n" in result.output) is (code == 0)
        assert ("waiver/expired" in result.output) is (code == 1)


def test_a_violation_exits_with_1_and_is_named_with_its_reason_and_line(run, tool):
    fine, bad = run(audit.command, tool()), run(audit.command, tool("GPL-3.0-only"))

    assert fine.exit_code == 0
    assert "tool (Apache-2.0): 2 compatible" in fine.output
    assert fine.output.startswith("0 violations\n")
    assert fine.output.splitlines()[-1].startswith("licence data of 2024-11-04")
    assert bad.exit_code == 1
    assert "incompatible: b 2.0.0 (GPL-3.0-only, runtime-import): " in bad.output
    assert "package-lock.json:4" in bad.output
    assert bad.output.startswith("1 violation\n")


CONFLICT = "<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> other\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("package-lock.json", CONFLICT), ("package-lock.json", '{"packages": {"": '), ("package.json", '{"dependencies": '),
        ("yarn.lock", CONFLICT), ("pnpm-lock.yaml", CONFLICT), ("poetry.lock", CONFLICT), ("uv.lock", CONFLICT),
        ("Cargo.lock", CONFLICT), ("go.sum", CONFLICT), ("go.mod", CONFLICT), ("requirements.txt", CONFLICT),
        ("pom.xml", "<!DOCTYPE x [<!ENTITY a 'b'>]><project>&a;</project>"), ("Pipfile.lock", CONFLICT),
    ],
)  # fmt: skip
def test_an_unreadable_file_exits_with_1_and_is_named_in_every_format(run, tool, name, content):
    root = tool()
    (root / "package-lock.json").unlink()
    (root / "package.json").write_text('{"name": "tool", "license": "Apache-2.0"}')
    assert run(audit.command, root, "--offline").exit_code == 0
    (root / name).write_text(content)
    text, as_json, github = (
        run(audit.command, root, "--offline", "--format", form) for form in ("text", "json", "github")
    )

    assert {text.exit_code, as_json.exit_code, github.exit_code} == {1}
    assert "  could-not-judge: " in text.output
    assert f" {name}" in text.output
    assert json.loads(as_json.output)["could_not_judge"] >= 1
    assert f"::error file={name}," in github.output
    assert run(license_command, "outbound", root, "--offline").exit_code == 1


def test_all_files_are_written_and_differ_only_in_the_moment(run, tool, tmp_path):
    written = []
    for name in ("one", "two"):
        assert run(audit.command, tool(), "--offline", "--out", tmp_path / name).exit_code == 0
        found = {
            str(path.relative_to(tmp_path / name)): path for path in (tmp_path / name).rglob("*") if path.is_file()
        }
        written.append({path: file.read_bytes() for path, file in found.items()})

    assert set(written[0]) == set(written[1]) == FILES
    for path, first in written[0].items():
        lines = zip(first.splitlines(), written[1][path].splitlines(), strict=True)
        assert sum(line != other for line, other in lines) <= 1, path


def test_the_json_output_is_the_report(run, tool, tmp_path):
    said = json.loads(run(audit.command, tool("GPL-3.0-only"), "--format", "json", "--out", tmp_path / "out").stdout)
    kept = json.loads((tmp_path / "out" / "report.json").read_text())

    assert {**said, "generated_at": ""} == {**kept, "generated_at": ""}
    assert said["violations"] == 1
    assert said["repositories"][0]["name"] == "tool"


def test_the_date_of_the_licence_data_is_shown_with_its_age(run, tool):
    result = run(audit.command, tool())
    assert "warning" not in result.stderr
    assert re.search(r"licence data of 2024-11-04 \(\d+ (months|years) old\)", result.stdout)


def test_validate_says_how_many_sboms_are_valid(run, tool, tmp_path):
    assert "spdx-tools: 1 of 1 SBOM is valid\n" in run(audit.command, tool(), "--validate").stderr
    result = run(audit.command, tool(), "--validate", "--out", tmp_path / "out", "--format", "json")
    assert (result.exit_code, json.loads(result.stdout)["violations"]) == (0, 0)
    assert "spdx-tools: 1 of 1 SBOM is valid\n" in result.stderr
    assert "spdx-tools" not in run(audit.command, tool()).stderr


def test_the_rulebook_decides_what_fails_and_a_mistake_in_it_exits_with_2(run, tool, tmp_path):
    rules = tmp_path / "rules.yml"
    rules.write_text("version: 1\nlicenses:\n  fail_on: [review]\n")
    assert run(audit.command, tool("GPL-3.0-only"), "--rulebook", rules).exit_code == 0
    rules.write_text("version: 1\nlicenses:\n  fail-on: [review]\n")
    broken = run(audit.command, tool(), "--rulebook", rules)

    assert broken.exit_code == 2
    assert "line 3" in broken.output
    assert "did you mean fail_on" in broken.output


@pytest.mark.parametrize("missing", ["nowhere", "tool/package.json"])
def test_a_missing_checkout_exits_with_2_in_one_line(run, tool, tmp_path, missing):
    tool()
    result = run(audit.command, tmp_path / missing)

    assert result.exit_code == 2
    assert str(tmp_path / missing) in result.output
    assert len(result.output.splitlines()) == 1


def test_an_output_folder_that_cannot_be_written_exits_with_2(run, tool, tmp_path):
    (tmp_path / "out").write_text("")
    result = run(audit.command, tool(), "--out", tmp_path / "out")

    assert result.exit_code == 2
    assert "cannot write" in result.output


def test_outbound_lists_the_fitting_licences_or_the_dependencies_in_the_way(run, tool):
    fine = run(license_command, "outbound", tool("GPL-3.0-only"))
    bad = run(license_command, "outbound", tool("Foo-1.0"))
    lines = [
        json.loads(line)
        for line in run(license_command, "outbound", tool("Foo-1.0"), "--format", "json").output.splitlines()
    ]

    assert fine.exit_code == 0
    assert "GPL-3.0-only" in fine.output
    assert bad.exit_code == 1
    assert "b 2.0.0: unknown-license" in bad.output
    assert len(lines) == 117
    assert not any(line["clean"] for line in lines)


def test_a_hostile_checkout_gives_findings_and_the_rest_is_judged(run, tool, tmp_path):
    root = tool()
    (root / "loop").symlink_to(".")
    (root / "LICENSE").symlink_to("/etc/passwd")
    (root / "NOTICE").symlink_to("NOTICE")
    for path, text in {
        "a/requirements.txt": "-r b.txt\nfirst==1\n", "a/b.txt": "-r requirements.txt\nsecond==1\n",
        "b/poetry.lock": "[[package]]\nname = 'x", "c/pom.xml": '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
        "d/pnpm-lock.yaml": "a: &a [1]\nb: *a\n", "third_party/zlib/LICENSE": "MIT " * 600_000, "third_party/zlib/z.c": "",
        "::error::x/requirements.txt": "!!\n", "e/package-lock.json": "[" * 100_000, "f/uv.lock": "version = 9\n",
        "node_modules/a/package.json": '{"name": "a", "version": "1.0.0", "license": "GPL-3.0-only"}',
    }.items():  # fmt: skip
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root / "g").mkdir()
    (root / "g" / "go.sum").write_bytes("x v1 h1:0=\n".encode("utf-16"))
    (root / "bomb.zip").write_bytes(b"PK\x03\x04" + b"\0" * 1000)
    result = run(audit.command, root, "--format", "json", "--out", tmp_path / "out")
    (found,) = json.loads(result.stdout)["repositories"]

    assert result.exit_code == 1
    assert {cell["name"] for cell in found["cells"]} == {"a", "b", "first", "second", "zlib", "x"}
    assert {(finding["code"], finding["place"]["path"]) for finding in found["findings"]} == {
        ("file/outside", "LICENSE"), ("file/unreadable", "NOTICE"), ("file/cycle", "a/requirements.txt"), ("file/broken", "b/poetry.lock"),
        ("file/refused", "c/pom.xml"), ("file/refused", "d/pnpm-lock.yaml"), ("file/too-large", "third_party/zlib/LICENSE"),
        ("dependency/unreadable", "::error::x/requirements.txt"), ("file/refused", "e/package-lock.json"), ("file/broken", "f/uv.lock"),
        ("license/contradiction", "package-lock.json"), ("file/encoding", "g/go.sum"),
    }  # fmt: skip


def test_the_sarif_output_has_the_violation_at_its_line(run, tool):
    result = run(audit.command, tool("GPL-3.0-only"), "--format", "sarif")
    (found,) = json.loads(result.stdout)["runs"]

    assert result.exit_code == 1
    assert [(finding["ruleId"], finding["level"]) for finding in found["results"]] == [("osadl/incompatible", "error")]
    place = found["results"][0]["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("package.json", 1)


def test_the_supplier_is_named_in_both_sboms_and_none_is_invented(run, tool, tmp_path):
    for name, options in (("one", ["--supplier", "Example Ltd"]), ("two", [])):
        run(audit.command, tool(), "--offline", "--out", tmp_path / name, *options)
    first, second = (json.loads((tmp_path / name / "tool/sbom.spdx.json").read_text()) for name in ("one", "two"))
    bom = json.loads((tmp_path / "one/tool/bom.cdx.json").read_text())

    assert "Organization: Example Ltd" in first["creationInfo"]["creators"]
    assert [each["packages"][0]["supplier"] for each in (first, second)] == ["Organization: Example Ltd", "NOASSERTION"]
    assert bom["metadata"]["manufacturer"] == bom["metadata"]["component"]["supplier"] == {"name": "Example Ltd"}
