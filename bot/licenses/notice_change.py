"""The NOTICE that a repository should have: its own words at the top stay, and nothing is proposed where there is nothing to pass on."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from audit.facts import Delivery, RepositoryAudit
from audit.output.notice import HEADING, notice, sections
from bot.github.ports import PullRequestProposal
from bot.report.check_run import Language, languages_of
from bot.report.markdown import code
from bot.report.words.licenses import phrase

MARKER: Final = "<!-- countersign:notice -->"
BRANCH: Final = "countersign/notice"


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file at `path`, and the `content` that it should have."""

    path: str
    content: bytes

    @property
    def digest(self) -> str:
        """A digest of the path and the content."""
        return sha256(self.path.encode() + b"\0" + self.content).hexdigest()  # NUL: no path holds it.


def change(audited: RepositoryAudit) -> FileChange | None:
    """The NOTICE at the root for the tree itself; None where the one that is there is right, or none is needed."""
    at_root = sorted((text.path, text.text) for text in audited.repository.notices if "/" not in text.path)
    path, held = at_root[0] if at_root else ("NOTICE", "")
    # Without anything to pass on a repository keeps its own NOTICE, and loses what we wrote below our heading.
    if not sections(audited, Delivery.SOURCE) and HEADING not in held:
        return None
    wanted = notice(audited, Delivery.SOURCE)
    return None if wanted == held else FileChange(path, wanted.encode("utf-8", "replace"))


def proposal(file_change: FileChange, language: Language) -> PullRequestProposal:
    """The pull request that proposes the change."""
    languages = languages_of(language)
    body = "\n\n".join(phrase(each, "notice-body", path=code(file_change.path)) for each in languages)
    return PullRequestProposal(
        branch=BRANCH,
        files={file_change.path: file_change.content},
        title=" / ".join(phrase(each, "notice-title") for each in languages),
        body=f"{body}\n\n{MARKER}",
        marker=MARKER,
        message=f"Bring {file_change.path} up to date",
    )
