"""What to do about a verdict, by the ways out that its rule leaves, the cheapest first; and about a finding."""

from typing import Final

from audit.facts import LicenseVerdict

_REPLACE: Final = (
    "Replace it, use it as a separate program, or ask its authors for another licence. "
    "Or choose a licence for the project that allows it: `countersign license outbound` lists them."
)
BY_RULE: Final = {
    "license/not-pinned": "Pin the version: commit a lock file or write the exact version. Or set its licence in the rulebook.",
    "license/offline": "Run the audit again without `--offline`. If `COUNTERSIGN_REGISTRIES` is set, it has to name the registry. Or set its licence in the rulebook.",
    "license/unreachable": "Run the audit again when the registry is available.",
    "license/private": "Set its licence in the rulebook, under `dependencies`. If the name or version is a typing error, correct it.",
    "license/no-registry": "Find out the licence and set it in the rulebook, under `dependencies`.",
    "license/unreadable": "Read what the authors state, and set that licence in the rulebook.",
    "license/none": "Find out the licence and set it in the rulebook, or ask the authors to state one. Without a licence, no use is allowed.",
    "license/unknown": "Read the licence and set it in the rulebook. If nobody recognises it, ask a lawyer to read it.",
    "license/family": "Find out which licence of this family is meant, and set it in the rulebook.",
    "outbound/family": "State in the rulebook or the LICENSE file which licence of this family the project has.",
    "outbound/conflict": "Replace one of the two, or use it as a separate program.",
    "outbound/unknown": "Set the project's licence in the rulebook, or add a LICENSE file with the exact text of one.",
    "usage/unknown": "Set the usage in the rulebook. It may be allowed if linked dynamically, but not if merged.",
    "usage/restricted": "Ask a lawyer to read its terms of use, or replace it.",
    "usage/aggregate-copyleft": "Include its licence text with the image, and offer the source of its contents.",
    "usage/network-copyleft": "Ask a lawyer whether using the service this way binds you, or replace it.",
    "exception/unknown": "Read the exception. If it is a typing error, write the licence without it.",
    "exception/outbound": "Follow the terms of the linked code as well, and include its licence text and notices.",
    "exception/outbound-terms": "Ask a lawyer to read the terms added to the project's licence, or remove them.",
    "exception/restricts": "Ask a lawyer what the exception forbids, or replace it.",
    "exception/lifted": "Follow the terms of the exception and include its text.",
    "osadl/obligations": "Include its licence text and notices, and offer the source that it requires.",
    "osadl/linked": "Include its licence text and notices, and offer its source. Keep it linked, do not merge it.",
    "osadl/apart": "Keep its files separate and under their own licence. Ask a lawyer to confirm.",
    "osadl/merged": "Link it instead of merging it, or replace it.",
    "osadl/unknown": "There is no published answer for this pair. Ask a lawyer, or replace it.",
    "osadl/incompatible": _REPLACE,
    "copyleft/file": "Keep its files under their own licence, and offer their source.",
    "copyleft/dynamic": "Include its licence text and notices, offer its source, and let users replace the library.",
    "copyleft/static": "Link it dynamically. Or let users relink with a changed library, by providing object files and build scripts.",
    "copyleft/apart": "Keep its files separate and under their own licence. Ask a lawyer to confirm.",
    "copyleft/upgrade": "Release the whole project under the licence named in the reason, or replace it.",
    "copyleft/combined": (
        "Replace it, use it as a separate program, or ask its authors for another licence. "
        "Or choose a licence or an exception for the project that allows it: `countersign license outbound` lists licences."
    ),
    "copyleft/conversion": "Take this copy under the licence named in the reason, and change its notices to match.",
    "copyleft/separable": "Keep it as a separate work, and include its licence text, notices and source.",
    "copyleft/system-library": "Do not distribute it with the project. Let users install it from their system.",
    "copyleft/unclear": "Ask a lawyer how far its terms reach, or replace it.",
    "closed/copyleft": "Replace it, use it as a separate program, or ask its authors for another licence.",
    "closed/restricted": "Replace it, or ask its authors for another licence.",
    "category/condition": "Include its licence text and notices, and meet the condition that the reason names.",
    "category/copyleft": _REPLACE,
    "category/same": "Include its licence text and notices, and offer the source that it requires.",
    "category/unclear": "Ask its authors for a clear licence, or replace it.",
    "published/incompatible": _REPLACE,
    "data/beside": "Do what the reason says, and keep it separate from the code.",
    "published/obligations": "Include its licence text and notices, and do what the reason says.",
    "model/unknown-terms": "Read its terms, and set the licence in the rulebook, under `dependencies`. If nobody recognises them, ask a lawyer.",
    "model/restricted": "Do what the reason says, and tell those who get the weights or the data what is not allowed.",
    "model/non-commercial": "Find out whether your use is commercial. Replace it, or ask its authors for another licence.",
    "model/no-derivatives": "Use it unchanged, or ask its authors for another licence: a model that is trained further is a changed one.",
    "model/share-alike": "Do what the reason says, and keep it in files of its own.",
    "model/review": "Ask a lawyer to read its terms of use, or replace it.",
    "policy/denied": "Replace it, or ask the maintainers of the rulebook for an exception.",
    "policy/not-allowed": "Replace it, or ask the maintainers of the rulebook to allow its licence or make an exception.",
    "category/review": "No published table has this pair. Ask a lawyer, or replace it.",
}
"""By rule (docs/reference/license-rules.md); rules after which there is nothing to do are not here."""
FINDINGS: Final = "docs/reference/findings.md"
BY_CODE: Final = {
    "file/broken": "Repair the file. At most the part before the error was read.",
    "file/refused": "Write the file without deep nesting, aliases and entities.",
    "file/too-large": "Make the file smaller, or list its dependencies in the rulebook.",
    "file/encoding": "Save the file in UTF-8.",
    "file/unreadable": "Repair the link or the permissions.",
    "file/unsupported": "List what it names in the rulebook, or add an SBOM.",
    "file/outside": "Keep it inside the repository.",
    "file/missing": "Add the file, or remove the line that names it.",
    "file/cycle": "Remove the circular reference.",
    "scope/bare": "Audit a clone of it, with its files checked out.",
    "scope/empty": "Name the folder that holds the project, with its files checked out.",
    "scope/language": "Add a manifest or a lock file, or list what they use in the rulebook.",
    "scope/no-source": "Nothing, if the project uses nothing. Otherwise list it in the rulebook.",
    "scope/test-data": "Nothing. If the work uses what one of them names, list it in the rulebook.",
    "scope/sparse": "Check out all files, then audit again.",
    "scope/submodule": "Check it out with `git submodule update --init`, then audit again. Or set its licence in the rulebook.",
    "tree/cut-short": "Audit a part of it, or list the rest in the rulebook.",
    "correction/other-text": "Read the new text, then change the entry and its sha256.",
    "dependency/unreadable": "Repair the line.",
    "dependency/undetermined": "Add a lock file, or name the version in the rulebook.",
    "header/missing": "Run `countersign license headers . --fix`, which adds it.",
    "header/other": "Find out whose file it is, then correct the header by hand or exclude the file.",
    "license/attribution": "If it is somebody else's file, keep its notices with the work.",
    "license/altered": "Compare the text with the declared licence.",
    "license/contradiction": "Correct your own manifest, or state in the rulebook which one is right.",
    "license/not-asked": "Audit again when the registry can be reached.",
    "license/mismatch": "Ask its authors which one is meant. Until then, state it in the rulebook.",
    "license/own-unknown": (
        "State the licence of the project in its manifest, or add a LICENSE file with the exact text of one. "
        "Or set it in the rulebook, under `repositories`."
    ),
    "license/nested": "If it is someone else's work, list it in the rulebook with its usage.",
    "license/remark": "Read the sentence. If it changes the licence, state the licence in the rulebook.",
    "license/source": "If it is somebody else's file, list it in the rulebook, as `source-merged`; else correct its tag or notice.",
    "license/use-restricted": "Read the terms: whoever uses or distributes the work has to follow them, too. Or replace the model or the data.",
    "license/weights-unstated": "If the weights are somebody else's, list them in the rulebook as `model-weights`. If they are yours, add a card with the licence.",
    "repository/unread": "The next night tries again.",
    "scope/tags": "Audit a checkout, which reads them all.",
    "rulebook/invalid": "Repair .github/countersign.yml.",
    "waiver/expired": "Resolve the issue, or renew the waiver.",
    "waiver/other-text": "Read the new text, then renew the waiver.",
}
"""By the code of a finding."""
WAIVER: Final = (
    "If someone takes responsibility for it, add a waiver to the rulebook, with a reason, a name and an expiry date."
)


def what_to_do(rule: str, verdict: LicenseVerdict) -> str:
    """One sentence or two; empty where nothing is to be done."""
    if verdict in (LicenseVerdict.NOT_APPLICABLE, LicenseVerdict.COMPATIBLE):
        return ""
    return BY_RULE.get(rule, "Ask a lawyer.")


def help_of(code: str) -> str:
    """What to do about a finding, in a sentence; for a code that is not here, where it is described."""
    return BY_CODE.get(code, f"{FINDINGS} says what to do.")
