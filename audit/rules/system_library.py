"""Libraries of the operating system: the GPL leaves them out of the work, under any licence, while they are not handed on with it."""

from dataclasses import replace
from typing import Final

from audit.facts import Dependency, Judgement, LicenseVerdict, Source
from audit.licenses import strength
from audit.licenses.expression import atoms, read
from audit.licenses.strength import Strength
from audit.rules.combined_work import DYNAMIC

_PACKAGES: Final = ("pkg:deb/", "pkg:rpm/", "pkg:apk/", "pkg:alpm/")  # Packages of distributions.
# Only refusals into the whole.
_REFUSALS: Final = frozenset({"copyleft/combined", "osadl/incompatible", "published/incompatible"})


def is_candidate(dependency: Dependency) -> bool:
    """Whether it is known to come with the operating system, and the work links to it at run time."""
    # A distribution's package; or a library that a build looks for where it runs, known because a distribution has it.
    of_distribution = dependency.license.source is Source.DISTRIBUTION
    return dependency.usage in DYNAMIC and (of_distribution or (dependency.purl or "").startswith(_PACKAGES))


def considered(found: Judgement, outbound: str | None, dependency: Dependency) -> Judgement:
    """The judgement, or conditional where a refusal into the GPL is of a system library whose own licence does not mind.

    GPL-1.0 and GPL-2.0 section 3 ("normally distributed … with the major components … of the operating system … unless that
    component itself accompanies the executable"), GPL-3.0 and AGPL-3.0 section 1 ("System Libraries").
    """
    if found.verdict is not LicenseVerdict.INCOMPATIBLE or found.rule not in _REFUSALS or not is_candidate(dependency):
        return found
    own, used = read(outbound), read(dependency.license.expression)
    if own is None or used is None or not all(atom.license.startswith(("GPL-", "AGPL-")) for atom in atoms(own)):
        return found
    if any(strength.scope(atom.license, atom.exception) is Strength.STRONG for atom in atoms(used)):
        return found  # Its own licence wants the whole.
    reason = (
        f"{used} cannot be included in work under {own}, but the GPL makes an exception for operating system libraries, "
        "which applies as long as it comes with the system and is not distributed with the work"
    )
    return replace(
        found, verdict=LicenseVerdict.CONDITIONAL, rule="copyleft/system-library", basis="usage", reason=reason
    )
