"""What a configured team means: kept once, in any case, until it is forgotten."""

from bot.github.ports import Team
from bot.store import teams

FIRST, OTHER = Team(2**53, 31), Team(8, 32)


def test_the_first_meaning_stays(sessions):
    """Whoever comes second is told what counts."""
    with sessions() as session:
        assert teams.find(session, "cann/admins") is None
        assert teams.keep(session, "CANN/Admins", FIRST) == FIRST
    with sessions() as session:
        assert teams.keep(session, "cann/admins", OTHER) == FIRST
        assert teams.find(session, "Cann/ADMINS") == FIRST


def test_forgotten_it_may_mean_another(sessions):
    """Only that name; a name that is not known is said to be so."""
    with sessions() as session:
        teams.keep(session, "cann/b", OTHER)
        teams.keep(session, "cann/a", FIRST)
        assert teams.all_known(session) == {"cann/a": FIRST, "cann/b": OTHER}
        assert list(teams.all_known(session)) == ["cann/a", "cann/b"]
    with sessions() as session:
        assert teams.forget(session, "CANN/a")
        assert not teams.forget(session, "cann/a")
    with sessions() as session:
        assert teams.all_known(session) == {"cann/b": OTHER}
        assert teams.keep(session, "cann/a", OTHER) == OTHER
