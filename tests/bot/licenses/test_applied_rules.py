"""What a repository of an organisation is judged by: its own file makes it stricter, and a broken one does no harm."""

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
def test_whether_licences_are_audited(text, wanted):
    """Only where the organisation's rulebook has the part."""
    assert rules(text).wants_audits is wanted


def test_no_rulebook():
    """None, and a broken one is none of ours to guess."""
    assert organization(RuleFile("o.yml", None)) is None
    with pytest.raises(DocumentInvalid):
        rules("version: 1\nlicenses: {fail_on: [never]}")


def test_a_repository():
    """The organisation's rules, or stricter ones; `.github` has no second file."""
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


def test_shadow():
    """Is the organisation's to say."""
    assert rules(ABOVE).applied("cann/docs-zh", None).quiet


@pytest.mark.parametrize("own", ["nonsense: [", "version: 1\nlicenses: {delivery: internal}", "\x01"])
def test_a_broken_file(own):
    """Or a looser one: the organisation's rules alone count, and a finding tells."""
    found = rules(ABOVE).applied("cann/ops", own)
    assert found.policy == rules(ABOVE).applied("cann/ops", None).policy
    assert [one.code for one in found.findings] == ["rulebook/invalid"]


def test_without_a_rulebook():
    """A repository's own says everything; without one the defaults count."""
    own = "version: 1\nlicenses: {delivery: internal, waivers: []}\n"
    assert without().applied("cann/ops", own).policy.delivery == Delivery.INTERNAL
    assert without().applied("cann/ops", own).findings == ()
    assert without().applied("cann/ops", None).policy == Policy()
    assert not without().wants_audits
