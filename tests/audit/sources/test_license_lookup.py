"""Licences that the repository does not tell are asked for once and remembered."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from audit.facts import Dependency, Learned, Place, Repository, Source, Text, Unknown
from audit.licenses.declared_license import NO_LICENSE_NAME, DeclaredLicense
from audit.sources.answers import AT_ONCE, MISSING, NO_VERSION_FITS, REFUSED, Answer
from audit.sources.license_lookup import NEVER, OFFLINE, UNREACHED, learn
from audit.sources.questions import questions

AT = datetime(2026, 11, 22, tzinfo=UTC)
MIT = Answer(DeclaredLicense("MIT"), Source.REGISTRY, "https://registry.npmjs.org/a/1")
NOTHING = Answer(address="https://registry.npmjs.org/b/1")


class Memory(dict):
    """A cache that is a dict."""

    def known(self, purls):
        return {purl: self[purl] for purl in purls if purl in self}

    def keep(self, purl, answer):
        self[purl] = answer


class Asked:
    """Answers what it was given; writes down what it was asked."""

    def __init__(self, **answers):
        self.answers, self.purls = answers, []

    def __call__(self, questions):
        self.purls += questions
        for purl in questions:
            yield purl, self.answers.get(purl.removeprefix("pkg:npm/").partition("@")[0], NOTHING)


def using(*purls, **more):
    """A repository that uses these, with no licence known."""
    return Repository(name="tool", dependencies=tuple(Dependency(name=purl, purl=purl, **more) for purl in purls))


def test_a_learned_licence_has_its_source_and_an_unknown_one_stays_unknown():
    found = learn(using("pkg:npm/a@1", "pkg:npm/b@1"), Memory(), Asked(a=MIT))

    assert [dependency.license for dependency in found.repository.dependencies] == [
        Learned("MIT", Source.REGISTRY, Place("https://registry.npmjs.org/a/1")),
        Learned(
            None,
            Source.UNSTATED,
            Place("https://registry.npmjs.org/b/1", None, "registry.npmjs.org knows it and names none"),
            Unknown.NOT_STATED,
        ),
    ]
    assert not found.failed
    assert not found.repository.findings


def test_only_a_missing_licence_is_asked_for_once_for_each_package():
    stated = Dependency(name="s", purl="pkg:npm/s@1", license=Learned("ISC", Source.LOCK_FILE))
    ruled = Dependency(name="r", purl="pkg:npm/r@1")
    both = Repository(name="x", dependencies=(*using("pkg:npm/a@1", "pkg:npm/a@1").dependencies, stated, ruled))
    asked = Asked(a=MIT)
    found = learn(both, Memory(), asked, settled=lambda dependency: dependency.name == "r")

    assert asked.purls == ["pkg:npm/a@1"]
    assert [dependency.license.expression for dependency in found.repository.dependencies] == [
        "MIT",
        "MIT",
        "ISC",
        None,
    ]


def test_an_answer_is_not_asked_for_again_unless_it_failed():
    memory = Memory()
    asked = Asked(a=MIT, c=Answer(failed="npm is away"))
    for _ in range(2):
        found = learn(using("pkg:npm/a@1", "pkg:npm/b@1", "pkg:npm/c@1"), memory, asked)

    assert asked.purls == ["pkg:npm/a@1", "pkg:npm/b@1", "pkg:npm/c@1", "pkg:npm/c@1"]
    assert found.failed == {"npm is away": 1}
    assert [(finding.code, finding.message) for finding in found.repository.findings] == [
        (UNREACHED, "1 licences could not be asked about: npm is away")
    ]


@pytest.mark.parametrize(
    ("purls", "until"),
    [("", NEVER), ("a", AT), ("ab", AT - timedelta(days=1)), ("abc", AT_ONCE), ("c", AT_ONCE)],
)
def test_a_package_is_asked_about_again_when_its_first_answer_expires(purls, until):
    held = {"pkg:npm/a@1": replace(MIT, until=AT), "pkg:npm/b@1": replace(NOTHING, until=AT - timedelta(days=1))}
    for ask in (Asked(c=MIT), OFFLINE):
        assert learn(using(*(f"pkg:npm/{purl}@1" for purl in purls)), Memory(held), ask).until == until


def test_a_package_that_no_registry_was_asked_about_is_not_remembered():
    memory = Memory()
    learn(using("pkg:npm/a@1"), memory, Asked(a=Answer()))

    assert memory == {}


def test_each_answer_is_kept_at_once():
    memory = Memory()

    def ask(questions):
        yield "pkg:npm/a@1", MIT
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learn(using("pkg:npm/a@1", "pkg:npm/b@1"), memory, ask)
    assert memory == {"pkg:npm/a@1": MIT}


def test_only_remembered_answers_count_offline():
    found = learn(using("pkg:npm/a@1", "pkg:npm/b@1"), Memory({"pkg:npm/a@1": MIT}), OFFLINE)

    assert [dependency.license.expression for dependency in found.repository.dependencies] == ["MIT", None]
    assert found.repository.dependencies[1].license.unknown is Unknown.OFFLINE
    assert not found.failed


def test_packages_that_no_registry_may_be_asked_about_say_why():
    asked = Asked()
    found = learn(
        using("pkg:generic/z", "pkg:npm/a", "pkg:npm/%40corp/x@1", "pkg:npm/p@1?repository_url=npm.corp", "pkg:npm/p@1", "pkg:npm/p@2"),
        Memory(), asked, whom=lambda purl, _wanted: questions(purl, ("@corp",)),
    )  # fmt: skip

    assert asked.purls == []
    assert [dependency.license.unknown for dependency in found.repository.dependencies] == [
        Unknown.NO_REGISTRY,
        Unknown.NOT_PINNED,
        *[Unknown.PRIVATE] * 4,
    ]
    assert Counter(dependency.license.place.said for dependency in found.repository.dependencies[2:]) == {
        "the settings name it as private, so no registry is asked": 1,
        "the files take it from elsewhere (another registry, an address or a file), so no public registry is asked": 3,
    }


HOST = "https://registry.npmjs.org/a/1"


@pytest.mark.parametrize(
    ("purl", "answer", "unknown", "said"),
    [
        ("pkg:npm/a@1", Answer(failed="npm is away"), Unknown.UNREACHABLE, "npm is away"),
        ("pkg:npm/a@1", Answer(), Unknown.OFFLINE, "the settings let none of its registries be asked"),
        ("pkg:npm/a@1", Answer(MISSING, address=HOST), Unknown.PRIVATE, "registry.npmjs.org knows no such package, or not this version"),
        ("pkg:npm/a@1", Answer(REFUSED, address=HOST), Unknown.PRIVATE, "registry.npmjs.org refuses to say anything of it"),
        ("pkg:npm/a@1", Answer(NO_LICENSE_NAME, address=HOST), Unknown.UNREADABLE, "registry.npmjs.org states it"),
        ("pkg:npm/a@1", Answer(address=HOST), Unknown.NOT_STATED, "registry.npmjs.org knows it and names none"),
        ("pkg:npm/a", None, Unknown.NOT_PINNED, ""),
        ("pkg:npm/%40corp/a@1", None, Unknown.PRIVATE, "the settings name it as private, so no registry is asked"),
        ("pkg:npm/a@1?repository_url=npm.corp", None, Unknown.PRIVATE, "the files take it from elsewhere (another registry, an address or a file), so no public registry is asked"),
        ("pkg:generic/zlib@1", None, Unknown.NO_REGISTRY, ""),
        ("pkg:conda/numpy@1", None, Unknown.NO_REGISTRY, "the files name no channel for it"),
        ("pkg:conda/numpy@1?repository_url=conda.corp", None, Unknown.PRIVATE, "the files take it from elsewhere (another registry, an address or a file), so no public registry is asked"),
        (None, None, Unknown.NO_REGISTRY, ""),
    ],
)  # fmt: skip
def test_each_reason_for_an_unknown_licence_is_told_apart(purl, answer, unknown, said):
    memory = Memory()
    found = learn(using(purl), memory, Asked(a=answer), whom=lambda url, _wanted: questions(url, ("@corp",)))
    (dependency,) = found.repository.dependencies

    assert (dependency.license.expression, dependency.license.source, dependency.license.unknown) == (
        None,
        Source.UNSTATED,
        unknown,
    )
    assert (dependency.license.place.said if dependency.license.place else "") == said
    assert bool(memory) is bool(answer and answer.address)


@pytest.mark.parametrize(("purl", "answer"), [("pkg:generic/zlib", None), ("pkg:npm/a@1", Answer(address=HOST))])
def test_an_unrecognised_text_is_an_unreadable_licence(purl, answer):
    found = learn(
        using(purl, licenses=(Text("third_party/zlib/COPYING", "own words", "00"),)), Memory(), Asked(a=answer)
    )
    (dependency,) = found.repository.dependencies

    assert dependency.license.unknown is Unknown.UNREADABLE
    assert dependency.license.place.path == "third_party/zlib/COPYING"


def test_a_dependency_without_a_package_url_belongs_to_no_registry():
    nameless = Repository(name="x", dependencies=(Dependency(name="zlib"),))

    (dependency,) = learn(nameless, Memory(), Asked()).repository.dependencies

    assert dependency.license.unknown is Unknown.NO_REGISTRY


def test_progress_is_told_from_nothing_to_all():
    progress = []
    learn(using("pkg:npm/a@1", "pkg:npm/b@1"), Memory(), Asked(), on_progress=lambda *how: progress.append(how))
    learn(using(), Memory(), Asked(), on_progress=lambda *how: progress.append(how))

    assert progress == [(0, 2), (1, 2), (2, 2)]


RANGED = "pkg:npm/a ^1.2"
"""The key of a range."""


def ranged(name="a", wanted="^1.2"):
    """A repository that asks for a range of versions."""
    dependency = Dependency(name=name, purl=f"pkg:npm/{name}", version_range=wanted)
    return Repository(name="tool", dependencies=(dependency,))


def test_a_range_is_looked_up_at_its_newest_fitting_version():
    memory, asked = Memory(), []

    def ask(questions):
        asked.append(sorted(questions))
        for key in questions:
            yield key, replace(MIT, stated=DeclaredLicense("1.4.3")) if key == RANGED else MIT

    for _ in range(2):
        found = learn(ranged(), memory, ask)
        (dependency,) = found.repository.dependencies
        assert (dependency.version, dependency.purl) == (None, "pkg:npm/a")
        assert dependency.license == Learned(
            "MIT", Source.REGISTRY, Place(MIT.address, None, "newest that fits ^1.2: 1.4.3")
        )
    assert asked == [[RANGED], ["pkg:npm/a@1.4.3"]]
    assert set(memory) == {RANGED, "pkg:npm/a@1.4.3"}


def test_a_version_that_is_known_is_not_asked_for_again_for_its_range():
    asked = []

    def ask(questions):
        asked.extend(questions)
        for key in questions:
            yield key, replace(MIT, stated=DeclaredLicense("1.4.3")) if " " in key else MIT

    both = replace(ranged(), dependencies=(*ranged().dependencies, *using("pkg:npm/a@1.4.3").dependencies))
    found = learn(both, Memory(), ask)
    remembered = learn(ranged(), Memory({"pkg:npm/a@1.4.3": MIT}), ask)

    assert [
        dependency.license.expression
        for dependency in (*found.repository.dependencies, *remembered.repository.dependencies)
    ] == ["MIT"] * 3
    assert asked == [RANGED, "pkg:npm/a@1.4.3", RANGED]


@pytest.mark.parametrize(
    ("newest", "licence", "unknown", "said"),
    [
        (Answer(NO_VERSION_FITS, address=HOST), None, Unknown.NOT_PINNED, "registry.npmjs.org lists no version that fits the range"),
        (Answer(DeclaredLicense("a b"), address=HOST), None, Unknown.NOT_PINNED, "registry.npmjs.org lists no version that fits the range"),
        (Answer(MISSING, address=HOST), None, Unknown.PRIVATE, "registry.npmjs.org knows no such package, or not this version"),
        (Answer(failed="npm is away"), None, Unknown.UNREACHABLE, "npm is away"),
        (Answer(), None, Unknown.OFFLINE, "the settings let none of its registries be asked"),
        (Answer(DeclaredLicense("1.4.3"), address=HOST), Answer(address=HOST), Unknown.NOT_STATED, "registry.npmjs.org knows it and names none"),
        (Answer(DeclaredLicense("1.4.3"), address=HOST), Answer(failed="npm is away"), Unknown.UNREACHABLE, "npm is away"),
    ],
)  # fmt: skip
def test_a_range_without_an_answer_says_why(newest, licence, unknown, said):
    memory = Memory()
    found = learn(ranged(), memory, lambda questions: ((key, newest if " " in key else licence) for key in questions))
    (dependency,) = found.repository.dependencies

    assert (dependency.license.unknown, dependency.license.place.said) == (unknown, said)
    assert found.failed == ({said: 1} if unknown is Unknown.UNREACHABLE else {})
    assert (RANGED in memory) is (unknown not in (Unknown.UNREACHABLE, Unknown.OFFLINE))


@pytest.mark.parametrize(
    ("repository", "unknown"),
    [
        (ranged(wanted="^" * 201), Unknown.NOT_PINNED),
        (ranged("%40corp/a"), Unknown.PRIVATE),
        (ranged("a?repository_url=npm.corp"), Unknown.PRIVATE),
        (ranged(wanted=""), Unknown.NOT_PINNED),
    ],
)
def test_private_and_too_long_ranges_are_not_asked_about(repository, unknown):
    asked = Asked()
    found = learn(repository, Memory(), asked, whom=lambda purl, wanted: questions(purl, ("@corp",), wanted=wanted))

    assert found.repository.dependencies[0].license.unknown is unknown
    assert asked.purls == []


def test_a_range_is_offline_and_not_unpinned_without_a_network():
    assert learn(ranged(), Memory(), OFFLINE).repository.dependencies[0].license.unknown is Unknown.OFFLINE
