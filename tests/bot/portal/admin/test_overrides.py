"""Overrides: who let whom pass, where, why and when."""

from agreements.facts import Account
from bot.report import comment_commands
from bot.store.pulls import overrides
from bot.store.pulls.overrides import OverrideDraft


def test_granted_ones_are_listed(office):
    """With their reason, as letters."""
    services = office.portal.services
    pull_id = office.portal.pull(7)
    draft = OverrideDraft(
        pull_id=pull_id, kind="dco", head_sha="a" * 40, by=Account(12, "bob"), by_role="admin", comment_id=5,
        reason="<b>signed on paper</b>",
    )  # fmt: skip
    with services.sessions() as session:
        overrides.add(session, services.vault, draft, at=services.clock(), new_id=services.new_id())
    page = office.eye.get("/admin/overrides").text

    assert "cann/ops-math#7" in page
    assert "&lt;b&gt;signed on paper" in page
    assert "the DCO sign-off" in page
    assert '<a href="/admin/people/12">bob</a><br>administrator of the repository' in page


def test_a_push_by_nobody_known(office):
    """Account 0 stands for it: neither the DCO nor a person whom one could open."""
    services = office.portal.services
    draft = OverrideDraft(
        pull_id=office.portal.pull(7), kind="cla", account_id=0, head_sha="a" * 40, by=Account(12, "bob"), by_role="admin", comment_id=6,
        reason="I saw who it was",
    )  # fmt: skip
    with services.sessions() as session:
        overrides.add(session, services.vault, draft, at=services.clock(), new_id=services.new_id())
    page = office.eye.get("/admin/overrides").text

    assert "a push by an unknown account" in page
    assert "the DCO sign-off" not in page
    assert "/admin/people/0" not in page


def test_by_which_command(office):
    """The commands as they are written, and what of the rulebook says who may, in both languages."""
    for language in ("en", "zh"):
        page = office.eye.get(f"/admin/overrides?lang={language}").text
        named = [comment_commands.SHOWN[one] for one in ("exempt", "address", "vouch", "override")]
        for shown in (*named, "people.override", "dco.override"):
            assert f"<code>{shown}</code>" in page


def test_none(office):
    """An empty list says so, a page that is not there is the first."""
    assert "No override has been granted yet." in office.eye.get("/admin/overrides").text
    assert "Nothing found." in office.eye.get("/admin/overrides?page=x").text
