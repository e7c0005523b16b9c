"""The rules in force come from the right file, and a broken file is never a pass."""

import pytest

from agreements.facts import Conclusion
from agreements.rulebook.rules import RepositoryRule, Rules, for_repository
from bot.github.ports import UNREADABLE, RuleFile, RuleFiles
from bot.rulebook import effective
from bot.rulebook.yaml_document import DocumentInvalid

PATH = ".github/countersign.yml"
CLA = 'version: 1\nrepositories: [{match: ["*"], require: cla}]\n'
BOTH = 'version: 1\nrepositories: [{match: ["*"], require: both}]\n'


def files(organization=None, repository=None, dco=None):
    """Rule files; None is a file that is certainly absent, "unreadable" an organisation that could not be read."""
    above = None if organization == "unreadable" else RuleFile(PATH, organization)
    return RuleFiles(above, RuleFile(PATH, repository), RuleFile(".github/dco.yml", dco))


def read(organization=None, repository=None, dco=None, file=None, full_name="cann/ops-math"):
    """Read for one repository."""
    return effective.read(files(organization, repository, dco), file, full_name)


def required(found):
    """What the repository must have."""
    return for_repository(found.rules, "cann/ops-math").require


def test_without_any_file_a_sign_off_is_required():
    found = read()
    assert (found.rules, found.sources, required(found)) == (Rules(), (), "dco")


def test_the_organisations_file_alone_counts_and_dco_yml_no_longer_does():
    found = read(CLA, dco="require: {members: false}")
    assert (required(found), found.sources) == ("cla", (PATH,))
    assert found.rules.dco.members == "required"


def test_without_an_organisations_file_the_repositorys_own_decides():
    found = read(repository='version: 1\nrepositories: [{match: ["*"], require: none, mode: shadow}]\n')
    assert for_repository(found.rules, "cann/ops-math") == RepositoryRule(("*",), "none", "shadow")


def test_two_files_become_one_never_looser_than_the_organisations():
    assert (required(read(CLA, BOTH)), read(CLA, BOTH).sources) == ("both", (PATH, PATH))


def test_a_repository_without_a_rulebook_has_its_dco_file():
    found = read(dco="require: {members: false}")
    assert (found.rules.dco.members, required(found), found.sources) == ("exempt", "dco", (".github/dco.yml",))


def test_a_given_file_stands_for_the_organisations():
    for organization in (None, "unreadable", BOTH):
        found = read(organization, file=("rules.yml", CLA))
        assert (required(found), found.sources) == ("cla", ("rules.yml",))


@pytest.mark.parametrize("full_name", ["cann/.github", "CANN/.GitHub"])
@pytest.mark.parametrize("file", [None, ("rules.yml", CLA)])
def test_in_dot_github_the_file_is_the_organisations_alone(full_name, file):
    whole = CLA + 'organization: The CANN Authors\nagreements: {individual: {text: icla, version: "2.0"}}\n'
    found = read(whole, whole, file=file, full_name=full_name)
    assert (required(found), found.sources) == ("cla", ("rules.yml" if file else PATH,))
    assert read(whole, whole).code == "rulebook/invalid", "a repository of any other name may not"


def test_the_organisations_broken_file_is_told_once():
    found = read("version: 1\nx: 1", "version: 1\nx: 1", full_name="cann/.github")
    (error,) = found.values["errors"]
    assert error.startswith(f"the organisation's {PATH}, line 2: x: unknown key")
    assert read(dco="require: {members: false}", full_name="cann/.github").sources == (".github/dco.yml",)


@pytest.mark.parametrize("repository", [None, CLA])
@pytest.mark.parametrize("dco", [None, "require: {members: false}"])
def test_an_unreachable_organisations_file_is_not_an_absent_one(repository, dco):
    found = read("unreadable", repository, dco)
    assert found.code == "rulebook/unreachable"
    verdict = found.verdict()
    assert verdict.conclusion is Conclusion.ACTION_REQUIRED
    assert not verdict.conclusion.passes
    assert verdict.checks[0].problems == (found.problem(),)
    assert found.values == {"where": "cann/.github", "why": "no-answer"}


@pytest.mark.parametrize("broken", ["", "[]", "version: 1\nx: 1", "version: 2", UNREADABLE, "{", "null"])
@pytest.mark.parametrize("level", ["organization", "repository", "file"])
def test_a_broken_file_is_never_a_pass(broken, level):
    found = read(file=("given.yml", broken)) if level == "file" else read(**{level: broken})
    assert found.code == "rulebook/invalid"
    where = {"organization": f"the organisation's {PATH}", "repository": PATH, "file": "the organisation's given.yml"}
    assert found.values["errors"][0].startswith(f"{where[level]}, line ")
    assert not found.verdict().conclusion.passes


def test_a_broken_dco_file_is_an_error():
    assert read(dco="require: 7").values["errors"] == (".github/dco.yml, line 1: require: must be a mapping",)


def test_a_looser_value_is_shown_with_its_place():
    found = read(BOTH, "version: 1\n\n" + CLA.partition("\n")[2])
    said = "repositories.0.require: cla is looser than the organisation's both; a repository may only be stricter"
    assert found.values["errors"] == (f"{PATH}, line 3: {said}",)


def errors(text):
    """The mistakes of one file."""
    with pytest.raises(DocumentInvalid) as refused:
        effective.parse_rulebook(text)
    return refused.value.errors


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("people: {}", "line 1: version: is missing; write version: 1"),
        ("version: 1\npeople:\n  exmpt: []", "line 3: people.exmpt: unknown key, did you mean exempt?"),
        (
            "version: 1\nlicenses:\n  fail_on: [never]",
            "line 3: licenses.fail_on.0: must be one of obligations, conditional, review, unknown-license, incompatible",
        ),
        ("version: 1\nlicenses: {delivry: binary}", "line 2: licenses.delivry: unknown key, did you mean delivery?"),
        (
            "version: 1\ndco: {override: everybody}",
            "line 2: dco.override: must be one of nobody, admins, maintainers",
        ),
        (
            "version: 1\nagreements:\n  individual: {text: nosuch}",
            "line 3: agreements.individual.text: the agreement 'nosuch' was not released; choose from ccla, icla",
        ),
        (
            'version: 1\nagreements:\n  corporate:\n    version: "9.9"',
            "line 4: agreements.corporate.version: ccla 9.9 was not released; choose from 2.0",
        ),
        (
            "version: 1\nagreements: {individual: {text: dco, version: '1.1'}}",
            "line 2: agreements.individual.text: the agreement 'dco' was not released; choose from ccla, icla",
        ),
        ("version: 1\nversion: 1", "line 2: the key 'version' appears twice"),
    ],
)
def test_each_mistake_is_told_with_line_key_and_remedy(text, error):
    assert error in errors(text)


def test_a_key_cannot_break_the_line_of_its_mistake():
    assert errors(f"version: 1\n{'k' * 100}: 1")[0].startswith(f"line 2: {'k' * 60}: unknown key")
    (error,) = errors('version: 1\n"a\\nb\\e[31m\\u202e": 1')
    assert error.startswith("line 2: a?b?[31m?: unknown key")
    assert error.isprintable()


def test_every_mistake_is_told_in_the_order_of_lines():
    found = errors("people: {x: 1}\nlicenses: {y: 1}\ndco:\n  matching: sloppy\n")
    assert [error.partition(":")[0] for error in found] == ["line 1", "line 1", "line 2", "line 4"]


@pytest.mark.parametrize(
    "text",
    ["version: 1", "version: 1\nlicenses: {}", "version: 1\nlicenses:", "version: 1\nlicenses: {delivery: hosted}"],
)
def test_the_least_rulebook_that_is_right_is_read(text):
    effective.parse_rulebook(text)


def test_the_licence_part_keeps_its_dates_as_written():
    waiver = "{purl: pkg:pypi/x, until: 2027-01-01, reason: old, by: Ada}"
    policy = effective.parse_rulebook(f"version: 1\nlicenses:\n  delivery: hosted\n  waivers:\n    - {waiver}").policy
    assert (policy.delivery, policy.waivers[0].until.isoformat()) == ("hosted", "2027-01-01")


@pytest.mark.parametrize("who", ["nobody", "admins", "maintainers"])
def test_both_keys_for_overrides_take_all_their_values(who):
    rules = effective.parse_rulebook(f"version: 1\npeople: {{override: {who}}}\ndco: {{override: {who}}}").rules
    assert (rules.people.override, rules.dco.override) == (who, who)


def test_many_mistakes_are_cut():
    text = "version: 1\n" + "".join(f"k{n}: 1\n" for n in range(100))
    found = read(text).values["errors"]
    assert (len(found), found[-1]) == (21, "and 80 more")


@pytest.mark.parametrize(
    ("text", "errors"),
    [
        (
            "repositories: [{match: core-*}]",
            ["line 2: repositories.0.match: must be a list, not a text, write it in brackets: [a, b]"],
        ),
        ("people: {check: opener}", ["line 2: people.check: must be a list, not a text, write it in brackets: [a, b]"]),
        (
            "people: {check: [openr]}",
            ["line 2: people.check.0: must be one of opener, senders, authors, coauthors, did you mean opener?"],
        ),
        (
            "people: {check: []}",
            ["line 2: people.check: must name somebody, known here: opener, senders, authors, coauthors"],
        ),
        ("repositories: [{match: []}]", ['line 2: repositories.0.match: names no repository, write ["*"] for all']),
        (
            "repositories:\n  - {match: x, require: cla, mod: shadow}\n  - {require: dcoo}",
            [
                "line 3: repositories.0.match: must be a list, not a text, write it in brackets: [a, b]",
                "line 3: repositories.0.mod: unknown key, did you mean mode?",
                "line 4: repositories.1.match: is missing",
                "line 4: repositories.1.require: must be one of dco, cla, both, either, none, did you mean dco?",
            ],
        ),
    ],
)
def test_a_mistake_that_only_follows_from_another_is_not_told(text, errors):
    with pytest.raises(DocumentInvalid) as caught:
        effective.parse_rulebook(f"version: 1\n{text}\n")

    assert sorted(caught.value.errors) == errors
