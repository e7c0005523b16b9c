"""Texts are detected within a budget of work, so that the same repository gets the same report."""

from audit.facts import Finding, Place
from audit.licenses.spdx import texts
from audit.texts.detector import DetectionCache, Detector
from audit.texts.identification import DetectedText, detect

MIT, ISC = texts()["MIT"], texts()["ISC"]
ALTERED = MIT.replace("merge,", "zebra,")


def counted(asked):
    def one(text, *, is_license):
        asked.append(text)
        return detect(text, is_license=is_license)

    return one


def test_each_text_is_detected_once_in_all_repositories():
    asked = []
    memory = DetectionCache(counted(asked))
    for _ in range(2):
        detector = Detector(memory, 10**6)
        assert [detector.license(text, "LICENSE") for text in (MIT, ISC, MIT)] == ["MIT", "ISC", "MIT"]
        assert detector.findings() == ()
    assert asked == [MIT, ISC]


def test_a_tag_counts_by_the_file_s_name_and_the_cache_keeps_them_apart():
    text = f"SPDX-License-Identifier: MIT\n\n{MIT}\nCommercial use is prohibited.\n"
    detector = Detector(DetectionCache(), 10**6)
    assert [detector.license(text, path) for path in ("a.c", "LICENSE", "b.c")] == ["MIT", None, "MIT"]


def test_a_text_beyond_the_budget_is_unknown_with_a_finding():
    detector = Detector(DetectionCache(), budget=detect(MIT).work)
    assert detector.license(MIT, "LICENSE") == "MIT"
    assert detector.detect(ISC, "b/LICENSE") == DetectedText(None, "beyond-budget")
    assert detector.license(ISC, "a/LICENSE") is None
    assert detector.license(MIT, "c/LICENSE") == "MIT"
    assert detector.license(f"{ISC} b", "d/LICENSE") is None
    assert detector.findings() == (
        Finding(
            "tree/cut-short",
            Place("b/LICENSE"),
            "2 licence texts are not identified: together they take more work than is done for one repository",
        ),
    )


def test_the_budget_is_charged_for_remembered_texts():
    """The same repository must get the same answer after any other audit."""
    memory = DetectionCache()
    budget = detect(ALTERED).work
    first, second = Detector(memory, budget), Detector(memory, budget)
    for detector in (first, second):
        assert [detector.detect(text, "x").method for text in (ALTERED, MIT)] == ["altered", "beyond-budget"]
    assert first.findings() == second.findings()


def test_the_cache_forgets_the_oldest_text():
    asked = []
    memory = DetectionCache(lambda text, **_how: asked.append(text) or DetectedText(None, "none"))
    memory.detect("first")
    for number in range(4_100):
        memory.detect(str(number))
        memory.detect("first")
    assert asked.count("first") == 1
    memory.detect("0")
    assert asked.count("0") == 2


def test_the_finding_of_one_text_is_in_the_singular():
    detector = Detector(DetectionCache(), budget=0)
    detector.detect(MIT, "LICENSE")
    assert detector.findings()[0].message.startswith("1 licence text is not identified")
