"""Known libraries: each of their names, their licence, and no parts of the system."""

import re

import pytest

from audit.ecosystems.native import known_libraries
from audit.facts import Place, Source, Usage
from audit.licenses import strength
from audit.licenses.exceptions import is_listed
from audit.licenses.expression import atoms, read
from audit.licenses.spdx import data_file
from tests.audit.derive_libraries import LIST, LOCK

PLACE = Place("Makefile", 3, "LDLIBS = -lreadline")
KINDS = {
    "link": known_libraries.by_link_name,
    "module": known_libraries.by_pkg_config,
    "header": known_libraries.by_header,
    "name": known_libraries.by_name,
}


@pytest.mark.parametrize(
    ("kind", "asked", "name", "licence"),
    [
        ("link", "readline", "readline", "GPL-3.0-or-later"),
        ("link", "gsl", "gsl", "GPL-3.0-or-later"),
        ("link", "z", "zlib", "Zlib"),
        ("link", "crypto", "openssl", "Apache-2.0"),
        ("link", "tinfo", "ncurses", "X11-distribute-modifications-variant"),
        ("link", "event-1.4", "libevent", "BSD-3-Clause"),
        ("link", "boost_system-mt", "boost", "BSL-1.0"),
        ("link", "db-5.3", "berkeley-db", "Sleepycat"),
        ("link", "perl536", "perl", "GPL-1.0-or-later OR Artistic-1.0-Perl"),
        ("link", "postproc", "postproc", "GPL-2.0-or-later"),
        ("link", "umfpack", "suitesparse", "GPL-2.0-or-later AND LGPL-2.1-or-later"),
        ("link", "amd", "suitesparse-amd", "BSD-3-Clause"),
        ("link", "Qt5Charts", "qt5-charts", "GPL-3.0-or-later"),
        ("link", "Qt6Core", "qt6", "LGPL-3.0-only OR GPL-2.0-only"),
        ("link", "smbclient", "samba", "GPL-3.0-or-later"),
        ("link", "cudart", "cuda", "LicenseRef-scancode-nvidia-sdk-12.8"),
        ("link", "ascendcl", "cann", "LicenseRef-scancode-proprietary-license"),
        ("module", "glib-2.0", "glib", "LGPL-2.1-or-later"),
        ("module", "libpcre2-8", "pcre2", "BSD-3-Clause WITH PCRE2-exception"),
        ("module", "lua5.4", "lua", "MIT"),
        ("header", "readline/readline.h", "readline", "GPL-3.0-or-later"),
        ("header", "zlib.h", "zlib", "Zlib"),
        ("header", "apr_general.h", "apr", "Apache-2.0"),  # in a folder that its module adds to the search path
        ("header", "gsl/gsl_rng.h", "gsl", "GPL-3.0-or-later"),
        ("header", "gsl/span", "ms-gsl", "MIT"),
        ("header", "acl/acl.h", "cann", "LicenseRef-scancode-proprietary-license"),
        ("header", "acl/libacl.h", "acl", "LGPL-2.0-or-later"),
        ("header", "openssl/ssl.h", "openssl", "Apache-2.0"),
        ("header", "X11/Xlib.h", "libx11", "MIT"),
        ("name", "OpenSSL", "openssl", "Apache-2.0"),
        ("name", "LibXml2", "libxml2", "MIT"),
        ("name", "CURL", "curl", "curl"),
        ("name", "nlohmann_json", "nlohmann-json", "MIT"),
    ],
)
def test_a_library_is_known_by_its_link_header_package_and_module_names(kind, asked, name, licence):
    known = KINDS[kind](asked)
    assert (known.name, known.license) == (name, licence)
    assert known.source


@pytest.mark.parametrize(
    ("kind", "asked"),
    [
        ("link", "nobody-knows-this"),
        ("link", "z9"),  # no version of zlib
        ("link", "db-6.2"),  # Berkeley DB is under another licence since
        ("module", "glib"),
        ("header", "config.h"),
        ("header", "crypt.h"),  # of the C library, or of libxcrypt
        ("header", "stdio.h"),
        ("header", "sys/types.h"),
        ("header", "linux/tcp.h"),
        ("header", "md5.h"),
        ("name", "foo"),
    ],
)
def test_a_doubtful_name_is_no_known_library(kind, asked):
    assert KINDS[kind](asked) is None


def test_a_known_dependency_has_the_table_s_name_licence_and_source():
    dependency = known_libraries.dependency(
        "history", known_libraries.by_link_name("history"), Usage.DYNAMIC_LINK, "why", PLACE
    )
    assert (dependency.name, dependency.purl, dependency.usage, dependency.direct) == (
        "readline",
        "pkg:generic/readline",
        Usage.DYNAMIC_LINK,
        True,
    )
    assert (dependency.license.expression, dependency.license.source) == ("GPL-3.0-or-later", Source.DISTRIBUTION)
    assert dependency.license.place.path == "Makefile"
    assert dependency.license.place.said.startswith("readline: Debian 12, readline ")


def test_an_unknown_dependency_has_no_licence():
    dependency = known_libraries.dependency("Own-Thing", None, Usage.STATIC_LINK, "why", PLACE)
    assert (dependency.name, dependency.purl, dependency.usage) == (
        "Own-Thing",
        "pkg:generic/own-thing",
        Usage.STATIC_LINK,
    )
    assert (dependency.license.expression, dependency.license.source) == (None, Source.UNSTATED)


@pytest.mark.parametrize(
    ("name", "how", "expected"),
    [
        ("readline", Usage.STATIC_LINK, Usage.STATIC_LINK),
        ("readline", None, Usage.UNKNOWN),
        ("eigen", Usage.DYNAMIC_LINK, Usage.HEADER_ONLY),
        ("check", Usage.DYNAMIC_LINK, Usage.TEST_ONLY),
        ("perl", Usage.DYNAMIC_LINK, Usage.DYNAMIC_LINK),  # its library, and not the program
        ("perl", None, Usage.BUILD_TOOL),
        ("gsl", Usage.DYNAMIC_LINK, Usage.DYNAMIC_LINK),  # GNU's, and not Microsoft's headers of that name
    ],
)
def test_the_usage_is_the_build_s_unless_it_is_a_header_or_test_library(name, how, expected):
    assert known_libraries.usage_of(name, known_libraries.by_name(name), how) is expected


def test_every_licence_of_the_table_can_be_judged_and_has_a_source():
    table = data_file("native-libraries.json")
    assert len(table) > 900
    for name, value in table.items():
        said = read(value["license"])
        assert said is not None, name
        for atom in atoms(said):
            assert strength.is_known(atom.license), (name, atom)
            assert atom.exception is None or is_listed(atom.exception), (name, atom)
        assert re.match(r"Debian 12, \S+ \S+|.+, https://", value["source"]), name
        assert value.get("links") or value.get("header_only"), name


def test_the_table_has_the_licences_of_the_reviewed_list():
    table = data_file("native-libraries.json")
    rows = [line.split("|") for line in LIST.read_text().splitlines() if not line.startswith("#")]
    assert {row[0]: row[2] for row in rows} == {name: value["license"] for name, value in table.items()}
    pinned = LOCK.read_text()
    assert all(
        f'"{each}"' in pinned for row in rows if row[1][0] != "=" for name in row[1].split() for each in name.split("@")
    )


def test_a_licence_of_the_table_counts_from_its_version_on():
    assert known_libraries.known_at("openssl", "3.0.1").license == "Apache-2.0"
    assert known_libraries.known_at("OpenSSL", None).license == "Apache-2.0"
    assert known_libraries.known_at("openssl", "v4").license == "Apache-2.0"
    assert known_libraries.known_at("openssl", "1.1.1w") is None
    assert known_libraries.known_at("openssl", "main").license == "Apache-2.0"
    assert known_libraries.known_at("acme-of-nobody", "1") is None
