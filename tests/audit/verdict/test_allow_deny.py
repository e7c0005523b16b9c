"""Allow and deny lists make verdicts stricter, never looser, and say whose choice it is."""

from functools import partial

import pytest

from audit.facts import Delivery, Dependency, Learned, Usage
from audit.licenses import osadl
from audit.rules.expression_compatibility import judge
from audit.verdict.allow_deny import AllowDeny, AllowDenyEntry, AllowDenyLists, Index

MATRIX = osadl.shipped()
PURL = "pkg:npm/left-pad@1.3.0"


def entry(said, purl=None, *usage, reason=""):
    """An entry of a list."""
    return AllowDenyEntry(license=said, purl=purl, usage=tuple(map(Usage, usage)), reason=reason)


def asked(expression, usage="dynamic-link", *, purl=PURL, own="Apache-2.0", lists=(), **said):
    """The judgement of one dependency by these lists."""
    usage = Usage(usage)
    dependency = Dependency(name="left-pad", purl=purl, usage=usage, license=Learned(expression))

    def ask(text):
        return judge(own, text, usage, Delivery.BINARY, MATRIX)

    levels = lists or (AllowDenyLists(**{key: value and tuple(value) for key, value in said.items()}),)
    return AllowDeny(levels).judged(dependency, ask)


def came_out(found):
    """The verdict and who answered, short."""
    return f"{found.verdict} {found.rule}{f' {found.branch}' if found.branch else ''}"


FITS, LGPL = "compatible osadl/compatible", "obligations copyleft/dynamic"
DENIED, ELSE = "incompatible policy/denied", "incompatible policy/not-allowed"
MIT = entry("MIT")


@pytest.mark.parametrize(
    ("expression", "usage", "said", "expected"),
    [
        # By licence: exactly the one that is named, as SPDX spells it.
        ("MIT", "bundled", {"deny": [MIT]}, DENIED), ("mit", "bundled", {"deny": [MIT]}, DENIED), ("Zlib", "bundled", {"deny": [MIT]}, FITS),
        ("MIT", "bundled", {"allow": [MIT]}, FITS), ("Zlib", "bundled", {"allow": [MIT]}, ELSE), ("MIT", "bundled", {"allow": []}, ELSE),
        ("LGPL-2.1-or-later", "dynamic-link", {"deny": [entry("LGPL-2.1-only")]}, LGPL),
        ("LGPL-2.1+", "dynamic-link", {"deny": [entry("LGPL-2.1-or-later")]}, DENIED),
        ("LGPL-2.1-only", "dynamic-link", {"allow": [entry("LGPL-2.1-or-later")]}, ELSE),
        ("GPL-2.0 WITH Classpath-exception-2.0", "dynamic-link", {"allow": [entry("GPL-2.0-only")]}, ELSE),
        ("GPL-2.0 WITH Classpath-exception-2.0", "dynamic-link", {"allow": [entry("GPL-2.0-only WITH Classpath-exception-2.0")]},
         "obligations exception/lifted"),
        ("GPL-2.0 WITH Classpath-exception-2.0", "dynamic-link", {"deny": [entry("GPL-2.0-only")]}, "obligations exception/lifted"),
        # What the licences forbid stays so, and stays the reason.
        ("GPL-3.0-only", "bundled", {"allow": [entry("GPL-3.0-only")]}, "incompatible osadl/incompatible"),
        ("GPL-3.0-only", "bundled", {"deny": [entry("GPL-3.0-only")]}, "incompatible osadl/incompatible"),
        ("GPL-3.0-only", "bundled", {"deny": [entry("GPL-3.0-only")], "exceptions": [entry("GPL-3.0-only")]}, "incompatible osadl/incompatible"),
        # By package, any version unless it names one; both at once.
        ("MIT", "bundled", {"deny": [entry(None, "pkg:npm/left-pad")]}, DENIED), ("MIT", "bundled", {"deny": [entry(None, "pkg:npm/left-pad@1.3.0")]}, DENIED),
        ("MIT", "bundled", {"deny": [entry(None, "pkg:npm/left-pad@2")]}, FITS), ("MIT", "bundled", {"deny": [entry("Zlib", "pkg:npm/left-pad")]}, FITS),
        ("MIT", "bundled", {"allow": [entry("Zlib"), entry(None, "pkg:npm/left-pad")]}, FITS),
        ("MIT", "bundled", {"allow": [entry("MIT", "pkg:npm/other")]}, ELSE), (None, "bundled", {"deny": [entry(None, PURL)]}, DENIED),
        # What is not known is no licence that a list could have.
        (None, "bundled", {"allow": [MIT]}, "unknown-license license/none"), ("LicenseRef-Own", "bundled", {"allow": [MIT]}, ELSE),
        ("LicenseRef-Own", "bundled", {"allow": [entry("LicenseRef-Own")]}, "unknown-license license/unknown"),
        # A name that several licences share: all of them.
        ("BSD", "bundled", {"deny": [entry("BSD-4-Clause")]}, DENIED), ("BSD", "bundled", {"deny": [entry("BSD-1-Clause")]}, FITS),
        ("BSD", "bundled", {"allow": [entry("BSD-2-Clause"), entry("BSD-3-Clause")]}, ELSE),
        ("BSD", "bundled", {"allow": [entry(f"BSD-{count}-Clause") for count in (2, 3, 4)]}, FITS),
        # Exceptions lift both lists.
        ("MIT", "bundled", {"deny": [MIT], "exceptions": [entry(None, "pkg:npm/left-pad")]}, FITS),
        ("MIT", "bundled", {"allow": [], "exceptions": [entry("MIT", PURL)]}, FITS), ("MIT", "bundled", {"allow": [], "exceptions": [entry("Zlib")]}, ELSE),
        ("MIT", "bundled", {"deny": [MIT], "exceptions": [entry("MIT", None, "dynamic-link")]}, DENIED),
        # Of an OR what is let in, of an AND all of it.
        ("MIT OR Zlib", "bundled", {"deny": [MIT]}, f"{FITS} Zlib"), ("MIT OR Zlib", "bundled", {"deny": [entry("Zlib")]}, f"{FITS} MIT"),
        ("MIT OR Zlib", "bundled", {"deny": [MIT, entry("Zlib")]}, DENIED), ("MIT OR Zlib", "bundled", {"allow": [entry("Zlib")]}, f"{FITS} Zlib"),
        ("MIT AND Zlib", "bundled", {"allow": [MIT]}, ELSE), ("MIT AND Zlib", "bundled", {"allow": [MIT, entry("Zlib")]}, FITS),
        ("MIT AND (Zlib OR ISC)", "bundled", {"deny": [entry("Zlib")]}, f"{FITS} MIT AND ISC"),
        ("MIT OR GPL-3.0-only", "bundled", {"deny": [MIT]}, "incompatible osadl/incompatible GPL-3.0-only"),
        ("MIT OR Zlib", "bundled", {"deny": [entry(None, PURL)]}, DENIED),
    ],
)  # fmt: skip
def test_the_lists_decide_by_licence_and_package_on_top_of_the_matrix(expression, usage, said, expected):
    assert came_out(asked(expression, usage, **said)) == expected


TOOL = "not-applicable usage/tool"
LINKED = entry("MIT", None, "static-link")


@pytest.mark.parametrize(
    ("usage", "said", "expected"),
    [
        # Nothing of a tool comes into the work, unless an entry names it.
        ("build-tool", {"deny": [MIT]}, TOOL), ("dev-tool", {"allow": []}, TOOL), ("separate-process", {"deny": [MIT]}, "not-applicable usage/separate"),
        ("network-service", {"allow": []}, "not-applicable usage/network"), ("test-only", {"deny": [entry("MIT", None, "test-only")]}, DENIED),
        ("build-tool", {"allow": [entry("Zlib", None, "build-tool")]}, ELSE), ("dev-tool", {"allow": [entry("Zlib", None, "build-tool")]}, TOOL),
        ("build-tool", {"allow": [MIT, entry("Zlib", None, "build-tool")]}, TOOL),
        ("dev-tool", {"deny": [entry(None, "pkg:npm/left-pad")]}, DENIED), ("dev-tool", {"deny": [entry(None, "pkg:npm/left-pad", "bundled")]}, TOOL),
        # Only for the usages that are named.
        ("static-link", {"deny": [LINKED]}, DENIED), ("bundled", {"deny": [LINKED]}, FITS), ("static-link", {"allow": [LINKED]}, FITS),
        ("bundled", {"allow": [LINKED]}, ELSE),
        # How it is used is not known: it may be any way within the work.
        ("unknown", {"deny": [LINKED]}, DENIED), ("unknown", {"deny": [entry("MIT", None, "dev-tool")]}, FITS), ("unknown", {"allow": [LINKED]}, ELSE),
        ("unknown", {"allow": [MIT]}, FITS), ("unknown", {"deny": [LINKED], "exceptions": [LINKED]}, DENIED),
        ("unknown", {"deny": [LINKED], "exceptions": [MIT]}, FITS),
    ],
)  # fmt: skip
def test_the_lists_leave_tools_alone_unless_an_entry_names_their_usage(usage, said, expected):
    assert came_out(asked("MIT", usage, **said)) == expected


REASONS = [
    ("MIT", "bundled", {"deny": [entry("MIT", reason="we are GNU")]}, "the rulebook denies MIT: we are GNU"),
    ("MIT", "bundled", {"deny": [entry("MIT", "pkg:npm/left-pad")]}, "the rulebook denies MIT of pkg:npm/left-pad"),
    ("MIT", "static-link", {"deny": [LINKED]}, "the rulebook denies MIT when used as static-link"),
    ("MIT", "unknown", {"deny": [LINKED]},
     "the rulebook denies MIT when used as static-link, and it is not known how this one is used"),
    ("MIT", "bundled", {"allow": []}, "MIT is not in the allow list of the rulebook"),
    ("MIT", "bundled", {"allow": [LINKED]}, "MIT is not in the allow list of the rulebook when used as bundled"),
    ("BSD", "bundled", {"deny": [entry("BSD-4-Clause")]}, "BSD may be BSD-4-Clause, and the rulebook denies BSD-4-Clause"),
    ("MIT OR Zlib", "bundled", {"allow": []}, "MIT is not in the allow list of the rulebook; Zlib is not in the allow list of the rulebook"),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "usage", "said", "reason"), REASONS)
def test_a_refusal_names_the_rulebook_and_claims_nothing_of_licences(expression, usage, said, reason):
    found = asked(expression, usage, **said)
    assert (found.reason, found.basis) == (reason, "policy")


ENDINGS = [
    ("GPL-3.0-only", {"deny": [entry("GPL-3.0-only")]}, "; besides, the rulebook denies GPL-3.0-only"),
    ("MIT OR GPL-3.0-only", {"deny": [MIT]}, "; the rulebook denies MIT"),
    (
        "MIT",
        {"deny": [MIT], "exceptions": [entry("MIT", reason="read")]},
        "; an exception in the rulebook allows MIT: read",
    ),
]


@pytest.mark.parametrize(("expression", "said", "ending"), ENDINGS)
def test_the_lists_add_their_part_to_the_matrix_s_reason(expression, said, ending):
    found = asked(expression, "bundled", **said)
    assert found.reason.endswith(ending)
    assert found.basis == "osadl"


def test_a_branch_that_was_not_needed_is_not_mentioned():
    assert asked("MIT OR Zlib", "bundled", deny=[MIT]).reason == asked("Zlib", "bundled", deny=[MIT]).reason


def test_each_rulebook_has_to_let_a_licence_in():
    above, below = AllowDenyLists(allow=(MIT,), exceptions=(entry("ISC", reason="read"),)), AllowDenyLists(deny=(MIT,))
    ask = partial(asked, usage="bundled", lists=(above, below))
    assert came_out(ask("MIT")) == DENIED
    assert came_out(ask("Zlib")) == ELSE
    assert came_out(ask("ISC")) == FITS
    assert came_out(asked("ISC", "bundled", lists=(above, AllowDenyLists(deny=(entry("ISC"),))))) == DENIED


def test_lists_never_make_a_verdict_better():
    lists = [{"allow": [MIT]}, {"allow": [entry("GPL-3.0-only")]}, {"deny": [MIT]}, {"exceptions": [entry(None, PURL)]},
             {"allow": [], "exceptions": [entry("GPL-3.0-only")]}]  # fmt: skip
    for expression in (
        None,
        "MIT",
        "GPL-3.0-only",
        "MIT OR GPL-3.0-only",
        "MIT AND GPL-3.0-only",
        "BSD",
        "nonsense licence",
    ):
        for usage in Usage:
            bare = judge("Apache-2.0", expression, usage, Delivery.BINARY, MATRIX)
            assert asked(expression, usage, deny=[entry("Zlib")]) == bare
            assert all(asked(expression, usage, **rulebook).verdict.rank >= bare.verdict.rank for rulebook in lists)


def test_an_entry_covers_another_if_it_is_for_all_its_usages():
    index = Index([MIT, entry("Zlib", None, "bundled"), entry(None, "pkg:npm/x@1")])
    assert [index.covers(rule) for rule in (MIT, LINKED, entry("MIT", "pkg:npm/y"), entry("ISC", "pkg:npm/x@1"))] == [
        True
    ] * 4
    assert not any(
        index.covers(rule)
        for rule in (entry("Zlib"), entry("ISC"), entry(None, "pkg:npm/x"), entry("ISC", "pkg:npm/x"))
    )
    assert Index([MIT], denies=True).usages(MIT) < Index([MIT]).usages(MIT)
