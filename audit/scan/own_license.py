"""The licence of the repository itself: what its manifests state, else what its licence files, its README and its sources say."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from audit.ecosystems import purls
from audit.facts import UNLEARNED, Dependency, Finding, Learned, Place, Source, Text, Unknown, Usage
from audit.licenses import contradiction
from audit.licenses.expression import read
from audit.scan import file_licenses
from audit.scan.gathering import ScanResult
from audit.texts import work_license
from audit.texts.grants import CHOICE, granted
from audit.texts.prose import work_texts
from audit.texts.prose.component_lists import Component

# A repository that has no licence at its root keeps it there.
_TEXT_FOLDER: Final = re.compile(
    r"(?:licen[cs]es?|legal|copying)/(?:licen[cs]e|copying)(?:\.(?:txt|md))?", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class RepositoryLicense:
    """The `license`, `findings` on how it was found, and the `components` that a licence file says the work bundles."""

    license: Learned
    findings: tuple[Finding, ...] = ()
    components: tuple[Dependency, ...] = ()


def own_license(
    gathered: ScanResult, said: file_licenses.FileLicenseList, detect: work_license.Detect
) -> RepositoryLicense:
    """The repository's own licence."""
    at_root = [text for text in gathered.own.licenses if "/" not in text.path]
    kept = [text for text in gathered.works.loose if _TEXT_FOLDER.fullmatch(text.path)]
    known = work_license.with_later(detect)
    # Texts count without those of parts of the work, or of what it bundles.
    found = work_texts.of_work(at_root or gathered.own.licenses or kept, known)
    # What manifests at the root state counts first; of some that contradict each other the first by path.
    manifests = [source.read.license for path, source in sorted(gathered.reads.items()) if "/" not in path]
    stated = [
        work_license.completed(
            manifest, gathered.own.licenses if work_license.named_text(manifest.expression) else found.texts, known
        )
        for manifest in manifests
        if manifest.expression
    ]
    # REUSE puts all texts into LICENSES, those of data, too: there the work is under what its code says.
    of_code = None
    if not stated and not at_root and (gathered.own.licenses or gathered.files.is_reuse):
        of_code = file_licenses.of_code([file for file in said.files if gathered.works.of_file(file.path) is None])
    whole = stated[0] if stated else of_code or _by_words(found.texts, gathered.own.readme, known)
    differing = contradiction.different(stated)
    counts = f"{whole.place.path if whole.place else whole.source} counts"
    findings = (contradiction.finding("the repository itself", differing, counts),) if len(differing) > 1 else ()
    by_text = read(whole.expression) if whole.source is Source.LICENSE_TEXT else None
    if by_text is not None and gathered.own.grants:
        # Where prose says how the texts belong together, headers do not make a choice of them.
        said_so = Counter(
            {key: count for key, count in gathered.own.grants.items() if key != CHOICE or not found.is_stated}
        )
        whole = replace(whole, expression=str(granted(by_text, said_so)))
    findings = (*findings, *(_of_part(part, known) for part in found.parts))
    return RepositoryLicense(
        whole, findings, tuple(_component(path, component, detect) for path, component in found.components)
    )


def _by_words(texts: Sequence[Text], readme: Text | None, detect: work_license.Detect) -> Learned:
    if not texts:
        said = work_texts.stated(readme)
    else:
        said = work_texts.chosen(texts, readme, detect) if len(texts) > 1 else None
    return Learned(said[0], Source.LICENSE_TEXT, said[1]) if said else work_license.of_texts(texts, detect)


def _of_part(text: Text, detect: work_license.Detect) -> Finding:
    message = (
        f"is the text of {detect(text.text, text.path)}, by its name or what stands above it that of a part of the work: "
        "the work's own licence is that of the other files"
    )
    return Finding("license/remark", Place(text.path), message)


def _component(path: str, component: Component, detect: work_license.Detect) -> Dependency:
    place = Place(path, component.line, component.name)
    license_id = detect(component.text, path)
    learned = (
        Learned(license_id, Source.LICENSE_TEXT, place)
        if license_id
        else replace(UNLEARNED, unknown=Unknown.UNREADABLE, place=place)
    )
    return Dependency(
        name=component.name,
        purl=purls.purl("generic", component.name.lower().replace(" ", "-")),
        usage=Usage.BUNDLED,
        why=f"{path} lists it with terms of its own",
        license=learned,
        places=(place,),
        direct=True,
    )
