"""What there is to do about a check's problems: each different thing once, however many commits need it."""

from collections.abc import Sequence

from agreements.facts import Problem
from bot.report.words.git_commands import CommandContext
from bot.report.words.phrases import Show, cause, phrase, render
from bot.report.words.templates import Language, fill


def fixes(problems: Sequence[Problem], language: Language, *, show: Show, situation: CommandContext) -> list[str]:
    """Every different thing to do, as Markdown in the words of the public.

    Problems that the same commands mend share them: above stands what is wrong, a line for each cause.
    """
    groups: dict[str, dict[str, list[Problem]]] = {}
    for item in problems:
        said = render(item, language, show=show, public=True, situation=situation).fix
        first, _, commands = said.partition("\n")
        groups.setdefault(commands or said, {}).setdefault(first if commands else "", []).append(item)
    return [_block(shared, firsts, language) for shared, firsts in groups.items()]


def _block(shared: str, firsts: dict[str, list[Problem]], language: Language) -> str:
    items = [item for some in firsts.values() for item in some]
    commits: dict[str, set[str | None]] = {}
    for item in items:
        commits.setdefault(cause(item, language), set()).add(item.sha)
    if len(commits) == 1:
        (first,) = firsts
        return f"{first}\n{shared}" if first else shared
    lines = [f"- {fill(text, {'count': _counted(len(shas), language)})}" for text, shas in commits.items() if text]
    return "\n".join([*lines, "", phrase(language, "page", "cure"), shared])


def _counted(count: int, language: Language) -> str:
    return phrase(language, "page", "commits_one" if count == 1 else "commits_many", count=f"{count:,}")
