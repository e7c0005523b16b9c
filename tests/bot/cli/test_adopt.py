"""`adopt` prints texts for a project's files by the rules in force, ready to copy."""

import json
from datetime import UTC, datetime

import pytest

from agreements.facts import Check, Conclusion, Problem, Verdict
from bot import db
from bot.cli import COMMANDS
from bot.cli.adopt import command
from bot.store import owners
from bot.store.pulls import verdicts
from bot.store.pulls.posts import PullRequestIdentity, post
from tests.bot.cli.verdicts.test_rule_files import Deployment
from tests.bot.jobs.inline import InlineEngine
from tests.ready import upgraded
from tests.terminal import TerminalRunner

URL = "https://cla.example.org"
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
RULES = """version: 1
organization: O
agreements: {individual: {text: icla, version: '2.0'}}
repositories:
  - {match: [core-*, driver], require: cla}
  - {match: [new], require: both, mode: shadow}
  - {match: [docs], require: none}
  - {match: ["*"], require: dco}
"""


@pytest.fixture(name="adopt")
def _adopt(tmp_path):
    """Runs `adopt` in an empty folder, with the organisation's rulebook."""
    file = tmp_path / "rules.yml"
    file.write_text(RULES, encoding="utf-8")

    def adopt(*arguments, rulebook=file, **environ):
        environ = {"COUNTERSIGN_URL": URL, "COUNTERSIGN_DATABASE_URL": f"sqlite:///{tmp_path / 'r.db'}"} | environ
        given = ("--rulebook", rulebook) if rulebook else ()
        return TerminalRunner(env=environ).invoke(command, [str(argument) for argument in (*arguments, *given)])

    return adopt


def test_the_texts_for_a_repository_are_printed_ready_to_copy(adopt):
    ran = adopt("cann/core-math")
    lines = ran.output.splitlines()
    badge = f"[![Contribution requirements]({URL}/badge/cann/core-math.svg)]({URL}/sign/icla?organization=cann)"

    assert ran.exit_code == 0
    assert lines[:4] == ["cann/core-math: requires a contributor agreement (CLA).", "", "=== README.md ===", badge]
    assert [line for line in lines if line.startswith("===")] == [
        "=== README.md ===", "=== CONTRIBUTING.md, English ===", "=== CONTRIBUTING.md, 简体中文 ===",
        "=== .github/pull_request_template.md, English ===", "=== .github/pull_request_template.md, 简体中文 ===",
    ]  # fmt: skip
    assert f"[阅读并签署]({URL}/sign/icla?organization=cann)" in ran.output
    assert "signoff" not in ran.output


@pytest.mark.parametrize(
    ("name", "said"),
    [("docs", "CONTRIBUTING and the pull-request template need no text."), ("new", "It is in shadow mode:")],
)
def test_where_nothing_is_required_no_paragraph_is_printed(adopt, name, said):
    ran = adopt(f"cann/{name}")
    found = json.loads(adopt(f"cann/{name}", "--format", "json").output)

    assert ran.output.splitlines()[0] == f"cann/{name}: requires nothing."
    assert said in ran.output
    assert "CONTRIBUTING.md" not in ran.output
    assert (found["require"], found["contributing"], found["pull_request_template"]) == ("none", None, None)
    assert found["badge"]["link"] == f"{URL}/guide?organization=cann"


def test_a_stricter_file_of_the_repository_counts_for_the_texts_and_the_badge_is_said_to_differ(adopt, tmp_path):
    own = tmp_path / "own.yml"
    own.write_text("version: 1\nrepositories: [{match: [ops], require: both}]\n", encoding="utf-8")
    ran = adopt("cann/ops", "--own", own)
    found = json.loads(adopt("cann/ops", "--own", own, "--format", "json").output)

    assert (found["require"], found["badge_says"]) == ("both", "dco")
    assert "The badge says a sign-off (DCO): it shows the organisation's rule" in ran.output
    assert "The badge says" not in adopt("cann/ops").output


def test_the_texts_for_an_organisation_are_those_of_each_of_its_rules(adopt):
    found = json.loads(adopt("--organization", "cann", "--format", "json").output)
    text = adopt("--organization", "cann").output

    assert [(rule["match"], rule["require"]) for rule in found["rules"]] == [
        (["core-*", "driver"], "cla"), (["new"], "none"), (["docs"], "none"), ([], "dco"),
    ]  # fmt: skip
    assert "cann, core-*, driver: requires a contributor agreement (CLA)." in text
    assert "cann, all other repositories: requires a sign-off (DCO)." in text
    assert text.count("replace REPO") == 4
    assert found["rules"][0]["badge"]["image"] == f"{URL}/badge/cann/REPO.svg"


def test_the_rules_are_read_through_the_app_where_no_file_is_given(adopt, tmp_path, gate):
    (tmp_path / "git").mkdir()
    cann = Deployment(tmp_path / "git", gate)
    cann.world.repository(cann.cann, ".github", files={".github/countersign.yml": RULES})
    cann.world.repository(cann.cann, "core-x", files={"a": "b"})
    ran = adopt("CANN/core-X", "--url", "https://other.example.org", rulebook=None, **cann.settings)
    whole = adopt("--organization", "CANN", "--format", "json", rulebook=None, **cann.settings)
    cann.server.stop()

    assert ran.output.splitlines()[0] == "cann/core-x: requires a contributor agreement (CLA)."
    assert "(https://other.example.org/sign/icla?organization=cann)" in ran.output
    assert [rule["require"] for rule in json.loads(whole.output)["rules"]] == ["cla", "none", "none", "dco"]


def test_the_open_pull_requests_are_counted_where_the_servers_database_is_named(adopt, tmp_path):
    assert json.loads(adopt("cann/ops", "--format", "json").output)["open_pull_requests"] is None
    url = f"sqlite:///{tmp_path / 'r.db'}"
    engine = upgraded(url)
    red = Verdict(
        conclusion=Conclusion.FAILURE,
        checks=(Check(name="CLA", conclusion=Conclusion.FAILURE, problems=(Problem(code="cla/unsigned"),)),),
    )
    with db.sessions(engine)() as session:
        owners.remember_login(session, "cann", 7)
        for number, owner_id in ((1, 7), (2, 7), (3, 8)):
            identity = PullRequestIdentity(
                repository_id=9, number=number, installation_id=1, owner_id=owner_id, owner="cann", name="ops"
            )
            pull_id, _ = post(session, InlineEngine(), identity)
            if number == 1:
                verdicts.add(session, pull_id, "a" * 40, red, at=NOON)
    engine.dispose()
    found = json.loads(adopt("cann/ops", "--format", "json", COUNTERSIGN_ACCOUNTS="cann").output)
    text = adopt("Cann/ops", COUNTERSIGN_ACCOUNTS="cann").output

    assert found["open_pull_requests"] == {"known": 2, "red": 1, "passing": 0, "before_since": 0, "replayable": 0}
    assert text.splitlines()[-7:-4] == ["=== Open pull requests that the server knows ===", "Open: 2", "Red: 1"]
    assert text.endswith(f"What happens to them: {URL}/admin/first-day\n")
    assert json.loads(adopt("other/ops", "--format", "json").output)["open_pull_requests"] is None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "give OWNER/REPO or --organization ORG"),
        (("a/b", "--organization", "a"), "give OWNER/REPO or --organization ORG"),
        (("--organization", "a", "--own", "x"), "--own is a repository's file"),
        (("--organization", "a/b"), "'a/b' is not the login of an account"),
        (("ops",), "'ops' is not owner/repository"),
        (("a/b)](javascript:alert(1)",), "is not owner/repository"),
        (("a/<b>",), "is not owner/repository"),
        (("仓/库",), "is not owner/repository"),
        (("--organization", "a b"), "is not owner/repository"),
        (("a/b", "--url", "https://x.example/)](y"), "--url: Enter a scheme and a host only"),
        (("a/b", "--url", "http://localhost:8080"), "--url: GitHub cannot reach localhost"),
    ],
)
def test_wrong_input_is_one_clear_line_and_exit_code_2(adopt, arguments, said):
    ran = adopt(*arguments)
    assert (ran.exit_code, said in ran.output) == (2, True), ran.output


def test_without_a_public_address_the_command_says_what_to_set(adopt):
    ran = adopt("a/b", COUNTERSIGN_URL="")
    assert (ran.exit_code, ran.output) == (
        2, "countersign: COUNTERSIGN_URL is not set: set it to the public address of the server, or give --url\n",
    )  # fmt: skip


def test_mistakes_in_the_rulebook_are_named_with_exit_code_1(adopt, tmp_path):
    broken = tmp_path / "broken.yml"
    broken.write_text("version: 1\nx: 1\n", encoding="utf-8")
    ran = adopt("a/b", rulebook=broken)
    assert ran.exit_code == 1
    assert "line 2: " in ran.output
    assert "===" not in ran.output


def test_the_command_is_listed_with_its_help():
    assert "adopt" in COMMANDS
