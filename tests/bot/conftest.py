"""The portal on a database of its own, and a GitHub just large enough to sign in with."""

import base64
import hashlib
import re
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from flask import Flask, Response, jsonify, redirect, request
from werkzeug.http import parse_cookie
from werkzeug.serving import make_server

from agreements.facts import Account
from agreements.rulebook.rules import Rules
from agreements.vault import KeyRing, Vault
from bot import branding, db
from bot.access.roles import ReadPermission, RoleMembers, Roles
from bot.github.ports import Missing, RepositoryPlace, Unreachable
from bot.portal import site
from bot.portal.portal_services import PortalServices, once
from bot.portal.session import login, visitor
from bot.records.agreement_texts import Library
from bot.records.owner_rules import OwnerAccount, OwnerRules, RulesState
from bot.rulebook.text_files import shipped
from bot.secret import Secret
from bot.settings import Settings
from bot.store.pulls import pull_state
from bot.store.pulls.posts import PullRequestIdentity, post
from bot.store.records import PullRecord
from tests.bot.books import kept
from tests.bot.jobs.inline import InlineEngine
from tests.contract.gate import Gate
from tests.ready import upgraded

ADMINISTRATOR, AUDITOR = 90, 91
"""Account ids of the portal's administrator and auditor."""

CALLBACK = "http://localhost/login/callback"


@dataclass
class SmallGitHub:
    """GitHub's sign-in: one person, codes that work once, PKCE checked; what it does not know it refuses."""

    url: str = ""
    user: dict = field(default_factory=lambda: {"id": 11, "login": "ada", "type": "User"})
    emails: list = field(
        default_factory=lambda: [
            {"email": "old@example.org", "verified": True, "primary": False},
            {"email": "11+ada@users.noreply.github.com", "verified": True, "primary": False},
            {"email": "ada@example.com", "verified": True, "primary": True},
            {"email": "evil@huawei.com", "verified": False, "primary": False},
        ]
    )
    codes: dict = field(default_factory=dict)
    tokens: set = field(default_factory=set)
    broken: bool = False
    moved: str = ""
    moved_to: str = ""

    def app(self) -> Flask:
        """Its four addresses."""
        app = Flask("small-github")

        @app.before_request
        def elsewhere() -> Response | None:
            """One address may answer that it has moved to another host."""
            return redirect(self.moved_to, 307) if request.path == self.moved else None

        @app.get("/login/oauth/authorize")
        def authorize() -> Response:
            asked = request.args
            assert asked["client_id"] == "Iv1.client"
            assert asked["redirect_uri"] == CALLBACK
            assert asked["code_challenge_method"] == "S256"
            code = secrets.token_hex(8)
            self.codes[code] = asked["code_challenge"]
            return redirect(f"{CALLBACK}?{urlencode({'code': code, 'state': asked['state']})}")

        @app.post("/login/oauth/access_token")
        def token() -> Response:
            if request.form.get("client_secret") != "client-secret":
                return _refused(
                    "incorrect_client_credentials", "The client_id and/or client_secret passed are incorrect."
                )
            challenge = self.codes.pop(request.form.get("code"), None)
            digest = hashlib.sha256(request.form.get("code_verifier", "").encode()).digest()
            right = challenge == base64.urlsafe_b64encode(digest).decode().rstrip("=")
            if not right:
                return _refused("bad_verification_code", "The code passed is incorrect or expired.")
            made = "ghu_" + secrets.token_hex(18)
            self.tokens.add(made)
            return jsonify(access_token=made, token_type="bearer", scope="")

        @app.get("/api/user")
        def user() -> Response:
            return self._answer(self.user)

        @app.get("/api/user/emails")
        def emails() -> Response:
            return self._answer(self.emails)

        return app

    def _answer(self, content: object) -> Response:
        if self.broken:
            return Response("<html>unicorn</html>", 502)
        if request.headers.get("Authorization", "").removeprefix("Bearer ") not in self.tokens:
            return Response("{}", 401)
        return jsonify(content)


def _refused(code: str, why: str) -> Response:
    """With HTTP 200, as GitHub refuses a code."""
    return jsonify(error=code, error_description=why, error_uri="https://docs.github.com/apps")


@pytest.fixture(name="github", scope="session")
def _github_server(contract):
    """The small GitHub as a process of its own would be: behind a socket. What is said at sign-in is held against the contract."""
    github = SmallGitHub()
    app = github.app()
    gate = Gate(app.wsgi_app, contract)
    app.wsgi_app = gate
    server = make_server("127.0.0.1", 0, app, threaded=True)
    github.url = f"http://127.0.0.1:{server.port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield github
    server.shutdown()
    thread.join()
    server.server_close()
    assert [
        finding for finding in gate.findings if "the status is 307" not in finding
    ] == []  # an address that has moved is a test's own


@dataclass
class SmallHub:
    """What the portal asks of GitHub through the App, as literal answers; anything else has no such method."""

    clock: Callable[[], datetime]
    logins: dict = field(default_factory=lambda: {"ada": 11, "bob": 12, "carol": 13, "root": ADMINISTRATOR})
    strangers: set = field(default_factory=lambda: {77, 4242})
    teams: dict = field(default_factory=dict)
    readers: set = field(default_factory=set)
    asked: int = 0
    away: bool = False

    def may_read(self, place: RepositoryPlace, account: Account) -> bool:
        """Whether that (account id, repository id) is among the readers."""
        self._there()
        self.asked += 1
        return (account.id, place.repository_id) in self.readers

    def account_by_login(self, login: str) -> Account:
        """The account of that login, any case."""
        self._there()
        if login.lower() not in self.logins:
            raise Missing("no GitHub account has this login")
        return Account(self.logins[login.lower()], login.lower())

    def accounts_by_id(self, account_ids: Sequence[int]) -> Iterator[Mapping[int, Account | None]]:
        """Who has each id: one of the logins, or of the strangers; 500 is an organisation."""
        known = {number: Account(number, login) for login, number in self.logins.items()}
        known |= {number: Account(number, f"u{number}") for number in self.strangers}
        known[500] = Account(500, "cann", "Organization")
        for number in account_ids:
            self._there()
            self.asked += 1
            yield {number: known.get(number)}

    def accounts_by_login(self, logins: Sequence[str]) -> Iterator[Mapping[str, Account | None]]:
        """Who has each login, two in a batch; `cann` is an organisation, `helper` a bot."""
        for start in range(0, len(logins), 2):
            self._there()
            self.asked += 1
            yield {login: self._named(login) for login in logins[start : start + 2]}

    def _named(self, login: str) -> Account | None:
        kinds = {"cann": Account(500, "cann", "Organization"), "helper": Account(501, "helper[bot]", "Bot")}
        return kinds.get(login) or (Account(self.logins[login], login) if login in self.logins else None)

    def team(self, organization: str, team: str) -> frozenset[int]:
        """The members of that team."""
        self._there()
        return self.teams.get((organization, team), frozenset())

    def _there(self) -> None:
        if self.away:
            raise Unreachable("GitHub is not responding")


@dataclass
class Portal:
    """The portal under test, and a hand on its clock."""

    app: Flask
    services: PortalServices
    engine: InlineEngine
    github: SmallGitHub
    at: datetime = datetime(2026, 11, 21, 12, tzinfo=UTC)
    rules: Rules = field(default_factory=lambda: Rules(organization="The CANN Authors"))
    rules_state: RulesState = "valid"

    def later(self, **how_much: float) -> None:
        """Let time pass."""
        self.at += timedelta(**how_much)

    def browser(self):
        """A browser without cookies."""
        return self.app.test_client()

    def sign_in(self, after: str = "/me", **user: object):
        """A browser in which a person signs in at GitHub, by default ada; it stands before the page `after`."""
        self.github.user = {"id": 11, "login": "ada", "type": "User", **user}
        browser = self.browser()
        answer = browser.get("/login", query_string={"next": after})
        arrived = callback(browser, answer)
        assert arrived.status_code == 302, arrived.text
        return browser

    def signed_in(self, **user: object):
        """A browser in which a person is signed in, by default ada, as `sign_in` leaves it."""
        self.github.user = {"id": 11, "login": "ada", "type": "User", **user}
        with self.app.test_request_context(base_url=self.services.settings.url):
            visitor.remember(
                visitor.Visitor(
                    login._account(self.github.user), login._verified(self.github.emails, self.services.server)
                )
            )
            answer = self.app.process_response(self.app.response_class())
        (name, word), *_ = parse_cookie(answer.headers["Set-Cookie"]).items()
        browser = self.browser()
        browser.set_cookie(name, word)
        return browser

    def proof(self, browser, page: str = "/me") -> str:
        """The word that a form on that page carries."""
        found = re.search(r'name="csrf_token" value="([^"]+)"', browser.get(page).text)
        assert found, "no form on that page"
        return found[1]

    def form(self, browser, path: str = "/sign/icla", **changed: str | None) -> dict[str, str]:
        """The form as that browser would send it, filled in well but for what is changed or (None) left out."""
        page = browser.get(path).text
        hidden = dict(re.findall(r'<input type="hidden" name="(csrf_token|seen)" value="([^"]*)"', page))
        filled = {**hidden, "name": "Ada Lovelace", "email": "ada@example.com", "agree": "y", **changed}
        return {name: value for name, value in filled.items() if value is not None}

    def pull(
        self, number: int = 7, *, of: tuple[int, ...] = (11,), private: bool = False, name: str = "ops-math"
    ) -> int:
        """A stored open pull request in which these accounts take part."""
        with self.services.sessions() as session:
            box = PullRequestIdentity(
                repository_id=90 + len(name), number=number, installation_id=5, owner_id=3, owner="cann", name=name
            )
            pull_id, _ = post(session, self.engine, box)
            pull_state.replace_participants(session, pull_id, of)
            pull = session.get(PullRecord, pull_id)
            pull.private, pull.due_at, pull.urgent = private, None, False
            session.add(pull)
        self.engine._committed.clear()
        return pull_id


def callback(browser, answer, **changed: str | None):
    """Follow GitHub's redirect back, with parts of its query changed or left out."""
    import requests

    back = requests.get(answer.headers["Location"], allow_redirects=False, timeout=60)
    query = {name: values[0] for name, values in parse_qs(urlsplit(back.headers["Location"]).query).items()}
    query = {name: value for name, value in {**query, **changed}.items() if value is not None}
    return browser.get("/login/callback", query_string=query)


def make_portal(database_url: str, github: SmallGitHub, **chosen: object) -> Portal:
    """The portal on that database."""
    database = upgraded(database_url)
    engine, hub = InlineEngine(lambda: portal.at, db.sessions(database)), SmallHub(lambda: portal.at)
    numbers = iter(range(1, 10**6))
    settings = replace(
        Settings(
            url="http://localhost",
            github_url=github.url,
            github_api_url=github.url + "/api",
            client_id="Iv1.client",
            client_secret=Secret("client-secret"),
        ),
        **chosen,
    )
    given = PortalServices(
        settings=settings,
        brand=branding.of(settings),
        sessions=db.sessions(database),
        engine=engine,
        hub=hub,
        readers=ReadPermission(hub.may_read, hub.clock),
        roles=Roles(
            RoleMembers(ids=frozenset({ADMINISTRATOR})), RoleMembers(ids=frozenset({AUDITOR})), hub.team, hub.clock
        ),
        vault=Vault(KeyRing.parse(KeyRing.generate("k1"))),
        texts=once(Library(shipped, db.sessions(database))),
        rules=lambda _owner: portal.rules,
        owner=lambda owner: OwnerAccount(owner or 7, "cann"),
        rules_state=lambda _owner: portal.rules_state,
        known_owners=OwnerRules(None, settings.accounts, db.sessions(database), shipped).read_by(once).known,
        url=settings.url,
        clock=lambda: portal.at,
        new_id=lambda: f"{next(numbers):032x}",
    )
    app = Flask("portal-under-test", static_folder=None, template_folder=None)
    portal = Portal(app, given, engine, github)
    portal.database = database
    site.prepare(app, given)
    return portal


@pytest.fixture(name="portal")
def _portal(tmp_path, github):
    """The portal on SQLite. In each test a request that changes a record has to write one entry into the log."""
    fresh = SmallGitHub()
    github.user, github.emails, github.broken = fresh.user, fresh.emails, False
    with kept(make_portal(f"sqlite:///{tmp_path / 'portal.db'}", github)) as portal:
        yield portal


@pytest.fixture(name="unchanged_portal", scope="module")
def _unchanged_portal(tmp_path_factory, github):
    """A portal for all tests of a file, which change nothing there."""
    with kept(make_portal(f"sqlite:///{tmp_path_factory.mktemp('portal') / 'portal.db'}", github)) as portal:
        yield portal


@pytest.fixture(name="secure_portal")
def _secure_portal(tmp_path, github):
    """The same behind https."""
    with kept(make_portal(f"sqlite:///{tmp_path / 'secure.db'}", github, url="https://cla.example.org")) as portal:
        yield portal


@pytest.fixture(name="make_portal")
def _make_portal():
    """The maker itself, for tests that choose the database."""
    return make_portal
