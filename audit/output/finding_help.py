"""What to do about a finding, in a sentence each; docs/reference/findings.md says more."""

from typing import Final

DOCUMENT: Final = "docs/reference/findings.md"
_WITHIN: Final = "Keep it inside the repository."
_RULEBOOK: Final = "State in the rulebook which one is right."
BY_CODE: Final = {
    "file/broken": "Repair the file. At most the part before the error was read.",
    "file/refused": "Write the file without deep nesting, aliases and entities.",
    "file/too-large": "Make the file smaller, or list its dependencies in the rulebook.",
    "file/encoding": "Save the file in UTF-8.",
    "file/unreadable": "Repair the link or the permissions.",
    "file/unsupported": "List what it names in the rulebook, or add an SBOM.",
    "file/outside": _WITHIN,
    "file/missing": "Add the file, or remove the line that names it.",
    "file/cycle": "Remove the circular reference.",
    "tree/cut-short": "Audit a part of it, or list the rest in the rulebook.",
    "correction/other-text": "Read the new text, then change the entry and its sha256.",
    "dependency/unreadable": "Repair the line.",
    "dependency/undetermined": "Add a lock file, or name the version in the rulebook.",
    "header/missing": "Run `countersign license headers . --fix`, which adds it.",
    "header/other": "Find out whose file it is, then correct the header by hand or exclude the file.",
    "license/altered": "Compare the text with the declared licence.",
    "license/contradiction": _RULEBOOK,
    "license/not-asked": "Audit again when the registry can be reached.",
    "license/mismatch": "Ask its authors which one is meant. Until then, state it in the rulebook.",
    "license/nested": "If it is someone else's work, list it in the rulebook with its usage.",
    "license/source": "If it is somebody else's file, list it in the rulebook, as `source-merged`; else correct its tag or notice.",
    "repository/unread": "The next night tries again.",
    "rulebook/invalid": "Repair .github/countersign.yml.",
    "waiver/expired": "Resolve the issue, or renew the waiver.",
    "waiver/other-text": "Read the new text, then renew the waiver.",
}
"""By the finding's code."""


def help_of(code: str) -> str:
    """The sentence; for a code that is not here, where it is described."""
    return BY_CODE.get(code, f"{DOCUMENT} says what to do.")
