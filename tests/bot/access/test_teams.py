"""A configured team means the ids that its name had first: an account that takes the name gets no role by it."""

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from structlog.testing import capture_logs

from bot.access.roles import RoleMembers
from bot.access.served_accounts import ServedAccounts
from bot.access.teams import Teams
from bot.github.ports import Unreachable
from bot.store import team_records as kept
from tests.bot.demo.github import github_deeds
from tests.bot.flows.scene import Scene

pytestmark = pytest.mark.sqlite_alone  # tests/bot/store/test_team_records.py looks at both kinds

NAME = ("cann", "cla-admins")
FORGET = "`countersign team forget cann/cla-admins`"


@pytest.fixture(name="scene")
def _scene(tmp_path, gate, database_url):
    """The App in cann, where mia is in the team cla-admins."""
    made = rsa.generate_private_key(65537, 2048)
    key = made.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()
    scene = Scene(tmp_path, key, gate, database_url)
    scene.world.team(scene.cann, "cla-admins", [scene.mia])
    yield scene
    scene.close()


def teams(scene, administrators="cann/cla-admins", auditors="", *, accounts=("cann",)):
    """A fresh start with these settings."""
    served = ServedAccounts(accounts, scene.services.hub, scene.sessions, engine=scene.jobs, clock=scene.clock)
    return Teams(
        RoleMembers.parse(administrators), RoleMembers.parse(auditors), scene.services.hub, scene.sessions, served
    )


def test_a_teams_name_is_resolved_once_in_any_case(scene):
    assert teams(scene).members(*NAME) == {scene.mia.id}
    assert teams(scene, "CANN/CLA-Admins").members("CANN", "CLA-Admins") == {scene.mia.id}

    made = scene.cann.teams["cla-admins"]
    with scene.sessions() as session:
        assert list(kept.all_known(session)) == ["cann/cla-admins"]
        found = kept.find(session, "Cann/cla-admins")
    assert (found.organization_id, found.id) == (scene.cann.id, made.id)


@pytest.mark.parametrize("has_our_app", [True, False])
def test_a_login_that_another_organisation_took_gives_no_role(scene, has_our_app):
    teams(scene).members(*NAME)
    github_deeds.rename_account(scene.world, scene.cann, "cann-community")
    stranger = scene.world.organization("cann", admins=[scene.ada])
    scene.world.team(stranger, "cla-admins", [scene.ada])
    if has_our_app:
        scene.world.install(scene.app, stranger, scene.ada)
    ours = teams(scene)

    with capture_logs() as log:
        assert ours.members(*NAME) == frozenset()
        assert ours.members(*NAME) == frozenset()

    assert ours.refused == (
        (
            "COUNTERSIGN_ADMIN_TEAM: nobody has this role: "
            f"cann/cla-admins is another organisation now (id {stranger.id}, it was {scene.cann.id}): "
            f"find out who took the name, then name another team, or accept this one with {FORGET}"
        ),
    )
    [told] = [mutable_mapping for mutable_mapping in log if mutable_mapping["event"] == "teams.refused"]
    assert (told["log_level"], told["team"], told["why"]) == ("warning", "cann/cla-admins", ours.refused[0])


def test_a_team_made_in_place_of_another_gives_no_role(scene):
    before = scene.cann.teams["cla-admins"]
    ours = teams(scene, auditors="cann/cla-admins")
    ours.members(*NAME)
    other = scene.world.team(scene.cann, "cla-admins", [scene.ada])

    assert ours.members(*NAME) == frozenset()
    assert ours.refused == (
        (
            "COUNTERSIGN_ADMIN_TEAM and COUNTERSIGN_AUDITOR_TEAM: nobody has this role: "
            f"cann/cla-admins is another team now (id {other.id}, it was {before.id}): "
            f"find out who took the name, then name another team, or accept this one with {FORGET}"
        ),
    )
    with scene.sessions() as session:
        assert kept.forget(session, "cann/cla-admins")
    assert ours.members(*NAME) == {scene.ada.id}
    assert ours.refused == ()


def test_a_renamed_organisation_or_team_is_the_same_by_its_id(scene):
    ours = teams(scene)
    ours.members(*NAME)
    scene.cann.teams["the-admins"] = scene.cann.teams.pop("cla-admins")
    assert ours.members(*NAME) == {scene.mia.id}
    github_deeds.rename_account(scene.world, scene.cann, "cann-community")

    assert ours.members(*NAME) == {scene.mia.id}
    assert ours.refused == ()


def test_a_deleted_or_unknown_team_gives_no_role_and_is_told(scene):
    ours = teams(scene, auditors="cann/others")
    ours.refresh()
    scene.cann.teams.clear()
    ours.refresh()

    assert ours.members(*NAME) == frozenset()
    assert ours.refused == (
        (
            "COUNTERSIGN_ADMIN_TEAM: nobody has this role: the team that was cann/cla-admins is gone, or the App is suspended or no "
            f"longer installed in its organisation: name another, or accept a new one of that name with {FORGET}"
        ),
        (
            "COUNTERSIGN_AUDITOR_TEAM: nobody has this role: GitHub shows the App no team cann/others: "
            "correct the name, or install the App in that organisation"
        ),
    )


def test_a_team_of_an_organisation_that_is_not_served_gives_no_role(scene):
    other = scene.world.organization("other", admins=[scene.ada])
    scene.world.team(other, "cla-admins", [scene.ada])
    scene.world.install(scene.app, other, scene.ada)
    ours = teams(scene, "other/cla-admins")

    assert ours.members("other", "cla-admins") == frozenset()
    assert ours.refused == (
        (
            "COUNTERSIGN_ADMIN_TEAM: nobody has this role: "
            "other/cla-admins is in an organisation that is not served: name a team of one in COUNTERSIGN_ACCOUNTS"
        ),
    )
    with scene.sessions() as session:
        assert kept.all_known(session) == {}
    assert teams(scene, "other/cla-admins", accounts=("cann", "other")).members("other", "cla-admins") == {scene.ada.id}


def test_an_organisation_that_is_served_no_more_gives_no_role(scene):
    other = scene.world.organization("other", admins=[scene.ada])
    scene.world.install(scene.app, other, scene.ada)
    assert teams(scene).members(*NAME) == {scene.mia.id}
    ours = teams(scene, accounts=("other",))

    assert ours.members(*NAME) == frozenset()
    assert "cann/cla-admins is in an organisation that is not served" in ours.refused[0]


def test_a_silent_github_is_an_error_and_refuses_no_role(scene, monkeypatch):
    ours = teams(scene)
    ours.members(*NAME)

    def away(*_asked):
        raise Unreachable("GitHub answered 502")

    monkeypatch.setattr(scene.services.hub, "team_by_name", away)
    with pytest.raises(Unreachable):
        ours.members(*NAME)
    with capture_logs() as log:
        ours.refresh()
    assert [(mutable_mapping["event"], mutable_mapping["team"]) for mutable_mapping in log] == [
        ("teams.unanswered", "cann/cla-admins")
    ]
    assert ours.refused == ()


def test_ids_need_no_team(scene):
    ours = teams(scene, "11, 12")
    scene.calls()
    ours.refresh()

    assert ours.configured == frozenset()
    assert scene.calls() == []
