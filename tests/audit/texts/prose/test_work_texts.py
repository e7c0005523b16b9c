"""The licence texts at a root that are the work's own."""

import pytest

from audit.facts import Text
from audit.licenses.spdx import texts
from audit.texts.identification import detect
from audit.texts.prose.work_texts import chosen, of_work, stated
from tests.audit.texts.prose.test_licensing import APPLICATIONS, BY_FOLDER, BY_OPTION, EITHER, EITHER_WORDS, NARROWED

MIT, APACHE, GPL2, LGPL, ISC = (texts()[text] for text in ("MIT", "Apache-2.0", "GPL-2.0-only", "LGPL-2.1-only", "ISC"))
FOREWORD = NARROWED.partition("-----")[0]
LISTED = f"{APACHE}\n\nKIWI SUBCOMPONENTS:\n\nKiwi includes a number of subcomponents with separate copyright notices\nand license terms.\n\nFor the green component:\n\n{MIT}\n\nFor the red component:\n\nRed may be eaten.\n"


def name(text, path):
    """The licence of a text."""
    return detect(text, is_license=True).spdx if "LICENSE" in path or "COPYING" in path or "LGPL" in path else None


def of(files):
    """The names of the work's own texts and of those of parts, and of the components."""
    found = of_work([Text(path, text, path) for path, text in files.items()], name)
    return (
        [text.path for text in found.texts],
        [part.path for part in found.parts],
        [component.name for _, component in found.components],
    )


@pytest.mark.parametrize(
    ("files", "own", "parts", "components"),
    [
        ({"LICENSE": LISTED}, ["LICENSE"], [], ["green", "red"]),
        ({"LICENSE": LISTED.replace("Licensor provides", "Nobody provides")}, ["LICENSE"], [], []),
        ({"COPYING": GPL2, "LGPL-2.1": f"{FOREWORD}\n{LGPL}"}, ["COPYING"], ["LGPL-2.1"], []),
        ({"LGPL-2.1": f"{FOREWORD}\n{LGPL}"}, ["LGPL-2.1"], [], []),
        ({"LICENSE": MIT, "LICENSE-docs": texts()["CC-BY-4.0"]}, ["LICENSE"], ["LICENSE-docs"], []),
        ({"LICENSE": BY_FOLDER, "COPYING": GPL2}, ["LICENSE"], [], []),
        ({"LICENSE": BY_FOLDER, "COPYING": ISC}, ["LICENSE", "COPYING"], [], []),
        ({"COPYING": EITHER_WORDS, "COPYING-LGPL-2.1": LGPL, "COPYING-MPL-1.1": texts()["MPL-1.1"]}, ["COPYING"], [], []),
        ({"LICENSE.md": BY_OPTION, "COPYING.LGPLv2.1": LGPL, "COPYING.GPLv2": GPL2}, ["LICENSE.md"], [], []),
        ({"LICENSE": APPLICATIONS, "COPYING.LESSER": LGPL, "COPYING": texts()["GPL-3.0-only"]}, ["LICENSE"], [], []),
        ({"LICENSE-MIT": MIT, "LICENSE-APACHE": APACHE}, ["LICENSE-MIT", "LICENSE-APACHE"], [], []),
    ],
)  # fmt: skip
def test_own_texts_are_those_without_parts_and_component_lists(files, own, parts, components):
    assert of(files) == (own, parts, components)


BOTH = [Text("LICENSE-MIT", MIT, "m"), Text("LICENSE-APACHE", APACHE, "a")]


@pytest.mark.parametrize(
    ("readme", "expression"),
    [
        (f"# Kiwi\n\n## License\n\n{EITHER}", "Apache-2.0 OR MIT"),
        ("# Kiwi\n\n## License\n\nKiwi is dual-licensed under the MIT license and the Apache License 2.0.\n", "MIT OR Apache-2.0"),
        (f"# Kiwi\n\n## License\n\n{EITHER}\nYou must pay.\n", None),
        (f"# Kiwi\n\n## Install\n\n{EITHER}", None),
        ("# Kiwi\n\n## License\n\nKiwi is under the MIT license.\n", None),
        ("# Kiwi\n\n## License\n\nKiwi is under the MIT license or the GPL version 2.\n", None),
        (None, None),
    ],
)  # fmt: skip
def test_a_readme_lets_choose_between_texts_that_are_there(readme, expression):
    found = chosen(BOTH, None if readme is None else Text("README.md", readme, "r"), name)
    assert (found and found[0]) == expression


@pytest.mark.parametrize(
    ("section", "expression"),
    [
        ("Kiwi is released under the MIT license.", "MIT"),
        ("This project is licensed under the MIT License - see the [LICENSE](LICENSE) file for details.", "MIT"),
        ("Kiwi is under the GPL.", None),
        ("Parts of Kiwi are under the MIT license.", None),
        ("Kiwi is under the MIT license. You may not sell it.", None),
    ],
)
def test_a_readme_s_section_states_the_licence_of_the_whole(section, expression):
    found = stated(Text("README.md", f"# Kiwi\n\n# License\n\n{section}\n", "r"))
    assert (found and found[0]) == expression
    assert found is None or found[1].path == "README.md"
