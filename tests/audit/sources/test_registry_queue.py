"""Many questions at once: each registry at its own pace, fallbacks, and a limit of time."""

import time
from datetime import UTC, datetime

import pytest

from audit.facts import Source
from audit.licenses.declared_license import NO_LICENSE_NAME, NOTHING_STATED
from audit.sources.answers import MISSING, NO_METADATA, REFUSED
from audit.sources.questions import Registry, questions
from audit.sources.registry_client import RequestTimeouts
from audit.sources.registry_queue import RegistryQueue, RequestPace, RetryLimits

METADATA = b"Metadata-Version: 2.1\nName: a\nVersion: 1\nLicense-Expression: MIT\n\n# a\nLicense: GPL-3.0\n"
NOW = datetime(2026, 11, 22, tzinfo=UTC)
QUICK = RetryLimits(RequestTimeouts(1, 1, 2), everything=20, tries=3, pause=0.01, longest=1)
PATIENT = RetryLimits(RequestTimeouts(5, 30, 60), everything=120)
AWAY = "http://127.0.0.1:1"


def asking(registry, patience=QUICK, paces=None, **addresses):
    """Asks the registry on loopback for all, but for those named otherwise (None: not asked)."""
    every = {kind: addresses.get(kind.name, registry.address) for kind in Registry}
    return RegistryQueue(
        {kind: to for kind, to in every.items() if to}, now=lambda: NOW, patience=patience, paces=paces or {}
    )


def asked(queue, *purls):
    """What came, by package."""
    return dict(queue.answers({purl: questions(purl) for purl in purls}))


def test_the_first_registry_that_states_a_licence_answers(registry):
    registry.says = {
        "/pypi/a/1/json": {"info": {"license_expression": "MIT"}},
        "/pypi/b/1/json": {"info": {}},
        "/v3/systems/pypi/packages/b/versions/1": {"licenses": ["ISC"]},
        "/v3/systems/npm/packages/%40s%2Fc/versions/1": {"licenses": ["0BSD"]},
    }
    found = asked(asking(registry), "pkg:pypi/a@1", "pkg:pypi/b@1", "pkg:npm/%40s/c@1", "pkg:npm/d@1")

    assert {purl: answer.stated.expression for purl, answer in found.items()} == {
        "pkg:pypi/a@1": "MIT", "pkg:pypi/b@1": "ISC", "pkg:npm/%40s/c@1": "0BSD", "pkg:npm/d@1": None,
    }  # fmt: skip
    assert found["pkg:pypi/a@1"].source is Source.REGISTRY
    assert found["pkg:pypi/a@1"].address == f"{registry.address}/pypi/a/1/json"
    assert found["pkg:pypi/b@1"].source is Source.DEPS_DEV
    assert not any(value.failed for value in found.values())
    assert "/v3/systems/pypi/packages/a/versions/1" not in registry.asked


def test_a_registry_that_is_switched_off_is_not_asked(registry):
    registry.says = {"/v3/systems/npm/packages/a/versions/1": {"licenses": ["MIT"]}}

    assert asked(asking(registry, NPM=None), "pkg:npm/a@1")["pkg:npm/a@1"].stated.expression == "MIT"
    (answer,) = asked(asking(registry, NPM=None, DEPS_DEV=None), "pkg:npm/a@1").values()
    assert (answer.stated.expression, answer.address, answer.failed) == (None, "", "")


def test_a_question_is_asked_again_only_if_that_may_help(registry):
    registry.says = {
        "/a/1": [429, 503, {"license": "MIT"}],
        "/b/1": [418, {"license": "MIT"}],
        "/v3/systems/npm/packages/b/versions/1": 404,
    }
    found = asked(asking(registry), "pkg:npm/a@1", "pkg:npm/b@1")

    assert found["pkg:npm/a@1"].stated.expression == "MIT"
    assert found["pkg:npm/b@1"].failed == "127.0.0.1 answered 418"
    assert registry.asked.count("/a/1") == 3
    assert registry.asked.count("/b/1") == 1


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_package_is_one_failure_and_a_refusing_registry_is_closed(registry, status):
    registry.says = {"/a/1": {"license": "MIT"}, "/b/1": status, "/c/1": {}}
    found = asked(asking(registry, DEPS_DEV=None), "pkg:npm/b@1", "pkg:npm/a@1", "pkg:npm/c@1", "pkg:npm/d@1")

    assert (found["pkg:npm/b@1"].stated, found["pkg:npm/b@1"].failed) == (REFUSED, "")
    assert found["pkg:npm/c@1"].stated == NOTHING_STATED
    assert found["pkg:npm/d@1"].stated == MISSING
    assert registry.asked.count("/b/1") == 1

    registry.says = {f"/p{number}/1": status for number in range(60)}
    closed = asked(asking(registry, DEPS_DEV=None), *[f"pkg:npm/p{number}@1" for number in range(60)])
    assert {(value.stated, value.failed) for value in closed.values()} == {
        (NOTHING_STATED, f"127.0.0.1 answered {status}")
    }
    assert sum(path.startswith("/p") for path in registry.asked) < 30


def test_a_registry_that_knows_the_package_says_why_the_licence_is_unknown(registry):
    registry.says = {"/a/1": {"license": "SEE LICENSE IN x"}, "/v3/systems/npm/packages/b/versions/1": {"licenses": []}}
    found = asked(asking(registry), "pkg:npm/a@1", "pkg:npm/b@1", "pkg:npm/c@1")

    assert [found[f"pkg:npm/{name}@1"].stated for name in "abc"] == [NO_LICENSE_NAME, NOTHING_STATED, MISSING]


def test_a_registry_is_waited_for_as_long_as_it_asks_up_to_a_bound(registry):
    registry.says = {"/a/1": [lambda handler: handler.send(429, 429, Retry_After="1"), {"license": "MIT"}]}
    begun = time.monotonic()
    assert asked(asking(registry), "pkg:npm/a@1")["pkg:npm/a@1"].stated.expression == "MIT"
    assert time.monotonic() - begun >= 1

    registry.says = {"/a/1": lambda handler: handler.send(429, 429, Retry_After="3600")}
    begun = time.monotonic()
    assert asked(asking(registry), "pkg:npm/a@1")["pkg:npm/a@1"].failed == "127.0.0.1 answered 429"
    assert time.monotonic() - begun < 60


def test_an_unreachable_registry_is_noticed_once_for_all_packages(registry):
    queue = asking(registry, NPM=AWAY, DEPS_DEV=AWAY)
    begun = time.monotonic()
    found = asked(queue, *[f"pkg:npm/p{number}@1" for number in range(200)])
    found |= asked(queue, "pkg:npm/again@1")

    assert time.monotonic() - begun < 10
    assert {value.failed for value in found.values()} == {"127.0.0.1 could not be reached (ConnectionError)"}
    assert len(found) == 201


def test_one_failing_package_does_not_close_its_registry_and_three_do(registry):
    registry.says = {"/good/1": {"license": "MIT"}} | {f"/bad{number}/1": 500 for number in range(9)}
    queue = asking(registry, paces={Registry.NPM: RequestPace(1)}, DEPS_DEV=None)
    found = asked(queue, "pkg:npm/good@1", *[f"pkg:npm/bad{number}@1" for number in range(9)])

    assert found["pkg:npm/good@1"].stated.expression == "MIT"
    assert sum(path.startswith("/bad") for path in registry.asked) == 3 * QUICK.tries
    assert {answer.failed for purl, answer in found.items() if "bad" in purl} == {"127.0.0.1 answered 500"}


def test_deps_dev_answers_for_an_unreachable_registry(registry):
    registry.says = {"/v3/systems/npm/packages/a/versions/1": {"licenses": ["MIT"]}}
    found = asked(asking(registry, NPM=AWAY), "pkg:npm/a@1", "pkg:npm/b@1")

    assert (found["pkg:npm/a@1"].stated.expression, found["pkg:npm/a@1"].failed) == ("MIT", "")
    assert found["pkg:npm/b@1"].failed == "127.0.0.1 could not be reached (ConnectionError)"


def test_a_registry_is_asked_at_its_pace(registry):
    registry.delay = 0.05
    asked(
        asking(registry, paces={Registry.NPM: RequestPace(3)}, DEPS_DEV=None),
        *[f"pkg:npm/p{number}@1" for number in range(12)],
    )
    assert registry.most <= 3

    registry.delay, registry.moments = 0.0, []
    begun = time.monotonic()
    slow = asking(registry, paces={Registry.CRATES: RequestPace(1, 0.1)}, DEPS_DEV=None)
    asked(slow, *[f"pkg:cargo/p{number}@1" for number in range(3)])
    asked(slow, "pkg:cargo/q@1")
    assert len(registry.moments) == 4
    assert max(registry.moments) - begun > 0.3, "of a question that is late on its way the next one is not too early"


def test_a_slow_registry_is_asked_last_after_a_while(registry):
    registry.says = {f"/v3/systems/cargo/packages/p{number}/versions/1": {"licenses": ["MIT"]} for number in range(5)}
    asked(
        asking(registry, paces={Registry.CRATES: RequestPace(1, 0, 2)}),
        *[f"pkg:cargo/p{number}@1" for number in range(5)],
    )

    assert sum(path.startswith("/api/v1/crates/") for path in registry.asked) == 2


@pytest.mark.parametrize("bad", [b"<html>sign in to this network</html>", b"[]", b"\xff"])
def test_nonsense_is_a_failed_answer(registry, bad):
    """A network's own page must not be remembered as "there is no licence"."""
    registry.says = {"/a/1": bad, "/v3/systems/npm/packages/a/versions/1": bad}
    (found,) = asked(asking(registry), "pkg:npm/a@1").values()

    assert found.failed.startswith("127.0.0.1 no ")


def test_the_rest_has_failed_when_the_time_is_over(registry):
    registry.delay = 5
    begun = time.monotonic()
    found = asked(asking(registry, RetryLimits(RequestTimeouts(9, 9, 9), everything=0.3)), "pkg:npm/a@1", "pkg:npm/b@1")

    assert time.monotonic() - begun < registry.delay
    assert {value.failed for value in found.values()} == {"the 0 seconds for asking were over"}


def test_closing_the_answers_stops_the_asking(registry):
    registry.delay = 0.02
    registry.says = {f"/p{n}/1": {"license": "MIT"} for n in range(300)}
    coming = asking(registry, DEPS_DEV=None).answers(
        {purl: questions(purl) for purl in (f"pkg:npm/p{n}@1" for n in range(300))}
    )
    next(coming)
    coming.close()
    time.sleep(0.2)
    sent = len(registry.asked)
    time.sleep(0.2)

    assert len(registry.asked) == sent < 50


def test_a_python_package_is_read_from_its_wheel_s_metadata(registry):
    registry.says = {
        "/simple/a/": {"files": [{"filename": "a-1.tar.gz", "url": "/f/a-1.tar.gz"}, {"filename": "a-1-py3-none-any.whl", "url": "/f/a-1-py3-none-any.whl#sha256=0"}]},
        "/simple/b/": b'<!DOCTYPE html><a href="../../f/b-1-py3-none-any.whl#sha256=0">b-1-py3-none-any.whl</a>',
        "/simple/sdist/": {"files": [{"filename": "sdist-1.tar.gz", "url": "/f/sdist-1.tar.gz"}]},
        "/simple/bare/": {"files": [{"filename": "bare-1-py3-none-any.whl", "url": "/f/bare-1-py3-none-any.whl"}]},
        "/simple/far/": {"files": [{"filename": "far-1-py3-none-any.whl", "url": "https://elsewhere.example/far-1-py3-none-any.whl"}]},
        "/simple/other/": {"files": [{"filename": "other-2-py3-none-any.whl", "url": "/f/other-2-py3-none-any.whl"}]},
        "/f/a-1-py3-none-any.whl.metadata": METADATA,
        "/f/b-1-py3-none-any.whl.metadata": METADATA.replace(b"MIT", b"ISC"),
    }  # fmt: skip
    names = ("a", "b", "sdist", "bare", "far", "other", "gone")
    found = asked(asking(registry, DEPS_DEV=None), *[f"pkg:pypi/{name}@1" for name in names])

    assert [found[f"pkg:pypi/{name}@1"].stated.expression for name in names] == ["MIT", "ISC"] + [None] * 5
    assert found["pkg:pypi/a@1"].address == f"{registry.address}/f/a-1-py3-none-any.whl.metadata"
    assert found["pkg:pypi/a@1"].source is Source.REGISTRY
    assert {found[f"pkg:pypi/{name}@1"].stated for name in ("sdist", "bare", "far")} == {NO_METADATA}
    assert {found[f"pkg:pypi/{name}@1"].stated for name in ("other", "gone")} == {MISSING}
    assert not any(value.failed for value in found.values())


def test_another_form_is_not_asked_for_if_the_registry_knows_the_package(registry):
    registry.says = {
        "/pypi/a/1/json": {"info": {}},
        "/b/1": {},
        "/v3/systems/maven/packages/g%3Ac/versions/1": {"licenses": []},
    }
    found = asked(asking(registry), "pkg:pypi/a@1", "pkg:npm/b@1", "pkg:maven/g/c@1")

    assert {value.stated for value in found.values()} == {NOTHING_STATED}
    assert not {"/simple/a/", "/b", "/g/c/1/c-1.pom"} & set(registry.asked)


def pom(name, licences=(), parent=None):
    """A POM as Maven Central has it."""
    above = (
        f"<parent><groupId>g.h</groupId><artifactId>{parent}</artifactId><version>1</version></parent>"
        if parent
        else ""
    )
    stated = "".join(f"<license><name>{licence}</name><url>https://x.example</url></license>" for licence in licences)
    return f'<?xml version="1.0"?><project xmlns="http://maven.apache.org/POM/4.0.0">{above}<artifactId>{name}</artifactId><licenses>{stated}</licenses></project>'.encode()


def test_maven_and_nuget_are_read_without_deps_dev(registry):
    registry.says = {
        "/g/h/a/1/a-1.pom": pom("a", ["The Apache License, Version 2.0"]),
        "/g/h/b/1/b-1.pom": pom("b", parent="above"),
        "/g/h/above/1/above-1.pom": pom("above", parent="top"),
        "/g/h/top/1/top-1.pom": pom("top", ["Apache-2.0", "GNU Lesser General Public License v2.1 only"]),
        "/g/h/ring/1/ring-1.pom": pom("ring", parent="ring"),
        "/g/h/lost/1/lost-1.pom": pom("lost", parent="gone"),
        "/g/h/odd/1/odd-1.pom": pom("odd", parent="../../x"),
        "/g/h/broken/1/broken-1.pom": b"<project",
        "/a.b/1.0.0/a.b.nuspec": b'<package><metadata><license type="expression">MIT</license></metadata></package>',
    }
    names = ("a", "b", "ring", "lost", "odd", "broken", "gone")
    found = asked(
        asking(registry, DEPS_DEV=AWAY), *[f"pkg:maven/g.h/{name}@1" for name in names], "pkg:nuget/A.B@1.0.0"
    )
    stated = [found[f"pkg:maven/g.h/{name}@1"].stated.expression for name in names]

    assert stated == ["The Apache License, Version 2.0", "Apache-2.0 OR LGPL-2.1-only", None, None, None, None, None]
    assert found["pkg:maven/g.h/b@1"].address == f"{registry.address}/g/h/top/1/top-1.pom"
    assert found["pkg:nuget/A.B@1.0.0"].stated.expression == "MIT"
    assert registry.asked.count("/g/h/ring/1/ring-1.pom") == 9


@pytest.mark.slow
def test_a_version_of_npm_is_read_from_the_answer_about_all_versions(registry):
    filler = {f"0.0.{n}": {"license": "GPL-3.0-only", "x": "y" * 2_000} for n in range(4_200)}
    registry.says = {"/%40s%2Fa": {"versions": {**filler, "1.0.0": {"license": "MIT"}}}}
    found = asked(asking(registry, PATIENT, DEPS_DEV=None), "pkg:npm/%40s/a@1.0.0", "pkg:npm/%40s/a@2.0.0")

    assert found["pkg:npm/%40s/a@1.0.0"].stated.expression == "MIT"
    assert found["pkg:npm/%40s/a@2.0.0"].stated == MISSING


def test_a_range_of_npm_is_answered_by_the_latest_version_or_the_list(registry):
    filler = {f"1.0.{n}": {"x": "y" * 2_000} for n in range(4_200)}
    registry.says = {
        "/a/latest": {"version": "2.1.0"},
        "/a": {"versions": filler},
    }
    ranged = {wanted: questions("pkg:npm/a", wanted=wanted) for wanted in ("^2", "^1")}
    queue = asking(registry, PATIENT, DEPS_DEV=None)

    assert {key: answer.stated.expression for key, answer in queue.answers({"^2": ranged["^2"]})} == {"^2": "2.1.0"}
    assert registry.asked == ["/a/latest"]
    assert {key: answer.stated.expression for key, answer in queue.answers({"^1": ranged["^1"]})} == {"^1": "1.0.4199"}
