"""The exception to a work's own licence: links that it allows, and words behind WITH that are no permission at all."""

from collections.abc import Mapping
from typing import Final

from audit.facts import LicenseVerdict, Usage
from audit.licenses import strength
from audit.licenses.exceptions import FOR_INDEPENDENT_MODULES, LIFTS, RESTRICTING, is_made_for
from audit.licenses.expression import Atom
from audit.licenses.strength import Strength
from audit.rules.combined_work import LINKED, STATIC
from audit.rules.ruling import Ruling

_OPENSSL: Final = frozenset({"OpenSSL", "OpenSSL-standalone", "SSLeay-standalone"})
_LGPL: Final = frozenset(
    {"LGPL-2.0-only", "LGPL-2.0-or-later", "LGPL-2.1-only", "LGPL-2.1-or-later", "LGPL-3.0-only", "LGPL-3.0-or-later"}
)
# Licences of works to link with. Our reading, for counsel to confirm.
PERMITTED_LICENSES: Final[Mapping[str, frozenset[str]]] = {
    "Asterisk-linking-protocols-exception": _OPENSSL,
    "cryptsetup-OpenSSL-exception": _OPENSSL,
    "GPL-3.0-interface-exception": _LGPL,
    "kvirc-openssl-exception": _OPENSSL,
    "openvpn-openssl-exception": _OPENSSL,
    "rsync-linking-exception": _OPENSSL,
    "sqlitestudio-OpenSSL-exception": _OPENSSL,
    "stunnel-exception": _OPENSSL | _LGPL,
    "vsftpd-openssl-exception": _OPENSSL,
    "x11vnc-openssl-exception": _OPENSSL,
}
_DYNAMIC_ALONE: Final = frozenset({"rsync-linking-exception"})  # It speaks of dynamic linking alone.


def lifted(outbound: Atom, inbound: Atom, usage: Usage) -> Ruling | None:
    """The work's own exception allows this link, also where its licence does not; the inbound's own terms still count."""
    if usage is Usage.VENDORED:
        return _vendored(outbound, inbound)
    own = outbound.exception
    if own is None or usage not in LINKED or not is_made_for(own, outbound.license):  # Exceptions allow only links.
        return None
    reach = strength.scope(inbound.license, inbound.exception)
    if inbound.license in PERMITTED_LICENSES.get(own, ()) and (
        own not in _DYNAMIC_ALONE or usage is Usage.DYNAMIC_LINK
    ):
        reason = f"the work's own {own} allows linking with {inbound}; follow the terms of {inbound} as well"
        return Ruling(LicenseVerdict.OBLIGATIONS, "exception/outbound", "exception", reason)
    if own not in FOR_INDEPENDENT_MODULES or usage not in LIFTS[own].usages or reach is Strength.STRONG:
        return None
    # The exception lifts the work's own terms, and not those of the library.
    if reach is Strength.WEAK and usage in STATIC:
        reason = f"the work's own {own} allows linking with independent modules, and {inbound} requires that users can relink it"
        return Ruling(LicenseVerdict.CONDITIONAL, "exception/outbound", "exception", reason)
    owed = "notices" if reach is Strength.NONE else "notices and source"
    reason = f"the work's own {own} allows linking with independent modules; {inbound} keeps its own terms: provide its {owed}"
    return Ruling(LicenseVerdict.OBLIGATIONS, "exception/outbound", "exception", reason)


def _vendored(outbound: Atom, inbound: Atom) -> Ruling | None:
    """A copy in the tree is there to be linked, as long as it is not merged."""
    linked = lifted(outbound, inbound, Usage.STATIC_LINK)
    if linked is None:
        return None
    reason = f"the work's own {outbound.exception} allows linking with {inbound}: keep the copy in separate files, under its own licence"
    return Ruling(LicenseVerdict.CONDITIONAL, "exception/outbound", "exception", reason)


def restricted(outbound: Atom, inbound: Atom) -> Ruling | None:
    """The ruling on words behind the work's own WITH that are no known permission: copyleft may forbid them."""
    own = outbound.exception
    if own is None or strength.of(inbound.license, inbound.exception) is Strength.NONE:
        return None
    if own not in RESTRICTING and is_made_for(own, outbound.license):
        return None
    reason = f"the work's own {outbound} contains terms that Countersign cannot judge, and {inbound} may forbid them: read them"
    return Ruling(LicenseVerdict.REVIEW, "exception/outbound-terms", "exception", reason)
