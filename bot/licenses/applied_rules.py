"""The licence rules for a repository of an organisation: the organisation's rulebook, tightened by the repository's own."""

from dataclasses import dataclass, field, replace

from agreements.rulebook.rules import Rules, for_repository
from audit.facts import Finding, Place
from audit.verdict.policy import RULEBOOK, Policy
from bot.github.ports import RuleFile, RuleFiles
from bot.report.check_run import Language
from bot.rulebook import effective
from bot.rulebook.effective import ParsedRulebook, Rulebook


@dataclass(frozen=True, slots=True)
class AppliedRules:
    """The `policy` and `language` for a repository, and `findings` about its rulebook; `quiet`: GitHub is not written to."""

    policy: Policy
    quiet: bool = False  # In `mode: shadow`.
    language: Language = "en"
    findings: tuple[Finding, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class OrganizationRules:
    """The organisation's rulebook: the `file`, and the `rulebook` that was read from it."""

    file: RuleFile
    rulebook: ParsedRulebook

    @property
    def wants_audits(self) -> bool:
        """Whether licences are audited at all."""
        return self.rulebook.policy.stated

    def applied(self, full_name: str, own: str | None) -> AppliedRules:
        """The rules for one repository; a broken file of its own is a finding, and the organisation's alone count."""
        rule = for_repository(self.rulebook.rules, full_name)
        # A .github/dco.yml says nothing of licences.
        files = RuleFiles(self.file, RuleFile(RULEBOOK, own), RuleFile("", None))
        found = effective.read(files, None, full_name, texts=None)
        quiet = rule.mode == "shadow"
        if isinstance(found, Rulebook):
            return AppliedRules(found.policy, quiet, _language(found.rules))
        # A broken file of the repository must not switch off the organisation's rules.
        said = found.values["errors"]
        errors = said if isinstance(said, tuple) else (str(said),)
        findings = tuple(Finding("rulebook/invalid", Place(RULEBOOK), error) for error in errors)
        return AppliedRules(
            replace(self.rulebook.policy, path=self.file.path), quiet, _language(self.rulebook.rules), findings
        )


def organization(file: RuleFile) -> OrganizationRules | None:
    """The organisation's rulebook; None where it has none. Raises DocumentInvalid."""
    return None if file.text is None else OrganizationRules(file, effective.parse_rulebook(file.text, None))


def without() -> OrganizationRules:
    """An organisation without a rulebook: each repository's own counts alone, else the defaults."""
    return OrganizationRules(RuleFile(RULEBOOK, None), effective.parse_rulebook("version: 1\n", None))


def _language(rules: Rules) -> Language:
    # `auto` follows the language of a commit message, and none tells of a repository as such.
    return "en" if rules.comment_language == "auto" else rules.comment_language
