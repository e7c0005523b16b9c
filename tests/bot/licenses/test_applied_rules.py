"""A repository's own file makes its organisation's rules stricter, and a broken one does no harm."""

import pytest

from audit.facts import Delivery, LicenseVerdict
from audit.verdict.policy import Policy
from bot.github.ports import RuleFile
from bot.licenses.applied_rules import organization, without
from bot.rulebook.yaml_document import DocumentInvalid

ABOVE = """version: 1
repositories: [{match: [docs-*], require: dco, mode: shadow}, {match: ["*"], require: cla}]
licenses: {delivery: hosted, fail_on: [incompatible], notices: true}
"""


def rules(text):
    return organization(RuleFile("o.yml", text))


@pytest.mark.parametrize(("text", "wanted"), [("version: 1", False), ("version: 1\nlicenses:", False), ("version: 1\nlicenses: {}", True), (ABOVE, True)])  # fmt: skip
def test_licences_are_audited_where_the_organisations_rulebook_says_so(text, wanted):
    assert rules(text).wants_audits is wanted


def test_without_a_readable_rulebook_there_are_no_rules():
    assert organization(RuleFile("o.yml", None)) is None
    with pytest.raises(DocumentInvalid):
        rules("version: 1\nlicenses: {fail_on: [never]}")


def test_a_repository_has_the_organisations_rules_or_stricter_ones():
    plain = rules(ABOVE).applied("cann/ops", None)
    assert (plain.policy.delivery, plain.quiet, plain.language, plain.findings) == (Delivery.HOSTED, False, "en", ())
    own = "version: 1\ncomment: {language: zh}\nlicenses: {delivery: source, fail_on: [incompatible, review], notices: false}\n"
    strict = rules(ABOVE).applied("cann/ops", own)
    assert (strict.policy.delivery, strict.policy.fail_on) == (
        Delivery.SOURCE,
        (LicenseVerdict.INCOMPATIBLE, LicenseVerdict.REVIEW),
    )
    assert (strict.policy.notices, strict.language) == (False, "zh")
    assert rules(ABOVE).applied("cann/.github", own) == rules(ABOVE).applied("cann/.github", None)


def test_shadow_mode_is_the_organisations_to_say():
    assert rules(ABOVE).applied("cann/docs-zh", None).quiet


@pytest.mark.parametrize("own", ["nonsense: [", "version: 1\nlicenses: {delivery: internal}", "\x01"])
def test_a_broken_or_looser_file_leaves_the_organisations_rules_and_a_finding(own):
    found = rules(ABOVE).applied("cann/ops", own)
    assert found.policy == rules(ABOVE).applied("cann/ops", None).policy
    assert [finding.code for finding in found.findings] == ["rulebook/invalid"]


def test_without_an_organisations_rulebook_the_repositorys_or_the_defaults_count():
    own = "version: 1\nlicenses: {delivery: internal, waivers: []}\n"
    assert without().applied("cann/ops", own).policy.delivery == Delivery.INTERNAL
    assert without().applied("cann/ops", own).findings == ()
    assert without().applied("cann/ops", None).policy == Policy()
    assert not without().wants_audits
