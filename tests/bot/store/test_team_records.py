"""A configured team keeps its first meaning, in any case of its name, until it is forgotten."""

from bot.github.ports import Team
from bot.store import team_records

FIRST, OTHER = Team(2**53, 31), Team(8, 32)


def test_the_first_meaning_of_a_team_stays_in_any_case(sessions):
    with sessions() as session:
        assert team_records.find(session, "cann/admins") is None
        assert team_records.keep(session, "CANN/Admins", FIRST) == FIRST
    with sessions() as session:
        assert team_records.keep(session, "cann/admins", OTHER) == FIRST
        assert team_records.find(session, "Cann/ADMINS") == FIRST


def test_a_forgotten_team_may_mean_another(sessions):
    with sessions() as session:
        team_records.keep(session, "cann/b", OTHER)
        team_records.keep(session, "cann/a", FIRST)
        assert team_records.all_known(session) == {"cann/a": FIRST, "cann/b": OTHER}
        assert list(team_records.all_known(session)) == ["cann/a", "cann/b"]
    with sessions() as session:
        assert team_records.forget(session, "CANN/a")
        assert not team_records.forget(session, "cann/a")
    with sessions() as session:
        assert team_records.all_known(session) == {"cann/b": OTHER}
        assert team_records.keep(session, "cann/a", OTHER) == OTHER
