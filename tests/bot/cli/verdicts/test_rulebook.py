"""`rulebook check` prints every mistake with its line."""

import json
from datetime import UTC, datetime
from hashlib import sha256

import pytest

import migrations
from agreements.catalog import AgreementText
from agreements.store.people import texts
from bot import db, shipped_files
from bot.cli.verdicts.rulebook import command
from tests.bot.records.test_party_derivation import BOOKS, CANN, Before
from tests.terminal import TerminalRunner


def run(*arguments, **environ):
    """Run `rulebook check`."""
    return TerminalRunner(env=environ).invoke(command, ["check", *map(str, arguments)])


def test_the_shipped_rulebook_has_no_mistake_and_advice_about_its_templates():
    ran = run(shipped_files.path("cann") / "countersign.yml", "--format", "json")
    found = json.loads(ran.output)["problems"]
    assert (ran.exit_code, json.loads(ran.output)["ok"]) == (0, True)
    assert [(problem["severity"], problem["message"].split(": ")[0]) for problem in found] == [
        ("advice", "agreements.individual"),
        ("advice", "agreements.corporate"),
    ]
    assert all("is a template for counsel to review" in problem["message"] for problem in found)


OWN_TEXTS = "agreements: {individual: {text: own, version: '1.0'}, corporate: {text: own, version: '1.0'}}\n"


def reviewed(folder):
    """Put a text that counsel has reviewed beside a rulebook in that folder."""
    (folder / "texts/own/1.0").mkdir(parents=True)
    (folder / "texts/own/1.0/en.md").write_text("# Ours\n", encoding="utf-8")
    (folder / "texts/SHA256SUMS").write_text(f"{sha256(b'# Ours' + bytes([10])).hexdigest()}  own/1.0/en.md\n")


def test_an_agreement_that_is_a_template_is_advice_where_a_cla_is_required(tmp_path):
    file = tmp_path / "countersign.yml"
    for require in ("cla", "both", "either"):
        file.write_text(
            "version: 1\norganization: O\nagreements:\n  individual: {text: icla, version: '2.0'}\n"
            f"repositories: [{{match: ['*'], require: {require}}}]\n",
            encoding="utf-8",
        )
        ran = run(file)
        assert ran.exit_code == 0
        assert ran.output.splitlines()[0] == "ok"
        assert ran.output.splitlines()[1:3] == [
            f"advice: line {line}: agreements.{role}: {name} 2.0 (en, zh) says that it is a template for counsel to review: "
            "release your own version before anyone signs it"
            for line, role, name in ((4, "individual", "icla"), (3, "corporate", "ccla"))
        ]
    file.write_text("version: 1\norganization: O\nrepositories: [{match: ['*'], require: cla}]\n", encoding="utf-8")
    ran = run(file)
    assert (ran.exit_code, ran.output.splitlines()[1].partition(": icla ")[0]) == (0, "advice: agreements.individual")
    reviewed(tmp_path)
    file.write_text(
        f"version: 1\norganization: O\n{OWN_TEXTS}repositories: [{{match: ['*'], require: cla}}]\n", encoding="utf-8"
    )
    assert run(file).output.partition("\n")[0] == "ok"


def test_a_missing_organization_is_advice_where_a_cla_is_required(tmp_path):
    file = tmp_path / "countersign.yml"
    reviewed(tmp_path)
    file.write_text(f"version: 1\n{OWN_TEXTS}repositories: [{{match: ['*'], require: cla}}]\n", encoding="utf-8")
    ran = run(file)

    assert ran.exit_code == 0
    assert ran.output.splitlines()[1] == (
        "advice: organization: is missing, but a CLA is required: whoever signs reads “the project” in its place"
    )


@pytest.mark.parametrize(
    ("dco", "risk"),
    [
        ("names: free", "dco.names: a sign-off counts under any name if"),
        ("exempt: [{id: 12}]", "dco.exempt: the accounts' own commits need no sign-off where they"),
        ("portal: true", "dco.portal: a sign-off in the portal stands in this server"),
        ("reverts: exempt", "dco.reverts: clean reverts of commits that a protected branch holds need no sign-off"),
    ],
)
def test_what_loosens_sign_offs_is_allowed_with_advice_about_the_risk(tmp_path, dco, risk):
    file = tmp_path / "countersign.yml"
    file.write_text(f"version: 1\ndco: {{{dco}}}\n", encoding="utf-8")
    ran = run(file)

    assert (ran.exit_code, ran.output.startswith(f"ok\nadvice: line 2: {risk}")) == (0, True)


def test_small_changes_pass_with_advice_about_the_risk(tmp_path):
    file = tmp_path / "countersign.yml"
    rule = '{match: ["*"], require: cla, small: {lines: 15, paths: ["*.md"]}}'
    file.write_text(f"version: 1\norganization: X\nrepositories: [{rule}]\n", encoding="utf-8")
    ran = run(file)
    (advice,) = [line for line in ran.output.splitlines() if "repositories.0.small" in line]
    assert advice.startswith(
        "advice: line 3: repositories.0.small: a pull request of 15 lines or fewer in *.md needs no agreement, up to 100"
    )


def test_merged_commits_are_exempt_with_advice_about_the_risk(tmp_path):
    file = tmp_path / "countersign.yml"
    file.write_text("version: 1\ndco: {merged: exempt}\n", encoding="utf-8")
    ran = run(file)

    assert (ran.exit_code, ran.output.splitlines()[0]) == (0, "ok")
    assert ran.output.splitlines()[1].startswith("advice: line 2: dco.merged: commits that a protected branch holds")


def test_bots_to_exempt_are_proposed_where_a_cla_is_required(tmp_path, monkeypatch):
    file = tmp_path / "countersign.yml"
    book = f'version: 1\norganization: O\n{OWN_TEXTS}repositories:\n  - {{match: ["*"], require: cla}}\n'
    reviewed(tmp_path)
    file.write_text(book, encoding="utf-8")
    ran = run(file)
    fine, *proposal = ran.output.splitlines()
    assert (ran.exit_code, fine) == (0, "ok")
    assert '    - {id: 49699333, login: "dependabot[bot]"}' in proposal
    shown = json.loads(run(file, "--format", "json").output)
    assert shown["proposals"]["people.exempt"][0] == {"id": 49699333, "login": "dependabot[bot]"}

    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("GITHUB_SERVER_URL", "https://ghe.corp.example")
        assert run(file).output == "ok\n"

    pasted = "\n".join(proposal[proposal.index("people:") :])
    file.write_text(f"{book}{pasted}\n", encoding="utf-8")
    assert (run(file).exit_code, run(file).output) == (0, "ok\n")
    file.write_text("version: 1\n", encoding="utf-8")
    assert run(file).output == "ok\n"


def test_the_json_format_gives_mistakes_and_warnings_with_their_lines(tmp_path):
    file = tmp_path / "countersign.yml"
    for text, code, expected in [
        ("version: 1\n", 0, []),
        ("version: 1\nx: 1\n", 1, [("error", 2)]),
        ('version: 1\nrepositories: [{match: ["*"]},\n  {match: [ge]}]\n', 1, [("warning", 2), ("warning", 3)]),
    ]:
        file.write_text(text, encoding="utf-8")
        ran = run(file, "--format", "json")
        shown = json.loads(ran.output)
        assert (ran.exit_code, shown["ok"], shown["kind"]) == (code, not expected, "rulebook")
        assert [(problem["severity"], problem["line"]) for problem in shown["problems"]] == expected
        assert all(problem["message"] and not problem["message"].startswith("line") for problem in shown["problems"])


def test_a_label_of_more_than_50_characters_is_a_mistake(tmp_path):
    """GitHub takes 50 characters, not bytes."""
    file = tmp_path / "countersign.yml"
    for label, code, said in [
        ("签" * 50, 0, "ok\n"),
        ("签" * 51, 1, "line 2: labels.signed: has 51 characters, a label at GitHub has 50 at most\n"),
    ]:
        file.write_text(f"version: 1\nlabels: {{signed: {label}}}\n", encoding="utf-8")
        ran = run(file)
        assert (ran.exit_code, ran.output) == (code, said)


def test_every_mistake_is_named_with_its_line(tmp_path):
    file = tmp_path / "countersign.yml"
    file.write_text("version: 1\npeople:\n  exmpt: []\nlicenses: {fail_on: [never]}\n", encoding="utf-8")
    ran = run(file)
    assert ran.exit_code == 1
    assert ran.output.splitlines() == [
        "line 3: people.exmpt: unknown key, did you mean exempt?",
        "line 4: licenses.fail_on.0: must be one of obligations, conditional, review, unknown-license, incompatible",
    ]


def test_a_dco_file_is_checked_as_one_by_its_name_or_keys(tmp_path):
    file = tmp_path / "dco.yml"
    for text, code, said in [
        ("require: {members: false}\nallowRemediationCommits: {individual: true}\n", 0, "ok, as a .github/dco.yml"),
        ("require:\n  members: nobody\n", 1, "line 2: require.members: must be true or false"),
        ("require: {members: false}\nversion: 1\n", 1, "line 1: require: unknown key, known here: "),
        ("{}\n", 0, "ok, as a .github/dco.yml"),
        (
            "require: {members: false}\nallowOverideAction: false\n",
            1,
            "warning: line 2: allowOverideAction: unknown key and ignored, did you mean allowOverrideAction?",
        ),
    ]:
        file.write_text(text, encoding="utf-8")
        ran = run(file)
        assert (ran.exit_code, ran.output[: len(said)]) == (code, said)


def test_a_valid_rulebook_that_means_something_else_gets_warnings(tmp_path):
    file = tmp_path / "countersign.yml"
    file.write_text(
        'version: 1\norganization: O\nrepositories:\n  - {match: ["*"], require: dco}\n  - {match: [ge], require: cla}\n',
        "utf-8",
    )
    ran = run(file)
    assert ran.exit_code == 1
    warned = [line for line in ran.output.partition("\n\n")[0].splitlines() if "template for counsel" not in line]
    assert [line[:15] for line in warned] == ["warning: line 4", "warning: line 5"]


NEWER = "version: 1\nagreements: {individual: {text: icla, version: '2.1'}}\n"


def release(url):
    """Release icla 2.1 in that database, which is made if it is not there."""
    with db.opened(url) as engine:
        migrations.upgrade(engine)
        with db.sessions(engine)() as session:
            text = AgreementText("icla", "2.1", "en", "# Ours\n", sha256(b"# Ours\n").hexdigest())
            texts.release(session, [text], by=90, at=datetime(2026, 11, 21, tzinfo=UTC))


@pytest.mark.slow
def test_check_knows_a_released_text_with_the_servers_database(tmp_path):
    file, url = tmp_path / "countersign.yml", f"sqlite:///{tmp_path / 'x.db'}"
    file.write_text(NEWER, encoding="utf-8")
    environ = {"COUNTERSIGN_DATABASE_URL": url}
    line = "line 2: agreements.individual.version: icla 2.1 was not released; choose from 2.0"
    ran = run(file, **environ)
    assert (ran.exit_code, ran.output) == (
        1,
        f"{line} in this release; set COUNTERSIGN_DATABASE_URL to include texts that were released in the portal\n",
    )
    assert not (tmp_path / "x.db").exists()

    engine = db.open_engine(url)
    with engine.connect():
        ran = run(file, **environ)
    assert f"{line} in this release; the texts released in the portal could not be read: " in ran.output
    migrations.upgrade(engine)
    engine.dispose()
    assert run(file, **environ).output == f"{line}\n"
    release(url)
    ran = run(file, **environ)
    assert (ran.exit_code, ran.output) == (0, "ok\n")
    file.write_text(f"{NEWER}licenses: {{fail_on: [never]}}\n", encoding="utf-8")
    assert [said.partition(": ")[0] for said in run(file, **environ).output.splitlines()] == ["line 3"]


def test_an_unreadable_file_exits_with_2(tmp_path):
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    for file in (tmp_path / "missing", tmp_path, tmp_path / "binary"):
        ran = run(file)
        assert ran.exit_code == 2
        assert f"cannot read {file}" in ran.output


def test_schema_prints_the_shipped_file():
    ran = TerminalRunner().invoke(command, ["schema"])
    assert ran.output == shipped_files.path("rulebook.schema.json").read_text(encoding="utf-8")
    assert json.loads(ran.output)["title"] == "Countersign rulebook"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("accounts", "severity"),
    [((7,), "warning"), ((7, 8), "advice")],
)
def test_a_former_name_with_agreements_is_named_with_the_line_to_add(tmp_path, accounts, severity):
    before = Before(f"sqlite:///{tmp_path / 'r.db'}")
    before.books(dict.fromkeys(accounts, BOOKS[7]))
    before.sign(1, CANN)
    before.derive(accounts=())
    environ = {"COUNTERSIGN_DATABASE_URL": f"sqlite:///{tmp_path / 'r.db'}"}
    file = tmp_path / "countersign.yml"

    def checked(text):
        file.write_text(f"version: 1\n{text}", encoding="utf-8")
        return run(file, **environ)

    same, listed = (
        checked("organization: The CANN  Authors\n"),
        checked(f"organization: N\nagreements: {{parties: [{CANN}]}}\n"),
    )
    renamed, own = checked("organization: N\n"), checked("people: {members: required}\n")
    before.engine.dispose()

    assert [CANN in result.output for result in (same, listed, own)] == [False] * 3
    [line] = [line for line in renamed.output.splitlines() if CANN in line]
    assert line.startswith(f"{severity}: line 2: organization: 1 agreement was made with 'The CANN Authors'")
    assert line.endswith('add to agreements: parties: ["The CANN Authors"]')
    assert renamed.exit_code == (severity == "warning")


@pytest.mark.parametrize("name", ["github:8", " GitHub:8", "ｇｉｔｈｕｂ:8"])
def test_an_organization_cannot_be_named_like_an_account(tmp_path, name):
    """Its rulebook would claim what was agreed with that account."""
    file = tmp_path / "countersign.yml"
    file.write_text(f'version: 1\norganization: "{name}"\n', encoding="utf-8")
    ran = run(file)
    assert (ran.exit_code, "organization: must be a name" in ran.output) == (1, True)
