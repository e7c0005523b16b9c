"""Whole journeys through the portal in a real browser without script: contributors, companies, a new version, erasure."""

import re
from datetime import UTC, datetime, timedelta

import pytest
import requests

from bot.demo.github.contributor import Contributor
from tests.bot.small_dns import SmallDns
from tests.stories.window import Window

pytestmark = [pytest.mark.slow, pytest.mark.browser]

RULEBOOK = """\
version: 1
organization: The CANN Authors
agreements:
  individual: {{text: icla, version: "{version}"}}
  accept:
    icla: [{accept}]
repositories:
  - {{match: ["*"], require: cla}}
"""
OLDER = '{versions: ">=2.1"}, {versions: "<2.1", until: %s}'
"""What older versions are worth once 2.1 is asked for."""


@pytest.fixture(name="windows")
def _windows(chromium, album):
    """A maker of windows, each with its own cookies."""
    made = []

    def window(play, login="", after="/me", **look):
        look = {"locale": "en-US", "viewport": {"width": 1280, "height": 900}, **look}
        context = chromium.new_context(java_script_enabled=False, **look)
        context.set_default_timeout(30_000)
        made.append(context)
        opened = Window(play, context.new_page(), album)
        return opened.signs_in(login, after) if login else opened

    yield window
    for context in made:
        context.close()


@pytest.fixture(name="community")
def _community(staged):
    """A stage with the community of RULEBOOK, boss as administrator, and the server running; the log verifies at the end."""
    plays = []

    def community(**settings):
        play = staged(settings=settings)
        plays.append(play)
        made = play.community(RULEBOOK.format(version="2.0", accept='{versions: ">=2.0"}'))
        play.world.team(made, "cla-admins", [play.world.account("boss")])
        play.stage.serve()
        return play

    yield community
    for play in plays:
        assert re.match(r"verified [1-9][0-9]* entries", play.command("ledger", "verify"))


def outbox_emails(play, address):
    """Subjects and bodies of what was written to that address, newest first."""
    return [(email.subject, email.body) for email in play.world.mailbox() if email.to == address]


def public(play):
    """The logins in the public list."""
    answer = requests.get(f"{play.stage.url}/whitelist.json", timeout=60)
    assert answer.status_code == 200
    return answer.text


def rewrites(play, rules):
    """The administrator changes the rulebook at GitHub."""
    home = play.world.find_repository("cann", ".github")
    boss = Contributor(play.world, play.world.account("boss"), play.desks)
    bench = boss.branch(home, f"rules-{len(list(play.desks.rglob('*')))}")
    bench.commit("Change the rulebook", {".github/countersign.yml": rules})
    bench.git("push", "--quiet", "origin", "HEAD:main")
    play.until(lambda: read(play) == rules)
    play.quiet()


def read(play):
    """The rulebook as a review last read it: the portal goes by that."""
    return next((row[0] for row in play.rows("SELECT rules FROM owner") if row[0]), "")


def test_a_contributor_signs_withdraws_and_is_erased(community, windows):
    play = community()
    _, pull = play.opens(play.person("ada", "ada@example.org", name="Ada Chen"))
    play.person("eve", "eve@example.org")
    play.judged(pull, "failure")
    ada = windows(play, "ada")
    ada.photo("contributor-1-my-page-empty")
    receipt = ada.signs("Ada Chen", query="?pr=cann/ops-math/1")
    ada.photo("contributor-2-receipt")
    play.judged(pull, "success")
    [(subject, body)] = outbox_emails(play, "ada@example.org")
    assert "Individual Contributor License Agreement" in subject + body
    assert receipt in body
    ada.goes("/pr/cann/ops-math/1").photo("contributor-3-explained")
    assert '"ada"' in public(play)

    ada.goes("/me").photo("contributor-4-my-page").follows("Withdraw").sees("cann/ops-math#1")
    ada.photo("contributor-5-withdraw").presses("Withdraw my signature").sees("Tick the box")
    ada.photo("contributor-6-withdraw-mistake").ticks("#sure").presses("Withdraw my signature").sees("withdrawn on")
    ada.photo("contributor-7-withdrawn")
    play.judged(pull, "failure")
    assert 2 == len(outbox_emails(play, "ada@example.org"))
    assert '"ada"' not in public(play)
    ada.signs("Ada Chen")
    play.judged(pull, "success")
    assert '"ada"' in public(play)

    ada.goes("/me/erasure").photo("erasure-1-ask").ticks("#sure").presses("Request erasure").sees(
        "waiting for a decision"
    )
    eve = windows(play, "eve", "/me/erasure").ticks("#sure").presses("Request erasure")
    boss = windows(play, "boss", "/admin")
    boss.photo("erasure-2-overview").goes("/admin/erasures").photo("erasure-3-requests")
    # Of eve, who did nothing here yet, no login is kept.
    for who, decide in (("ada", restricts), (f"account {play.world.account('eve').id}", deletes)):
        boss.goes("/admin/erasures").follows(who)
        decide(boss)
    assert '"ada"' not in public(play)
    assert "success" == play.verdict(pull), "the agreement itself is kept, and counts"
    eve.goes("/me").sees("You have not signed anything here yet").photo("erasure-8-deleted-person")
    ada.goes("/me/erasure").sees("restricted until it is erased", "legal claims").photo("erasure-9-restricted-person")


def restricts(boss):
    """The administrator keeps the evidence, with a reason."""
    boss.photo("erasure-4-decide").fills(reason="The agreement is needed to defend legal claims (GDPR 17(3)(e)).")
    boss.presses("Restrict and delete the rest").sees("Key destroyed on or after").photo("erasure-5-restricted")


def deletes(boss):
    """The administrator deletes everything."""
    boss.photo("erasure-6-delete").ticks("#sure").presses("Delete").sees("Done").photo("erasure-7-deleted")


@pytest.fixture(name="nameservers")
def _nameservers():
    """Two DNS servers that know where the company's mail goes."""
    zone = {("huawei.com.", "MX"): ["10 mx1.huawei.com."], ("huawei.com.", "NS"): ["ns3.dnsv5.com."]}
    servers = [SmallDns({**zone}).start() for _ in range(2)]
    yield ",".join(f"127.0.0.1:{server.port}" for server in servers)
    for server in servers:
        server.stop()


def test_a_company_signs_and_its_people_join_and_leave(community, windows, nameservers):
    play = community(COUNTERSIGN_DNS_SERVERS=nameservers)
    for login in ("mia", "max"):
        play.person(login, f"{login}@huawei.com", f"{login}@example.org", name=login.title())
    _, first = play.opens(play.person("wei", "wei@huawei.com", name="Wei Zhang"))
    _, second = play.opens(play.person("lin", "lin@huawei.com", name="林晓"))
    play.judged(first, "failure")
    play.judged(second, "failure")
    mia, boss = windows(play, "mia", "/company/request"), windows(play, "boss", "/admin")
    company = sets_up(mia, boss)
    for pull in (first, second):
        play.judged(pull, "success")
    windows(play, "max", "/me").sees("Huawei Technologies").follows("Huawei Technologies").sees("in force")

    mia.goes(company).ticks("#mode-enrolled").presses("Save").sees("cann/ops-math#1").photo("company-7-who-loses-cover")
    mia.presses("Save anyway").sees("Saved").photo("company-7-in-force")
    for pull in (first, second):
        play.judged(pull, "failure")
    wei, lin = enrols(play, windows, "wei"), enrols(play, windows, "lin", viewport={"width": 390, "height": 844})
    for pull in (first, second):
        play.judged(pull, "success")
    wei.signs("Wei Zhang")
    mia.goes(f"{company}/roster").sees("wei", "lin").photo("company-8-covered")

    assert "cann/ops-math#" not in tries(mia, company, "wei", "leaver-1-tried-out-covered-otherwise")
    assert "cann/ops-math#2" in tries(mia, company, "lin", "leaver-2-tried-out-turns-red")
    for who in ("wei", "lin"):
        mia.goes(f"{company}/people").fills(who=who).ticks("#what-exclude").presses("Add", "main form.sign").sees(
            "excluded"
        )
    mia.photo("leaver-3-excluded")
    play.judged(second, "failure")
    play.judged(first, "success")
    lin.goes("/pr/cann/ops-math/2").photo("leaver-4-explained-small")


def sets_up(mia, boss):
    """From the request to the approved domain; the path of the company's page."""
    mia.photo("company-1-request").fills(
        field__legal__name="Huawei Technologies Co., Ltd.", field__registration="9144-0300",
        field__address="Bantian, Shenzhen", field__title="Head of OSS", name="Mia Wang", second="max",
    )  # fmt: skip
    mia.ticks("[name=email][value='mia@huawei.com']").presses("Sign for the company").sees("Not signed yet")
    mia.photo("company-2-mistake").ticks("#agree").presses("Sign for the company")
    company = mia.page.url.removeprefix(mia.play.stage.url)
    mia.sees("Waiting for countersignature").photo("company-3-requested")
    mia.goes(f"{company}/domains").fills(domain="huawei.com").presses("Request this domain").sees("Not verified yet")
    mia.photo("company-4-domain")

    boss.goes("/admin/domains").follows("huawei.com").sees("mx1.huawei.com", "m…a@huawei.com").photo("company-5-look")
    boss.fills(reason="").page.locator("#approve-reason").fill("Their legal department wrote to us from that domain.")
    boss.presses("Approve").sees("huawei.com · verified")
    boss.goes("/admin/companies").follows("Huawei Technologies").photo("company-6-look")
    boss.page.locator("#countersign-reason").fill("Known to us since 2018.")
    boss.presses("Countersign").presses("Countersign").sees("in force")
    return company


def enrols(play, windows, login, **look):
    """A person enrols by the code that was mailed to their address at the company."""
    window = windows(play, login, "/enrol", **look).photo(f"enrol-1-{login}").presses("Send me a code")
    _, body = outbox_emails(play, f"{login}@huawei.com")[0]
    [code] = re.findall(r"^(\d[\d ]+\d)$", body, re.MULTILINE)
    window.fills(code="0" * len(code)).ticks("#works").presses("Enrol").photo(f"enrol-2-{login}-wrong-code")
    window.fills(code=code).ticks("#works").presses("Enrol").sees("Huawei Technologies").photo(f"enrol-3-{login}")
    return window


def tries(mia, company, login, name):
    """A manager previews the exclusion of an account; gives what it would change, as text."""
    mia.goes(f"{company}/simulate").fills(whom=login).ticks("#how-exclude").presses("Preview changes")
    mia.sees("What would change").photo(name)
    return mia.page.locator("section.notice").inner_text()


def test_a_new_version_is_released_and_signed_again(community, windows):
    play = community()
    _, mine = play.opens(play.person("ada", "ada@example.org", name="Ada Chen"))
    _, other = play.opens(play.person("bob", "bob@example.org", name="Bob Berg"))
    ada, bob, boss = (windows(play, who) for who in ("ada", "bob", "boss"))
    ada.signs("Ada Chen")
    bob.signs("Bob Berg")
    for pull in (mine, other):
        play.judged(pull, "success")
    releases(boss)
    until = f"{datetime.now(UTC) + timedelta(days=90):%Y-%m-%d}"  # noqa: TID251 - as the server's clock
    rewrites(play, RULEBOOK.format(version="2.1", accept=OLDER % until))
    boss.goes("/admin/campaigns").sees("2.1").photo("version-4-campaign").presses("E-mail 2 people").presses(
        "E-mail 2 people"
    )
    boss.sees("Waiting").photo("version-5-campaign-runs")
    assert ["success"] * 2 == [play.verdict(pull) for pull in (mine, other)], "the grace lasts"

    ada.goes("/me").sees("There is a newer version to sign").photo("version-6-my-page")
    ada.goes("/sign/icla").sees("Changes since the version").photo("version-7-sign-again")
    ada.signs("Ada Chen")
    ada.sees("version 2.1").goes("/me").photo("version-8-signed-again")
    rewrites(play, RULEBOOK.format(version="2.1", accept='{versions: ">=2.1"}'))
    play.judged(other, "failure")
    play.judged(mine, "success")
    bob.goes("/me").sees("The version that you signed is no longer accepted.").photo("version-9-grace-over")


def releases(boss):
    """Version 2.1 of the individual agreement: one sentence more, previewed, released for good."""
    boss.goes("/admin/texts").photo("version-1-texts").goes("/admin/texts/new/icla").fills(version="2.1")
    for language, line in (("en", "You confirm that you read it."), ("zh", "你确认已阅读本协议。")):
        field = boss.page.locator(f"#source-{language}")
        reviewed = field.input_value().partition("\n\n")[2]  # without the paragraph that says that it is a template
        field.fill(f"{reviewed.rstrip().replace('2.0', '2.1')}\n\n{line}\n")
    boss.presses("Preview").sees("Changes since version 2.0", "You confirm").photo("version-2-preview")
    boss.presses("Release").photo("version-3-released")
