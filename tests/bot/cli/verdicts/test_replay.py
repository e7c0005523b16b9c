"""`replay` judges the open pull requests of a database again, and reports mistakes in one line."""

import json
from datetime import UTC, datetime

import pytest
from sqlalchemy import update

from agreements.facts import Account, Commit, Facts, Identity, Problem, PullRequest
from agreements.vault import KeyRing, Vault
from bot.cli.verdicts.replay import command, line, plain, summary
from bot.github.ports import RuleFile, RuleFiles
from bot.rulebook import effective
from bot.rulebook.effective import RulebookProblem
from bot.rulebook.facts_replay import ReplayOutcome, ReplayProblem
from bot.rulebook.recorded_facts import TOO_LARGE, pack
from bot.store.pulls import posts, stored_facts, verdicts
from bot.store.pulls.posts import PullRequestIdentity
from bot.store.pulls.stored_facts import StoredFacts
from bot.store.records import PullRecord
from tests.bot.jobs.inline import InlineEngine
from tests.terminal import TerminalRunner

pytestmark = (
    pytest.mark.sqlite_alone
)  # tests/bot/flows/test_replayed.py runs the command on both kinds, the store's tests its queries

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
DCO = 'version: 1\nrepositories: [{match: ["*"], require: dco}]\n'
CLA = DCO.replace("dco", "cla")
FILES = RuleFiles(RuleFile("o.yml", DCO), RuleFile("r.yml", None), RuleFile("d.yml", None))
RING = KeyRing.generate("k1")
EXEMPT = CLA + "people: {exempt: [{id: 11}]}\n"


@pytest.fixture(name="open_pull")
def _open_pull(sessions):
    """Makes open pull requests by a person, judged and stored."""
    vault = Vault(KeyRing.parse(RING))

    def make(name, number, who, *, owner="cann", owner_id=7, signed_off=True, packed=None):
        box = PullRequestIdentity(
            repository_id=len(name) + owner_id,
            number=number,
            installation_id=1,
            owner_id=owner_id,
            owner=owner,
            name=name,
        )
        with sessions() as session:
            pull_id, _ = posts.post(session, InlineEngine(), box)
            session.execute(update(PullRecord).where(PullRecord.id == pull_id).values(head_sha="a" * 40))
            if packed is None:
                packed = pack(facts(f"{owner}/{name}", number, who, signed_off=signed_off), FILES)
            stored_facts.keep(session, pull_id, "a" * 40, stored_facts.encrypt(vault, pull_id, packed), at=NOON)
        return pull_id

    return make


def facts(full_name, number, who, *, signed_off):
    """One commit of theirs."""
    identity = Identity(who.login.title(), f"{who.login}@huawei.com")
    trailer = f"\n\nSigned-off-by: {identity.name} <{identity.email}>" if signed_off else ""
    commit = Commit(
        sha="a" * 40,
        message="Fix" + trailer,
        author=identity,
        committer=identity,
        author_account=who,
        committer_account=who,
    )
    return Facts(
        rules=effective.parse_rulebook(DCO).rules,
        repository=full_name,
        pull_request=PullRequest(number=number, opener=who, head_sha="a" * 40),
        commit_count=1,
        commits=(commit,),
        now=NOON,
    )


ADA, BO = Account(11, "ada"), Account(12, "bo")


@pytest.fixture(name="run")
def _run(database_url, tmp_path):
    """The command with a changed rulebook, on that database."""

    def run(text, *arguments, keys=RING, name="--rulebook"):
        file = tmp_path / "new.yml"
        file.write_text(text)
        environ = {"COUNTERSIGN_DATABASE_URL": database_url, "COUNTERSIGN_KEYS": keys}
        return TerminalRunner(env=environ).invoke(command, [name, str(file), *arguments])

    return run


def test_each_change_is_one_line_in_order_and_the_rest_is_counted(run, open_pull):
    open_pull("ops", 7, BO)
    open_pull("ops", 10, ADA)
    open_pull("ge", 9, BO, signed_off=False)
    result = run(EXEMPT)

    assert result.stdout.splitlines() == [
        "cann/ge#9  failure  + CLA cla/unsigned bo  - DCO dco/missing aaaaaaa",
        "cann/ops#7  success → failure  + CLA cla/unsigned bo",
        "2 of 3 pull requests would change",
    ]
    assert (result.exit_code, result.stderr) == (1, "")


def test_each_change_is_one_json_object_without_addresses(run, open_pull):
    open_pull("ops", 7, BO)
    open_pull("ops", 8, ADA)
    [line] = run(EXEMPT, "--format", "json").stdout.splitlines()
    found = json.loads(line)
    assert (found["pull_request"], found["before"], found["after"], found["gone"]) == (
        "cann/ops#7",
        "success",
        "failure",
        [],
    )
    assert [(problem["check"], problem["code"], problem["account"]["login"]) for problem in found["new"]] == [
        ("CLA", "cla/unsigned", "bo")
    ]
    assert "@" not in line


def test_without_a_change_the_exit_code_is_0(run, open_pull):
    result = run(CLA)  # Nothing was replayed, so nothing is known of what would change.
    assert (result.exit_code, result.stderr) == (2, "countersign: no open pull request is known in this database\n")
    open_pull("ops", 7, BO)
    result = run(DCO + "labels: {signed: fine}\n")
    assert (result.exit_code, result.stdout) == (0, "0 of 1 pull request would change\n")
    assert run(DCO, "--format", "json").stdout == ""


def test_a_pull_request_that_cannot_be_replayed_is_named_and_exits_with_1(run, open_pull, sessions):
    without = open_pull("ops", 1, BO)
    behind = open_pull("ops", 2, BO)
    open_pull("ops", 3, BO, packed=TOO_LARGE)
    closed = open_pull("ops", 4, BO)
    open_pull("ops", 5, BO)
    with sessions() as session:
        stored_facts.forget(session, without)
        session.execute(update(PullRecord).where(PullRecord.id == behind).values(head_sha="b" * 40))
        session.execute(update(PullRecord).where(PullRecord.id == closed).values(open=False))
    result = run(DCO)
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "cann/ops#1  cannot be replayed: no facts are stored; run countersign recheck to store them",
        "cann/ops#2  cannot be replayed: its newest commits have not been checked yet",
        "cann/ops#3  cannot be replayed: its facts were too large to be stored",
        "0 of 4 pull requests would change; 3 could not be replayed",
    ]
    changelog = run(DCO + "changelog: {require: true}\n").stdout.splitlines()
    assert "cann/ops#5  cannot be known from the stored facts: which files it touches" in changelog


@pytest.mark.parametrize("key_id", ["k1", "k2"])
def test_the_key_ring_of_another_database_is_one_line(run, open_pull, key_id):
    open_pull("ops", 7, BO)
    open_pull("ops", 8, BO)
    result = run(CLA, keys=KeyRing.generate(key_id))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "countersign: COUNTERSIGN_KEYS: this database is encrypted with other keys; set the key ring that belongs to it\n"
    )


def test_facts_that_do_not_open_are_named_and_the_others_replayed(run, open_pull, sessions):
    broken = open_pull("ops", 7, BO)
    open_pull("ops", 8, BO)
    with sessions() as session:
        session.execute(update(StoredFacts).where(StoredFacts.pull_id == broken).values(ring_key_id="k0"))
    assert run(CLA).stdout.splitlines() == [
        "cann/ops#7  cannot be replayed: the key that encrypted this is not in the key ring",
        "cann/ops#8  success → failure  + CLA cla/unsigned bo",
        "1 of 2 pull requests would change; 1 could not be replayed",
    ]


def test_pull_requests_without_facts_under_a_broken_rulebook_are_named(run, open_pull, sessions):
    problem = RulebookProblem("rulebook/invalid", {"errors": ("line 3: x",)})
    pull_ids = [open_pull("ops", 7, BO), open_pull("ops", 8, BO)]
    with sessions() as session:
        stored_facts.forget(session, pull_ids[0])
        session.execute(update(PullRecord).where(PullRecord.id == pull_ids[1]).values(head_sha="b" * 40))
        for pull_id, head in zip(pull_ids, ("a" * 40, "b" * 40), strict=True):
            verdicts.add(session, pull_id, head, problem.verdict(), at=NOON)
    why = "its rulebook has mistakes or cannot be read, so no facts were collected"
    assert run(CLA).stdout.splitlines()[:2] == [f"cann/ops#{number}  cannot be replayed: {why}" for number in (7, 8)]


def test_a_change_into_shadow_mode_is_counted(run, open_pull):
    open_pull("ops", 7, BO)
    result = run(DCO.replace("dco}", "dco, mode: shadow}"))
    assert result.stdout.splitlines() == [
        "cann/ops#7  success  mode enforce → shadow",
        "1 of 1 pull request would change",
    ]
    assert result.exit_code == 1


def test_a_verdict_that_is_certain_is_given_with_what_is_unknown(run, open_pull):
    open_pull("ops", 7, BO)
    result = run(CLA + "changelog: {require: true}\n")
    assert result.stdout.splitlines() == [
        "cann/ops#7  success → failure  + CLA cla/unsigned bo  ? which files it touches",
        "1 of 1 pull request would change; 1 is known in part",
    ]


def test_repositories_are_chosen_by_patterns_in_any_case(run, open_pull):
    for name in ("ops-math", "ops-nn", "ge"):
        open_pull(name, 7, BO)
    for patterns, names in [
        (["OPS-*"], ["ops-math", "ops-nn"]),
        (["cann/ge"], ["ge"]),
        (["ge", "*/ops-nn"], ["ge", "ops-nn"]),
        (["cann/*"], ["ge", "ops-math", "ops-nn"]),
    ]:
        lines = run(CLA, *(word for pattern in patterns for word in ("--repository", pattern))).stdout.splitlines()
        assert [line.partition("#")[0] for line in lines[:-1]] == [f"cann/{name}" for name in names]
        assert lines[-1].startswith(f"{len(names)} of {len(names)} pull request")


def test_several_organizations_require_a_choice(run, open_pull):
    open_pull("ops", 7, BO)
    open_pull("ops", 7, BO, owner="Ascend", owner_id=8)
    result = run(CLA)
    assert result.exit_code == 2
    assert (
        result.stderr
        == "countersign: several organisations are known (Ascend, cann): choose one, such as --repository 'Ascend/*'\n"
    )
    assert run(CLA, "--repository", "Ascend/*").stdout.startswith("Ascend/ops#7  success → failure")


def test_a_repositorys_own_file_is_replayed_for_one_repository_alone(run, open_pull):
    open_pull("ops", 7, BO)
    open_pull("ge", 7, BO)
    result = run(CLA, "--repository", "ops", name="--own")
    assert result.stdout.splitlines()[0] == "cann/ops#7  success → failure  + CLA cla/unsigned bo"
    several = run(CLA, "--repository", "*", name="--own")
    assert several.exit_code == 2
    assert several.stderr.endswith("--own is the file of one repository, but --repository matches cann/ge, cann/ops\n")


@pytest.mark.parametrize("keys", ["", "k1:short"])
def test_missing_or_wrong_keys_are_one_line(run, keys):
    result = run(CLA, keys=keys)
    assert result.exit_code == 2
    assert result.stderr.startswith("countersign: COUNTERSIGN_KEYS")
    assert result.stderr.count("\n") == 1


def test_a_broken_rulebook_is_explained_line_by_line(run, open_pull):
    open_pull("ops", 7, BO)
    result = run("version: 1\npeeple: {}\n")
    assert (result.exit_code, result.stdout) == (2, "")
    lines = result.stderr.splitlines()
    assert [line.partition("new.yml, ")[2] for line in lines] == ["line 2: peeple: unknown key, did you mean people?"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "give the changed file: --rulebook FILE, --own FILE, or both"),
        (["--own", "x.yml"], "--own needs --repository, to say which repository the file belongs to"),
        (["--rulebook", "/nowhere/x.yml"], "countersign: cannot read /nowhere/x.yml: No such file or directory"),
        (["--rulebook", "/"], "countersign: cannot read /: Is a directory"),
        (["--rulebook", "/bin/sh"], "countersign: cannot read /bin/sh: not UTF-8 text"),
    ],
)
def test_wrong_arguments_are_refused_before_the_database_is_opened(arguments, said):
    result = TerminalRunner(env={"COUNTERSIGN_KEYS": RING}).invoke(command, arguments)
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1].endswith(said)


def test_an_unknown_repository_is_refused(run, open_pull):
    open_pull("ops", 7, BO)
    result = run(CLA, "--repository", "opps")
    assert result.exit_code == 2
    assert (
        result.stderr == "countersign: no open pull request of opps is known; use the name that GitHub reported last\n"
    )


def test_a_missing_database_is_refused(tmp_path):
    (tmp_path / "new.yml").write_text(CLA)
    environ = {"COUNTERSIGN_DATABASE_URL": f"sqlite:///{tmp_path / 'typo.db'}", "COUNTERSIGN_KEYS": RING}
    result = TerminalRunner(env=environ).invoke(command, ["--rulebook", str(tmp_path / "new.yml")])
    assert result.exit_code == 2
    assert "there is no database at" in result.stderr


SHAS = [letter * 40 for letter in "abcdefg"]


def finding(code, check="CLA", **about):
    """A problem of that check."""
    return ReplayProblem(check, Problem(code=code, **about))


BO_UNSIGNED = finding(
    "cla/unsigned", account=Account(12, "bo"), role="coauthor", values={"agreement": "icla", "also": ("company",)}
)


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (ReplayOutcome("success", "failure", (BO_UNSIGNED,)), "success → failure  + CLA cla/unsigned bo"),
        (ReplayOutcome("failure", "success", (), (BO_UNSIGNED,)), "failure → success  - CLA cla/unsigned bo"),
        (ReplayOutcome("failure", "failure", (BO_UNSIGNED,), (finding("dco/missing", "DCO", sha=SHAS[0]),)),
         "failure  + CLA cla/unsigned bo  - DCO dco/missing aaaaaaa"),
        (ReplayOutcome("success", "failure", tuple(finding("dco/missing", "DCO", sha=sha) for sha in SHAS)),
         "success → failure  + DCO dco/missing aaaaaaa, bbbbbbb, ccccccc, ddddddd, eeeeeee and 2 more"),
        (ReplayOutcome("success", "failure", (BO_UNSIGNED, finding("cla/unsigned", account=Account(13)))),
         "success → failure  + CLA cla/unsigned bo, account 13"),
        (ReplayOutcome("success", "failure", (finding("changelog/missing", "Changelog", values={"path": "CHANGELOG.md"}),)),
         "success → failure  + Changelog changelog/missing"),
        (ReplayOutcome("success", "action_required", (finding("rulebook/invalid", "Rulebook", values={"errors": ("line 3: wrong", "more")}),)),
         "success → action_required  + Rulebook rulebook/invalid (line 3: wrong)"),
        (ReplayOutcome("neutral", "success"), "neutral → success"),
        (ReplayOutcome("failure", "failure", (), (BO_UNSIGNED,), ("shadow", "enforce"), "which files it touches"),
         "failure  mode shadow → enforce  - CLA cla/unsigned bo  ? which files it touches"),
        ("cannot be replayed: no facts", "cannot be replayed: no facts"),
    ],
)  # fmt: skip
def test_a_line_says_the_change_and_then_each_code_once(outcome, said):
    assert line("cann/ops#7", outcome) == f"cann/ops#7  {said}"


def test_control_characters_and_addresses_are_not_printed():
    odd = (
        finding("cla/unsigned", account=Account(5, "eve\x1b[2J ada@huawei.com")),
        finding("rulebook/invalid", "Rulebook", values={"errors": ("line 3: bo@huawei.com\x1b[1m",)}),
    )
    for shown in (
        line("a/b#1", ReplayOutcome("success", "failure", odd)),
        str(plain("a/b#1", ReplayOutcome("x", "y", odd[:1]))),
    ):
        assert "\x1b" not in shown
        assert "ada@" not in shown
        assert "bo@" not in shown


def test_the_data_has_the_keys_of_evaluates_problems():
    assert plain("cann/ops#7", ReplayOutcome("success", "failure", (BO_UNSIGNED,))) == {
        "pull_request": "cann/ops#7",
        "before": "success",
        "after": "failure",
        "new": [
            {
                "check": "CLA", "code": "cla/unsigned", "sha": None, "account": {"id": 12, "login": "bo"},
                "role": "coauthor", "values": {"agreement": "icla", "also": ["company"]},
            }
        ],
        "gone": [],
    }  # fmt: skip
    more = plain("cann/ops#7", ReplayOutcome("success", "success", (), (), ("enforce", "shadow"), "which files"))
    assert (more["mode"], more["unknown"]) == (["enforce", "shadow"], "which files")
    assert plain("cann/ops#7", "no") == {"pull_request": "cann/ops#7", "error": "no"}


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([], "0 of 0 pull requests would change"),
        ([ReplayOutcome("success", "success")], "0 of 1 pull request would change"),
        (
            [ReplayOutcome("success", "failure"), "no", "no"],
            "1 of 3 pull requests would change; 2 could not be replayed",
        ),
        (
            [ReplayOutcome("failure", "failure", unknown="x")] * 2,
            "0 of 2 pull requests would change; 2 are known in part",
        ),
    ],
)
def test_the_summary_counts_changes_and_unknown_ones(found, said):
    assert summary(found) == said
