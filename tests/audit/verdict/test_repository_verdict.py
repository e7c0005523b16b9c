"""A repository is judged by its findings and the rulebook's corrections; waivers hold until their day."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from audit.facts import (
    OWN_UNKNOWN,
    Delivery,
    Dependency,
    Finding,
    Learned,
    LicenseVerdict,
    Place,
    Repository,
    Source,
    Text,
    Unknown,
    Usage,
    Waiver,
)
from audit.licenses import osadl
from audit.verdict.allow_deny import AllowDenyEntry, AllowDenyLists
from audit.verdict.policy import CuratedLicense, Policy
from audit.verdict.repository_verdict import Judge

MATRIX = osadl.shipped()
TODAY = date(2026, 11, 22)
WAIVER = Waiver(purl="pkg:pypi/gpl", until=TODAY + timedelta(days=1), reason="is being replaced", by="Ada")


def dependency(name, expression="MIT", usage=Usage.DYNAMIC_LINK, **more):
    """Something on PyPI."""
    return Dependency(
        name=name,
        version="1.0",
        purl=f"pkg:pypi/{name}@1.0",
        usage=usage,
        license=Learned(expression, Source.METADATA),
        **more,
    )


GPL = dependency("gpl", "GPL-3.0-only")


def audited(*dependencies, policy=None, name="cann/ops", own="Apache-2.0", today=TODAY, **more):
    """One repository with these."""
    repository = Repository(name=name, license=Learned(own, Source.METADATA), dependencies=dependencies, **more)
    return Judge(policy or Policy(), MATRIX, today).audited(repository)


def verdicts(found):
    """Name and verdict of each cell."""
    return [(cell.dependency.name, cell.judgement.verdict) for cell in found.cells]


def test_cells_are_sorted_by_name():
    uses = [
        dependency("b"),
        dependency("A"),
        dependency("c", usage=Usage.TEST_ONLY),
        dependency("c", usage=Usage.BUNDLED),
    ]
    found = audited(*uses)
    assert [cell.dependency for cell in found.cells] == [uses[1], uses[0], uses[3], uses[2]]
    assert audited(*reversed(uses)).cells == found.cells


def test_the_rulebook_s_licence_and_delivery_count_before_the_repository_s():
    policy = Policy(repositories={"ops": "GPL-3.0-only"}, delivery=Delivery.HOSTED)
    found = audited(GPL, dependency("agpl", "AGPL-3.0-only"), policy=policy)
    assert (found.repository.license.expression, found.repository.license.source) == ("GPL-3.0-only", Source.RULEBOOK)
    assert found.repository.delivery is Delivery.HOSTED
    assert verdicts(found) == [("agpl", LicenseVerdict.OBLIGATIONS), ("gpl", LicenseVerdict.NOT_APPLICABLE)]


def test_a_curated_entry_changes_only_its_own_fields_for_its_packages():
    by_name = CuratedLicense(name="GPL", usage=Usage.BUILD_TOOL, reason="only builds")
    (cell,) = audited(GPL, policy=Policy(dependencies=(by_name,))).cells
    assert (cell.dependency.usage, cell.dependency.why) == (Usage.BUILD_TOOL, "rulebook: only builds")
    assert cell.dependency.license == GPL.license
    assert cell.judgement.verdict is LicenseVerdict.NOT_APPLICABLE
    by_purl = CuratedLicense(
        name="gpl", purl="pkg:pypi/gpl", license="MIT OR GPL-3.0-only", modified=True, version="2.0"
    )
    (cell,) = audited(GPL, policy=Policy(dependencies=(by_purl,))).cells
    assert (cell.judgement.verdict, cell.judgement.branch) == (LicenseVerdict.COMPATIBLE, "MIT")
    assert (cell.dependency.modified, cell.dependency.version, cell.dependency.usage) == (
        True,
        "2.0",
        Usage.DYNAMIC_LINK,
    )
    elsewhere = replace(by_purl, repositories=("other",))
    assert verdicts(audited(GPL, policy=Policy(dependencies=(elsewhere,)))) == [("gpl", LicenseVerdict.INCOMPATIBLE)]


@pytest.mark.parametrize(
    ("purl", "fits"),
    [("pkg:pypi/gpl@1.0", True), ("pkg:pypi/GPL", True), ("pkg:pypi/gpl@2.0", False), ("pkg:npm/gpl", False)],
)
def test_a_curated_package_url_means_any_version_unless_it_names_a_version(purl, fits):
    found = audited(GPL, policy=Policy(dependencies=(CuratedLicense(name="x", purl=purl, license="MIT"),)))
    assert len(found.cells) == (1 if fits else 2)


@pytest.mark.parametrize(("host", "fits"), [("corp.example", True), ("evil.example", False)])
def test_an_entry_for_a_package_from_one_place_is_not_for_another(host, fits):
    package, named = (
        replace(GPL, purl=f"pkg:pypi/gpl@1.0?repository_url={host}"),
        "pkg:pypi/gpl?repository_url=corp.example",
    )
    (cell,) = audited(package, policy=Policy(waivers=(replace(WAIVER, purl=named),))).cells
    assert (cell.waiver is not None) is fits
    corrected = audited(package, policy=Policy(dependencies=(CuratedLicense(name="x", purl=named, license="MIT"),)))
    assert len(corrected.cells) == (1 if fits else 2)
    lists = AllowDenyLists(
        deny=(AllowDenyEntry(license="MIT"),), exceptions=(AllowDenyEntry(purl=named, reason="read"),)
    )
    (cell,) = audited(replace(package, license=Learned("MIT")), policy=Policy(lists=(lists,))).cells
    assert (cell.judgement.verdict is LicenseVerdict.COMPATIBLE) is fits


def test_an_unknown_own_text_is_named_in_the_reason():
    judge = Judge(Policy(), MATRIX, TODAY)
    for path in ("LICENSE_FAQ.md", "COPYING"):
        own = Learned(place=Place(path))
        (found,) = judge.audited(Repository(name="a/b", license=own, dependencies=(dependency("mit"),))).findings
        assert found == Finding(
            OWN_UNKNOWN,
            Place(path),
            f"the licence of the work itself is not known: the text of {path} was not recognised",
        )
    (found,) = judge.audited(Repository(name="a/b", dependencies=(dependency("mit"),))).findings
    assert found.message == "the licence of the work itself is not known: nothing states one that can be read"
    known = Judge(Policy(repositories={"b": "MIT"}), MATRIX, TODAY)
    assert known.audited(Repository(name="a/b", dependencies=(dependency("mit"),), findings=(found,))).findings == ()


def test_a_dependency_that_only_the_rulebook_knows_is_added_once():
    upx = CuratedLicense(
        name="UPX", license="GPL-2.0-or-later", usage=Usage.BUILD_TOOL, reason="compresses CI artefacts"
    )
    usb = CuratedLicense(
        name="libusb",
        purl="pkg:generic/libusb@1.0.27",
        license="LGPL-2.1-or-later",
        usage=Usage.DYNAMIC_LINK,
        repositories=("runtime",),
    )
    policy = Policy(dependencies=(upx, usb))
    judge = Judge(policy, MATRIX, TODAY)
    repositories = [
        Repository(name=name, license=Learned("Apache-2.0")) for name in ("cann/ops", "cann/runtime", "cann/ops")
    ]
    first, second, again = (judge.audited(repository) for repository in repositories)
    assert verdicts(first) == [("UPX", LicenseVerdict.NOT_APPLICABLE)] == verdicts(again)
    assert verdicts(second) == [("libusb", LicenseVerdict.OBLIGATIONS), ("UPX", LicenseVerdict.NOT_APPLICABLE)]
    assert (second.cells[0].dependency.version, second.cells[0].dependency.license.source) == (
        "1.0.27",
        Source.RULEBOOK,
    )
    assert second.cells[1].dependency.why == "rulebook: compresses CI artefacts"


def test_a_component_is_judged_by_its_own_part_of_an_and():
    own = "Apache-2.0 AND GPL-2.0-only WITH Linux-syscall-note"
    uses = {
        component: dependency("kernel", "GPL-2.0-only", Usage.SOURCE_MERGED, component=component)
        for component in (None, "MIT", "gpl-2.0 WITH linux-syscall-note")
    }
    found = {component: audited(use, own=own).cells[0].judgement.verdict for component, use in uses.items()}
    assert found == {None: "incompatible", "MIT": "incompatible", "gpl-2.0 WITH linux-syscall-note": "obligations"}


@pytest.mark.parametrize(("days", "holds"), [(-1, True), (0, False), (1, False)])
def test_a_waiver_ends_on_its_day_and_is_reported(days, holds):
    policy = Policy(waivers=(WAIVER,))
    found = audited(GPL, policy=policy, today=WAIVER.until + timedelta(days=days))
    assert found.cells[0].waiver == (WAIVER if holds else None)
    said = f"the waiver of pkg:pypi/gpl ended on {WAIVER.until}"
    expired = Finding("waiver/expired", Place(".github/countersign.yml", None, "pkg:pypi/gpl"), said)
    assert found.findings == (() if holds else (expired,))


def test_a_waiver_with_a_hash_needs_that_text():
    pinned = replace(WAIVER, sha256="a" * 64)
    same = replace(GPL, licenses=(Text("LICENSE", "…", "a" * 64),))
    assert audited(same, policy=Policy(waivers=(pinned,))).cells[0].waiver == pinned
    for other in (GPL, replace(GPL, licenses=(Text("LICENSE", "…", "b" * 64),))):
        found = audited(other, policy=Policy(waivers=(pinned,)))
        assert found.cells[0].waiver is None
        assert [finding.code for finding in found.findings] == ["waiver/other-text"]


PINNED = CuratedLicense(name="gpl", purl="pkg:pypi/gpl", license="MIT", sha256="a" * 64)


def test_a_correction_with_a_hash_needs_that_text_or_is_reported():
    same = replace(GPL, licenses=(Text("LICENSE", "…", "a" * 64),))
    found = audited(same, policy=Policy(dependencies=(PINNED,)))
    assert (verdicts(found), found.findings) == ([("gpl", LicenseVerdict.COMPATIBLE)], ())
    for other, there in [
        (GPL, "no licence text came with it"),
        (replace(GPL, licenses=(Text("LICENSE", "…", "b" * 64),)), "another licence text is there"),
    ]:
        found = audited(other, policy=Policy(dependencies=(PINNED,)))
        assert verdicts(found) == [("gpl", LicenseVerdict.INCOMPATIBLE)]
        said = f"the correction of pkg:pypi/gpl is pinned to a licence text, and {there}"
        place = Place(".github/countersign.yml", None, "pkg:pypi/gpl")
        assert found.findings == (Finding("correction/other-text", place, said),)


def test_findings_name_the_rulebook_that_was_given():
    ended = replace(WAIVER, until=TODAY)
    more = {"waivers": (ended,), "dependencies": (PINNED, CuratedLicense(name="UPX", license="MIT"))}
    found = audited(GPL, policy=Policy(path="legal/rules.yml", repositories={"ops": "MIT"}, **more))
    assert {finding.place.path for finding in found.findings} == {"legal/rules.yml"}
    upx = found.cells[1].dependency
    assert {found.repository.license.place, upx.license.place, *upx.places} == {Place("legal/rules.yml")}


def test_an_entry_behind_a_pinned_correction_counts():
    then = replace(PINNED, sha256=None, license="Zlib")
    found = audited(GPL, policy=Policy(dependencies=(PINNED, then)))
    assert [cell.dependency.license.expression for cell in found.cells] == ["Zlib"]
    assert [finding.code for finding in found.findings] == ["correction/other-text"]
    assert audited(policy=Policy(dependencies=(PINNED,))).cells == ()
    judge = Judge(Policy(dependencies=(PINNED,)), MATRIX, TODAY)
    same = replace(GPL, licenses=(Text("LICENSE", "…", "a" * 64),))
    assert (judge.states("a/b", GPL), judge.states("a/b", same)) == (False, True)


def test_the_lists_of_the_rulebook_count_and_a_waiver_passes_them():
    deny = Policy(
        lists=(AllowDenyLists(deny=(AllowDenyEntry(license="MIT"),)),), waivers=(replace(WAIVER, purl="pkg:pypi/mit"),)
    )
    found = audited(dependency("mit"), dependency("zlib", "Zlib"), policy=deny)
    assert verdicts(found) == [("mit", LicenseVerdict.INCOMPATIBLE), ("zlib", LicenseVerdict.COMPATIBLE)]
    assert [(cell.judgement.rule, cell.judgement.basis, bool(cell.waiver)) for cell in found.cells] == [
        ("policy/denied", "policy", True),
        ("osadl/compatible", "osadl", False),
    ]


def test_the_first_waiver_in_force_counts_and_ended_ones_are_reported():
    over, other = replace(WAIVER, until=TODAY, by="Bo"), replace(WAIVER, purl="pkg:pypi/gpl@2.0")
    found = audited(GPL, dependency("mit"), policy=Policy(waivers=(over, other, WAIVER)))
    assert [cell.waiver for cell in found.cells] == [WAIVER, None]
    assert [finding.code for finding in found.findings] == ["waiver/expired"]


def test_a_use_fails_if_the_policy_names_its_verdict_without_a_waiver():
    uses = (GPL, dependency("odd", None), dependency("lgpl", "LGPL-2.1-only"))
    for policy, failing in [
        (Policy(), ["gpl", "odd"]), (Policy(fail_on=()), []), (Policy(waivers=(WAIVER,)), ["odd"]),
        (Policy(fail_on=(LicenseVerdict.OBLIGATIONS,)), ["lgpl"]),
    ]:  # fmt: skip
        judge = Judge(policy, MATRIX, TODAY)
        cells = judge.audited(Repository(name="a/b", license=Learned("Apache-2.0"), dependencies=uses)).cells
        assert [cell.dependency.name for cell in cells if cell.fails(policy.fail_on)] == failing


def test_unknown_terms_of_a_model_fail_like_an_unknown_licence():
    why = "README.md says other"
    place = Place("README.md", 2, why)
    weights = dependency("m", None, Usage.MODEL_WEIGHTS)
    weights = replace(weights, license=Learned(None, Source.UNSTATED, place, Unknown.UNREADABLE))
    (cell,) = audited(weights).cells
    judged = cell.judgement
    assert (judged.verdict, judged.counts_as, judged.reason) == (
        "review",
        "unknown-license",
        f"its terms are not known: {why}",
    )
    assert cell.fails(Policy().fail_on)
    assert cell.fails((LicenseVerdict.REVIEW,))
    assert not cell.fails((LicenseVerdict.INCOMPATIBLE,))

    said = CuratedLicense(name="m", license="llama3.1", usage=Usage.MODEL_WEIGHTS)
    (cell,) = audited(weights, policy=Policy(dependencies=(said,))).cells
    assert (cell.judgement.rule, cell.fails(Policy().fail_on)) == ("model/restricted", False)
    (cell,) = audited(weights, policy=Policy(waivers=(replace(WAIVER, purl="pkg:pypi/m"),))).cells
    assert not cell.fails(Policy().fail_on)


def test_findings_of_the_reading_come_first():
    broken = Finding("file/broken", Place("package.json", 3), "not JSON")
    assert audited(GPL, findings=(broken,)).findings == (broken,)


def test_repositories_under_one_licence_share_their_cells():
    judge = Judge(Policy(), MATRIX, TODAY)
    first, second, third = (
        judge.audited(Repository(name=name, license=Learned(own), dependencies=(GPL,)))
        for name, own in [("a/a", "Apache-2.0"), ("a/b", "Apache-2.0"), ("a/c", "GPL-3.0-only")]
    )
    assert first.cells[0] is second.cells[0]
    assert (second.cells[0].judgement.verdict, third.cells[0].judgement.verdict) == ("incompatible", "obligations")


def test_the_memory_of_judged_uses_is_bounded():
    judge = Judge(Policy(), MATRIX, TODAY, remembered=10)
    for number in range(100):
        use = dependency(f"x{number}", "MIT" if number % 2 else "GPL-3.0-only")
        found = judge.audited(Repository(name="a/b", license=Learned("Apache-2.0"), dependencies=(use,)))
        assert verdicts(found) == [(use.name, "compatible" if number % 2 else "incompatible")]
    assert judge._kept <= 11
