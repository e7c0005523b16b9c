"""The rule that applies to a repository."""

import pytest

from agreements.rulebook.rules import RepositoryRule, Rules, enforced_rules, for_repository


@pytest.mark.parametrize(("pattern", "name", "matches"), [
    ("*", "cann/ops-math", True), ("ops-*", "cann/ops-math", True), ("OPS-*", "Cann/Ops-Math", True), ("ops-*", "cann/my-ops-math", False),
    ("ops-*", "ops-evil/runtime", False), ("cann/*", "cann/ge", True), ("cann/*", "other/ge", False), ("ge", "cann/ge", True),
    ("ge", "ge/other", False), ("g?", "cann/ge", True), ("[gh]e", "cann/he", True), ("ge", "cann/ge\n", False), ("", "cann/ge", False),
    ("*cann*", "cann/ge", False), (".github", "cann/.github", True), ("ops.math", "cann/opsxmath", False),
])  # fmt: skip
def test_patterns_match_the_bare_name_or_the_owner_and_name_in_any_case(pattern, name, matches):
    rules = Rules(repositories=(RepositoryRule((pattern,), "cla"),))
    assert (for_repository(rules, name).require == "cla") is matches


def test_the_first_matching_rule_wins_and_an_unnamed_repository_requires_a_dco():
    rules = Rules(repositories=(RepositoryRule(("a*",), "cla"), RepositoryRule(("ab",), "none")))
    assert for_repository(rules, "o/ab").require == "cla"
    assert for_repository(rules, "o/b").require == "dco"


def test_what_is_enforced_is_listed_up_to_the_rule_for_all_others():
    shadow = RepositoryRule(("new",), "cla", "shadow")
    rules = Rules(repositories=(shadow, RepositoryRule(("*",), "both"), RepositoryRule(("late",), "cla")))

    assert shadow.enforced == "none"
    assert [(rule.match, rule.require) for rule in enforced_rules(rules)] == [(("new",), "none"), ((), "both")]
    assert enforced_rules(Rules(repositories=())) == [RepositoryRule(())]
