"""The pages are for the first person at the printed address; each shows the next step, and mistakes at their fields."""

import pytest

from bot.demo.github.webhooks import signature
from bot.setup.settings_file import FILES
from bot.setup.setup_pages import SetupPages, WebhookReceiver

POSTS = ("/begin", "/installed", "/details", "/verify", "/finish")


def test_nothing_opens_without_the_key(beginning):
    pages = SetupPages(beginning.registrar, beginning.receiver, beginning.verify, lambda: None)
    app = pages.app()
    stranger, key = app.test_client(), pages.login_key
    assert stranger.get("/").status_code == 403
    assert stranger.get("/?key=wrong").status_code == 403
    assert stranger.get("/registered?code=a&state=b").status_code == 403
    assert {stranger.post(path).status_code for path in POSTS} == {403}
    assert beginning.progress.step == "begin"
    let_in = stranger.get(f"/?key={key}")
    assert (let_in.status_code, let_in.headers["Location"]) == (302, "/")
    assert "SameSite=Lax" in let_in.headers["Set-Cookie"]
    assert "HttpOnly" in let_in.headers["Set-Cookie"]
    assert stranger.get("/").status_code == 200


def test_the_key_works_once(beginning):
    """The key was visible on a command line."""
    pages = SetupPages(beginning.registrar, beginning.receiver, beginning.verify, lambda: None)
    app, key = pages.app(), pages.login_key
    first = app.test_client()
    assert first.get(f"/?key={key}").status_code == 302
    assert app.test_client().get(f"/?key={key}").status_code == 403
    assert app.test_client().get("/?key=").status_code == 403
    assert first.get(f"/?key={key}").status_code == 302, "the one who used it is led to a page without it"
    assert key not in (beginning.progress.folder / "setup.json").read_text()
    assert app.config["SECRET_KEY"] != key.encode()


def test_the_pages_are_in_chinese_when_asked_for(beginning):
    chinese = {"Accept-Language": "zh-CN"}
    assert '<html lang="zh-CN">' in beginning.client.get("/", headers=chinese).text
    assert "此服务器的公开网址" in beginning.client.get("/?lang=zh").text
    page = beginning.client.post("/begin", data={"url": "x", "organization": "no/login"})
    assert "组织或个人：请填写组织或个人的用户名" in page.text
    assert "设置尚未完成" in beginning.client.post("/finish").text


def test_the_form_goes_to_github_alone(beginning):
    beginning.begin()
    page = beginning.client.get("/")
    assert f'action="{beginning.server.url}/organizations/cann/settings/apps/new?state=' in page.text
    assert f"form-action 'self' {beginning.server.url};" in page.headers["Content-Security-Policy"]
    assert page.headers["Cache-Control"] == "no-store"
    with beginning.client.get("/static/style.css") as style:
        assert style.headers["Cache-Control"] == "max-age=3600"


def test_mistakes_stand_at_their_fields_with_the_typed_values(beginning):
    page = beginning.client.post("/begin", data={"url": "cla.example.org/x", "organization": "no/login"})
    assert page.status_code == 422
    assert "Public address of this server: Enter a scheme and a host only" in page.text
    assert "Organisation or person: Enter the login of an organisation or a person" in page.text
    assert 'value="cla.example.org/x"' in page.text


def test_the_kind_of_account_is_asked_only_where_github_does_not_say(beginning):
    assert 'name="owner_type"' not in beginning.client.get("/").text
    beginning.registrar._api_url = "http://127.0.0.1:9/api/v3"
    given = {"url": "https://cla.example.org", "organization": "cann"}
    page = beginning.client.post("/begin", data=given)
    assert page.status_code == 422
    assert "What the account is: GitHub did not say whether cann is an organisation or a person" in page.text
    assert 'name="owner_type" value="User"> <span>A person' in page.text
    assert beginning.client.post("/begin", data={**given, "owner_type": "User"}).status_code == 303
    page = beginning.client.get("/")
    assert f'action="{beginning.server.url}/settings/apps/new?state=' in page.text
    assert "proposes the name Countersign cann" in page.text
    page = beginning.client.post("/begin", data={**given, "organization": "other"})
    assert 'value="User" checked' in page.text


def test_a_private_address_is_cautioned_for_a_server_in_the_same_network(beginning):
    beginning.begin()
    assert "Make sure that" not in beginning.client.get("/").text
    beginning.progress.answers["url"] = "https://cla.corp.internal"
    beginning.progress.github_url = "https://ghe.corp.internal"
    assert (
        "Make sure that ghe.corp.internal and everybody who contributes can reach it." in beginning.client.get("/").text
    )
    beginning.progress.github_url = "https://github.com"
    page = beginning.client.post("/begin", data={"url": "http://localhost:8080", "organization": "cann"})
    assert "GitHub cannot reach localhost from the internet" in page.text


def test_passwords_are_never_shown(beginning):
    beginning.install()
    beginning.again(smtp_url="smtp://u:of-the-environment@127.0.0.1:25", database_url=beginning.details["database_url"])
    typed = {**beginning.details, "smtp_url": "smtp://u:typed@127.0.0.1:25", "administrators": ""}
    for page in (beginning.client.get("/"), beginning.client.post("/details", data=typed)):
        assert "Administrators, mail and database" in page.text
        assert "typed" not in page.text
        assert "of-the-environment" not in page.text
    left = {**beginning.details, "smtp_url": "", "database_url": ""}
    assert beginning.client.post("/details", data=left).status_code == 303
    assert "of-the-environment" in (beginning.progress.folder / FILES["COUNTERSIGN_SMTP_URL"]).read_text()


def test_a_step_out_of_order_says_which_comes_first(beginning):
    assert beginning.client.post("/installed").status_code == 409
    assert beginning.client.post("/finish").status_code == 409
    assert beginning.client.get("/nowhere").status_code == 404


def test_a_changed_settings_file_is_told_by_its_wrong_setting(beginning):
    beginning.complete()
    beginning.progress.file.write_text("COUNTERSIGN_URL=nonsense\n")
    page = beginning.client.get("/")
    assert page.status_code == 409
    assert "COUNTERSIGN_URL" in page.text


def test_the_last_page_has_each_result_with_its_remedy(beginning):
    beginning.complete()
    page = beginning.client.get("/")
    assert "Some problems are left" in page.text
    assert "Make https://cla.example.org/webhook reachable from GitHub" in page.text
    assert "choose this App as its source" in page.text
    assert beginning.client.post("/verify").status_code == 303
    with beginning.client.post("/finish") as last:
        assert last.status_code == 200
        assert beginning.finished == []  # the server goes on until the page has been sent
    assert beginning.finished == [True]


def test_the_last_page_tells_each_result_in_chinese(beginning):
    beginning.complete()
    page = beginning.client.get("/?lang=zh").text
    results = page.partition("<ul>")[2].partition("</ul>")[0]

    assert "GitHub 接受 App" in results
    assert "<span lang" not in results


@pytest.mark.parametrize("step", ["begin", "register", "install", "complete"])
def test_no_secret_is_shown_on_any_page(beginning, step):
    getattr(beginning, step)()
    app = beginning.progress.app
    shown = beginning.client.get("/").text
    kept = [app.client_secret, app.webhook_secret, app.private_key] if app else []
    kept += [file.read_text() for name in FILES.values() if (file := beginning.progress.folder / name).exists()]
    secrets = [line for text in kept for line in text.splitlines() if line and not line.startswith("-----")]

    assert bool(secrets) is (step != "begin")
    assert [secret for secret in secrets if secret in shown] == []


def send(beginning, *, event="ping", secret="s3cret", guid="guid-1", body=b"{}"):
    """One webhook to the page's own server."""
    headers = {"X-GitHub-Event": event, "X-GitHub-Delivery": guid, "X-Hub-Signature-256": signature(secret, body)}
    return beginning.client.post("/webhook", data=body, headers=headers).status_code


@pytest.fixture(name="listening")
def _listening(beginning):
    """With a secret."""
    beginning.receiver._secret = lambda: "s3cret"
    return beginning


def test_a_ping_shows_that_github_reaches_us(listening):
    assert not listening.receiver.wait(0)
    assert send(listening) == 200
    assert listening.receiver.has_arrived


def test_an_event_for_the_server_is_left_to_it(listening):
    """GitHub lists it as failed, and the server has it sent again."""
    assert send(listening, event="installation") == 503
    assert listening.receiver.has_arrived


@pytest.mark.parametrize(("change", "status"), [({"secret": "other"}, 401), ({"guid": "no guid!"}, 400)])
def test_a_delivery_that_is_not_githubs_shows_nothing(listening, change, status):
    assert send(listening, **change) == status
    assert not listening.receiver.has_arrived


def test_a_delivery_before_there_is_a_secret_is_503(beginning):
    """The ping of a new App comes before its secret, and is sent again."""
    assert send(beginning) == 503
    assert not WebhookReceiver(lambda: "").has_arrived
