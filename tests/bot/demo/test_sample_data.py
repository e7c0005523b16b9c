"""The demo's sample data: people, a community with the rulebook that we ship, and what they have agreed to."""

import pytest

from agreements.rulebook.rules import for_repository
from agreements.store.companies import companies
from agreements.store.integrity.verification import verify
from agreements.store.people import signatures
from agreements.vault import KeyRing, Vault
from bot import clock, db
from bot.demo import sample_data
from bot.demo.github.git import bare_repository
from bot.demo.servers import DemoServers
from bot.rulebook import effective
from bot.store.logged_tables import TABLES
from tests.conftest import free_port


@pytest.fixture(name="stage")
def _stage(tmp_path):
    """A small GitHub and a database; the server is not started."""
    with DemoServers(tmp_path / "stage", port=free_port(), github_port=free_port()) as stage:
        yield stage


@pytest.fixture(name="cast")
def _cast(stage):
    """The sample data, written."""
    return sample_data.set_up(stage)


def test_the_community_has_the_rulebook_that_we_ship(stage, cast):
    """Six repositories ask for an agreement, two for a sign-off, as their list says; hccl's own file is broken."""
    names = {repo.name for repo in stage.world.repositories_of(stage.world.account("cann"))}
    assert names == {*sample_data.REPOSITORIES, ".github"}
    home = stage.world.find_repository("cann", ".github")
    _, content = bare_repository.blob(home.git, "HEAD", ".github/countersign.yml")
    rules = effective.parse_rulebook(content.decode()).rules
    required = {name: for_repository(rules, f"cann/{name}").require for name in sample_data.REPOSITORIES}

    assert list(required.values()) == ["cla"] * 6 + ["dco"] * 2
    hccl = stage.world.find_repository("cann", "hccl")
    assert b"exmpt" in bare_repository.blob(hccl.git, "HEAD", ".github/countersign.yml")[1]


def test_who_has_agreed(stage, cast):
    """Bo signed, lin's company agreed for its domain; ada has done nothing, and her old address is not verified."""
    vault, database = Vault(KeyRing.parse(stage.settings.keys.reveal())), db.open_engine(stage.settings.database_url)
    people = (cast.ada.account, cast.bo.account, cast.lin.account)
    with db.sessions(database)() as session:
        signed = {one.agreement for who in people for one in signatures.mine(session, who.id)}
        counts = [len(signatures.mine(session, who.id)) for who in people]
        [company] = companies.relevant(session, vault, account_ids=[], addresses=["lin@rd.huawei.com"], accepted=())
        nobody = companies.relevant(session, vault, account_ids=[], addresses=["ada@huawei.com.cn"], accepted=())
    database.dispose()

    assert (signed, counts) == ({"icla"}, [0, 1, 0])
    assert (company.name, [entry.domain for entry in company.covers]) == ("Huawei", ["huawei.com"])
    assert company.signed_at < clock.now()
    assert nobody == ()
    assert [email.verified for email in cast.ada.account.emails] == [True, False]


def test_the_app_is_installed_on_the_community(stage, cast):
    """Everywhere there, and nowhere else."""
    [installed] = stage.world.installations.values()

    assert (installed.app, installed.account, installed.repositories) == (stage.app, stage.world.account("cann"), None)


def test_the_log_verifies(stage, cast):
    """What the sample data records is in the log, one entry for the signature and one for the company, whose party is a row."""
    assert cast
    engine = db.open_engine(stage.settings.database_url)
    with db.sessions(engine)() as session:
        found = verify(session, Vault(KeyRing.parse(stage.settings.keys.reveal())), TABLES)
    engine.dispose()

    assert (found.entries, found.rows) == (2, 5)
