"""Bad input in place of facts or a rulebook: one clear line and exit code 2, never a traceback, never a pass."""

import json
import shlex
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner

from bot.cli.verdicts.evaluate import command
from bot.rulebook import effective
from bot.rulebook.yaml_document import DocumentInvalid
from tests.promises.pull import ADA, account, commit, company, facts, signature

GOOD = json.dumps(facts(signatures=[signature()]))


def evaluate(data, *options):
    """Runs the command in this process."""
    return CliRunner().invoke(command, ["-", *options], input=data)


def process(shell, data=b"", *, most_memory=1_500_000):
    """Runs the real command, where {} stands for `countersign`, with an end to its memory (KiB)."""
    line = shell.replace("{}", shlex.join([sys.executable, "-m", "bot"]))
    return subprocess.run(
        ["/bin/sh", "-c", f"ulimit -v {most_memory} 2>/dev/null; {line}"],
        input=data,
        capture_output=True,
        check=False,
        timeout=100,
    )


def with_key(key, text):
    """The good facts with this text as the value of one more key."""
    return GOOD.replace('{"rulebook"', f'{{{json.dumps(key)}: {text}, "rulebook"', 1)


NOT_JSON = {
    "nothing": b"", "spaces": b" \r\n\t ", "a byte order mark": b"\xef\xbb\xbf" + GOOD.encode(), "UTF-16": GOOD.encode("utf-16"), "UTF-16 without a mark": GOOD.encode("utf-16-le"),
    "UTF-32": GOOD.encode("utf-32"), "Latin-1": GOOD.replace("Add it", "Añadir").encode("latin-1", "replace"), "gzip": b"\x1f\x8b\x08\x00\x00", "NUL": b"\x00", "NUL behind it": GOOD.encode() + b"\x00",
    "NUL in a text": GOOD.replace("Add it", "Add\x00it").encode(), "cut": GOOD[:-1].encode(), "cut in a character": GOOD.replace("Add it", "测").encode()[:-1] + b"\xe6", "two at once": GOOD.encode() * 2,
    "JSON5": b"{rulebook: {}}", "single quotes": GOOD.replace('"', "'").encode(), "a comment": b"// facts\n" + GOOD.encode(), "a comma too many": GOOD[:-1].encode() + b",}", "YAML": b"rulebook: {}\n",
    "a surrogate in UTF-8": GOOD.replace("Add it", "X").encode().replace(b"X", b"\xed\xa0\x80"), "overlong": b'{"a": "\xc0\x80"}', "NaN": with_key("now", "NaN").encode(),
    "Infinity": with_key("x", "-Infinity").encode(), "a long number": with_key("x", "9" * 5000).encode(), "deep lists": b"[" * 200_000, "deep objects": b'{"a":' * 200_000,
    "deep and closed": with_key("x", "[" * 100_000 + "]" * 100_000).encode(), "a deep rulebook": GOOD.replace('"version": 1', '"people": ' + "[" * 50_000 + "]" * 50_000).encode(), "a key twice": with_key("now", '"2026-01-01T00:00:00Z"').encode(),
    "a key twice inside": GOOD.replace('"sha":', '"sha": "x", "sha":').encode(), "the same key, escaped": GOOD.replace('{"rulebook"', '{"\\u006eow": 1, "rulebook"').encode(),
    "a text": b'"facts"', "a number": b"5", "null": b"null", "a list": f"[{GOOD}]".encode(), "an empty object": b"{}",
}  # fmt: skip


@pytest.mark.parametrize("name", NOT_JSON)
def test_input_that_is_no_facts_is_one_line_and_exit_code_2(name):
    ran = evaluate(NOT_JSON[name])
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr.startswith("countersign: ")
    assert ran.stderr.endswith("\n")
    assert ran.stderr[:-1].isprintable()
    assert len(ran.stderr) < 300
    line = NOT_JSON[name].replace(b"\n", b" ") + b"\n"
    mixed = evaluate(line + GOOD.encode() + b"\r\n", "--lines")
    assert mixed.exit_code == 2
    answers = [json.loads(line) for line in mixed.stdout.splitlines()]
    assert [list(answer) for answer in answers] == [["error"], ["conclusion", "checks"]]
    assert answers[1]["conclusion"] == "success"


def test_lines_may_end_in_any_usual_way_and_an_empty_one_is_a_mistake():
    data = f"{GOOD}\r\n\r\n{GOOD}\n\n   \n{GOOD}"
    ran = evaluate(data, "--lines")
    assert ran.exit_code == 2
    assert [next(iter(json.loads(line))) for line in ran.stdout.splitlines()] == [
        "conclusion",
        "error",
        "conclusion",
        "error",
        "error",
        "conclusion",
    ]
    assert evaluate(f"{GOOD}\r\n{GOOD}\r\n", "--lines").exit_code == 0
    assert evaluate(f"\n\n{GOOD}\n\n").exit_code == 0


HALF = '"\\ud800 x"'


@pytest.mark.parametrize("old", ['"ada@home.org"', f'"{"a" * 40}"', '"success"'])
def test_half_a_surrogate_pair_is_refused_in_one_printable_line(old):
    data = (
        GOOD.replace(old, HALF)
        if old in GOOD
        else with_key("rulebook", f"{{{HALF}: {HALF}}}").replace('"rulebook": {"version"', '"was": {"version"')
    )
    for options in ((), ("--format", "text"), ("--lines",), ("--lines", "--format", "text")):
        ran = evaluate(data, *options)
        assert ran.exit_code == 2
        assert (ran.stdout + ran.stderr).strip().isprintable()


@pytest.mark.parametrize("book", [
    None, [], "x", 5, {"version": 2}, {"version": True}, {"version": None}, {"vershun": 1}, {"people": None}, {"people": {"exempt": {}}}, {"people": {"exempt": [{"id": "5"}]}}, {"people": {"exempt": [{"id": 2**63}]}},
    {"people": {"exempt": [{"id": 1.0}]}}, {"people": {"exempt": [5]}}, {"people": {"check": []}}, {"people": {"check": "opener"}}, {"people": {"agents": {"emails": ["*@x.org"]}}}, {"people": {"domains": "LINKED"}},
    {"repositories": {}}, {"repositories": [{}]}, {"repositories": [{"match": "*"}]}, {"repositories": [{"match": [""]}]}, {"repositories": [{"match": ["*"], "require": "nothing"}]}, {"repositories": [{"match": ["*"], "require": None}]},
    {"since": "2026-01-01T00:00:00"}, {"since": "yesterday"}, {"since": 2026}, {"since": "0000-01-01"}, {"since": "99999-01-01"}, {"agreements": {"individual": {"version": 2.0}}}, {"agreements": {"accept": {"dco": []}}},
    {"agreements": {"accept": {"icla": [{"versions": "2"}, {"versions": "*"}]}}}, {"agreements": {"accept": {"icla": [{"until": "2026-01-01"}]}}}, {"labels": {"signed": "x", "required": "X"}}, {"labels": {"signed": "a\nb"}},
    {"dco": {"matching": "loose"}}, {"dco": {"remediation": True}}, {"licenses": {"fail_on": ["never"]}}, {"changelog": {"skip_label": "x"}}, {"comment": {"language": "de"}}, {"k" * 1_000_000: 1}, {"ada@home.org": 1},
    {str(number): 1 for number in range(20_000)}, {"repositories": [{}] * 20_000},
], ids=range(44))  # fmt: skip
def test_an_absurd_rulebook_is_exit_code_2_with_the_key_path(book):
    began = time.process_time()
    ran = evaluate(json.dumps({**json.loads(GOOD), "rulebook": book}))
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr.startswith("countersign: rulebook")
    assert ran.stderr[:-1].isprintable()
    assert "ada@home.org" not in ran.stderr
    assert len(ran.stderr) < 400
    assert time.process_time() - began < 10


LAUGHS = "a: &a [1,1,1,1,1,1,1,1,1]\n" + "".join(
    f"{new}: &{new} [{','.join([f'*{old}'] * 7)}]\n" for old, new in zip("abcdef", "bcdefg", strict=True)
)
YAML = {
    "itself": "version: 1\npeople: &a\n  check: *a\n", "itself as a whole": "&a {version: 1, people: *a}", "a billion laughs": f"version: 1\n{LAUGHS}", "a merge key": "version: 1\nx: &x {check: [opener]}\npeople: {<<: *x}\n",
    "an object": "version: !!python/object/apply:os.system [id]\n", "a tag of one's own": "version: !mine 1\n", "a tag that does not fit": "version: !!bool maybe\n", "a number that is none": "version: !!int\n",
    "a set": "version: 1\npeople: !!set {check}\n", "a key twice": "version: 1\nversion: 1\n", "a key twice by alias": "&v version: 1\n*v : 2\n", "a long key": "? " + "k" * 100_000 + "\n: 1\nversion: 1\n",
    "a very long key": "k" * 1_000_000 + ": 1\n", "a number as key": "version: 1\n1: 2\n", "a list as key": "version: 1\n? [a]\n: 2\n", "null as key": "version: 1\n~: 2\n", "true as key": "version: 1\ntrue: 2\n",
    "another YAML": "%YAML 1.1\n---\nversion: 1\n", "no YAML that there is": "%YAML 1.3\n---\nversion: 1\n", "two documents": "version: 1\n---\nversion: 1\n", "a date without zone": "version: 1\nsince: 2026-01-01T00:00:00\n",
    "the year 0": "version: 1\nsince: 0000-01-01\n", "the year 99999": "version: 1\nsince: 99999-01-01\n", "the month 13": "version: 1\nsince: 2026-13-01\n", "an end of time": "version: 1\nsince: 9999-12-31T23:59:59-14:00\n",
    "an id that is no id": "version: 1\npeople: {exempt: [{id: -5}]}\n", "a long id": f"version: 1\npeople: {{exempt: [{{id: {'9' * 4000}}}]}}\n", "an id in quotes": "version: 1\npeople: {exempt: [{id: '5'}]}\n",
    "nothing": "", "a comment": "# rules\n", "a list": "[1]", "a text": "rules", "NUL": "version: 1\n\x00", "tabs": "version: 1\n\tpeople: {}\n", "half a surrogate pair": 'version: 1\norganization: "\\ud800"\n',
    "half a surrogate pair as key": 'version: 1\n"\\ud800": 1\n', "a line feed in a key": 'version: 1\n"a\\nb": 1\n', "not known": "version: 1\nada@home.org: 1\n", "deep": "version: 1\npeople: " + "[" * 5000, "wide": "version: 1\nrepositories: [" + "{}," * 30_000 + "]",
}  # fmt: skip


@pytest.mark.parametrize("name", YAML)
def test_each_mistake_in_a_rulebook_file_is_one_printable_line(name):
    began = time.process_time()
    with pytest.raises(DocumentInvalid) as refused:
        effective.parse_rulebook(YAML[name])
    for error in refused.value.errors:
        assert error.startswith("line ")
        assert error.isprintable()
        assert "ada@home.org" not in error
        assert len(error) < 400
    assert time.process_time() - began < 10


@pytest.mark.parametrize(
    "name", ["itself", "a billion laughs", "an object", "half a surrogate pair as key", "a very long key"]
)
def test_rulebook_check_prints_the_mistakes_and_ends_with_1(name, tmp_path):
    file = tmp_path / "countersign.yml"
    file.write_text(YAML[name], "utf-8")
    ran = process(f"{{}} rulebook check --format text {shlex.quote(str(file))}")
    assert (ran.returncode, ran.stderr) == (1, b"")
    assert all(line.startswith("line ") for line in ran.stdout.decode().splitlines())


@pytest.mark.parametrize("data", [b"\xff\xfev\x00", b"\x00\x01\x80", None])
def test_a_rulebook_file_that_is_no_text_is_wrong_usage(data, tmp_path):
    file = tmp_path / "countersign.yml"
    if data is not None:
        file.write_bytes(data)
    ran = process(f"{{}} rulebook check {shlex.quote(str(file))}")
    assert (ran.returncode, ran.stdout, ran.stderr.count(b"\n")) == (2, b"", 1)


MANY = 50_000_000
HUGE = {
    "one text": (lambda: b'"' + b"x" * MANY, 2), "brackets": (lambda: b"[" * MANY, 2), "noise": (lambda: b"\xfe" * MANY, 2),
    "one message": (lambda: json.dumps(facts(commit(message="x" * MANY))).encode(), 1), "one key": (lambda: b'{"' + b"k" * MANY + b'": 1}', 2),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", HUGE)
def test_fifty_megabytes_are_answered_in_seconds_and_do_not_pass(name):
    make, code = HUGE[name]
    began = time.perf_counter()
    ran = process("{} evaluate -", make(), most_memory=700_000)
    assert ran.returncode == code, ran.stderr[:500]
    assert ran.stderr.count(b"\n") == (1 if code == 2 else 0)
    assert b"Traceback" not in ran.stderr
    assert len(ran.stdout) + len(ran.stderr) < 5000
    assert time.perf_counter() - began < 60


@pytest.mark.slow
def test_the_installed_command_answers_bad_input_in_one_line():
    sample = [NOT_JSON[name] for name in ("nothing", "UTF-16", "NUL", "deep lists", "a key twice", "null")]
    sample += [
        GOOD.replace('"Ada"', HALF).encode(),
        json.dumps({**json.loads(GOOD), "now": "2026-11-21T00:00:00"}).encode(),
    ]
    for data in sample[3:6]:
        ran = process("{} evaluate -", data)
        assert (ran.returncode, ran.stdout, ran.stderr.count(b"\n")) == (2, b"", 1)
        assert ran.stderr.startswith(b"countersign: ")
    lines = b"".join(data.replace(b"\n", b"") + b"\n" for data in [*sample, GOOD.encode()])
    ran = process("{} evaluate - --lines", lines)
    assert (ran.returncode, ran.stderr) == (2, b"")
    assert [next(iter(json.loads(line))) for line in ran.stdout.splitlines()] == ["error"] * len(sample) + [
        "conclusion"
    ]


@pytest.mark.parametrize("changes", [
    {"commit_count": 1e5}, {"commit_count": True}, {"commit_count": "1"}, {"commits": {}}, {"commits": "x"}, {"commits": [[]]}, {"members": [1.0]}, {"members": [True]}, {"members": {"11": 1}}, {"senders": {}},
    {"senders": [{"id": 1, "may_write": 1}]}, {"signatures": {}}, {"signatures": [[]]}, {"signatures": [signature(signed_at=5)]}, {"signatures": [signature(account="ada")]}, {"signatures": [signature(account=11)]},
    {"companies": [company({"domain": ["home.org"]})]}, {"companies": [company({"account": "15"})]}, {"companies": [company({"account": 1.5})]}, {"companies": [company({"domain": "a.org", "email": "x@a.org"})]},
    {"companies": [company(domains="any")]}, {"companies": [company(signed_at="2026-01-01")]}, {"emails": {"011": []}}, {"emails": {"0": []}}, {"emails": {"１１": []}}, {"emails": {"11": {}}}, {"emails": {"11": [5]}},
    {"emails": {"9" * 30: []}}, {"mailmap": 5}, {"overrides": [{"kind": "CLA", "by": ADA, "head_sha": "x"}]}, {"overrides": [{"kind": "cla", "by": ADA, "head_sha": None}]}, {"overrides": "x"}, {"now": None}, {"now": ""}, {"now": "now"},
    {"now": "2026-11-21T00:00:60Z"}, {"now": "2026-11-21 00:00:00"}, {"pull_request": []}, {"repository": {"full_name": None}}, {"repository": {"full_name": "a/b", "owner_type": "user"}},
], ids=lambda changes: json.dumps(changes)[:40])  # fmt: skip
def test_a_value_of_another_kind_is_one_line_with_its_path(changes):
    ran = evaluate(json.dumps({**json.loads(GOOD), **changes}))
    (key,) = changes
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr.startswith(f"countersign: {key}")
    assert ran.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "who",
    [
        {"login": "ada"},
        {"id": None, "login": "ada"},
        {"id": 0},
        {"id": -11},
        {"id": "11"},
        {"id": 11.0},
        {"id": True},
        {"id": 2**63},
        {"id": [11]},
        [],
        "ada",
        11,
        [account(11)],
    ],
)
@pytest.mark.parametrize(
    "place", ["opener", "author_account", "committer_account", "coauthor", "sender", "signature", "by"]
)
def test_an_invalid_account_is_refused(who, place):
    given = {
        "opener": lambda: facts(opener=who), "author_account": lambda: facts(commit(who)), "committer_account": lambda: facts(commit(committer_account=who)),
        "coauthor": lambda: facts(commit(coauthors=[{"name": "B", "email": "b@x.org", "account": who}])), "sender": lambda: facts(senders=[who]),
        "signature": lambda: facts(signatures=[signature(account=who)]), "by": lambda: facts(overrides=[{"kind": "cla", "head_sha": "x", "by": who}]),
    }[place]()  # fmt: skip
    ran = evaluate(json.dumps(given))
    assert (ran.exit_code, ran.stdout, ran.stderr.count("\n")) == (2, "", 1)
