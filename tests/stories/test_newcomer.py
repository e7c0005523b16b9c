"""A newcomer's first pull request: red with the fix, signed in a browser, green by itself."""

import pytest
from playwright.sync_api import expect

MONAS_RULES = """\
version: 1
organization: Mona
repositories:
  - {match: ["*"], require: cla}
"""


@pytest.mark.browser
def test_a_newcomer_signs_and_everything_turns_green(play, page, album):
    ada = play.person("ada", "ada@example.org", name="Ada Chen")
    _, pull = play.opens(ada)
    play.judged(pull, "failure")
    assert ["cla-required"] == play.labels(pull)
    [comment] = play.comments(pull)
    assert f"{play.stage.url}/sign/icla?pr=cann/ops-math/1" in comment

    page.goto(f"{play.stage.github_url}/cann/ops-math/pull/1")
    album(page, "pull-red")
    page.get_by_role("link", name="Sign as an individual").first.click()
    album(page, "agreement-before")
    page.get_by_role("link", name="Sign in with GitHub").first.click()
    page.get_by_role("button", name="ada").first.click()
    page.wait_for_url(f"{play.stage.url}/sign/icla**")
    album(page, "agreement")
    page.get_by_label("Full name").fill("Ada Chen")
    page.get_by_role("checkbox").first.check()
    page.get_by_role("button", name="I agree").click()
    page.wait_for_url("**/receipts/**")
    page.get_by_text("The check on your pull request has passed").wait_for(
        timeout=60_000
    )  # the page followed it by itself
    album(page, "pull-request-status")
    play.judged(pull, "success")
    assert ["cla-signed"] == play.labels(pull)
    [comment] = play.comments(pull)
    assert "sign/icla" not in comment
    page.get_by_role("link", name="Back to the pull request").click()
    page.wait_for_url(f"{play.stage.github_url}/cann/ops-math/pull/1")
    album(page, "pull-green")


@pytest.mark.slow
def test_the_same_delivery_twice_changes_nothing(play):
    ada = play.person("ada", "ada@example.org")
    _, pull = play.opens(ada)
    play.judged(pull, "failure")
    opened = next(
        delivery
        for delivery in play.world.hooks.log
        if delivery.event == "pull_request" and delivery.action == "opened"
    )
    before = len(play.writes())

    play.world.hooks.redeliver(opened)
    play.quiet()

    assert [202, 202] == opened.statuses
    assert before == len(play.writes())
    assert (1, 1, 1) == (len(play.runs(pull)), len(play.labels(pull)), len(play.comments(pull)))


@pytest.mark.slow
def test_judging_again_writes_nothing_when_nothing_changed(play):
    ada = play.person("ada", "ada@example.org")
    _, pull = play.opens(ada)
    play.judged(pull, "failure")
    comment = play.world.comment(pull, ada.account, "/cla-check")
    play.until(lambda: comment.reactions)
    play.quiet()
    before = play.writes()

    assert ["eyes"] == [reaction[2] for reaction in comment.reactions]
    assert 1 == len([call for call in before if call.template.endswith("/reactions")])
    assert 1 == len([call for call in before if call.template.endswith("/comments")])
    assert 1 == len([call for call in before if "check-runs" in call.template])


@pytest.mark.slow
def test_a_push_is_judged_on_its_new_head(play):
    ada = play.person("ada", "ada@example.org")
    desk, pull = play.opens(ada, "docs")
    play.judged(pull, "failure")
    first = pull.head_sha

    desk.commit("Fix it", amend=True, sign_off=True)
    desk.push(force=True)
    play.until(lambda: pull.head_sha != first)
    play.judged(pull, "success")

    assert [] == play.labels(pull), "no CLA is asked for here"
    assert 1 == len(play.comments(pull))


@pytest.mark.browser
@pytest.mark.nightly
def test_a_newcomer_signs_in_chinese(play, chromium, album):
    lin = play.person("lin", "lin@example.org", name="林晓")
    _, pull = play.opens(lin, message="修复溢出")
    play.judged(pull, "failure")
    [comment] = play.comments(pull)
    assert "签署" in comment
    assert "Sign as an individual" in comment

    context = chromium.new_context(java_script_enabled=False, locale="zh-CN", viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.set_default_timeout(30_000)
    page.goto(f"{play.stage.github_url}/cann/ops-math/pull/1")
    album(page, "zh-pull-red")
    page.goto(f"{play.stage.url}/sign/icla?pr=cann/ops-math/1")
    assert "zh-CN" == page.locator("html").get_attribute("lang")
    page.locator("a[href^='/login']").first.click()
    page.get_by_role("button", name="lin").first.click()
    album(page, "zh-agreement")
    page.locator("input[type=text]").first.fill("林䶮𠮷")
    page.get_by_role("checkbox").first.check()
    page.locator("form button[type=submit]").last.click()
    page.get_by_role("link", name="查看回执").click()
    expect(page.locator("main")).to_contain_text("林䶮𠮷")
    album(page, "zh-receipt")
    play.judged(pull, "success")
    page.goto(f"{play.stage.url}/pr/cann/ops-math/1")
    album(page, "zh-explain")
    context.close()


@pytest.mark.slow
def test_a_persons_own_repositories_follow_their_dot_github(staged):
    play = staged(settings={"COUNTERSIGN_ACCOUNTS": "mona"})
    mona = play.person("mona", "mona@example.org")
    home = play.world.repository(mona.account, ".github")
    play.world.write(home, {".github/countersign.yml": MONAS_RULES})
    play.world.write(play.world.repository(mona.account, "notes"), {"README.md": "# notes\n"})
    play.world.install(play.stage.app, mona.account, mona.account)
    play.stage.serve()

    _, pull = play.opens(play.person("ada", "ada@example.org"), "notes", owner="mona")
    play.judged(pull, "failure")
    [comment] = play.comments(pull)
    assert f"{play.stage.url}/sign/icla?pr=mona/notes/1" in comment
    assert play.labels(pull) == ["cla-required"]
