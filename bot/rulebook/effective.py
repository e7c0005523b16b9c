"""The rules in force for a repository: the organisation's file, the repository's stricter one, or why neither can be had."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from agreements.catalog import AgreementText, CatalogBroken
from agreements.facts import Check, Conclusion, Problem, Value, Verdict
from agreements.rulebook.grammar import Node
from agreements.rulebook.rules import Rules, for_repository
from agreements.rulebook.rules_reader import RuleError, RulesInvalid, parse
from audit.verdict import policy
from audit.verdict.policy import Policy
from bot.github.ports import WITHHELD, RuleFile, RuleFiles, Unread
from bot.rulebook import dco_file, merge
from bot.rulebook.text_files import Texts, shipped
from bot.rulebook.yaml_document import DocumentInvalid, Path, YamlDocument
from bot.rulebook.yaml_document import read as read_document

_MAX_ERRORS = 20  # In a verdict; the rest is counted.


@dataclass(frozen=True, slots=True)
class Rulebook:
    """The `rules` in force, the licence `policy`, and the files that they come from (`sources`; none: the defaults)."""

    rules: Rules
    sources: tuple[str, ...] = ()
    policy: Policy = field(default_factory=Policy)


@dataclass(frozen=True, slots=True)
class RulebookProblem:
    """The reason why there are no rules: `code` is `rulebook/invalid` or `rulebook/unreachable`; `values` say what and where."""

    code: str
    values: Mapping[str, Value] = field(default_factory=dict)

    def problem(self) -> Problem:
        """The problem as it stands in a verdict."""
        return Problem(code=self.code, values=self.values)

    def verdict(self) -> Verdict:
        """The verdict of a pull request that could not be judged: never a pass."""
        check = Check(name="Rulebook", conclusion=Conclusion.ACTION_REQUIRED, problems=(self.problem(),))
        return Verdict(conclusion=Conclusion.ACTION_REQUIRED, checks=(check,))


@dataclass(frozen=True, slots=True)
class ParsedRulebook:
    """One rulebook file, read and parsed: its `document`, its `rules` and its licence `policy`."""

    document: YamlDocument
    rules: Rules
    policy: Policy
    templates: tuple[AgreementText, ...] = ()
    """Texts that it asks people or companies to sign although counsel has not reviewed them."""


def read(
    files: RuleFiles, organization_file: tuple[str, str] | None, full_name: str = "", *, texts: Texts | None = shipped
) -> Rulebook | RulebookProblem:
    """The rules for the repository `full_name`, from the default branches' files; `texts` are those that may be named.

    `organization_file` (path and text) stands in for the organisation's. That counts as absent only when GitHub said
    so; a repository without any rulebook has its `.github/dco.yml`, else the defaults. The file of the repository
    `.github` is the organisation's and nothing else: it never also tightens itself.
    """
    files = counting(files, organization_file, full_name)
    if files.organization is None:
        return unreachable(full_name.partition("/")[0], files.unread)
    is_without = files.organization.text is None and files.repository.text is None
    # Withheld is not absent: what cannot be read might be stricter.
    if WITHHELD in (files.repository.text, files.dco.text if is_without else None):
        return RulebookProblem("rulebook/unreachable", {"where": full_name, "why": "refused"})
    dco, name = files.dco.text, files.dco.path
    try:
        if is_without:
            with _named(name):
                return Rulebook(Rules()) if dco is None else Rulebook(dco_file.rules(dco), (name,))
        return _merged(files.organization, files.repository, full_name, texts)
    except DocumentInvalid as error:
        shown = error.errors[:_MAX_ERRORS]
        more = len(error.errors) - len(shown)
        return RulebookProblem("rulebook/invalid", {"errors": (*shown, f"and {more} more") if more else shown})


def unreachable(owner: str, why: Unread) -> RulebookProblem:
    """The error for an account whose rulebook could not be read, for this reason."""
    return RulebookProblem("rulebook/unreachable", {"where": f"{owner}/.github", "why": why})


def counting(files: RuleFiles, organization_file: tuple[str, str] | None, full_name: str) -> RuleFiles:
    """The files that count for the repository: a given one for the organisation's, in `.github` no second one."""
    # That file is the organisation's: it does not also tighten itself.
    if full_name.rpartition("/")[2].casefold() == ".github":
        files = replace(files, repository=RuleFile(files.repository.path, None))
    return replace(files, organization=RuleFile(*organization_file)) if organization_file else files


def mode(
    found: Rulebook | RulebookProblem,
    files: RuleFiles,
    organization_file: tuple[str, str] | None,
    full_name: str,
    texts: Texts | None,
) -> str | None:
    """The mode that the rules set for the repository; None while it is not known."""
    if isinstance(found, Rulebook):
        return for_repository(found.rules, full_name).mode
    # Where there are no rules the organisation's file alone decides: only it may set the mode.
    file = RuleFile(*organization_file) if organization_file else files.organization
    if file is None or file.text is None:
        return None
    try:
        return for_repository(parse_rulebook(file.text, texts).rules, full_name).mode
    except DocumentInvalid:
        return None


def parse_rulebook(text: str, texts: Texts | None = shipped) -> ParsedRulebook:
    """Parse one rulebook file; `texts`: None if not known. Raises `DocumentInvalid` with every mistake."""
    document = read_document(text)
    if not isinstance(document.data, Mapping):
        raise DocumentInvalid(("line 1: a rulebook must be a mapping that begins with version: 1",))
    errors = [] if "version" in document.data else [document.error((), "version: is missing; write version: 1")]
    licenses, mistakes = policy_of(document.data)
    errors += [document.error(mistake.path, mistake.line) for mistake in _first(mistakes)]
    rules = Rules()
    try:
        rules = parse(document.data)
    except RulesInvalid as invalid:
        errors += [document.error(error.path, error.line) for error in _first(invalid.errors)]
    else:
        # A text that was not released, or is not as released, could not be signed.
        errors += _not_released(document, rules, texts) if texts else ()
    if errors:
        # In the order of the file, the licence part among the rest.
        by_line = sorted(errors, key=lambda error: int(error.removeprefix("line ").partition(":")[0]))
        raise DocumentInvalid(tuple(by_line))
    return ParsedRulebook(document, rules, licenses, texts().templates(rules) if texts else ())


def is_valid(text: str | None, texts: Texts) -> bool:
    """Whether that rulebook has no mistake; to have none is none."""
    try:
        return text is None or bool(parse_rulebook(text, texts))
    except DocumentInvalid:
        return False


def policy_of(data: Mapping[str, object]) -> tuple[Policy, tuple[RuleError, ...]]:
    """The licence part of a rulebook's data, and every mistake in it."""
    node = Node(data.get("licenses"), ("licenses",))
    return policy.read(node), tuple(RuleError(*mistake) for mistake in node.mistakes)


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Each mistake in the file that is read inside begins with this name."""
    try:
        yield
    except DocumentInvalid as error:
        raise DocumentInvalid(tuple(f"{name}, {said}" for said in error.errors)) from None


def _merged(above: RuleFile, below: RuleFile, full_name: str, texts: Texts | None) -> Rulebook:
    with _named(f"the organisation's {above.path}"):
        ours = None if above.text is None else parse_rulebook(above.text, texts)
    with _named(below.path):
        theirs = None if below.text is None else parse_rulebook(below.text, texts)
    if theirs is None:
        assert ours is not None  # The caller has made sure that one of the two is there.
        return Rulebook(ours.rules, (above.path,), replace(ours.policy, path=above.path))
    if ours is None:
        if mistakes := [theirs.document.error(at, f"{_dotted(at)}: {merge.NOT_HERE}") for at in _only_above(theirs)]:
            raise DocumentInvalid(tuple(f"{below.path}, {said}" for said in mistakes))
        alone = replace(theirs.rules, organization="")
        return Rulebook(alone, (below.path,), replace(theirs.policy, path=below.path))
    rules, looser = merge.merge(ours.rules, theirs.rules, theirs.document.data, full_name)
    licenses, loosened = merge.merge_policies(ours.policy, theirs.policy, theirs.document.data.get("licenses"))
    if looser := (*looser, *loosened):
        errors = (theirs.document.error(at, f"{_dotted(at)}: {said}") for at, said in looser)
        raise DocumentInvalid(tuple(f"{below.path}, {error}" for error in errors))
    return Rulebook(rules, (above.path, below.path), replace(licenses, path=above.path))


def _only_above(alone: ParsedRulebook) -> Iterator[Path]:
    """The values that people with write access must not set, also where no organisation's file is above theirs."""
    # The party is the owner's account, without earlier names.
    if alone.rules.parties:
        yield "agreements", "parties"
    yield from (("repositories", at, "small") for at, rule in enumerate(alone.rules.repositories) if rule.small)


def _first(errors: tuple[RuleError, ...]) -> Iterator[RuleError]:
    # A mistake about a value in which another was found only follows from that.
    places: set[Path] = set()
    for error in errors:
        if error.path not in places:
            yield error
        places.update(error.path[:end] for end in range(1, len(error.path) + 1))


def _not_released(document: YamlDocument, rules: Rules, texts: Texts) -> Iterator[str]:
    released: dict[str, set[str]] = {}
    try:
        for name, version, _language, _sha256 in texts().accepted():
            released.setdefault(name, set()).add(version)
    except CatalogBroken as broken:
        yield from (document.error(("agreements",), f"agreements: {problem}") for problem in broken.problems)
        return
    for role, wanted in (("individual", rules.individual), ("corporate", rules.corporate)):
        at: Path = ("agreements", role)
        versions = released.get(wanted.text)
        if versions is None:
            said = f"the agreement {wanted.text!r} was not released; choose from {', '.join(sorted(released))}"
            yield document.error((*at, "text"), f"{_dotted((*at, 'text'))}: {said}")
        elif wanted.version not in versions:
            said = f"{wanted.text} {wanted.version} was not released; choose from {', '.join(sorted(versions))}"
            yield document.error((*at, "version"), f"{_dotted((*at, 'version'))}: {said}")


def _dotted(path: Path) -> str:
    return ".".join(map(str, path))
