"""The repository's own licence, in small projects after the shape of real ones."""

import pytest

from audit.facts import Source, Usage
from audit.licenses.spdx import texts
from audit.scan.assembly import assemble
from audit.scan.walk import walk
from audit.scan.walk_limits import Limits
from audit.texts.identification import detect, is_license_file
from tests.audit.scan.test_walk import Memory
from tests.audit.texts.prose.test_licensing import (
    APPLICATIONS,
    BY_FOLDER,
    BY_OPTION,
    DUAL,
    EITHER,
    EITHER_WORDS,
    NARROWED,
)

MIT, APACHE, GPL2, GPL3, LGPL, EPL, BSD = (
    texts()[name] for name in ("MIT", "Apache-2.0", "GPL-2.0-only", "GPL-3.0-only", "LGPL-2.1-only", "EPL-1.0", "BSD-3-Clause")
)  # fmt: skip
FOREWORD = NARROWED.partition("-----")[0]
TWO = "This program and the accompanying materials are made available under the\nterms of the Eclipse Public License 1.0 which is available at\nhttps://example.org/epl\nor the Apache Software License 2.0 which is available at\nhttps://example.org/asl\n\n\n"
COMPONENTS = f"""{APACHE}

KIWI SERVER SUBCOMPONENTS:

The Kiwi server includes a number of subcomponents with
separate copyright notices and license terms.

For the mod_green component:

{BSD}

For the core/red.c component:

Red may be eaten, and nothing else is said of it.
"""
CHOOSE = " * You may select, at your option, one of the above-listed licenses.\n"
EITHER_VERSION = "/* This program is free software; you can redistribute it and/or modify\n it under the terms of the GNU General Public License as published by\n the Free Software Foundation; version 2 dated June, 1991, or\n (at your option) version 3 dated 29 June, 2007. */\n"


def audited(files):
    """A repository of these files."""
    tree = {path: text if isinstance(text, bytes) else text.encode() for path, text in files.items()}
    return assemble(
        walk(Memory(tree), Limits()), "o/r", lambda text, path: detect(text, is_license=is_license_file(path)).spdx
    )


@pytest.mark.parametrize(
    ("files", "expression"),
    [
        # two texts in one file, a notice that lets choose
        ({"LICENSE": f"{TWO}{EPL}\n\n{APACHE}"}, "EPL-1.0 OR Apache-2.0"),
        ({"LICENSE": f"Kiwi is licensed under the MIT license and the Apache License 2.0.\n\n{MIT}\n\n{APACHE}"}, "MIT AND Apache-2.0"),
        ({"LICENSE": f"{MIT}\n\n{BSD}"}, "MIT AND BSD-3-Clause"),
        ({"LICENSE": f"Kiwi is dual licensed under the MIT license or the GPL version 3.\n\n{MIT}\n\n{GPL3}"}, "MIT OR GPL-3.0-only"),
        ({"LICENSE.txt": DUAL}, "EPL-1.0 OR LGPL-2.1-only"),
        ({"LICENSE": f"{TWO}{EPL}\n\n{APACHE.replace('Licensor provides', 'Nobody provides')}"}, None),
        ({"LICENSE": f"{TWO.replace('or the', 'and, if you bought it, the')}{EPL}\n\n{APACHE}"}, None),
        # lists of what is bundled
        ({"LICENSE": COMPONENTS}, "Apache-2.0"),
        ({"LICENSE": f"{MIT}\n\nBundled libraries\n=================\n\n## libgreen\n\n{BSD}"}, "MIT"),
        ({"LICENSE": f"{BSD}\n\nThe Kiwi repository bundles several libraries that are compatibly licensed.\n\nName: green\n{MIT}\n\nName: red\n{APACHE}"}, "BSD-3-Clause"),
        ({"LICENSE": f'{APACHE}\n\nThis product bundles green 1.0, which is available under a "MIT" license:\n\n{MIT}'}, "Apache-2.0"),
        ({"LICENSE": f"{MIT}\n\nLicenses for third-party code\n\nFor the green library:\n\nTerms of green.\n"}, "MIT"),
        ({"LICENSE": f"{MIT}\n\nAdditional terms\n\nYou may not sell it.\n"}, None),
        # a file that narrows or names another
        ({"COPYING": GPL2, "LGPL-2.1": f"{FOREWORD}\n{LGPL}"}, "GPL-2.0-only"),
        ({"COPYING": GPL2, "COPYING.LIB": LGPL}, "GPL-2.0-only AND LGPL-2.1-only"),
        ({"LICENSE-MIT": MIT, "LICENSE-APACHE": APACHE}, "Apache-2.0 AND MIT"),
        ({"LICENSE-MIT": MIT, "LICENSE-APACHE": APACHE, "README.md": f"# Kiwi\n\n## License\n\n{EITHER}"}, "Apache-2.0 OR MIT"),
        ({"LICENSE-MIT": MIT, "LICENSE-APACHE": APACHE, "README.md": f"# Kiwi\n\n## License\n\n{EITHER}\nYou must pay.\n"}, "Apache-2.0 AND MIT"),
        ({"COPYING": GPL2, "COPYING-v3": GPL3, "src/a.h": EITHER_VERSION, "src/b.h": EITHER_VERSION}, "GPL-2.0-only OR GPL-3.0-only"),
        ({"COPYING": GPL2, "LICENSE": BSD, **{f"lib/{at}.c": CHOOSE for at in range(3)}}, "GPL-2.0-only OR BSD-3-Clause"),
        ({"license/LICENSE.txt": APACHE, "src/a.py": "x = 1\n"}, "Apache-2.0"),
        ({"LICENSE": MIT, "LICENSE-docs": texts()["CC-BY-4.0"]}, "MIT"),
        ({"README.md": "# Kiwi\n\n## License\n\nKiwi is released under the MIT license.\n", "a.py": "x = 1\n"}, "MIT"),
        ({"README.md": "# Kiwi\n\n## License\n\nKiwi is released under the MIT license, at home.\n", "a.py": "x = 1\n"}, None),
        # prose that says which part is under what
        ({"LICENSE": BY_FOLDER, "lib/LICENSE": texts()["BSD-2-Clause"]}, "BSD-2-Clause AND GPL-2.0-only"),
        ({"LICENSE": BY_FOLDER, **{f"tests/{at}.c": CHOOSE for at in range(3)}}, "BSD-2-Clause AND GPL-2.0-only"),
        ({"LICENSE.md": BY_OPTION, "COPYING.LGPLv2.1": LGPL, "COPYING.GPLv2": GPL2, "COPYING.GPLv3": GPL3}, "GPL-3.0-only AND LGPL-2.1-or-later"),
        ({"COPYING": EITHER_WORDS, "COPYING-LGPL-2.1": LGPL, "COPYING-MPL-1.1": texts()["MPL-1.1"]}, "LGPL-2.1-only OR MPL-1.1"),
        ({"LICENSE": APPLICATIONS}, "LGPL-2.1-or-later"),
        ({"LICENSE": f"{BY_FOLDER}\nCommercial users need another licence.\n"}, None),
    ],
)  # fmt: skip
def test_the_own_licence_of_each_small_project_is_found(files, expression):
    found = audited(files)
    assert found.license.expression == expression
    assert expression is None or found.license.source is Source.LICENSE_TEXT


def test_components_that_a_licence_file_lists_are_dependencies():
    found = audited({"LICENSE": COMPONENTS, "package.json": '{"dependencies": {"mod_green": "1.0"}}'})
    listed = {dependency.name: dependency for dependency in found.dependencies}
    assert listed["mod_green"].usage is not Usage.BUNDLED
    assert (listed["core/red.c"].usage, listed["core/red.c"].license.expression) == (Usage.BUNDLED, None)
    alone = {dependency.name: dependency for dependency in audited({"LICENSE": COMPONENTS}).dependencies}
    green = alone["mod_green"]
    assert (green.usage, green.license.expression, green.places[0].path) == (Usage.BUNDLED, "BSD-3-Clause", "LICENSE")
    assert COMPONENTS.split("\n")[green.places[0].line - 1] == "For the mod_green component:"


def test_the_text_of_a_part_is_a_finding():
    found = audited({"COPYING": GPL2, "LGPL-2.1": f"{FOREWORD}\n{LGPL}", "LICENSE-docs": texts()["CC-BY-4.0"]})
    told = {finding.place.path: finding.message for finding in found.findings if finding.code == "license/remark"}
    assert told["LGPL-2.1"].startswith(
        "is the text of LGPL-2.1-or-later, by its name or what stands above it that of a part"
    )
    assert "CC-BY-4.0" in told["LICENSE-docs"]


def test_a_manifest_counts_before_the_texts():
    found = audited({"package.json": '{"name": "kiwi", "license": "ISC"}', "LICENSE": COMPONENTS})
    assert found.license.expression == "ISC"
