"""Lists of bundled components below a work's own licence."""

import time

import pytest

from audit.licenses.spdx import texts
from audit.texts.prose.component_lists import MAX_COMPONENTS, lists

OWN = "The Kiwi License\n\nDo as you like.\n"


def read(below):
    """What is above, and the components by name and line, of the first list."""
    found = next(iter(lists(f"{OWN}\n{below}")), None)
    return (
        None
        if found is None
        else (found.above.strip() == OWN.strip(), [(component.name, component.line) for component in found.components])
    )


@pytest.mark.parametrize(
    ("below", "components"),
    [
        ("KIWI SERVER SUBCOMPONENTS:\n\nKiwi includes a number of subcomponents with\nseparate copyright notices and license terms.\n\nFor the mod_green component:\n\nGreen terms.\n\nFor the core/md5.c and md5.h components:\n\nOther terms.\n",
         [("mod_green", 10), ("core/md5.c and md5.h", 14)]),
        ('This product bundles libgreen, which is available under a "BSD" license:\n\nTerms of green.\n\nThis product bundles libred 1.2, which is licensed under these terms:\n\nTerms of red.\n',
         [("libgreen", 5), ("libred 1.2", 9)]),
        ("Third-party software licenses\n=============================\n\n## libgreen\n\nTerms.\n\n## libred\n\nTerms.\n", [("libgreen", 8), ("libred", 12)]),
        ("The Kiwi repository bundles several libraries that are compatibly licensed.\n\nName: Green\nFiles: green/*\nTerms.\n\nName: Red\nTerms.\n", [("Green", 7), ("Red", 11)]),
        ("Bundled libraries\n\n------\nlibgreen\n------\n\nTerms of it.\n", [("libgreen", 8)]),
        ("The following components are provided under the Apache License 2.0:\n\n  green 1.0\n  red 2.0\n", [("The following components are provided under the Apache License 2.0", 5)]),
        ("Licenses for third-party code\n\nSome terms.\n", [("Licenses for third-party code", 5)]),
    ],
)  # fmt: skip
def test_a_list_of_components_is_read_with_its_names(below, components):
    assert read(below) == (True, components)


@pytest.mark.parametrize(
    "below",
    [
        "You may not sell it.", "The MIT License", "This product includes software developed by the Kiwi Project.",
        "Software without third-party code\n", "Additional terms\n\nYou must pay.\n", "for the green component", "Contributors:\n- Ada\n",
        "Nothing here bundles third party software, which is licensed to nobody",
    ],
)  # fmt: skip
def test_other_words_and_acknowledgements_are_no_list(below):
    assert read(below) is None


def test_an_acknowledgement_inside_a_licence_is_no_list():
    assert [component_list.above for component_list in lists(texts()["BSD-4-Clause"])] == []


def test_lists_and_lines_are_bounded():
    many = "".join(f"For the p{at} component:\n\nterms\n\n" for at in range(2 * MAX_COMPONENTS))
    (found, *_) = lists(f"{OWN}\nBundled software\n\n{many}")
    assert len(found.components) == MAX_COMPONENTS
    start = time.process_time()
    for piece in ("This product bundles ", "third-party ", "-", "# ", "For the ", "a.b:"):
        assert len(list(lists(f"{OWN}\n" + "\n\n".join([piece * 2_000] * 50) + piece * 100_000))) <= 5
    assert time.process_time() - start < 5
