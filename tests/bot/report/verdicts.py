"""Verdicts of every kind, and the context in which a report tells them."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from agreements.facts import Account, Check, CommitStatus, Conclusion, Note, Problem, Verdict
from bot.report.check_run import ReportContext
from bot.report.words import CommandContext, PullBranch
from bot.rulebook.effective import RulebookProblem

CASES = Path(__file__).parents[2] / "cases" / "words"
A, B, C = ("a" * 40, "b" * 40, "c" * 40)
ADA, BO = Account(11, "ada"), Account(12, "bo")
LANGUAGES = ("en", "zh", "both")
SINCE = datetime(2026, 11, 21, 9, 5, 30, tzinfo=UTC)

UNSIGNED = Problem(code="cla/unsigned", account=BO, role="opener", values={"agreement": "icla", "also": ("company",)})
UNLINKED = Problem(code="cla/unlinked-email", sha=B, role="author", values={"email": "e…e@x.org", "name": "Eve"})
BY_DOMAIN = Note(
    code="cla/company-domain",
    account=ADA,
    role="author",
    values={"agreement": "ccla", "version": "2.0", "company": "Huawei", "domain": "huawei.com"},
)
MISSING = Problem(code="dco/missing", sha=B, account=BO, role="author", values={"expected": ("Bo <b…o@x.org>",)})
SIGNED = Note(code="dco/signed", sha=A, account=ADA, values={"by": "Ada <a…a@huawei.com>"})
NO_CHANGELOG = Problem(code="changelog/missing", values={"path": "CHANGELOG.md"})


def context(**fields):
    """Where the pull request is."""
    return ReportContext(
        **{
            "repository": "cann/ops-math",
            "number": 7,
            "head_sha": B,
            "situation": CommandContext("main", amend=True),
            "sign_url": "https://cla.example.org/sign/icla?pr=cann/ops-math/7",
            "employer_url": "https://cla.example.org/employer?pr=cann/ops-math/7",
            "emails_url": "https://cla.example.org/me/emails",
            "explain_url": "https://cla.example.org/pr/cann/ops-math/7",
            "language": "en",
            "marker": "countersign:70:7",
            "faq_url": "https://cla.example.org/faq",
            "dco_url": "https://cla.example.org/dco",
            "subjects": {A: "Add a kernel", B: "Fix the kernel"},
            "since": SINCE,
            **fields,
        }
    )


def check(name, conclusion, problems=(), notes=(), commits=None):
    """One check."""
    return Check(name=name, conclusion=conclusion, problems=problems, notes=notes, commits=commits)


def commits(*statuses):
    """The DCO's answers, in order."""
    codes = {"pass": ("dco/signed",), "fail": ("dco/missing",)}
    return tuple(CommitStatus(sha, status, codes[status]) for sha, status in zip((A, B, C), statuses, strict=False))


GOOD_CLA = check("CLA", Conclusion.SUCCESS, notes=(BY_DOMAIN,))
BAD_CLA = check("CLA", Conclusion.FAILURE, (UNSIGNED, UNLINKED), (BY_DOMAIN,))
GOOD_DCO = check("DCO", Conclusion.SUCCESS, notes=(SIGNED,), commits=commits("pass"))
BAD_DCO = check("DCO", Conclusion.FAILURE, (MISSING,), (SIGNED,), commits("pass", "fail"))
ASIDE = check(
    "DCO",
    Conclusion.SUCCESS,
    notes=(SIGNED, Note(code="dco/overridden", account=BO, values={"by": "bo"})),
    commits=(
        CommitStatus(A, "pass", ("dco/signed",)),
        CommitStatus(B, "pass", ("dco/email-differs", "dco/overridden")),
    ),
)
BEFORE = Note(code="rules/before-since", values={"since": "2025-01-01T00:00:00Z"})
INCOMPLETE = Problem(
    code="facts/incomplete", values={"have": 250, "reported": None, "why": "their number is not known"}
)
VERDICTS = {
    "newcomer": Verdict(conclusion=Conclusion.FAILURE, checks=(check("CLA", Conclusion.FAILURE, (UNSIGNED,)),)),
    "everything": Verdict(
        conclusion=Conclusion.FAILURE,
        checks=(BAD_CLA, BAD_DCO, check("Changelog", Conclusion.FAILURE, (NO_CHANGELOG,))),
    ),
    "good": Verdict(conclusion=Conclusion.SUCCESS, checks=(GOOD_CLA, GOOD_DCO)),
    "overridden": Verdict(conclusion=Conclusion.SUCCESS, checks=(ASIDE,)),
    "before": Verdict(conclusion=Conclusion.NEUTRAL, checks=(check("DCO", Conclusion.NEUTRAL, notes=(BEFORE,)),)),
    "nothing": Verdict(conclusion=Conclusion.NEUTRAL),
    "incomplete": Verdict(
        conclusion=Conclusion.ACTION_REQUIRED,
        checks=(check("DCO", Conclusion.ACTION_REQUIRED, (INCOMPLETE,), commits=()),),
    ),
    "broken": RulebookProblem(
        "rulebook/invalid",
        {"errors": (".github/countersign.yml, line 7: people.exmpt: unknown key, did you mean exempt?",)},
    ).verdict(),
}


CAUSES = ("dco/missing", "dco/name-differs", "dco/missing", "dco/bot-unproven")
SHAS = tuple(f"{number:040x}" for number in range(1, 5))
SEVERAL = Verdict(
    conclusion=Conclusion.FAILURE,
    checks=(
        check(
            "DCO",
            Conclusion.FAILURE,
            tuple(
                replace(
                    MISSING, code=code, sha=sha, values={"expected": ("Bo <b…o@x.org>",), "found": ("B <b…o@x.org>",)}
                )
                for code, sha in zip(CAUSES, SHAS, strict=True)
            ),
            commits=tuple(CommitStatus(sha, "fail", (code,)) for code, sha in zip(CAUSES, SHAS, strict=True)),
        ),
    ),
)
EVERYWHERE = CommandContext(
    "main",
    amend=False,
    others=True,
    merges=True,
    bots=True,
    machines=SHAS[3:],
    pull=PullBranch.at("https://github.com", "cann/ops-math", ("mia/ops-math", "fix"), SHAS[-1]),
    individual=SHAS[:3],
    third_party=SHAS,
    web=SHAS[:1],
)


MANY = CommandContext("main", amend=False)


def many(count):
    """A verdict about that many commits and people, every one a problem."""
    shas = [f"{number:040x}" for number in range(count)]
    people = tuple(replace(UNSIGNED, account=Account(number + 1, f"person-{number}")) for number in range(count))
    signs = tuple(replace(MISSING, sha=sha) for sha in shas)
    statuses = tuple(CommitStatus(sha, "fail", ("dco/missing",)) for sha in shas)
    checks = (check("CLA", Conclusion.FAILURE, people), check("DCO", Conclusion.FAILURE, signs, commits=statuses))
    return Verdict(conclusion=Conclusion.FAILURE, checks=checks), dict.fromkeys(shas, "subject " * 30)
