"""The demo's sample data: people, a community with the rulebook that we ship, and what they have agreed to."""

import re
import threading
import urllib.request

import pytest
from sqlalchemy import text

from agreements.rulebook.rules import for_repository
from agreements.store.companies import company_agreements
from agreements.store.integrity.verification import VerificationOptions, verify
from agreements.store.people import signatures
from agreements.vault import KeyRing, Vault
from bot import clock, db
from bot.demo import sample_data
from bot.demo.github.git import bare_repository
from bot.demo.sample_data import open_all
from bot.demo.servers import DemoServers
from bot.rulebook import effective
from bot.store.logged_tables import TABLES
from bot.store.pulls import verdicts
from tests.bot.jobs.engines import until
from tests.conftest import free_port

pytestmark = pytest.mark.slow


@pytest.fixture(name="stage")
def _stage(tmp_path):
    """A small GitHub and a database; the server is not started."""
    with DemoServers(tmp_path / "stage", port=free_port(), github_port=free_port()) as stage:
        yield stage


@pytest.fixture(name="cast")
def _cast(stage):
    """The sample data, written."""
    return sample_data.set_up(stage)


@pytest.mark.slow
def test_the_community_has_the_rulebook_that_we_ship(stage, cast):
    names = {repo.name for repo in stage.world.repositories_of(stage.world.account("cann"))}
    assert names == {*sample_data.REPOSITORIES, ".github"}
    home = stage.world.find_repository("cann", ".github")
    _, content = bare_repository.blob(home.git, "HEAD", ".github/countersign.yml")
    rules = effective.parse_rulebook(content.decode()).rules
    required = {name: for_repository(rules, f"cann/{name}").require for name in sample_data.REPOSITORIES}

    assert list(required.values()) == ["cla"] * 6 + ["dco"] * 2
    hccl = stage.world.find_repository("cann", "hccl")
    assert b"exmpt" in bare_repository.blob(hccl.git, "HEAD", ".github/countersign.yml")[1]


def test_the_sample_people_have_signed_as_the_story_says(stage, cast):
    vault, database = Vault(KeyRing.parse(stage.settings.keys.reveal())), db.open_engine(stage.settings.database_url)
    people = (cast.ada.account, cast.bo.account, cast.lin.account)
    with db.sessions(database)() as session:
        signed = {signature.agreement for who in people for signature in signatures.mine(session, who.id)}
        counts = [len(signatures.mine(session, who.id)) for who in people]
        [company] = company_agreements.relevant(
            session, vault, account_ids=[], addresses=["lin@rd.huawei.com"], accepted=()
        )
        of_lookalike = company_agreements.relevant(
            session, vault, account_ids=[], addresses=["ada@huawei.com.cn"], accepted=()
        )
    database.dispose()

    assert (signed, counts) == ({"icla"}, [0, 1, 0])
    assert (company.name, [entry.domain for entry in company.covers]) == ("Huawei", ["huawei.com"])
    assert company.signed_at < clock.now()
    assert of_lookalike == ()
    assert [email.verified for email in cast.ada.account.emails] == [True, False]


def test_the_app_is_installed_on_the_community_alone(stage, cast):
    [installed] = stage.world.installations.values()

    assert (installed.app, installed.account, installed.repositories) == (stage.app, stage.world.account("cann"), None)


@pytest.mark.slow
def test_the_log_of_the_sample_data_verifies(stage, cast):
    assert cast
    engine = db.open_engine(stage.settings.database_url)
    with db.sessions(engine)() as session:
        found = verify(session, Vault(KeyRing.parse(stage.settings.keys.reveal())), TABLES, VerificationOptions())
    engine.dispose()

    assert (found.entries, found.rows) == (2, 5)


RED, GREEN = ("failure", ["cla-required"]), ("success", ["cla-signed"])
STATES = {
    ("ops-math", 1): ("Open", *RED, {"cla/unsigned"}),
    ("ops-math", 2): ("Open", *GREEN, {"cla/individual"}),  # its licences fail
    ("ops-nn", 1): ("Open", *GREEN, {"cla/individual"}),
    ("runtime", 1): ("Open", *GREEN, {"cla/company-domain"}),
    ("ge", 1): ("Open", *RED, {"cla/unsigned", "cla/unlinked-email"}),  # huawei.com.cn is not huawei.com
    ("ops-nn", 2): ("Open", *RED, {"cla/unsigned", "cla/individual"}),  # bo's commits, opened by ada
    ("oam-tools", 1): ("Open", *RED, {"cla/unsigned", "cla/individual"}),  # bo's commit with ada as co-author
    ("hccl", 1): ("Open", "action_required", [], {"rulebook/invalid"}),
    ("cann-learning-hub", 1): ("Open", "failure", [], {"dco/missing"}),
    ("community", 1): ("Open", "success", [], {"dco/signed"}),
    ("cann-learning-hub", 2): ("Open", "failure", [], {"dco/email-differs"}),
    ("ge", 2): ("Draft", *RED, {"cla/unsigned"}),
    ("runtime", 2): ("Merged", *GREEN, {"cla/individual"}),
    ("community", 2): ("Closed", "failure", [], {"dco/missing"}),
    ("oam-tools", 2): ("Open", *RED, {"cla/bot-not-listed"}),
}
"""State on the page, conclusion, labels, and why."""


@pytest.fixture(name="stage")
def _stage(tmp_path, gate):
    """A stage whose GitHub is watched by the contract; nothing unknown is asked of it."""
    with DemoServers(tmp_path / "stage", port=free_port(), github_port=free_port(), wrap=gate.wrap) as stage:
        yield stage
        stage.stop()
        for delivery in stage.world.hooks.log:
            gate.webhook(delivery.event, delivery.body)
        assert stage.world.refused == []


def page(stage, path):
    """What a visitor reads there."""
    with urllib.request.urlopen(stage.github_url + path, timeout=60) as answer:
        return answer.read().decode()


def codes(stage):
    """What Countersign keeps of each pull request's verdict."""
    database = db.open_engine(stage.settings.database_url)
    with db.sessions(database)() as session:
        rows = session.execute(text("SELECT name, number, id FROM pull")).all()
        found = {
            (name, number): {code["code"] for code in verdicts.latest(session, id_).codes} for name, number, id_ in rows
        }
    database.dispose()
    return found


def shown(stage, pull):
    """State, conclusion and labels as the pull request's page has them."""
    seen = page(stage, f"/{pull.repository.full_name}/pull/{pull.number}")
    [state] = re.findall(r'<span class="badge \w+">(\w+)</span>', seen)
    [conclusion] = re.findall(r'title="Countersign: (\w+)"', seen)
    labels = re.findall(r'<span class="label"[^>]*>([^<]+)</span>', seen)
    return state, conclusion, labels


def licences(stage, pull):
    """What the page says of the licences, if anything."""
    seen = page(stage, f"/{pull.repository.full_name}/pull/{pull.number}")
    return re.findall(r'title="Countersign / Licenses: (\w+)"', seen)


@pytest.mark.slow
def test_every_pull_request_shows_the_state_that_it_is_there_for(stage):
    cast = sample_data.set_up(stage)
    stage.serve()
    made = open_all(stage, cast, until=threading.Event())
    why = codes(stage)
    found = {key: (*shown(stage, pull), why[key]) for pull in made for key in [(pull.repository.name, pull.number)]}

    assert found == STATES, stage.log_end()
    (waiting,) = [pull for pull in made if (pull.repository.name, pull.number) == ("ops-math", 2)]
    until(lambda: "failure" in licences(stage, waiting))  # A check of its own, which no verdict waits for.
    about_licences = {(pull.repository.name, pull.number): licences(stage, pull) for pull in made}
    assert {key: found for key, found in about_licences.items() if found} == {("ops-math", 2): ["failure"]}
    for name in {name for name, _ in STATES}:
        listed = sorted(re.findall(r'<span class="badge \w+">(\w+)</span>', page(stage, f"/cann/{name}")))
        assert listed == sorted(row[0] for (repository, _), row in STATES.items() if repository == name)


def test_a_missing_verdict_does_not_hold_up_the_opening_of_pull_requests(stage, monkeypatch):
    monkeypatch.setattr(sample_data, "JUDGED_WITHIN", 0.1)
    cast = sample_data.set_up(stage)
    ended = threading.Event()
    ended.set()

    assert [pull.repository.name for pull in open_all(stage, cast, until=ended)] == ["oam-tools"]
    assert stage.world.check_runs == {}
