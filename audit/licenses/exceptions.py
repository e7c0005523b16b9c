"""The usages that each exception to a licence lifts out of the licence's reach, with the reason.

Our own reading of each text, for counsel to confirm. An exception that is not in the table lifts nothing; one that is
not on SPDX's list, or was made for another licence, is read by a person.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from audit.facts import Usage
from audit.licenses import spdx

_STATIC, _DYNAMIC, _IMPORT, _BUNDLED = Usage.STATIC_LINK, Usage.DYNAMIC_LINK, Usage.RUNTIME_IMPORT, Usage.BUNDLED
_HEADER, _OUTPUT, _DATA, _VENDORED = Usage.HEADER_ONLY, Usage.GENERATED_OUTPUT, Usage.DATA_OR_DOC, Usage.VENDORED
_NOTHING: Final[frozenset[Usage]] = frozenset()
_LINKING: Final = frozenset({_STATIC, _DYNAMIC, _IMPORT, _BUNDLED})
_INLINE: Final = _LINKING | {_HEADER}  # Headers hold macros and templates that end up in the program.
_SCRIPT: Final = frozenset({_OUTPUT, _VENDORED})  # A script that configures is generated, or copied into the work.


@dataclass(frozen=True, slots=True)
class ExceptionGrant:
    """The `usages` that an exception frees, and the `reason`. `free_only`: only free software may use it so."""

    usages: frozenset[Usage]
    reason: str
    free_only: bool


_LINKS = "it lets independent modules be linked with it under their own terms"
_INLINES = "it exempts works linked with it, and the macros and templates in its headers"
_BINARY = "it exempts compiled forms that are part of another work"
_CONFIGURE = "it lets its scripts be distributed under the terms of the program that they configure"
_OUTPUTS = "it exempts the tool's output"
_EMBEDS = "it exempts documents that embed the font"
_OPENSSL = "it only allows the work itself to be linked with OpenSSL"
_NAMED = "it only allows the work itself to be linked with certain other works"
_FLOSS = "it lets works under free licences be linked with it"

_ROWS: Final[Mapping[str, tuple[frozenset[Usage], str]]] = {
    "389-exception": (frozenset({_DYNAMIC}), "it lets plug-ins use its approved interfaces"),
    "Asterisk-exception": (_NOTHING, _NAMED),
    "Asterisk-linking-protocols-exception": (_NOTHING, _NAMED),
    "Autoconf-exception-2.0": (_SCRIPT, _CONFIGURE),
    "Autoconf-exception-3.0": (_SCRIPT, _CONFIGURE),
    "Autoconf-exception-generic": (_SCRIPT, _CONFIGURE),
    "Autoconf-exception-generic-3.0": (_SCRIPT, _CONFIGURE),
    "Autoconf-exception-macro": (_SCRIPT, _CONFIGURE),
    "Bison-exception-1.24": (frozenset({_OUTPUT}), _OUTPUTS),
    "Bison-exception-2.2": (frozenset({_OUTPUT}), _OUTPUTS),
    "Bootloader-exception": (frozenset({_STATIC, _BUNDLED, _OUTPUT}), "it exempts programs that its loader is bundled with"),
    "CGAL-linking-exception": (_NOTHING, _NAMED),
    "Classpath-exception-2.0": (_LINKING, _LINKS),
    "Classpath-exception-2.0-short": (_LINKING, _LINKS),
    "CLISP-exception-2.0": (frozenset({_IMPORT}), "it exempts programs that use only its external symbols"),
    "cryptsetup-OpenSSL-exception": (_NOTHING, _OPENSSL),
    "Digia-Qt-LGPL-exception-1.1": (frozenset({_HEADER}), "it exempts works that include its headers"),
    "DigiRule-FOSS-exception": (_LINKING, _FLOSS),
    "eCos-exception-2.0": (_INLINE, _INLINES),
    "erlang-otp-linking-exception": (_NOTHING, _NAMED),
    "Fawkes-Runtime-exception": (_INLINE, _INLINES),
    "FLTK-exception": (_INLINE, "it also allows static linking"),
    "fmt-exception": (_INLINE, _BINARY),
    "Font-exception-2.0": (frozenset({_DATA}), _EMBEDS),
    "freertos-exception-2.0": (frozenset({_STATIC, _DYNAMIC}), "it exempts modules that use only its interface"),
    "GCC-exception-2.0": (_LINKING, _LINKS),
    "GCC-exception-2.0-note": (_LINKING, _LINKS),
    "GCC-exception-3.1": (_INLINE | {_OUTPUT}, "it exempts programs compiled by GCC and linked with its runtime library"),
    "Gmsh-exception": (_NOTHING, _NAMED),
    "GNAT-exception": (_INLINE, "it exempts works that instantiate its generics or are linked with it"),
    "GNU-compiler-exception": (_INLINE, _INLINES),
    "gnu-javamail-exception": (_LINKING, _LINKS),
    "Google-Patent-WebM": (_NOTHING, "it grants patents and removes no duty"),
    "GPL-3.0-389-ds-base-exception": (frozenset({_DYNAMIC}), "it lets plug-ins use its approved interfaces"),
    "GPL-3.0-interface-exception": (frozenset({_DYNAMIC, _IMPORT}), "it exempts modules that use only its interfaces"),
    "GPL-3.0-linking-exception": (_NOTHING, _NAMED),
    "GPL-3.0-linking-source-exception": (_NOTHING, _NAMED),
    "GPL-CC-1.0": (_NOTHING, "it gives time to cure a breach and removes no duty"),
    "GStreamer-exception-2005": (_NOTHING, _NAMED),
    "GStreamer-exception-2008": (_NOTHING, _NAMED),
    "harbour-exception": (frozenset({_STATIC, _DYNAMIC}), _LINKS),
    "i2p-gpl-java-exception": (_NOTHING, _NAMED),
    "Independent-modules-exception": (_LINKING, _LINKS),
    "KiCad-libraries-exception": (frozenset({_DATA, _OUTPUT}), "it exempts designs that use the library's parts"),
    "kvirc-openssl-exception": (_NOTHING, _OPENSSL),
    "LGPL-3.0-linking-exception": (_LINKING, "it lets programs be linked with it without a way to relink them"),
    "libpri-OpenH323-exception": (_NOTHING, _NAMED),
    "LicenseRef-scancode-upx-exception-2.0-plus": (
        frozenset({_OUTPUT}), "it lets programs compressed with UPX, with its stub inside, be distributed under their own terms"),
    "Libtool-exception": (_SCRIPT, _CONFIGURE),
    "Linux-syscall-note": (frozenset({_HEADER}), "programs that use the kernel through system calls are not derived works"),
    "LLGPL": (_LINKING, "it explains what linking in the LGPL means for Lisp"),
    "LLVM-exception": (_INLINE | {_OUTPUT}, _BINARY),
    "LZMA-exception": (frozenset({_STATIC, _DYNAMIC, _IMPORT}), _LINKS),
    "mif-exception": (frozenset({_HEADER, _STATIC, _DYNAMIC}), _INLINES),
    "mxml-exception": (frozenset({_STATIC, _DYNAMIC}), _BINARY),
    "OCaml-LGPL-linking-exception": (frozenset({_STATIC, _DYNAMIC, _BUNDLED}), "it also allows static linking"),
    "OCCT-exception-1.0": (frozenset({_HEADER}), "it exempts works that include its headers"),
    "OpenJDK-assembly-exception-1.0": (_NOTHING, _NAMED),
    "openvpn-openssl-exception": (_NOTHING, _OPENSSL),
    "PCRE2-exception": (frozenset({_STATIC, _DYNAMIC, _BUNDLED}), _BINARY),
    "polyparse-exception": (frozenset({_STATIC, _DYNAMIC}), "it also allows static linking"),
    "PS-or-PDF-font-exception-20170817": (frozenset({_DATA}), _EMBEDS),
    "Qt-GPL-exception-1.0": (frozenset({_OUTPUT}), _OUTPUTS),
    "Qt-LGPL-exception-1.1": (frozenset({_HEADER}), "it exempts works that include its headers"),
    "Qwt-exception-1.0": (frozenset({_HEADER, _STATIC, _DYNAMIC}), "it exempts works linked with it statically, and widgets derived from its own"),
    "RRDtool-FLOSS-exception-2.0": (_LINKING, _FLOSS),
    "rsync-linking-exception": (_NOTHING, _NAMED),
    "SANE-exception": (frozenset({_STATIC, _DYNAMIC, _IMPORT}), _LINKS),
    "SHL-2.0": (_NOTHING, "it extends the licence to hardware and removes no duty"),
    "SHL-2.1": (_NOTHING, "it extends the licence to hardware and removes no duty"),
    "Spelling-Provider-LGPL-exception": (_NOTHING, _NAMED),
    "sqlitestudio-OpenSSL-exception": (_NOTHING, _OPENSSL),
    "stunnel-exception": (_NOTHING, _OPENSSL),
    "SWI-exception": (_LINKING, _LINKS),
    "Swift-exception": (_LINKING | {_OUTPUT}, _BINARY),
    "Texinfo-exception": (frozenset({_OUTPUT, _DATA}), "it exempts documents typeset with it"),
    "u-boot-exception-2.0": (frozenset({_HEADER, _DYNAMIC}), "it exempts programs that use only its exported functions"),
    "UBDL-exception": (_NOTHING, "it waives the source of unmodified binaries, but not for works that include them"),
    "Universal-FOSS-exception-1.0": (_LINKING, _FLOSS),
    "vsftpd-openssl-exception": (_NOTHING, _OPENSSL),
    "WxWindows-exception-3.1": (_INLINE, "it exempts compiled forms based on it"),
    "x11vnc-openssl-exception": (_NOTHING, _OPENSSL),
}  # fmt: skip
LIFTS: Final[Mapping[str, ExceptionGrant]] = {
    name: ExceptionGrant(usages, reason, reason == _FLOSS) for name, (usages, reason) in _ROWS.items()
}
"""Grants by the exception's id. Texts: https://spdx.org/licenses/, https://github.com/upx/upx/blob/devel/LICENSE."""

RESTRICTING: Final[frozenset[str]] = frozenset(
    {
        "LicenseRef-scancode-accountability-commercial-1.1",
        "LicenseRef-scancode-agpl-generic-additional-terms",
        "LicenseRef-scancode-broadcom-unmodified-exception",
        "LicenseRef-scancode-commons-clause",
        "LicenseRef-scancode-generic-exception",  # Any text may be meant.
        "LicenseRef-scancode-gpl-generic-additional-terms",
        "LicenseRef-scancode-npsl-exception-0.92",
        "LicenseRef-scancode-npsl-exception-0.93",
        "LicenseRef-scancode-npsl-exception-0.94",
        "LicenseRef-scancode-npsl-exception-0.95",
    }
)
"""Ids that stand behind WITH and take away instead of giving: further terms, no exceptions."""

# GNAT's reason has words of its own.
FOR_INDEPENDENT_MODULES: Final[frozenset[str]] = frozenset(
    name for name, (_, reason) in _ROWS.items() if reason in (_LINKS, _INLINES)
) | {"GNAT-exception"}  # fmt: skip
"""Exceptions by which a work that carries them itself may be linked with modules of any licence."""
OF_ANOTHER_LIST: Final[frozenset[str]] = frozenset(
    name for name, (_, reason) in _ROWS.items() if reason in (_NAMED, _FLOSS)
)
"""Exceptions that name the works or licences to link with: the licence of such a work alone does not tell them."""

_GNU: Final = ("GPL", "LGPL", "AGPL")
_GPL_2: Final = ("GPL-2.0",)
_GPL_3: Final = ("GPL-3.0",)  # "An additional permission under section 7 of the GNU General Public License, version 3".
_LGPL_21: Final = ("LGPL-2.1",)
# The licences, families of GNU's, or versions of these that an exception names in its text; all others were made for GNU's.
_MADE_FOR: Final[Mapping[str, tuple[str, ...]]] = {
    "Autoconf-exception-3.0": _GPL_3,
    "Autoconf-exception-generic-3.0": _GPL_3,
    "Digia-Qt-LGPL-exception-1.1": _LGPL_21,
    "erlang-otp-linking-exception": ("AGPL", "GPL"),
    "FLTK-exception": ("LGPL",),
    "fmt-exception": ("MIT",),
    "GCC-exception-2.0-note": ("LGPL",),
    "GCC-exception-3.1": _GPL_3,
    "GNOME-examples-exception": ("CC-BY-SA-3.0",),
    "Google-Patent-WebM": ("BSD-3-Clause",),
    "GPL-3.0-389-ds-base-exception": _GPL_3,
    "GPL-3.0-interface-exception": _GPL_3,
    "GPL-3.0-linking-exception": _GPL_3,
    "GPL-3.0-linking-source-exception": _GPL_3,
    "GPL-CC-1.0": ("GPL-2.0", "LGPL-2.0", "LGPL-2.1"),
    "KiCad-libraries-exception": ("CC-BY-SA-4.0",),
    "LGPL-3.0-linking-exception": ("LGPL-3.0",),
    "Linux-syscall-note": ("GPL-2.0", "LGPL-2.0", "LGPL-2.1"),
    "LLGPL": _LGPL_21,
    "LLVM-exception": ("Apache-2.0",),
    "LZMA-exception": ("CPL-1.0",),
    "mxml-exception": ("Apache-2.0",),
    "OCaml-LGPL-linking-exception": ("LGPL",),
    "OCCT-exception-1.0": _LGPL_21,
    "OpenJDK-assembly-exception-1.0": _GPL_2,
    "PCRE2-exception": ("BSD-3-Clause",),
    "polyparse-exception": ("LGPL",),
    "PS-or-PDF-font-exception-20170817": ("AGPL-3.0",),
    "QPL-1.0-INRIA-2004-exception": ("QPL-1.0",),
    "Qt-LGPL-exception-1.1": _LGPL_21,
    "Qwt-exception-1.0": ("LGPL",),
    "RRDtool-FLOSS-exception-2.0": _GPL_2,
    "SHL-2.0": ("Apache-2.0",),
    "SHL-2.1": ("Apache-2.0",),
    "Spelling-Provider-LGPL-exception": ("LGPL",),
    "Swift-exception": ("Apache-2.0",),
    "Texinfo-exception": _GPL_3,
    "vsftpd-openssl-exception": _GPL_2,
    "WxWindows-exception-3.1": ("LGPL",),
}


def is_listed(exception: str) -> bool:
    """Whether it is on SPDX's list, or one of the few others that we have read."""
    return exception in LIFTS or (exception in spdx.lists().exceptions and not exception.startswith("LicenseRef-"))


def is_made_for(exception: str, license_id: str) -> bool:
    """Whether it is a listed exception, made for a licence of that kind."""
    fits = any(_fits(license_id, named) for named in made_for(exception))
    # The Universal FOSS Exception goes with any licence.
    return is_listed(exception) and (fits or exception == "Universal-FOSS-exception-1.0")


def made_for(exception: str) -> tuple[str, ...]:
    """The ids, families of GNU's, or versions of these, that an exception was made for."""
    return _MADE_FOR.get(exception, _GNU)


def _fits(license_id: str, named: str) -> bool:
    # `GPL` fits all of its versions, and not `LGPL-2.1-only`.
    if license_id == named or license_id.startswith(f"{named}-"):
        return True
    # "Or any later version" may be taken as the one that the exception was made for.
    kind, _, version = named.rpartition("-")
    own_kind, _, own_version = license_id.removesuffix("-or-later").rpartition("-")
    return kind in _GNU and own_kind == kind and license_id.endswith("-or-later") and own_version <= version
