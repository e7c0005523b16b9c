"""The pages are for whoever has the key; each shows the step that is next, and what is wrong at its field."""

import pytest

from bot.setup.pages import SetupPages
from bot.setup.settings_file import FILES

POSTS = ("/begin", "/installed", "/details", "/verify", "/finish")


def test_only_with_the_key(beginning):
    """A page, a step or a code of a stranger changes nothing."""
    stranger = SetupPages(beginning.registrar, beginning.receiver, beginning.verify, lambda: None).app().test_client()
    assert stranger.get("/").status_code == 403
    assert stranger.get("/?key=wrong").status_code == 403
    assert stranger.get("/registered?code=a&state=b").status_code == 403
    assert {stranger.post(path).status_code for path in POSTS} == {403}
    assert beginning.progress.step == "begin"
    let_in = stranger.get(f"/?key={beginning.progress.key}")
    assert (let_in.status_code, let_in.headers["Location"]) == (302, "/")
    assert "SameSite=Lax" in let_in.headers["Set-Cookie"]
    assert "HttpOnly" in let_in.headers["Set-Cookie"]


def test_the_form_goes_to_github_alone(beginning):
    """The policy names it; nothing is kept by browsers."""
    beginning.begin()
    page = beginning.client.get("/")
    assert f'action="{beginning.server.url}/organizations/cann/settings/apps/new?state=' in page.text
    assert f"form-action 'self' {beginning.server.url};" in page.headers["Content-Security-Policy"]
    assert page.headers["Cache-Control"] == "no-store"


def test_mistakes_stand_at_their_fields(beginning):
    """With what was typed."""
    page = beginning.client.post("/begin", data={"url": "cla.example.org/x", "organization": "no/login"})
    assert page.status_code == 422
    assert "Public address of this server: must be scheme and host alone" in page.text
    assert "Organisation: must be the login" in page.text
    assert 'value="cla.example.org/x"' in page.text


def test_steps_out_of_their_order(beginning):
    """Say what comes first."""
    assert beginning.client.post("/installed").status_code == 409
    assert beginning.client.post("/finish").status_code == 409
    assert beginning.client.get("/nowhere").status_code == 404


def test_a_settings_file_that_was_changed(beginning):
    """Says which setting is wrong; nobody's mistake is a page of ours that fails."""
    beginning.complete()
    beginning.progress.file.write_text("COUNTERSIGN_URL=nonsense\n")
    page = beginning.client.get("/")
    assert page.status_code == 409
    assert "COUNTERSIGN_URL" in page.text


def test_the_end(beginning):
    """What was looked at with its remedy, and that the check is to be required with its source pinned."""
    beginning.complete()
    page = beginning.client.get("/")
    assert "Something is left to do" in page.text
    assert "Make https://cla.example.org/webhook reachable from GitHub" in page.text
    assert "choose this App as its source" in page.text
    assert beginning.client.post("/verify").status_code == 303
    assert beginning.client.post("/finish").status_code == 200
    assert beginning.finished == [True]


@pytest.mark.parametrize("step", ["begin", "register", "install", "complete"])
def test_no_secret_is_shown(beginning, step):
    """On no page."""
    getattr(beginning, step)()
    app = beginning.progress.app
    shown = beginning.client.get("/").text
    kept = [app.client_secret, app.webhook_secret, app.private_key] if app else []
    kept += [file.read_text() for name in FILES.values() if (file := beginning.progress.folder / name).exists()]
    secrets = [line for one in kept for line in one.splitlines() if line and not line.startswith("-----")]

    assert bool(secrets) is (step != "begin")
    assert [one for one in secrets if one in shown] == []
