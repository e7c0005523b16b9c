"""ScanCode gives an answer for each text, or one line with the reason."""

import stat
import sys
from pathlib import Path

import pytest

from audit.sources.scancode import ScanCodeFailed, ask


@pytest.fixture(name="scancode")
def _scancode(tmp_path):
    """A command that takes ScanCode's words and does what this body says, with `answer` and `folder` at hand."""

    def make(body):
        path = tmp_path / "scancode"
        path.write_text(
            f"#!{sys.executable}\nimport json, pathlib, sys, time\nanswer, folder = map(pathlib.Path, sys.argv[-2:])\n{body}\n"
        )
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    return make


def test_each_text_gets_its_answer_in_order(scancode):
    body = (
        "assert sys.argv[1:4] == ['--license', '--quiet', '--json']\n"
        "files = [{'path': 'texts', 'detected_license_expression_spdx': None}]\n"
        "files += [{'path': f'texts/{file.name}', 'detected_license_expression_spdx': file.read_text() or None} for file in folder.iterdir()]\n"
        "answer.write_text(json.dumps({'files': files}))\nsys.exit(1)"
    )
    assert ask(scancode(body), ["MIT", "", "ISC"]) == ("MIT", None, "ISC")
    assert ask(Path("/nowhere"), []) == ()


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("", "ScanCode gave no answer that can be read"),
        ("answer.write_text('[')", "ScanCode gave no answer that can be read"),
        ("answer.write_text('[' * 100000)", "ScanCode gave no answer that can be read"),
        ("answer.write_text('{\"files\": [3]}')", "ScanCode gave no answer that can be read"),
        ("time.sleep(60)", "took more than 1 seconds"),
    ],
)
def test_a_scancode_without_a_readable_answer_is_one_line(scancode, body, line):
    with pytest.raises(ScanCodeFailed, match=line):
        ask(scancode(body), ["text"], 1.0 if "sleep" in body else 30.0)


def test_a_missing_scancode_command_is_told():
    with pytest.raises(ScanCodeFailed, match="cannot run /no/such/scancode: No such file"):
        ask(Path("/no/such/scancode"), ["text"])
