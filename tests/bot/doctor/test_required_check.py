"""A repository that merges without our check is named, by rulesets and by classic protection; where nothing is enforced nothing is asked."""

import pytest

from bot import clock
from bot.doctor.required_check import MAX_REPOSITORIES
from bot.store import owners

RULES = "version: 1\nrepositories: [{match: [sandbox], require: dco, mode: shadow}]\n"


@pytest.fixture(name="docs")
def _docs(deployed):
    """A second repository, in which nothing is required."""
    return deployed.world.repository(deployed.cann, "docs")


def test_required_from_this_app(deployed):
    """By either of the two ways."""
    assert deployed.item("github.ruleset") == ("pass", "1 repository requires the check `Countersign` from this App.")
    deployed.repository.protected_checks, deployed.repository.required_checks = deployed.repository.required_checks, {}
    assert deployed.item("github.ruleset")[0] == "pass"


def test_not_required(deployed, docs):
    """By name; another check does not count, nor one of that name from anybody."""
    docs.required_checks["CI"] = None
    assert deployed.item("github.ruleset") == ("fail", "cann/docs does not require the check `Countersign`.")
    docs.required_checks["Countersign"] = None
    docs.protected_checks["Countersign"] = 4711
    assert deployed.item("github.ruleset") == ("fail", "cann/docs does not require that this App sets it.")


def test_many(deployed):
    """Five are named, the others counted; those at work first."""
    for number in range(7):
        deployed.world.repository(deployed.cann, f"r{number}")
    deployed.repository.required_checks.clear()
    status, message = deployed.item("github.ruleset")
    assert status == "fail"
    assert message.endswith("and 3 more do not require the check `Countersign`.")
    assert message.count("cann/") == 5


def test_only_so_many_are_asked(deployed):
    """That is said."""
    for number in range(MAX_REPOSITORIES):
        one = deployed.world.repository(deployed.cann, f"r{number}")
        one.required_checks["Countersign"] = deployed.app.id
    deployed.world.calls.clear()
    assert deployed.item("github.ruleset") == (
        "pass",
        "100 repositories require the check `Countersign` from this App (1 more with older pushes were not checked).",
    )
    assert len([one for one in deployed.world.calls if "branches" in one.template]) == 2 * MAX_REPOSITORIES


def test_where_nothing_is_enforced(deployed, docs):
    """Shadow mode, by the rulebook as read or as given, and archives: a check that never comes is not to be required."""
    deployed.world.rename(docs, "sandbox", deployed.boss)
    deployed.world.repository(deployed.cann, "old").archived = True
    assert deployed.item("github.ruleset")[0] == "fail"
    with deployed.sessions() as session:
        owners.remember_rules(session, deployed.cann.id, RULES, valid=True, at=clock.now())
    assert deployed.item("github.ruleset")[0] == "pass"
    file = deployed.folder / "rules.yml"
    file.write_text("version: 1\n")
    assert deployed.item("github.ruleset", RULEBOOK=str(file))[0] == "fail"
    file.write_text("version: [")
    assert deployed.item("github.ruleset", RULEBOOK=str(file))[0] == "fail"
    deployed.repository.archived = docs.archived = True
    assert deployed.item("github.ruleset")[0] == "not-applicable"


def test_what_cannot_be_asked(deployed):
    """The database has the rulebooks."""
    gone = f"sqlite:///{deployed.folder / 'none.db'}"
    assert deployed.item("github.ruleset", DATABASE_URL=gone)[0] == "unknown"
    assert deployed.item("github.ruleset", PRIVATE_KEY="")[0] == "unknown"
