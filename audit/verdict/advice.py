"""What to do about a verdict: the ways out that its rule leaves, the cheapest first."""

from typing import Final

from audit.facts import Verdict

BY_RULE: Final = {
    "license/not-pinned": "Pin it: commit a lock file or write down the exact version; or say its licence in the rulebook.",
    "license/offline": "Audit again without `--offline`, and with that registry in `COUNTERSIGN_REGISTRIES`; or say its licence in the rulebook.",
    "license/unreachable": "Audit again when the registry can be reached.",
    "license/private": "Say its licence in the rulebook, under `dependencies`; if the name or the version is a slip, correct it.",
    "license/no-registry": "Find out the licence and say it in the rulebook, under `dependencies`.",
    "license/unreadable": "Read what is stated, and say in the rulebook which licence it is.",
    "license/none": "Find out the licence and say it in the rulebook, or ask its authors to state one; without one nothing is allowed.",
    "license/unknown": "Read the licence, and say in the rulebook what it is; let counsel read one that nobody knows.",
    "license/family": "Look up which one of the family is meant, and say it in the rulebook.",
    "outbound/family": "Say in the rulebook, or in the LICENSE file, which one of the family the work's own licence is.",
    "outbound/unknown": "Add a LICENSE file to the repository, or name its licence in the rulebook.",
    "usage/unknown": "Say in the rulebook how it is used: linked dynamically it may do, merged it may not.",
    "usage/restricted": "Let counsel read its terms of use, or replace it.",
    "usage/aggregate-copyleft": "Pass on its licence text with the image, and offer the source of what is in it.",
    "usage/network-copyleft": "Let counsel say whether this use of the service binds you, or replace it.",
    "exception/unknown": "Read what the exception says, or write the licence without it where it is a slip.",
    "exception/outbound": "Keep to the terms of what is linked, too; pass on its licence text and notices.",
    "exception/outbound-terms": "Let counsel read the terms that the work's own licence adds, or take them out.",
    "exception/restricts": "Let counsel read what the exception forbids, or replace it.",
    "exception/lifted": "Keep to the terms of the exception; pass on its text.",
    "osadl/obligations": "Pass on its licence text and notices, and offer the source that it asks for.",
    "osadl/linked": "Pass on its licence text and notices, and offer its source; keep it linked, not merged.",
    "osadl/apart": "Keep its files apart and under their own licence; let counsel confirm it.",
    "osadl/merged": "Link it, do not merge it; or replace it.",
    "osadl/unknown": "Nobody has published an answer for this pair: ask counsel, or replace it.",
    "osadl/incompatible": (
        "Replace it, or use it as a separate program; or give the work a licence that allows it "
        "(`countersign license outbound` lists them); or ask its authors for another licence."
    ),
    "copyleft/file": "Keep its files under their own licence and offer their source.",
    "copyleft/dynamic": "Pass on its licence text and notices, offer its source, and let others replace the library.",
    "copyleft/static": "Link it dynamically; or let others link the work anew with a changed library (object files, build scripts).",
    "copyleft/apart": "Keep its files apart and under their own licence; let counsel confirm it.",
    "copyleft/upgrade": "Publish the whole under the licence that the reason names, or replace it.",
    "copyleft/combined": (
        "Replace it, or use it as a separate program; or give the work a licence or an exception that allows it "
        "(`countersign license outbound` lists licences); or ask its authors for another licence."
    ),
    "copyleft/conversion": "Take this copy under the licence that the reason names, and change its notices to say so.",
    "copyleft/separable": "Keep it a work of its own: its licence text, its notices and its source go with it.",
    "copyleft/system-library": "Do not hand it on with the work: let users install it from their system.",
    "copyleft/unclear": "Let counsel read how far its terms reach, or replace it.",
    "closed/copyleft": "Replace it, use it as a separate program, or ask its authors for another licence.",
    "closed/restricted": "Replace it, or ask its authors for another licence.",
    "data/beside": "Do what the reason says, and keep it apart from the code.",
    "published/obligations": "Name its authors, pass on its licence text, and offer the source of the whole.",
    "policy/denied": "Replace it, or ask those who keep the rulebook for an exception.",
    "policy/not-allowed": "Replace it, or ask those who keep the rulebook to allow its licence or to make an exception.",
    "category/review": "No published table knows this pair: ask counsel, or replace it.",
}
"""By rule (docs/reference/license-rules.md); rules after which there is nothing to do are not here."""
WAIVER: Final = (
    "If somebody takes the responsibility, write a waiver into the rulebook: with a reason, a name and a last day."
)


def what_to_do(rule: str, verdict: Verdict) -> str:
    """One sentence or two; empty where nothing is to be done."""
    if verdict in (Verdict.NOT_APPLICABLE, Verdict.COMPATIBLE):
        return ""
    return BY_RULE.get(rule, "Ask counsel.")
