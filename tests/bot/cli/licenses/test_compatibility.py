"""`license check` judges pairs as interfaces.md says, one by one and in batches."""

import json

import pytest

KEYS = ["verdict", "rule", "basis", "reason", "data_version", "branch"]


@pytest.mark.parametrize(
    ("inbound", "usage", "verdict", "branch", "code"),
    [
        ("LGPL-2.1-or-later", "dynamic-link", "obligations", None, 0), ("LGPL-2.1-or-later", "static-link", "conditional", None, 0),
        ("GPL-2.0-or-later", "build-tool", "not-applicable", None, 0), ("GPL-2.0-or-later", "source-merged", "incompatible", None, 1),
        ("MIT OR GPL-3.0", "static-link", "compatible", "MIT", 0), ("", "static-link", "unknown-license", None, 1),
        ("NOASSERTION", "static-link", "unknown-license", None, 1),
        ("NOASSERTION", "build-tool", "unknown-license", None, 1), ("SSPL-1.0", "build-tool", "review", None, 0),
    ],
)  # fmt: skip
def test_one_pair_is_one_line_of_json_with_the_documented_keys(run, inbound, usage, verdict, branch, code):
    result = run("check", "--outbound", "Apache-2.0", "--inbound", inbound, "--usage", usage)
    found = json.loads(result.stdout)
    assert result.stdout.count("\n") == 1
    assert list(found) == KEYS
    assert (found["verdict"], found["branch"], result.exit_code) == (verdict, branch, code)
    assert found["data_version"] == "2024-11-04"


def test_a_misspelt_outbound_licence_never_passes_and_the_nearest_is_named(run):
    result = run("check", "--outbound", "Apach-2.0", "--inbound", "MIT", "--usage", "source-merged")
    assert (result.exit_code, json.loads(result.stdout)["verdict"]) == (1, "unknown-license")
    assert "the nearest id is Apache-2.0" in result.stdout


def test_the_default_usage_is_unknown_and_the_default_delivery_binary(run):
    result = run("check", "--outbound", "Apache-2.0", "--inbound", "LGPL-2.1-only")
    assert json.loads(result.stdout)["rule"] == "usage/unknown"
    hosted = run("check", "--outbound", "MIT", "--inbound", "GPL-3.0-only", "--delivery", "hosted")
    assert json.loads(hosted.stdout)["verdict"] == "not-applicable"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--outbound", "NONE", "--inbound", "MIT"], "countersign: outbound: must be a licence expression\n"),
        (["--outbound", "MIT AND", "--inbound", "MIT"], "countersign: outbound: must be a licence expression\n"),
        (["--outbound", "MIT", "--inbound", "MIT", "--usage", "x"], "--usage"), (["--outbound", "MIT"], "give --outbound and --inbound"),
        (["--batch", "nowhere.jsonl"], "countersign: cannot read nowhere.jsonl: No such file or directory\n"),
        (["--batch", "-", "--outbound", "MIT"], "--batch takes its licences from the file"),
    ],
)  # fmt: skip
def test_wrong_arguments_exit_with_2_in_one_line(run, arguments, said):
    result = run("check", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


def test_a_batch_is_read_from_a_file_or_standard_input(run, tmp_path):
    lines = '{"outbound": "MIT", "inbound": "MIT"}\n{"outbound": "MIT", "inbound": "GPL-2.0-only", "usage": "static-link"}\n'
    (tmp_path / "lines.jsonl").write_text(lines)
    result = run("check", "--batch", str(tmp_path / "lines.jsonl"))
    assert [json.loads(line)["verdict"] for line in result.stdout.splitlines()] == ["compatible", "incompatible"]
    assert result.exit_code == 1
    assert run("check", "--batch", "-", input=lines).stdout == result.stdout


def test_the_text_format_gives_verdict_and_reason_and_then_the_remedy(run, tmp_path):
    arguments = ("check", "--outbound", "MIT", "--inbound", "GPL-2.0-only", "--usage", "static-link")
    text = run(*arguments, "--format", "text")
    assert (text.exit_code, text.stdout.splitlines()[0]) == (
        1, "incompatible: GPL-2.0-only cannot be statically linked into work under MIT (osadl/incompatible, data of 2024-11-04)",
    )  # fmt: skip
    assert text.stdout.splitlines()[1].startswith("  Replace it,")
    assert run(*arguments).stdout == run(*arguments, "--format", "json").stdout
    fine = run(
        "check", "--outbound", "MIT", "--inbound", "MIT OR GPL-3.0-only", "--usage", "static-link", "--format", "text"
    )
    assert (fine.stdout.count("\n"), "; MIT was chosen (" in fine.stdout) == (1, True)
    batch = tmp_path / "many.jsonl"
    batch.write_text('{"outbound": "MIT", "inbound": "MIT"}\n{"outbound": ""}\n')
    many = run("check", "--batch", str(batch), "--format", "text")
    assert [line.partition(":")[0] for line in many.stdout.splitlines()] == ["compatible", "error"]
