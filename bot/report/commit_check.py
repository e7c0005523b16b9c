"""The check run on a commit that is in a protected branch and that no verdict stands for: what is wrong, and what to do."""

from bot.report import words
from bot.report.check_run import CheckText, in_languages
from bot.report.markdown import code
from bot.report.words import phrase
from bot.store.pulls.commit_findings import UnjudgedCommit


def finding_text(found: UnjudgedCommit, branch: str) -> CheckText:
    """The text for a finding in that branch."""
    name = f"commit-{found.kind}" + ("-some" if found.kind == "not-compared" and found.count else "")
    shown = {
        "branch": code(branch, longest=200),
        "pull": f"#{found.number}",  # GitHub makes a link of it.
        "count": f"{found.count or 0:,}",
    }

    def summary(language: words.Language, _limit: int) -> str:
        return "\n\n".join(phrase(language, "page", key, **shown) for key in (name, f"{name}-fix", "commit-again"))

    return in_languages("both", lambda language: phrase(language, "page", f"title-{name}"), summary)


def settled_text() -> CheckText:
    """The text where a finding turned out to be none."""
    return in_languages(
        "both",
        lambda language: phrase(language, "page", "title-commit-settled"),
        lambda language, _limit: phrase(language, "page", "commit-settled"),
    )
