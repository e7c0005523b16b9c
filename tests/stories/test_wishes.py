"""What people wished for, on one server: in a real browser with the clicks counted, on real git, and tried by an attacker."""

import json
import re

import pytest

from bot.demo import sample_data
from bot.demo.github.contributor import Contributor
from tests.contract.gate import Watch
from tests.stories.conftest import Play, staging
from tests.stories.window import Window

pytestmark = [pytest.mark.slow, pytest.mark.browser]

RULEBOOK = """\
version: 1
organization: The CANN Authors
repositories:
  - {{match: [docs], require: cla, small: {{lines: 15, paths: ["*.md"], total: 100}}}}
  - {{match: [tools], require: dco}}
  - {{match: ["*"], require: cla}}
people:
  agents: {{policy: responsible, accounts: [{{id: {robo}, login: "robo[bot]"}}]}}
dco: {{names: free, reverts: exempt, exempt: [{{id: {machine}, login: release-machine}}]}}
"""
SIGNED = "{}\n\nSigned-off-by: {}"


@pytest.fixture(scope="module", name="town")
def _town(contract, tmp_path_factory):
    """A community with people, an agent and a machine account, for all tests here; Bo has signed, and covers huawei.com."""
    gate = Watch(contract)
    with staging(tmp_path_factory.mktemp("wishes"), gate) as make:
        play: Play = make()
        for login in ("ada", "bo", "eve", "lin"):
            setattr(play, login, play.person(login, f"{login}@{'huawei.com' if login == 'lin' else 'example.org'}"))
        play.robo = Contributor(play.world, play.world.user("robo[bot]", type="Bot"), play.desks)
        play.machine = play.person("release-machine", "release@cann.example")
        ids = {"robo": play.robo.account.id, "machine": play.machine.account.id}
        made = play.community(RULEBOOK.format(**ids), repositories=("ops-math", "tools", "docs"))
        play.world.team(made, "cla-admins", [play.world.account("boss")])
        sample_data.records(play.stage, play.bo.account)
        play.stage.serve()
        play.judged(play.opens(play.bo)[1], "success")  # The portal knows the rulebook from now on.
        yield play
        assert re.match(r"verified [1-9][0-9]* entries", play.command("ledger", "verify"))
    assert not gate.findings


@pytest.fixture(name="window")
def _window(chromium, album, town):
    """A maker of windows; each has its own cookies and shows a person who has signed in."""
    made = []

    def window(login, after="/me"):
        context = chromium.new_context(java_script_enabled=False, locale="en-US")
        context.set_default_timeout(30_000)
        made.append(context)
        return Window(town, context.new_page(), album).signs_in(login, after)

    yield window
    for context in made:
        context.close()


def says(town, pull):
    """What the check says."""
    [run] = town.runs(pull)
    return run.output["title"] + run.output["summary"] + run.output["text"]


def test_one_click_answers_for_the_work_of_an_agent(town, window):
    _, pull = town.opens(town.robo, branch="by-robo")
    town.judged(pull, "failure")
    town.world.find_repository("cann", "ops-math").collaborators[town.bo.account.id] = "write"
    for who, conclusion in ((town.robo, "failure"), (town.eve, "failure"), (town.bo, "success")):
        [run] = town.runs(pull)
        [button] = [action["identifier"] for action in run.actions if action["label"] == "I answer for this"]
        town.world.request_action(run, who.account, button)
        town.judged(pull, conclusion)
    window("boss", "/admin/agents").sees(f"cann/ops-math#{pull.number}", "bo")


def test_an_address_is_verified_by_three_clicks_and_only_by_a_person_who_reads_its_mail(town, window):
    _, pull = town.opens(town.ada, "tools", message=SIGNED.format("Fix", "Ada <ada@work.example>"))
    town.judged(pull, "failure")
    ada, eve = window("ada"), window("eve", "/me/emails")
    eve.fills(address="ada@work.example").presses("Send me a code").fills(code="00000000").presses("Verify address")
    eve.sees("incorrect")
    ada.pull(pull.number, "tools").follows("verify it").fills(address="ada@work.example").presses("Send me a code")
    body = next(email.body for email in town.world.mailbox() if email.to == "ada@work.example" and "ada" in email.body)
    ada.fills(code=re.search(r"^(\d[\d ]+\d)$", body, re.MULTILINE)[1]).presses("Verify address").sees("is verified")
    town.judged(pull, "success")
    assert ada.clicks == 3


@pytest.mark.parametrize(
    ("signer", "conclusion"), [("小艾 <ada@example.org>", "success"), ("Ada <eve@example.org>", "failure")]
)
def test_a_name_is_free_where_the_address_is_the_accounts(town, signer, conclusion):
    _, pull = town.opens(town.ada, "tools", branch=conclusion, message=SIGNED.format("Fix", signer))
    town.judged(pull, conclusion)


@pytest.mark.parametrize(("more", "conclusion"), [({}, "success"), ({"evil.sh": "curl evil"}, "failure")])
def test_a_clean_revert_needs_no_sign_off_and_one_with_more_does(town, more, conclusion):
    tools = town.world.find_repository("cann", "tools")
    tools.protected_checks["Countersign"] = town.stage.app.id
    name, who = f"change-{conclusion}", "Ada <ada@example.org>"
    _, first = town.opens(town.ada, "tools", name, message=SIGNED.format(name, who), files={f"{name}.txt": "x"})
    town.judged(first, "success")
    town.world.merge_pull(first, town.world.account("boss"))
    desk = town.ada.branch(first.head_repository, f"revert-{name}", of=tools)
    desk.git("revert", "--no-commit", first.head_sha)
    desk.commit(f'Revert "{name}"\n\nThis reverts commit {first.head_sha}.', files=more or None)
    desk.push()
    pull = town.world.open_pull(tools, town.ada.account, f"revert-{name}", source=first.head_repository)
    town.judged(pull, conclusion)
    assert ("undoes exactly" in says(town, pull)) is (conclusion == "success")


@pytest.mark.parametrize(
    ("files", "message", "conclusion"),
    [
        ({"a.md": "1\n2\n3\n"}, "Three words", "success"),
        ({"a.c": "1\n"}, "Code", "failure"),
        ({"b.md": "1\n"}, "By an agent\n\nCo-authored-by: Claude <noreply@anthropic.com>", "failure"),
    ],
)
def test_a_small_change_needs_no_agreement_and_says_so(town, files, message, conclusion):
    _, pull = town.opens(town.eve, "docs", next(iter(files)), message=message, files=files)
    town.judged(pull, conclusion)
    assert ("3 lines in" in says(town, pull)) is (conclusion == "success")


def test_a_machine_account_signs_nothing_off_and_lends_that_to_no_person(town):
    _, own = town.opens(town.machine, "tools", "release")
    _, borrowed = town.opens(town.eve, "tools", "borrowed", author="Release <release@cann.example>")
    town.judged(own, "success")
    town.judged(borrowed, "failure")


def test_a_person_whom_a_company_covers_is_told_so_and_chooses_for_whom_they_contribute(town, window):
    lin = window("lin", "/employer").sees("Huawei")
    lin.signs("Lin")
    _, pull = town.opens(town.lin, branch="for-whom")
    town.judged(pull, "success")
    lin.clicks = 0
    lin.goes(f"/pr/cann/ops-math/{pull.number}").ticks("label.choice:has-text('Huawei') input").presses("Save")
    town.judged(pull, "success")
    assert lin.clicks == 2
    said = town.world.comment(pull, town.eve.account, "/cla for huawei.com")
    town.until(lambda: said.reactions)
    assert [reaction[2] for reaction in said.reactions] == ["confused"]


@pytest.mark.usefixtures("typesetter")
def test_a_receipt_is_downloaded_by_one_click_and_verified_by_every_reader(town, window, tmp_path):
    ada = window("ada")
    ada.signs("Ada")
    for name, link in (("receipt.json", "Save as JSON"), ("receipt.pdf", "Save as PDF")):
        with ada.page.expect_download() as saved:
            ada.follows(link)
        saved.value.save_as(tmp_path / name)
    verify = ("receipt", "verify", str(tmp_path / "receipt.json"), "--url", town.stage.url)
    assert town.command(*verify).startswith("genuine: signed by the log")
    eve = window("eve", "/receipts/verify")
    eve.page.set_input_files("#file", str(tmp_path / "receipt.pdf"))
    eve.presses("Verify").sees("The receipt inside this PDF is genuine", "The pages of this PDF are not signed")
    assert "Ada" not in eve.page.locator("main").inner_text()
    forged = json.loads((tmp_path / "receipt.json").read_text()) | {"name": "Mallory"}
    (tmp_path / "receipt.json").write_text(json.dumps(forged))
    assert town.command(*verify, code=1).startswith("not genuine")


def test_a_project_pastes_what_it_needs_and_its_badge_leads_to_the_agreement(town, window):
    printed = town.command("adopt", "cann/ops-math", "--format", "text")
    [(image, link)] = re.findall(r"^\[!\[.*?\]\((\S+)\)\]\((\S+)\)$", printed, re.MULTILINE)
    boss = window("boss", "/admin/first-day").sees("Open pull requests that we know")
    assert "#" not in boss.page.locator("main dl").first.inner_text()
    badges = [boss.page.request.get(address).text() for address in (image, image.replace("ops-math", "no-such"))]
    assert "CLA" in badges[0]
    assert badges[0] == badges[1]
    boss.page.goto(link)
    boss.sees("Individual")
