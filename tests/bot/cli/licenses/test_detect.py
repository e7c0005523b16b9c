"""`license detect` names the licence of each file in one line, without guessing."""

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from audit.licenses.spdx import texts
from bot.cli.licenses.detect import detect_files as command

MIT = texts()["MIT"]


@pytest.fixture(name="run")
def _run(tmp_path):
    """The command on files with these contents, and its lines."""

    def run(*contents, form="json"):
        paths = []
        for number, content in enumerate(contents):
            path = tmp_path / str(number)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
            paths.append(str(path))
        return CliRunner().invoke(command, [*paths, "--format", form])

    return run


def test_each_file_is_one_line_of_json_with_the_documented_keys(run):
    result = run(MIT, MIT.replace("without restriction", "with restriction"), "# SPDX-License-Identifier: ISC\n")
    first, second, third = map(json.loads, result.stdout.splitlines())
    assert list(first) == ["path", "spdx", "method", "confidence"]
    assert (first["spdx"], first["method"], first["confidence"]) == ("MIT", "text", 1.0)
    assert (second["spdx"], second["method"], second["nearest"], second["confidence"]) == (None, "altered", "MIT", 0.0)
    assert (third["spdx"], third["method"]) == ("ISC", "tag")
    assert result.exit_code == 1


def test_the_text_format_names_the_lines_or_the_nearest_licence(run):
    result = run(MIT, MIT.replace("any person", "some person"), form="text")
    assert [line.partition(": ")[2] for line in result.stdout.splitlines()] == [
        "MIT (text, lines 5-18)",
        "not known (altered; nearest: MIT)",
    ]
    assert run(MIT, form="text").exit_code == 0


def test_words_beside_the_licence_are_shown_with_their_lines(run):
    text = f"{MIT.rstrip()}\n\nSee THIRDPARTY.md for license information of other software\n"
    at = text.count("\n")
    shown = run(text, form="text").stdout.splitlines()
    assert shown[1] == f"  beside it, lines {at}-{at}: See THIRDPARTY.md for license information of other software"
    remarks = json.loads(run(text).stdout)["remarks"]
    assert remarks == [
        {"text": "See THIRDPARTY.md for license information of other software", "start_line": at, "end_line": at}
    ]


@pytest.mark.parametrize(
    "content",
    [MIT.encode("utf-8-sig"), MIT.encode("utf-16"), MIT.replace("\n", "\r\n").encode(), MIT.replace('"', "“").encode(), MIT.replace("<copyright holders>", "Å").encode("latin-1"), MIT.replace('"', "\x93").encode("latin-1")],
)  # fmt: skip
def test_files_are_read_in_common_encodings_with_and_without_marks(run, content):
    assert json.loads(run(content).stdout)["spdx"] == "MIT"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "method"),
    [
        (b"", "empty"),
        (b"\x7fELF\0\0\1", "binary"),
        (os.urandom(4000) + b"\0", "binary"),
        (MIT * 4000, "text"),
        (b"x" * 17_000_000, "too-long"),
    ],
    ids=["empty", "binary", "random", "four megabytes", "too long"],
)
def test_bad_input_gives_a_result_and_no_traceback(run, content, method):
    result = run(content)
    assert json.loads(result.stdout)["method"] == method
    assert result.exception is None or isinstance(result.exception, SystemExit)


def test_a_missing_file_exits_with_2_and_the_others_are_read(tmp_path):
    good = tmp_path / "good"
    good.write_text(MIT)
    result = CliRunner().invoke(command, [str(tmp_path / "gone"), str(good), "--format", "json"])
    assert [json.loads(line)["method"] for line in result.stdout.splitlines()] == ["unreadable", "text"]
    assert result.stderr.startswith("countersign: cannot read")
    assert result.exit_code == 2
    assert CliRunner().invoke(command, [str(tmp_path)]).exit_code == 2


def test_scancodes_answer_is_the_nearest_licence_and_no_match(tmp_path):
    scancode, text = tmp_path / "scancode", tmp_path / "text"
    text.write_text("Do what you like; this license is short.")
    answer = '{"files": [{"path": "texts/0.txt", "detected_license_expression_spdx": "LicenseRef-scancode-short"}]}'
    scancode.write_text(f"#!/bin/sh\nprintf '%s' '{answer}' > \"$4\"\n")
    scancode.chmod(0o755)
    result = CliRunner().invoke(command, [str(text), "--format", "json", "--scancode", str(scancode)])
    found = json.loads(result.stdout)
    assert (found["spdx"], found["method"], found["nearest"]) == (None, "none", "LicenseRef-scancode-short")
    result = CliRunner().invoke(command, [str(text), "--scancode", str(tmp_path / "gone")])
    assert result.exit_code == 2
    assert result.stderr.startswith("countersign: cannot run")


def test_detecting_an_exact_text_loads_no_heavy_module(tmp_path):
    file = tmp_path / "LICENSE"
    file.write_text(texts()["MIT"])
    code = (
        "import sys, bot.cli\n"
        f"try: bot.cli.main(['license', 'detect', {str(file)!r}, '--format', 'text'])\n"
        "except SystemExit: pass\n"
        "heavy = {'license_expression', 'licenseclassifier', 'difflib', 'agreements.facts', 'audit.facts', 'audit.texts.boilerplate'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [f"{file}: MIT (text, lines 5-18)", "[]"]
