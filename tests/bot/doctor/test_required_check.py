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


def test_a_check_required_from_this_app_by_either_way_passes(deployed):
    assert deployed.item("github.ruleset") == ("pass", "1 repository requires the check `Countersign` from this App.")
    deployed.repository.protected_checks, deployed.repository.required_checks = deployed.repository.required_checks, {}
    assert deployed.item("github.ruleset")[0] == "pass"


def test_a_repository_that_does_not_require_our_check_is_named(deployed, docs):
    docs.required_checks["CI"] = None
    assert deployed.item("github.ruleset") == ("fail", "cann/docs does not require the check `Countersign`.")
    docs.required_checks["Countersign"] = None
    docs.protected_checks["Countersign"] = 4711
    assert deployed.item("github.ruleset") == ("fail", "cann/docs does not require that this App sets it.")


def test_five_of_many_repositories_are_named_and_the_rest_counted(deployed):
    for number in range(7):
        deployed.world.repository(deployed.cann, f"r{number}")
    deployed.repository.required_checks.clear()
    status, message = deployed.item("github.ruleset")
    assert status == "fail"
    assert message.endswith("and 3 more do not require the check `Countersign`.")
    assert message.count("cann/") == 5


@pytest.mark.slow
def test_repositories_beyond_the_limit_are_said_to_be_unasked(deployed):
    for number in range(MAX_REPOSITORIES):
        repository = deployed.world.repository(deployed.cann, f"r{number}")
        repository.required_checks["Countersign"] = deployed.app.id
    deployed.world.calls.clear()
    assert deployed.item("github.ruleset") == (
        "pass",
        "100 repositories require the check `Countersign` from this App (1 more with older pushes were not checked).",
    )
    assert len([call for call in deployed.world.calls if "branches" in call.template]) == 2 * MAX_REPOSITORIES


@pytest.mark.slow
def test_a_repository_without_enforcement_is_not_asked_about(deployed, docs):
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


def test_without_database_or_app_the_item_is_unknown(deployed):
    gone = f"sqlite:///{deployed.folder / 'none.db'}"
    assert deployed.item("github.ruleset", DATABASE_URL=gone)[0] == "unknown"
    assert deployed.item("github.ruleset", PRIVATE_KEY="")[0] == "unknown"
