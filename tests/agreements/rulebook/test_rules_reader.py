"""The rulebook's grammar: defaults filled in, every mistake named by its key path."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreements.rulebook.rules import AcceptedVersions, Agents, ExemptAccount, RepositoryRule, Rules, SmallChange
from agreements.rulebook.rules_reader import RulesInvalid, parse

EVERYTHING = {
    "version": 1, "organization": "The Authors", "since": "2025-01-01",
    "agreements": {
        "individual": {"text": "icla", "version": "2.1"},
        "corporate": {"text": "ccla", "version": "2.0", "employees": "sign-too"},
        "accept": {"icla": [{"versions": ">=2.0"}, {"versions": "1.x", "until": "2027-01-31"}], "ccla": [{"versions": ">=1.0"}]},
    },
    "repositories": [{"match": ["ops-*", "ge"], "require": "cla", "mode": "shadow", "small": {"lines": 15, "paths": ["*.md", "docs/**"], "total": 60}}, {"match": ["*"], "require": "both"}],
    "people": {
        "check": ["opener", "authors"], "exempt": [{"id": 49699333, "login": "dependabot[bot]"}], "members": "exempt",
        "domains": "enrolled", "override": "admins",
        "agents": {"policy": "block", "known": False, "accounts": [{"id": 5, "login": "Copilot"}], "emails": ["noreply@agent.example"]},
    },
    "dco": {"matching": "exact", "members": "exempt", "remediation": {"individual": True, "third_party": True}, "exempt": [{"id": 12345, "login": "release-machine"}], "override": "nobody"},
    "labels": {"signed": "ok", "required": "todo"}, "comment": {"language": "zh"},
    "changelog": {"require": True, "path": "NEWS.md", "skip-label": "no-news"}, "licenses": {"delivery": "binary"},
}  # fmt: skip


def test_every_documented_key_is_read():
    rules = parse(EVERYTHING)
    assert rules.organization == "The Authors"
    assert rules.since == datetime(2025, 1, 1, tzinfo=UTC)
    assert (rules.individual.version, rules.employees) == ("2.1", "sign-too")
    assert rules.accept["icla"] == (
        AcceptedVersions(">=2.0"),
        AcceptedVersions("1.x", datetime(2027, 1, 31, tzinfo=UTC)),
    )
    small = SmallChange(15, ("*.md", "docs/**"), 60)
    assert rules.repositories == (
        RepositoryRule(("ops-*", "ge"), "cla", "shadow", small),
        RepositoryRule(("*",), "both"),
    )
    assert rules.people.check == ("opener", "authors")
    assert rules.people.exempt == (ExemptAccount(49699333, "dependabot[bot]"),)
    assert rules.people.agents == Agents(
        "block", (ExemptAccount(5, "Copilot"),), ("noreply@agent.example",), known=False
    )
    assert (rules.people.members, rules.people.domains, rules.people.override) == ("exempt", "enrolled", "admins")
    assert (rules.dco.matching, rules.dco.members, rules.dco.override) == ("exact", "exempt", "nobody")
    assert rules.dco.exempt == (ExemptAccount(12345, "release-machine"),)
    assert rules.dco.individual_remediation
    assert rules.dco.third_party_remediation
    assert (rules.labels.signed, rules.labels.required, rules.comment_language) == ("ok", "todo", "zh")
    assert (rules.changelog.require, rules.changelog.path, rules.changelog.skip_label) == (True, "NEWS.md", "no-news")


def small(**limits):
    """A rulebook in which some changes are small."""
    return {"repositories": [{"match": ["*"], "require": "cla", "small": limits}]}


def test_without_a_total_a_person_may_have_a_hundred_lines_and_without_small_none():
    assert parse(small(lines=15, paths=["*.md"])).repositories[0].small == SmallChange(15, ("*.md",), 100)
    assert parse({"repositories": [{"match": ["*"]}]}).repositories[0].small is None


@pytest.mark.parametrize(("limits", "line"), [
    ({"lines": 15}, ': needs both limits, lines and paths: paths missing, write {lines: 15, paths: ["*.md"]}'),
    ({"paths": ["*.md"], "total": 9}, ': needs both limits, lines and paths: lines missing, write {lines: 15, paths: ["*.md"]}'),
    ({}, ": needs both limits, lines and paths: lines and paths missing"), ({"lines": 15, "paths": []}, ": names no files under paths"),
    ({"lines": 0, "paths": ["*"]}, ".lines: must be a whole number above zero"), ({"lines": None, "paths": ["*"]}, ".lines: must be a whole number above zero"),
    ({"lines": 1, "paths": ["*"], "total": "9"}, ".total: must be a whole number above zero"), ({"lines": 1, "paths": ["../x"]}, ".paths.0: can never match"),
    ({"lines": 1, "paths": ["docs/"]}, ".paths.0: can never match"), ({"lines": 1, "paths": ["**/a.md"]}, ".paths.0: can never match"),
    ({"lines": 1, "path": ["*"]}, ".path: unknown key, did you mean paths?"),
])  # fmt: skip
def test_small_changes_need_both_limits_and_globs_that_can_match(limits, line):
    with pytest.raises(RulesInvalid) as caught:
        parse(small(**limits))
    assert caught.value.errors[0].line.startswith(f"repositories.0.small{line}")


def test_missing_keys_have_their_documented_defaults():
    assert parse({}) == Rules()
    assert (
        parse({"version": 1, "people": {}, "dco": {}, "agreements": {}, "repositories": [], "since": None}) == Rules()
    )


@pytest.mark.parametrize("key", ["people", "dco", "agreements", "labels", "comment", "changelog"])
def test_a_section_with_one_key_leaves_the_others_at_their_defaults(key):
    assert parse({key: {}}) == Rules()


@pytest.mark.parametrize(("data", "line"), [
    ([], "rulebook: must be a mapping, not a list"), (None, "rulebook: must be a mapping, not empty"),
    ({"peeple": {}}, "peeple: unknown key, did you mean people?"), ({"licences": {}}, "licences: unknown key, did you mean licenses?"),
    ({"people": {"exmpt": []}}, "people.exmpt: unknown key, did you mean exempt?"), ({1: 2}, "1: unknown key"),
    ({"version": 2}, "version: is not known"), ({"version": "1"}, "version: is not known"), ({"version": True}, "version: is not known"),
    ({"since": "yesterday"}, "since: must be a date"), ({"since": "2025-01-01T10:00:00"}, "since: must be a date"),
    ({"since": 20250101}, "since: must be a date"), ({"since": "0001-01-01T00:00:00+10:00"}, "since: must be a date"),
    ({"agreements": {"individual": {"version": 2.0}}}, "agreements.individual.version: must be a text, not a number, write it in quotes"),
    ({"agreements": {"individual": {"version": "two"}}}, "agreements.individual.version: must be numbers"),
    ({"agreements": {"corporate": {"employees": "both"}}}, "agreements.corporate.employees: must be one of covered, sign-too"),
    ({"agreements": {"accept": {"iclaa": []}}}, "agreements.accept.iclaa: unknown key, did you mean icla?"),
    ({"agreements": {"accept": {"icla": [{"versions": "any"}]}}}, "agreements.accept.icla.0.versions: is not a version pattern"),
    ({"agreements": {"accept": {"icla": [{}]}}}, "agreements.accept.icla.0.versions: is missing"),
    ({"repositories": {"match": ["*"]}}, "repositories: must be a list, not a mapping"),
    ({"repositories": [{"require": "dco"}]}, "repositories.0.match: is missing"),
    ({"repositories": [{"match": "ops-*"}]}, "repositories.0.match: must be a list, not a text"),
    ({"repositories": [{"match": []}]}, "repositories.0.match: names no repository"),
    ({"repositories": [{"match": [1]}]}, "repositories.0.match.0: must be a text"),
    ({"repositories": [{"match": ["*"], "require": "CLA"}]}, "repositories.0.require: must be one of dco, cla, both, either, none, did you mean cla?"),
    ({"people": {"check": ["author"]}}, "people.check.0: must be one of opener, senders, authors, coauthors, did you mean authors?"),
    ({"people": {"check": []}}, "people.check: must name somebody"), ({"people": None}, "people: must be a mapping, not empty"),
    ({"people": {"exempt": [{"id": "5"}]}}, "people.exempt.0.id: must be a whole number"),
    ({"people": {"exempt": [{"id": True}]}}, "people.exempt.0.id: must be a whole number"),
    ({"people": {"exempt": [{"id": 10**30}]}}, "people.exempt.0.id: must be a whole number"),
    ({"people": {"exempt": ["dependabot"]}}, "people.exempt.0: must be a mapping, not a text"),
    ({"people": {"agents": {"emails": ["*@agent.example"]}}}, "people.agents.emails.0: must be a whole address"),
    ({"people": {"agents": {"policy": "blok"}}}, "people.agents.policy: must be one of ignore, responsible, block, did you mean block?"),
    ({"people": {"members": 10**5000}}, "people.members: must be one of required, exempt"), ({"organization": 10**5000}, "organization: must be a text"),
    ({"dco": {"remediation": {"individual": "yes"}}}, "dco.remediation.individual: must be true or false, not a text"),
    ({"dco": {"remediation": {"third-party": True}}}, "dco.remediation.third-party: unknown key, did you mean third_party?"),
    ({"labels": {"signed": "s" * 51}}, "labels.signed: has 51 characters"), ({"labels": {"required": "签" * 51}}, "labels.required: has 51 characters"),
    ({"changelog": {"skip-label": "k" * 51}}, "changelog.skip-label: has 51 characters"),
    ({"labels": {"signed": ""}}, "labels.signed: must not be empty"), ({"labels": {"signed": "a\nb"}}, "labels.signed: must be one line"),
    ({"labels": {"signed": "a\u3000b"}}, "labels.signed: contains U+3000, which cannot be used here, use a plain space or remove it"),
    ({"people": {"exempt": [{"login": "bo\u200b"}]}}, "people.exempt.0.login: contains U+200B"), ({"changelog": {"path": "x" * 1001}}, "changelog.path: has more than 1000"),
    ({"organization": "CANN\u200b"}, "organization: contains U+200B"), ({"organization": " \t\u3000\n"}, "organization: must not be empty"),
    ({"agreements": {"parties": ["A\u00adB"]}}, "agreements.parties.0: contains U+00AD"),
    ({"labels": {"signed": "CLA-required"}}, "labels.signed: must differ"), ({"changelog": {"skip_label": "x"}}, "changelog.skip_label: unknown key"),
    ({"people": {"agents": {"known": "yes"}}}, "people.agents.known: must be true or false"),
    ({"people": {"agents": {"policy": "responsable"}}}, "people.agents.policy: must be one of ignore, responsible, block, did you mean responsible?"),
    ({"dco": {"exempt": [{"id": "5"}]}}, "dco.exempt.0.id: must be a whole number"), ({"dco": {"exempt": ["release-machine"]}}, "dco.exempt.0: must be a mapping, not a text"),
    ({"dco": {"exempt": [{"id": 5, "name": "x"}]}}, "dco.exempt.0.name: unknown key"), ({"dco": {"exempts": []}}, "dco.exempts: unknown key, did you mean exempt?"),
    ({"dco": {"merged": "exemt"}}, "dco.merged: must be one of required, exempt, did you mean exempt?"), ({"dco": {"reverts": "exemt"}}, "dco.reverts: must be one of required, exempt, did you mean exempt?"),
    ({"dco": {"names": "fre"}}, "dco.names: must be one of required, free, did you mean free?"),
    ({"dco": {"portal": "on"}}, "dco.portal: must be true or false"), ({"dco": {"merge": "exempt"}}, "dco.merge: unknown key"),
    ({"repositories": [{"match": ["*"], "smal": {}}]}, "repositories.0.smal: unknown key"), ({"small": {}}, "small: unknown key"), ({"people": {"names": "free"}}, "people.names: unknown key"),
])  # fmt: skip
def test_mistakes_are_named(data, line):
    with pytest.raises(RulesInvalid) as caught:
        parse(data)
    assert caught.value.errors[0].line.startswith(line)


def test_all_mistakes_are_told_at_once():
    with pytest.raises(RulesInvalid) as caught:
        parse({"people": {"members": "maybe"}, "dco": {"matching": "loose"}, "x": 1})
    assert len(caught.value.errors) == 3
    assert "; " in str(caught.value)


def test_yaml_dates_are_utc_days_and_a_moment_needs_a_zone():
    assert parse({"since": date(2025, 1, 1)}).since == datetime(2025, 1, 1, tzinfo=UTC)
    with pytest.raises(RulesInvalid):
        parse({"since": datetime(2025, 1, 1)})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*EVERYTHING, "check", "match", "id", "individual"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_plain_data_gives_rules_or_mistakes(data):
    try:
        lines = [parse(data).comment_language]
    except RulesInvalid as invalid:
        lines = [error.line for error in invalid.errors]
    assert lines
    assert all("\n" not in line for line in lines)


@pytest.mark.parametrize("name", ["شرکت می\u200cخواهم", "ක්\u200dරි ලංකා", "നന്\u200dമ", "क्\u200dष संघ", "বাংলা র\u200d্যাব"])
def test_a_name_in_a_script_that_writes_with_joiners_keeps_them(name):
    found = parse({"organization": name, "agreements": {"parties": [f"\u3000{name}\n"]}})
    assert (found.organization, found.parties) == (name, (name,))


@pytest.mark.parametrize("name", ["\u200c", "a\u200cb", "git\u200dhub:7", "می\u200c\u200cخ", "می\u200bخ", "م\u202eی"])
def test_what_shows_nothing_is_refused_elsewhere(name):
    for book in ({"organization": name}, {"agreements": {"parties": [name]}}):
        with pytest.raises(RulesInvalid, match=r"contains U\+20"):
            parse(book)


@pytest.mark.parametrize(
    "written", ["The\u3000CANN Authors", "The CANN\u00a0Authors", "The\tCANN  Authors", "The CANN\nAuthors\n", "\u2003The CANN Authors\r\n"]
)  # fmt: skip
def test_white_space_of_any_kind_in_the_name_of_a_party_is_a_space(written):
    """As `agreements.cla.party` compares names: a block of YAML ends with a line end, and a page has no-break spaces."""
    found = parse({"organization": written, "agreements": {"parties": [written]}})
    assert (found.organization, found.parties) == ("The CANN Authors", ("The CANN Authors",))
    assert parse({"organization": "The  CANN Authors "}).organization == "The  CANN Authors ", "as it was shown before"
    with pytest.raises(RulesInvalid, match="must be a name"):
        parse({"organization": "\u3000github:7"})
