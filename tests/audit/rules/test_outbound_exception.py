"""The work's own exception allows exactly the links that its text names."""

import pytest

from audit.facts import Delivery, LicenseVerdict, Usage
from audit.licenses import exceptions, osadl
from audit.licenses.expression import Atom
from audit.rules.expression_compatibility import judge
from audit.rules.outbound_exception import PERMITTED_LICENSES, lifted, restricted
from audit.rules.ruling import Ruling

MATRIX = osadl.shipped()


def test_each_outbound_exception_is_known():
    assert set(PERMITTED_LICENSES) <= set(exceptions.LIFTS)


@pytest.mark.parametrize(
    ("own", "used", "usage", "verdict"),
    [
        ("openvpn-openssl-exception", "OpenSSL", "dynamic-link", "obligations"), ("openvpn-openssl-exception", "OpenSSL", "source-merged", None),
        ("openvpn-openssl-exception", "CDDL-1.0", "dynamic-link", None), ("rsync-linking-exception", "OpenSSL", "dynamic-link", "obligations"),
        ("rsync-linking-exception", "OpenSSL", "static-link", None), ("stunnel-exception", "LGPL-3.0-only", "static-link", "obligations"),
        ("Classpath-exception-2.0", "CDDL-1.0", "static-link", "obligations"), ("Classpath-exception-2.0", "CDDL-1.0", "vendored", "conditional"), ("Classpath-exception-2.0", "GPL-3.0-only", "vendored", None),
        ("Classpath-exception-2.0", "CDDL-1.0", "source-merged", None), ("Classpath-exception-2.0", "CDDL-1.0", "header-only", None),
        ("Classpath-exception-2.0", "LGPL-3.0-only", "static-link", "conditional"), ("Classpath-exception-2.0", "GPL-3.0-only", "static-link", None),
        ("Linux-syscall-note", "CDDL-1.0", "dynamic-link", None), ("LLVM-exception", "CDDL-1.0", "dynamic-link", None),
        ("LicenseRef-own", "CDDL-1.0", "dynamic-link", None),
    ],
)  # fmt: skip
def test_an_exception_allows_the_links_that_its_text_names(own, used, usage, verdict):
    found = lifted(Atom("GPL-2.0-only", own), Atom(used), Usage(usage))
    assert (found and str(found.verdict)) == verdict
    assert found is None or (own in found.reason and used in found.reason)


def test_a_work_without_an_exception_has_nothing_lifted():
    assert lifted(Atom("GPL-2.0-only"), Atom("OpenSSL"), Usage.DYNAMIC_LINK) is None
    assert restricted(Atom("GPL-2.0-only"), Atom("LGPL-2.1-only")) is None


@pytest.mark.parametrize("own", ["LicenseRef-own", "LicenseRef-scancode-commons-clause", "LLVM-exception", "MIT"])
def test_further_terms_of_the_work_need_review_beside_copyleft(own):
    work = f"GPL-2.0-only WITH {own}"
    found = judge(work, "GPL-2.0-only", Usage.STATIC_LINK, Delivery.BINARY, MATRIX)
    assert (found.verdict, found.rule) == ("review", "exception/outbound-terms")
    assert judge(work, "MIT", Usage.STATIC_LINK, Delivery.BINARY, MATRIX).verdict == "compatible"
    assert restricted(Atom("GPL-2.0-only", "Linux-syscall-note"), Atom("GPL-2.0-only")) is None


def test_an_exception_with_its_own_list_of_works_lifts_nothing():
    """The licence alone does not tell whether this work is on the list."""
    named = judge(
        "GPL-3.0-only WITH GPL-3.0-linking-exception", "CDDL-1.0", Usage.DYNAMIC_LINK, Delivery.BINARY, MATRIX
    )
    assert (named.verdict, named.rule) == ("incompatible", "copyleft/combined")
    assert "lists what it may be linked with: check whether this is listed" in named.reason
    other = judge("GPL-2.0-only WITH Linux-syscall-note", "CDDL-1.0", Usage.DYNAMIC_LINK, Delivery.BINARY, MATRIX)
    assert "Linux-syscall-note does not allow this use" in other.reason


CLASSPATH = "the work's own Classpath-exception-2.0 allows linking with"


@pytest.mark.parametrize(
    ("own", "used", "usage", "verdict", "reason"),
    [
        ("openvpn-openssl-exception", "OpenSSL", "dynamic-link", "obligations",
         "the work's own openvpn-openssl-exception allows linking with OpenSSL; follow the terms of OpenSSL as well"),
        ("Classpath-exception-2.0", "LGPL-3.0-only", "static-link", "conditional",
         f"{CLASSPATH} independent modules, and LGPL-3.0-only requires that users can relink it"),
        ("Classpath-exception-2.0", "LGPL-3.0-only", "bundled", "conditional",
         f"{CLASSPATH} independent modules, and LGPL-3.0-only requires that users can relink it"),
        ("Classpath-exception-2.0", "LGPL-3.0-only", "dynamic-link", "obligations",
         f"{CLASSPATH} independent modules; LGPL-3.0-only keeps its own terms: provide its notices and source"),
        ("Classpath-exception-2.0", "BSD-4-Clause", "static-link", "obligations",
         f"{CLASSPATH} independent modules; BSD-4-Clause keeps its own terms: provide its notices"),
        ("Classpath-exception-2.0", "CDDL-1.0", "vendored", "conditional",
         f"{CLASSPATH} CDDL-1.0: keep the copy in separate files, under its own licence"),
    ],
)  # fmt: skip
def test_a_ruling_by_an_exception_has_verdict_rule_and_reason(own, used, usage, verdict, reason):
    found = lifted(Atom("GPL-2.0-only", own), Atom(used), Usage(usage))
    assert found == Ruling(LicenseVerdict(verdict), "exception/outbound", "exception", reason)


def test_an_exception_of_the_part_counts_before_the_work_s():
    own = Atom("GPL-2.0-only", "Classpath-exception-2.0")
    assert lifted(own, Atom("GPL-2.0-only"), Usage.DYNAMIC_LINK) is None
    found = lifted(own, own, Usage.DYNAMIC_LINK)
    reason = f"{CLASSPATH} independent modules; {own} keeps its own terms: provide its notices and source"
    assert found == Ruling(LicenseVerdict.OBLIGATIONS, "exception/outbound", "exception", reason)


def test_a_ruling_on_further_terms_says_to_read_them():
    own = Atom("GPL-2.0-only", "LicenseRef-own")
    reason = "the work's own GPL-2.0-only WITH LicenseRef-own contains terms that Countersign cannot judge, and LGPL-2.1-only may forbid them: read them"
    found = restricted(own, Atom("LGPL-2.1-only"))
    assert found == Ruling(LicenseVerdict.REVIEW, "exception/outbound-terms", "exception", reason)
    assert restricted(own, Atom("MIT")) is None
