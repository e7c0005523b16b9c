"""`countersign evaluate`: exit codes, one line for a wrong input, one answer for every line."""

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
def test_exit_codes(facts, code, conclusion):
    """0 when it passes, 1 when it does not, and the verdict as JSON either way."""
    result = run(facts)
    assert (result.exit_code, json.loads(result.stdout)["conclusion"]) == (code, conclusion)


def test_neutral_passes():
    """Nothing required is exit code 0."""
    result = run({**RED, "rulebook": {"repositories": [{"match": ["*"], "require": "none"}]}})
    assert (result.exit_code, json.loads(result.stdout)) == (0, {"conclusion": "neutral", "checks": []})


def test_from_a_file(tmp_path):
    """FACTS is a file, or - for standard input."""
    path = tmp_path / "facts.json"
    path.write_text(json.dumps(FACTS))
    assert CliRunner().invoke(command, [str(path)]).exit_code == 0
    path.write_text(json.dumps({**FACTS, "commit_count": "1"}))
    wrong = CliRunner().invoke(command, [str(path)])
    said = f"countersign: {path}: commit_count: must be a whole number, not a text\n"
    assert (wrong.exit_code, wrong.stderr) == (2, said)


def test_every_problem_has_words_and_a_fix():
    """A problem says what is wrong and the exact command, and shows no address in the open."""
    result = run(RED)
    problem = json.loads(result.stdout)["checks"][0]["problems"][0]
    assert problem["message"]
    assert "git commit --amend --signoff" in problem["fix"]
    assert "ada@huawei.com" not in result.stdout
    assert "HEAD~" not in problem["fix"]


def test_several_commits_are_signed_by_the_base():
    """For several commits the fix is a rebase on the base branch by name."""
    two = [{**RED["commits"][0], "sha": sha} for sha in ("b" * 40, SHA)]
    result = run({**RED, "commits": two, "commit_count": 2})
    assert "git rebase --signoff main" in json.loads(result.stdout)["checks"][0]["problems"][0]["fix"]


def test_text():
    """The text form says the same for people."""
    result = run(RED, "--format", "text")
    assert result.exit_code == 1
    assert result.stdout.startswith("failure: DCO failure\n")
    assert "dco/missing aaaaaaaaaaaa" in result.stdout


HOSTILE = "a\x1b[2J\nFAKE success\u202e\u200b\x9b\u2028"


@pytest.mark.parametrize("place", ["login", "name", "email", "sha", "base", "by", "path", "version"])
def test_text_that_a_terminal_would_obey(place):
    """Control, bidirectional and invisible characters from outside are shown as escapes, on the line they belong to."""
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
def test_a_branch_named_like_an_address(base, shown):
    """A command can't hold a masked branch, so it holds none."""
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


@pytest.mark.parametrize("options", ["", "--lines", "--format text", "--lines --format text"])
def test_what_cannot_be_written(options):
    """A full disk or a closed output is one clear line and exit code 2, never a pass."""
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    for to, why in (("> /dev/full", "No space left on device"), (">&-", "it is closed")):
        done = process(f"{{}} - {options} {to}", json.dumps(FACTS) + "\n")
        assert (done.returncode, done.stderr) == (2, f"countersign: cannot write to standard output: {why}\n")


@pytest.mark.parametrize("options", ["", "--format text"])
def test_a_reader_that_went_away(options, tmp_path):
    """Nobody needs to hear that `head` has seen enough."""
    path = tmp_path / "facts.jsonl"
    path.write_text((json.dumps(RED) + "\n") * 2000)
    done = process(f"{{}} {shlex.quote(str(path))} --lines {options} | head -1")
    assert (done.stdout.count("\n"), done.stderr) == (1, "")


def test_a_closed_input():
    """Without an input there is nothing to judge: one line."""
    done = process("{} - <&-")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_a_terminal_of_few_letters():
    """What the output's encoding can't write is escaped."""
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
def test_a_wrong_input_is_one_line(text):
    """Whatever is wrong: exit code 2, one line that says where and why, no verdict, no traceback."""
    result = run(text)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("countersign: ")
    assert result.stderr.count("\n") == 1
    assert isinstance(result.exception, SystemExit)


@pytest.mark.parametrize("path", ["nowhere.json", "."])
def test_a_file_that_cannot_be_read(path, tmp_path):
    """A missing file or a folder is one line."""
    result = CliRunner().invoke(command, [str(tmp_path / path)])
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "rulebook", [{"licenses": {}}, {"licenses": None}, {}, {"licenses": {"delivery": "hosted", "fail_on": ["review"]}}]
)
def test_the_licence_part_is_not_asked_here(rulebook):
    """A right one changes nothing: who contributed is another question. A mistake in it is one all the same."""
    assert run({**FACTS, "rulebook": rulebook}).exit_code == 0


def test_lines():
    """One answer a line, in order; a wrong line does not stop the rest, and makes the exit code 2."""
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
def test_lines_exit_code(lines, code):
    """Without a wrong line the worst verdict decides."""
    assert run("".join(json.dumps(one) + "\n" for one in lines), "--lines").exit_code == code


def test_no_line_at_all():
    """An empty input holds no facts: that is a mistake, not a pass."""
    result = run("", "--lines")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert "empty" in result.stderr


def test_lines_as_text():
    """The text form of many is a line each."""
    assert run(json.dumps(FACTS) + "\n", "--lines", "--format", "text").stdout == "success: DCO success\n"
    wrong = run("\n", "--lines", "--format", "text")
    assert (wrong.exit_code, wrong.stdout) == (2, "error: not JSON: empty\n")


def test_nothing_heavy_is_loaded():
    """Starting up loads neither the server nor the database nor GitHub."""
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
