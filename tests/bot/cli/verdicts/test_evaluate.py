"""`evaluate`: exit codes, one line for a wrong input, one answer for every line."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.cli.verdicts.evaluate import command

SHA = "a" * 40
FACTS = {
    "rulebook": {"version": 1}, "repository": {"full_name": "cann/ops"}, "commit_count": 1, "now": "2026-11-21T00:00:00Z",
    "pull_request": {"number": 1, "opener": {"id": 11, "login": "ada", "type": "User"}, "base": "main", "head_sha": SHA},
    "commits": [{"sha": SHA, "message": "Add\n\nSigned-off-by: Ada <ada@huawei.com>", "parents": ["0"], "author": {"name": "Ada", "email": "ada@huawei.com"},
                 "committer": {"name": "Ada", "email": "ada@huawei.com"}, "author_account": None, "committer_account": None}],
}  # fmt: skip
RED = {**FACTS, "commits": [{**FACTS["commits"][0], "message": "Add"}]}
DOUBT = {**FACTS, "commit_count": None}


def run(data, *options):
    text = data if isinstance(data, str | bytes) else json.dumps(data)
    return CliRunner().invoke(command, ["-", *options], input=text)


@pytest.mark.parametrize(
    ("facts", "code", "conclusion"), [(FACTS, 0, "success"), (RED, 1, "failure"), (DOUBT, 1, "action_required")]
)
def test_the_exit_code_is_0_for_a_pass_and_1_otherwise(facts, code, conclusion):
    result = run(facts)
    assert (result.exit_code, json.loads(result.stdout)["conclusion"]) == (code, conclusion)


def test_a_neutral_verdict_exits_with_0():
    result = run({**RED, "rulebook": {"repositories": [{"match": ["*"], "require": "none"}]}})
    assert (result.exit_code, json.loads(result.stdout)) == (0, {"conclusion": "neutral", "checks": []})


def test_facts_are_read_from_a_file(tmp_path):
    path = tmp_path / "facts.json"
    path.write_text(json.dumps(FACTS))
    assert CliRunner().invoke(command, [str(path)]).exit_code == 0
    path.write_text(json.dumps({**FACTS, "commit_count": "1"}))
    wrong = CliRunner().invoke(command, [str(path)])
    said = f"countersign: {path}: commit_count: must be a whole number, not a text\n"
    assert (wrong.exit_code, wrong.stderr) == (2, said)


def test_a_problem_has_a_message_and_a_command_without_an_address():
    result = run(RED)
    problem = json.loads(result.stdout)["checks"][0]["problems"][0]
    assert problem["message"]
    assert "git commit --amend --signoff" in problem["fix"]
    assert "ada@huawei.com" not in result.stdout
    assert "HEAD~" not in problem["fix"]


def test_several_commits_are_signed_off_by_a_rebase_on_the_base():
    two = [{**RED["commits"][0], "sha": sha} for sha in ("b" * 40, SHA)]
    result = run({**RED, "commits": two, "commit_count": 2})
    assert "git rebase --signoff main" in json.loads(result.stdout)["checks"][0]["problems"][0]["fix"]


def test_the_text_format_names_conclusion_code_and_commit():
    result = run(RED, "--format", "text")
    assert result.exit_code == 1
    assert result.stdout.startswith("failure: DCO failure\n")
    assert "dco/missing aaaaaaaaaaaa" in result.stdout


HOSTILE = "a\x1b[2J\nFAKE success\u202e\u200b\x9b\u2028"


@pytest.mark.parametrize("place", ["login", "name", "email", "sha", "base", "by", "path", "version"])
def test_control_and_invisible_characters_are_shown_as_escapes(place):
    sha = HOSTILE if place == "sha" else SHA
    who = {
        "name": HOSTILE if place == "name" else "Ada",
        "email": f"{HOSTILE}@x.org" if place == "email" else "ada@huawei.com",
    }
    login = {"id": 11, "login": HOSTILE if place == "login" else "ada"}
    commit = {**RED["commits"][0], "sha": sha, "author": who, "committer": who, "author_account": login}
    book = {"repositories": [{"match": ["*"], "require": "both"}], "changelog": {"require": True}}
    signed = {
        "agreement": "icla",
        "version": HOSTILE if place == "version" else "1.0",
        "account": login,
        "signed_at": "2026-01-01T00:00:00Z",
    }
    override = {"kind": "dco", "head_sha": sha, "by": {"id": 1, "login": HOSTILE}}
    request = {
        **FACTS["pull_request"],
        "opener": login,
        "head_sha": sha,
        "base": HOSTILE if place == "base" else "main",
    }
    facts = {
        **FACTS,
        "rulebook": book,
        "pull_request": request,
        "commits": [commit],
        "signatures": [signed],
        "overrides": [override] if place == "by" else [],
    }
    for options in (["--format", "text"], ["--format", "text", "--lines"]):
        shown = run(json.dumps(facts), *options).stdout
        assert all(line.isprintable() for line in shown.split("\n"))
        assert not any(line.startswith("FAKE") for line in shown.splitlines())


@pytest.mark.parametrize(("base", "shown"), [("ada@huawei.com", "BASE"), ("release@2.0", "release@2.0")])
def test_a_base_branch_that_looks_like_an_address_is_replaced_in_commands(base, shown):
    two = [{**RED["commits"][0], "sha": sha} for sha in ("b" * 40, SHA)]
    result = run({**RED, "commits": two, "commit_count": 2, "pull_request": {**RED["pull_request"], "base": base}})
    assert f"git rebase --signoff {shown}\\n" in result.stdout
    assert "ada@" not in result.stdout


def process(shell, text=None):
    """Runs the command in a shell, where {} stands for `countersign evaluate`."""
    command = shlex.join([sys.executable, "-m", "bot", "evaluate"])
    return subprocess.run(
        ["/bin/sh", "-c", shell.replace("{}", command)], input=text, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
@pytest.mark.parametrize("options", ["", "--lines", "--format text", "--lines --format text"])
def test_an_output_that_cannot_be_written_exits_with_2(options):
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    for to, why in (("> /dev/full", "No space left on device"), (">&-", "it is closed")):
        done = process(f"{{}} - {options} {to}", json.dumps(FACTS) + "\n")
        assert (done.returncode, done.stderr) == (2, f"countersign: cannot write to standard output: {why}\n")


@pytest.mark.slow
@pytest.mark.parametrize("options", ["", "--format text"])
def test_a_closed_pipe_ends_the_command_silently(options, tmp_path):
    path = tmp_path / "facts.jsonl"
    path.write_text((json.dumps(RED) + "\n") * 2000)
    done = process(f"{{}} {shlex.quote(str(path))} --lines {options} | head -1")
    assert (done.stdout.count("\n"), done.stderr) == (1, "")


def test_a_closed_input_exits_with_2_in_one_line():
    done = process("{} - <&-")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_characters_outside_the_outputs_encoding_are_escaped():
    facts = {**RED, "commits": [{**RED["commits"][0], "author": {"name": "张三", "email": "z@x.org"}}]}
    done = process("PYTHONIOENCODING=ascii {} - --format text", json.dumps(facts))
    assert (done.returncode, done.stderr) == (1, "")
    assert "\\u5f20\\u4e09" in done.stdout


WRONG = [
    "", "{", "null", "[]", "5", '"x"', "{}", "NaN", '{"now": Infinity}', "[" * 100_000, '{"a":' * 50_000, "1" * 5000, b"\xff\xfe", "\x00",
    json.dumps({**FACTS, "rulebook": {"peeple": 1}}), json.dumps({**FACTS, "rulebook": None}), json.dumps({**FACTS, "now": "2026-11-21T00:00:00"}),
    json.dumps({**FACTS, "commit_count": 10**400}), json.dumps({**FACTS, "commits": None}), json.dumps({**FACTS, "mailmap": "\ud800"}),
    json.dumps({**FACTS, "rulebook": {"licenses": {"delivery": "parcel"}}}), json.dumps({**FACTS, "rulebook": {"organization": "\ud800"}}),
    '{"now": 1, "now": 1}', json.dumps(FACTS)[:-1] + ', "commit_count": 1}', json.dumps(FACTS).replace('"sha"', '"message": "x", "sha"'), '{"a\\nada@x.org": 1, "a\\nada@x.org": 1}',
    json.dumps({**FACTS, "rulebook": {"a\nb": 1}}), json.dumps({**FACTS, "rulebook": {"\ud800": 1}}), json.dumps({**FACTS, "emails": {"\ud800\n": []}}),
]  # fmt: skip


@pytest.mark.parametrize("text", WRONG, ids=range(len(WRONG)))
def test_a_wrong_input_exits_with_2_in_one_line(text):
    result = run(text)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("countersign: ")
    assert result.stderr.count("\n") == 1
    assert isinstance(result.exception, SystemExit)


@pytest.mark.parametrize("path", ["nowhere.json", "."])
def test_an_unreadable_file_is_one_line(path, tmp_path):
    result = CliRunner().invoke(command, [str(tmp_path / path)])
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "rulebook", [{"licenses": {}}, {"licenses": None}, {}, {"licenses": {"delivery": "hosted", "fail_on": ["review"]}}]
)
def test_the_rulebooks_part_on_licences_changes_no_verdict(rulebook):
    assert run({**FACTS, "rulebook": rulebook}).exit_code == 0


def test_each_line_has_its_answer_and_a_wrong_one_exits_with_2():
    wrong = [text for text in WRONG if isinstance(text, str)]
    lines = [json.dumps(FACTS), *wrong, json.dumps(RED)]
    result = run("\n".join(lines) + "\n", "--lines")
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.exit_code == 2
    assert [list(answer) for answer in answers] == [
        ["conclusion", "checks"],
        *[["error"]] * len(wrong),
        ["conclusion", "checks"],
    ]


@pytest.mark.parametrize(("lines", "code"), [([FACTS, FACTS], 0), ([FACTS, RED], 1), ([RED, FACTS], 1)])
def test_the_worst_verdict_decides_the_exit_code_of_many_lines(lines, code):
    assert run("".join(json.dumps(line) + "\n" for line in lines), "--lines").exit_code == code


def test_an_empty_input_is_a_mistake():
    result = run("", "--lines")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert "empty" in result.stderr


def test_the_text_format_of_many_is_a_line_each():
    assert run(json.dumps(FACTS) + "\n", "--lines", "--format", "text").stdout == "success: DCO success\n"
    wrong = run("\n", "--lines", "--format", "text")
    assert (wrong.exit_code, wrong.stdout) == (2, "error: not JSON: empty\n")


def test_evaluating_loads_no_heavy_module():
    code = (
        "import sys, bot.cli\n"
        "try: bot.cli.main(['evaluate', '-', '--format', 'text'])\n"
        "except SystemExit: pass\n"
        "heavy = {'flask', 'sqlmodel', 'sqlalchemy', 'dbos', 'github', 'cryptography', 'alembic', 'ruamel', 'requests', 'email_validator', 'idna'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(FACTS), capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
