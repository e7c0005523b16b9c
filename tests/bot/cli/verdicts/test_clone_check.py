"""`check` judges a clone by the rules of its base; the DCO decides, and doubt never passes."""

import json
import subprocess

import pytest

from bot.cli.verdicts.check import command
from tests.clones import BO, Desk
from tests.terminal import TerminalRunner

UNSIGNED = ("failure", 1)
CLA = "version: 1\nrepositories: [{match: ['*'], require: cla}]\n"
BOT = "49699333+dependabot[bot]@users.noreply.github.com"


def run(*arguments):
    return TerminalRunner().invoke(command, [str(argument) for argument in arguments], catch_exceptions=False)


def verdict(*arguments):
    """Conclusion and exit code, from the JSON form."""
    result = run(*arguments, "--format", "json")
    return json.loads(result.stdout)["conclusion"], result.exit_code


def based(project, desk, **files):
    """Files of the project's main branch, which the desk has fetched and its branch begins at."""
    for name, text in files.items():
        project.write({"rulebook": ".github/countersign.yml", "dco": ".github/dco.yml"}.get(name, f".{name}"), text)
    project.signed("Rules", by=BO)
    project.git("push", "--quiet", "origin", "main")
    desk.git("fetch", "--quiet", "origin")
    desk.git("reset", "--quiet", "--hard", "origin/main")


def test_without_a_rulebook_the_dco_is_required(desk):
    desk.signed()
    assert run(desk.folder).output.startswith("origin/main..fix, 1 commit\nsuccess: DCO success\n")
    sha = desk.commit()
    result = run(desk.folder)
    assert result.exit_code == 1
    assert result.stdout.startswith("origin/main..fix, 2 commits\nfailure: DCO failure\n")
    assert f'dco/missing {sha[:12]} "Change" - ' in result.stdout
    assert "      git commit --amend --signoff --no-edit\n" in result.stdout
    assert "ada@huawei.com" not in result.stdout


def test_the_given_path_wins_over_git_dir(desk, project, monkeypatch):
    """Git sets GIT_DIR for hooks."""
    desk.commit()
    monkeypatch.setenv("GIT_DIR", str(project.folder / ".git"))
    assert verdict(desk.folder, "--range", "main..HEAD") == UNSIGNED
    monkeypatch.chdir(desk.folder)
    assert "The range main..main has no commits" in run("--range", "main..HEAD").output


def test_the_json_output_is_the_verdict_of_evaluate(desk):
    desk.signed()
    sha = desk.commit()
    found = json.loads(run(desk.folder, "--format", "json").stdout)
    assert list(found) == ["conclusion", "checks"]
    (check,) = found["checks"]
    assert list(check) == ["name", "conclusion", "commits", "problems", "notes"]
    assert [commit["status"] for commit in check["commits"]] == ["pass", "fail"]
    assert check["problems"][0]["code"] == "dco/missing"
    assert check["problems"][0]["sha"] == sha


def test_only_the_commits_of_the_range_are_judged(desk):
    desk.commit()
    desk.signed()
    assert verdict(desk.folder) == UNSIGNED
    assert verdict(desk.folder, "--range", "HEAD~1..HEAD") == ("success", 0)
    assert verdict(desk.folder, "--range", "HEAD~2..HEAD~1") == UNSIGNED


def test_an_empty_range_does_not_pass(desk):
    result = run(desk.folder, "--range", "origin/main..fix")
    assert result.exit_code == 1
    assert "The range origin/main..fix has no commits" in result.stdout
    rulebook = desk.folder.parent / "cla.yml"
    rulebook.write_text(CLA)
    assert verdict(desk.folder, "--range", "origin/main..fix", "--rulebook", rulebook) == ("action_required", 1)


def test_without_a_range_a_branch_without_commits_of_its_own_is_wrong_input(desk):
    desk.git("switch", "--quiet", "main")
    result = run(desk.folder)
    said = "nothing to check: main has no commits that origin/main lacks; switch to your branch, or give --range BASE..HEAD"
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"countersign: {desk.folder}: {said}\n")


def test_the_rulebook_of_the_base_counts_and_not_the_branchs(project, desk):
    based(project, desk, rulebook="version: 1\n")
    desk.write(".github/countersign.yml", "version: 1\nrepositories: [{match: ['*'], require: none}]\n")
    desk.commit("Loosen")
    assert verdict(desk.folder) == UNSIGNED
    based(project, desk, rulebook="version: 1\nrepositories: [{match: ['*'], require: none}]\n")
    desk.commit("Anything")
    assert verdict(desk.folder) == ("neutral", 0)


def test_the_dco_file_of_the_base_counts_without_a_rulebook(project, desk):
    first = "version: 1\n"
    based(project, desk, dco="allowRemediationCommits: {individual: true}\n")
    sha = desk.commit()
    line = f"I, Ada <ada@huawei.com>, hereby add my Signed-off-by to this commit: {sha}"
    desk.signed(f"Remedy\n\n{line}")
    assert verdict(desk.folder) == ("success", 0)
    based(project, desk, rulebook=first)
    sha = desk.commit()
    desk.signed(f"Remedy\n\n{line.replace(line[-40:], sha)}")
    assert verdict(desk.folder) == UNSIGNED


def test_the_mailmap_of_the_base_counts_and_not_the_branchs(project, desk):
    mailmap = "Ada <ada@huawei.com> <ada@old.org>\n"
    desk.commit("Add\n\nSigned-off-by: Ada <ada@old.org>\n", **{".mailmap": mailmap})
    assert verdict(desk.folder) == UNSIGNED
    based(project, desk, mailmap=mailmap)
    desk.commit("Add\n\nSigned-off-by: Ada <ada@old.org>\n")
    assert verdict(desk.folder) == ("success", 0)


@pytest.mark.parametrize("broken", ["version: 1\npeople: {exmpt: []}\n", "[", "\0", "x" * 200_000])
def test_a_broken_rulebook_in_the_base_needs_action(project, desk, broken):
    based(project, desk, rulebook=broken)
    desk.signed()
    result = run(desk.folder, "--format", "json")
    found = json.loads(result.stdout)
    assert (result.exit_code, found["conclusion"]) == (1, "action_required")
    assert found["checks"][0]["name"] == "Rulebook"
    assert found["checks"][0]["problems"][0]["code"] == "rulebook/invalid"
    for form in ("text", "github"):
        assert "rulebook/invalid" in run(desk.folder, "--format", form).stdout


@pytest.mark.slow
def test_a_given_rulebook_is_the_organizations_and_the_base_may_be_stricter(project, desk, home):
    loose, strict = home / "loose.yml", home / "strict.yml"
    loose.write_text("version: 1\nrepositories: [{match: [project], require: none}]\n")
    strict.write_text("version: 1\n")
    desk.commit()
    assert verdict(desk.folder, "--rulebook", loose) == ("neutral", 0)
    assert verdict(desk.folder, "--rulebook", loose, "--repository", "cann/other") == UNSIGNED
    based(project, desk, rulebook="version: 1\nrepositories: [{match: ['*'], require: dco}]\n")
    desk.commit()
    assert verdict(desk.folder, "--rulebook", loose) == UNSIGNED
    based(project, desk, rulebook=loose.read_text())
    desk.signed()
    result = run(desk.folder, "--rulebook", strict)
    assert result.exit_code == 1
    assert "none is looser than the organisation's dco" in result.stdout


def test_in_the_rules_repository_its_file_counts_once(project, desk):
    based(project, desk, rulebook="version: 1\norganization: CANN\nrepositories: [{match: [.github], require: none}]\n")
    desk.commit()
    assert verdict(desk.folder, "--repository", "cann/.github") == ("neutral", 0)


@pytest.mark.parametrize(
    ("require", "signed", "code", "checks"),
    [
        ("cla", False, 0, {"CLA": "action_required"}),
        ("both", True, 0, {"CLA": "action_required", "DCO": "success"}),
        ("both", False, 1, {"CLA": "action_required", "DCO": "failure"}),
        ("either", True, 0, {"CLA": "neutral", "DCO": "success"}),
        ("either", False, 1, {"CLA": "action_required", "DCO": "failure"}),
        ("none", False, 0, {}),
    ],
)
def test_the_dco_decides_the_exit_code_and_a_cla_is_advice(project, desk, require, signed, code, checks):
    based(project, desk, rulebook=f"version: 1\nrepositories: [{{match: ['*'], require: {require}}}]\n")
    desk.signed() if signed else desk.commit()
    result = run(desk.folder, "--format", "json")
    assert {check["name"]: check["conclusion"] for check in json.loads(result.stdout)["checks"]} == checks
    assert result.exit_code == code
    text = run(desk.folder).stdout
    assert ("Advice only, because this is a clone: CLA. It does not change the exit code." in text) == (
        "action_required" in checks.values()
    )


def test_a_cla_never_passes_in_a_clone(project, desk):
    based(project, desk, rulebook=CLA + "people: {check: [coauthors], agents: {emails: [bot@x.org]}}\n")
    desk.commit("Add\n\nCo-authored-by: Agent <bot@x.org>\n")
    assert verdict(desk.folder) == ("action_required", 0)


def test_the_whitelist_names_probably_covered_people_and_changes_no_verdict(project, desk, home):
    listing = {"individuals": [{"login": "ada", "id": 11}], "corporate_domains": ["huawei.com"], "last_updated": "x"}
    (home / "whitelist.json").write_text(json.dumps(listing))
    based(project, desk, rulebook=CLA)
    desk.commit()
    desk.commit(by=("Eve", "11+eve@users.noreply.github.com"))
    desk.commit(by=("Fay", "12+fay@users.noreply.github.com"))
    desk.commit(by=("Gus", "gus@huawei.com.evil.org"))
    result = run(desk.folder, "--whitelist", home / "whitelist.json")
    assert result.exit_code == 0
    assert "so probably covered: Ada <a…a@huawei.com>, Eve <1…e@users.noreply.github.com>. Not on the whitelist: Fay <1…y@users.noreply.github.com>, Gus <g…s@huawei.com.evil.org>." in result.stdout  # fmt: skip
    assert verdict(desk.folder, "--whitelist", home / "whitelist.json") == ("action_required", 0)


def test_the_changelog_is_advice_because_labels_are_not_known(project, desk):
    based(project, desk, rulebook="version: 1\nchangelog: {require: true, path: NEWS}\n")
    desk.signed()
    assert verdict(desk.folder) == ("failure", 0)
    assert "Advice only, because this is a clone: Changelog." in run(desk.folder).stdout
    desk.signed(NEWS="line\n")
    assert verdict(desk.folder) == ("success", 0)


@pytest.mark.slow
def test_a_bots_own_commits_pass_only_with_its_account_as_opener(desk):
    desk.commit(by=("dependabot[bot]", BOT))
    assert verdict(desk.folder) == UNSIGNED
    assert "--opener ID:LOGIN" in run(desk.folder).stdout
    assert "--opener" not in run(desk.folder, "--opener", "11:ada").stdout
    assert verdict(desk.folder, "--opener", "49699333:dependabot[bot]") == ("success", 0)
    assert verdict(desk.folder, "--opener", "49699333:dependabot") == UNSIGNED
    assert verdict(desk.folder, "--opener", "11:ada") == UNSIGNED
    assert verdict(desk.folder, "--opener", "49699333:dependabot:Bot") == ("success", 0)
    assert verdict(desk.folder, "--opener", "11:ada:User", "--sender", "49699333:dependabot[bot]:Bot") == ("success", 0)


AGENT = ("Copilot", "198982749+Copilot@users.noreply.github.com")


@pytest.mark.parametrize("opener", ["198982749:Copilot", "198982749:Copilot:Bot", "198982749:renamed:User"])
def test_an_agents_commits_need_a_sign_off_and_a_person_who_opens_or_pushes(desk, opener):
    desk.commit(by=AGENT)
    assert verdict(desk.folder, "--opener", opener) == UNSIGNED
    assert "dco/agent-alone" in run(desk.folder, "--opener", opener, "--sender", opener).stdout
    desk.git("commit", "--quiet", "--amend", "--signoff", "--no-edit")
    assert verdict(desk.folder, "--opener", opener) == UNSIGNED  # the account that pushed it may have written that line
    assert verdict(desk.folder, "--opener", opener, "--sender", opener, "--sender", "11:ada:User") == ("success", 0)


@pytest.mark.slow
def test_a_merge_with_changes_of_its_own_needs_a_sign_off(project, desk):
    project.signed("Later", by=BO, later="x")
    project.git("push", "--quiet", "origin", "main")
    desk.signed("Mine", mine="y")
    desk.git("pull", "--quiet", "--no-rebase", "--no-edit", "origin", "main")
    assert verdict(desk.folder) == ("success", 0)
    desk.write("evil", "evil")
    desk.git("add", "evil")
    desk.git("commit", "--quiet", "--amend", "--no-edit")
    assert verdict(desk.folder) == UNSIGNED
    said = run(desk.folder).stdout
    assert "dco/merge-changes" in said
    assert "git commit --amend --signoff --no-edit" in said
    desk.git("commit", "--quiet", "--amend", "--no-edit", "--signoff")
    assert verdict(desk.folder) == ("success", 0)


@pytest.mark.parametrize("name", ["COUNTERSIGN_GITHUB_URL", "GITHUB_SERVER_URL"])
def test_no_reply_addresses_count_for_the_configured_server_alone(desk, monkeypatch, name):
    monkeypatch.delenv("GITHUB_SERVER_URL", raising=False)
    robot = "5+helper[bot]@users.noreply.ghe.corp.example"
    desk.commit(by=("helper[bot]", robot))
    assert verdict(desk.folder, "--opener", "5:helper[bot]") == UNSIGNED
    monkeypatch.setenv(name, "https://ghe.corp.example")
    assert verdict(desk.folder, "--opener", "5:helper[bot]") == ("success", 0)
    desk.commit(by=("dependabot[bot]", BOT))
    assert verdict(desk.folder, "--opener", "49699333:dependabot[bot]") == UNSIGNED


def test_a_wrong_server_address_exits_with_2_in_one_line(desk, monkeypatch):
    desk.commit()
    monkeypatch.setenv("COUNTERSIGN_GITHUB_URL", "ghe.corp.example")
    result = run(desk.folder)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "COUNTERSIGN_GITHUB_URL: must begin with http:// or https://" in result.stderr


def test_a_judged_branch_that_is_not_checked_out_is_named(desk):
    """The commands would change another branch."""
    desk.commit()
    desk.git("checkout", "--quiet", "-b", "elsewhere", "main")
    result = run(desk.folder, "--range", "main..fix")
    assert "Not checked out here: fix. Check it out before you run a command on it." in result.stdout
    desk.git("checkout", "--quiet", "fix")
    assert "Not checked out" not in run(desk.folder, "--range", "main..fix").stdout


def test_commits_of_other_people_are_not_signed_off_unasked(desk):
    desk.commit(by=BO)
    text = run(desk.folder).stdout
    assert "Ask their authors to sign them off" in text
    assert "You committed it for its author. If you can certify" in text
    desk.commit()
    text = run(desk.folder).stdout
    assert "Careful: some of these commits are by other people." in text
    desk.identify("Bo", "bo@other.org")
    desk.git("reset", "--quiet", "--hard", "HEAD~1")
    assert "ask their" not in run(desk.folder).stdout
    desk.identify("Eve", "eve@x.org")
    text = run(desk.folder).stdout
    assert "Ask their authors to sign them off" in text
    assert "```" not in text


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--range", "main"], "'main' is not a range; write BASE..HEAD"),
        (["--range", "nope..HEAD"], "'nope' is not a commit here"),
        (["--rulebook", "missing.yml"], "cannot read missing.yml: No such file or directory"),
        (["--whitelist", "missing.json"], "cannot read missing.json: No such file or directory"),
        (["--rulebook", "{broken}"], "line 2: people.exmpt: unknown key, did you mean exempt? (and 1 more: countersign rulebook check)"),
        (["--rulebook", "{latin}"], "not UTF-8 text"),
        (["--whitelist", "{broken}"], ": not a whitelist: it is not JSON"),
    ],
)  # fmt: skip
def test_wrong_input_exits_with_2_in_one_line(desk, home, options, said):
    desk.commit()
    (home / "broken").write_text("version: 1\npeople: {exmpt: []}\nlables: {}\n")
    (home / "latin").write_bytes(b"version: 1 # \xe9\n")
    places = {"broken": home / "broken", "latin": home / "latin"}
    result = run(desk.folder, *[option.format(**places) for option in options])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("countersign: ")
    assert said in result.stderr


def test_a_folder_without_a_repository_exits_with_2_in_one_line(home):
    result = run(home)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "not a git repository" in result.stderr
    result = run(home / "nowhere")
    assert (result.exit_code, result.stderr) == (2, f"countersign: cannot read {home / 'nowhere'}: no such folder\n")


def test_hundreds_of_unsigned_commits_share_one_block_of_commands(home):
    subprocess.run(["git", "init", "--quiet", home / "long"], check=True)
    desk = Desk(home / "long")
    commit = "commit refs/heads/main\ncommitter Ada <ada@huawei.com> {0} +0000\ndata 3\nxyz\n\n"
    desk.git("fast-import", "--quiet", feed="".join(commit.format(number) for number in range(300)))
    desk.git("branch", "base", "main~299")
    text = run(desk.folder, "--range", "base..main").stdout
    assert text.startswith("base..main, 299 commits\n")
    assert text.count("dco/missing") == 299
    assert text.count("git rebase --signoff base") == 1


def written(desk, author, signed, charset=b""):
    """The checked out commit is one of exactly these bytes."""
    tree, base = desk.git("rev-parse", "HEAD^{tree}"), desk.git("rev-parse", "origin/main")
    who = author + b" <ada@huawei.com> 1700000000 +0000\n"
    head = f"tree {tree}\nparent {base}\n".encode() + b"author " + who + b"committer " + who
    return desk.raw(head + charset + b"\nAdd\n\nSigned-off-by: " + signed + b" <ada@huawei.com>\n")


@pytest.mark.parametrize("matching", ["evidence", "exact"])
@pytest.mark.parametrize(("names", "charset", "good"), [
    ((b"Ren\xe9", b"Ren\xe9"), b"", True), ((b"Ren\xe9", b"Ren\xe8"), b"", False), ((b"Ren\xe9", b"Ren\xef\xbf\xbd"), b"", False), ((b"Ren\xe9", b"Ren\xc3\xa9"), b"", False),
    ((b"Ren\xe9", b"Ren\xe9"), b"encoding ISO-8859-1\n", True), ((b"Ren\xe9", b"Ren\xe8"), b"encoding ISO-8859-1\n", False), ((b"\xd5\xc5", b"\xd5\xc5"), b"encoding GBK\n", True),
])  # fmt: skip
def test_names_that_are_not_utf8_are_compared_as_bytes_and_shown_escaped(project, desk, matching, names, charset, good):
    based(project, desk, rulebook=f"version: 1\ndco: {{matching: {matching}}}\n")
    written(desk, *names, charset)
    said = {form: run(desk.folder, "--format", form) for form in ("text", "json", "github")}
    found = json.loads(said["json"].stdout)["conclusion"], said["json"].exit_code
    assert found == (("success", 0) if good else UNSIGNED)
    for value in said.values():
        assert value.stdout_bytes.decode()
        assert not set(value.stdout) & set(map(chr, range(0xDC80, 0xDD00)))
    if not charset:
        assert r"Ren\udce9 <a…a@huawei.com>" in said["text"].stdout
    if names[1] == b"Ren\xe8" and not charset:
        assert "not valid UTF-8" in said["text"].stdout
