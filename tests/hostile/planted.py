"""Faults to be planted in a copy of the core: each is one wrong decision that other programs really take."""

import shutil
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Fault:
    """What goes wrong, the changes (module, right text, wrong text) that make it so, and the attack that it is looked for in."""

    sentence: str
    changes: tuple[tuple[str, str, str], ...]
    among: str = ""

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


def _fault(sentence, *changes, among=""):
    return Fault(sentence, changes, among)


FAULTS = {
    "opener": _fault(
        "Who opened it is not asked, only who is named in the commits.",
        ("identity/subjects", 'yield _actor("opener", facts.pull_request.opener, agents)', "yield from ()"),
    ),
    "login": _fault(
        "People are told apart by login: who took over a login hides behind its former owner.",
        ("identity/subjects", "return subject.agent, subject.account.id", "return subject.agent, subject.account.login"),
    ),
    "agent": _fault(
        "An agent's address makes an agent of each account that has it.",
        ("identity/certifiers", "owner = account or holder", "owner = None"),
    ),
    "noreply": _fault(
        "A noreply address names the account that has the login in it, not the id.",
        (
            "identity/matching",
            "if domain != server.noreply_domain or not plus",
            "if not plus: number, plus, login = '4', '+', local\n    if domain != server.noreply_domain or not plus",
        ),
    ),
    "boundary": _fault(
        "Domains are compared from the end without looking for the label: evilhuawei.com is huawei.com.",
        (
            "domains/canonical_form",
            "return tuple(name for name in found if not _is_www(name))",
            "return tuple(name[start:] for name in found for start in range(len(name)))",
        ),
        ("cla/company_cover", 'not place.endswith(f".{domain}") or', "not place.endswith(domain) or"),
    ),
    "bot": _fault(
        "A person who writes a bot's address into a commit needs no sign-off.",
        ("dco/signoff", "return author if is_own else None", "return author"),
    ),
    "unlinked": _fault(
        "An author whose address belongs to no account is passed over.",
        ("identity/subjects", "yield from authors", "yield from (author for author in authors if author.account)"),
    ),
    "text": _fault(
        "Versions are compared as text: 1.10 is below 1.5.",
        ("versions", "[sign](_without_zeros(version), _without_zeros(numbers))", "[sign](str(version), str(numbers))"),
    ),
    "behalf": _fault(
        "A person remedies on another's behalf where the rulebook allows only the author's own word.",
        ("dco/remediation", "or (line.behalf and not rules.third_party_remediation)", ""),
    ),
    "incomplete": _fault(
        "Commits that GitHub counts but did not show are taken for judged.",
        ("completeness", "elif have != reported:", "elif have > reported:"),
    ),
    "withdrawn": _fault(
        "A signature that was withdrawn at this very moment still counts.",
        ("cla/coverage", "signature.withdrawn_at <= now", "signature.withdrawn_at < now"),
    ),
    "web-flow": _fault(
        "What GitHub signs off in the browser certifies a commit.",
        ("identity/certifiers", 'return "web-flow"', 'return "person"'),
    ),
    "exclusion": _fault(
        "One company's exclusion beats another company's cover.",
        ("cla/company_cover", "taken = excluded.get(number, [])", "taken = [entry for places in excluded.values() for entry in places]"),
    ),
    "folded": _fault(
        "A co-author's address on the next line of the trailer is not read.",
        ("dco/trailers", "elif found and not line.isspace():", "elif not found and line.isspace():"),
    ),
    "enrolled": _fault(
        "GitHub's link is enough where the rulebook asks for enrolment.",
        ("cla/company_cover", '"enrolled" in (mode, company.domains or mode)', '"enrolled" == company.domains'),
    ),
    "oneself": _fault(
        "A maintainer exempts themselves from the CLA.",
        ("cla/contributors", "and override.by.id != override.account_id", ""),
    ),
    "party": _fault(
        "What was signed with one party counts for another.",
        ("cla/party", "return party is None or canonical_party(party) in self.counting", "return True"),
    ),
    "party in letters": _fault(
        "Parties are compared in any case.",
        ("cla/party", 'return " ".join(unicodedata.normalize("NFC", name).split())', 'return " ".join(unicodedata.normalize("NFC", name).casefold().split())'),
    ),
    "server": _fault(
        "github.com's own addresses name accounts of every server.",
        ("identity/matching", "if domain != server.noreply_domain or not plus", 'if domain not in (server.noreply_domain, "users.noreply.github.com") or not plus'),
    ),
    "ids of github.com": _fault(
        "The number of a known agent at github.com makes an agent of a person on another server.",
        ("identity/certifiers", "if owner is not None and server.is_github_com else None", "if owner is not None else None"),
    ),
    "web-flow elsewhere": _fault(
        "On another server web-flow certifies.",
        ("identity/certifiers", "if address in (server.web_flow_email, ", "if address in ("),
    ),
    "domain of the server": _fault(
        "The company to whose domain a server belongs covers each account that has a no-reply address there.",
        ("domains/canonical_form", "or server.is_noreply(domain)", ""),
    ),
    "agent as a bot": _fault(
        "An AI agent that pushes needs no sign-off, as other bots.",
        ("dco/signoff", "if is_bot(author) and not context.agents.is_account(author):", "if is_bot(author):"),
    ),
    "agent alone": _fault(
        "An AI agent opens and pushes, and no person answers.",
        ("cla/contributors", 'if rules.agents.policy == "block" or not needed:', "if True:"),
    ),
    "voucher": _fault(
        "A person who is covered by nothing vouches for an agent.",
        ("cla/contributors", "next((voucher for voucher in vouchers if standing(voucher).covered), None)", "next(iter(vouchers), None)"),
        among="agent_alone",
    ),
    "committer": _fault(
        "An AI agent that commits is not blocked.",
        ("identity/subjects", "if committer.agent:", "if False:"),
    ),
    "only merges": _fault(
        "A pull request of merges alone passes.",
        ("dco/signoff", "return any(commit.merge_changes is not False for commit in own)", "return False"),
    ),
}  # fmt: skip
