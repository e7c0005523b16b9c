"""Faults to be planted in a copy of the core: each is one wrong decision that other programs really take."""

import shutil
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Fault:
    """What goes wrong, and the changes (module, right text, wrong text) that make it so."""

    sentence: str
    changes: tuple[tuple[str, str, str], ...]

    def plant(self, folder):
        """A copy of the core with this fault in it; LookupError when the right text does not stand there just once."""
        shutil.copytree(
            ROOT / "agreements", folder / "agreements", ignore=shutil.ignore_patterns("__pycache__", "store")
        )
        for module, right, wrong in self.changes:
            path = folder / "agreements" / f"{module}.py"
            text = path.read_text(encoding="utf-8")
            if text.count(right) != 1:
                raise LookupError(f"agreements/{module}.py has {text.count(right)} times: {right}")
            path.write_text(text.replace(right, wrong), encoding="utf-8")


def _fault(sentence, *changes):
    return Fault(sentence, changes)


FAULTS = {
    "opener": _fault(
        "Who opened it is not asked, only who is named in the commits.",
        ("identity/people", 'yield Subject(role="opener", account=facts.pull_request.opener)', "yield from ()"),
    ),
    "login": _fault(
        "People are told apart by login: who took over a login hides behind its former owner.",
        ("identity/people", "return subject.agent, subject.account.id", "return subject.agent, subject.account.login"),
    ),
    "agent": _fault(
        "An agent's address makes an agent of whoever has it.",
        ("identity/known_agents", "owner = account or holder", "owner = None"),
    ),
    "noreply": _fault(
        "A noreply address names whoever has the login in it, not the id.",
        (
            "identity/equivalence",
            "if domain != NOREPLY or not plus",
            "if not plus: number, plus, login = '4', '+', local\n    if domain != NOREPLY or not plus",
        ),
    ),
    "boundary": _fault(
        "Domains are compared from the end without looking for the label: evilhuawei.com is huawei.com.",
        (
            "domains/domains",
            "return tuple(one for one in found if not _is_www(one))",
            "return tuple(one[start:] for one in found for start in range(len(one)))",
        ),
        ("cla/companies", 'not place.endswith(f".{domain}") or', "not place.endswith(domain) or"),
    ),
    "bot": _fault(
        "Whoever writes a bot's address into a commit needs no sign-off.",
        ("dco/signoff", "return is_bot(commit.author_account) and commit.author_account.id in context.actors", "return is_bot(commit.author_account)"),
    ),
    "unlinked": _fault(
        "An author whose address belongs to no account is passed over.",
        ("identity/people", "yield from authors", "yield from (one for one in authors if one.account)"),
    ),
    "text": _fault(
        "Versions are compared as text: 1.10 is below 1.5.",
        ("versions", "[sign](_without_zeros(version), _without_zeros(numbers))", "[sign](str(version), str(numbers))"),
    ),
    "behalf": _fault(
        "Anybody remedies on another's behalf where the rulebook allows only one's own word.",
        ("dco/remediation", "or (line.behalf and not rules.third_party_remediation)", ""),
    ),
    "incomplete": _fault(
        "Commits that GitHub counts but did not show are taken for judged.",
        ("completeness", "elif have != reported:", "elif have > reported:"),
    ),
    "withdrawn": _fault(
        "A signature that was withdrawn at this very moment still counts.",
        ("cla/coverage", "one.withdrawn_at <= now", "one.withdrawn_at < now"),
    ),
    "web-flow": _fault(
        "What GitHub signs off in the browser certifies a commit.",
        ("identity/certifiers", 'return "web-flow"', 'return "person"'),
    ),
    "exclusion": _fault(
        "One company's exclusion beats another company's cover.",
        ("cla/companies", "taken = excluded.get(number, [])", "taken = [one for places in excluded.values() for one in places]"),
    ),
    "folded": _fault(
        "A co-author's address on the next line of the trailer is not read.",
        ("dco/trailers", "elif found and not line.isspace():", "elif not found and line.isspace():"),
    ),
    "enrolled": _fault(
        "GitHub's link is enough where the rulebook asks for enrolment.",
        ("cla/companies", '"enrolled" in (mode, company.domains or mode)', '"enrolled" == company.domains'),
    ),
    "oneself": _fault(
        "A maintainer exempts themselves from the CLA.",
        ("cla/contributors", "and one.by.id != one.account_id", ""),
    ),
}  # fmt: skip
