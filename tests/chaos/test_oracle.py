"""The oracle notices each kind of loss, planted in a place where all is well."""

import random

import pytest

from tests.chaos.oracle import Oracle
from tests.chaos.place import opened

SEED = 16


@pytest.fixture(name="judged", scope="module")
def _judged():
    """A place where all is as it has to be: a red and a green pull request, a merge group, and no work left."""
    with opened("sqlite", SEED) as place:
        place.serve()
        crowd = place.crowd
        crowd.chance = random.Random(SEED)
        for _ in range(2):
            assert crowd._opens()
        assert crowd._signs()
        assert crowd.settle(60)
        assert crowd._opens()
        assert crowd._queues()
        seconds, found = place.converge(within=60)
        assert (seconds is not None, found.all) == (True, [])
        yield place


def found(place):
    """What the oracle says at this moment."""
    return place.oracle.github(), place.oracle.records(place.database.rows)


def our_runs(place):
    """Check runs on heads of open pull requests."""
    heads = {pull.head_sha: pull for pull in place.crowd.open}
    return [run for run in place.world.check_runs.values() if run.head_sha in heads]


@pytest.mark.slow
def test_the_oracle_misses_no_lost_run(judged, monkeypatch):
    run = our_runs(judged)[0]
    monkeypatch.setattr(run, "conclusion", None)
    assert found(judged)[0].counts == {"lost": 1, "wrong": 0, "twice": 0}
    monkeypatch.delitem(judged.world.check_runs, run.id)
    assert found(judged)[0].counts == {"lost": 1, "wrong": 0, "twice": 0}


@pytest.mark.slow
def test_the_oracle_misses_no_wrong_conclusion(judged, monkeypatch):
    for run in our_runs(judged):
        with monkeypatch.context() as patched:
            patched.setattr(run, "conclusion", "success" if run.conclusion == "failure" else "failure")
            assert len(found(judged)[0].wrong) == 1


def test_the_oracle_misses_no_double_run_comment_or_label(judged, monkeypatch):
    run = our_runs(judged)[0]
    monkeypatch.setitem(judged.world.check_runs, 1, run)
    assert len(found(judged)[0].twice) == 1
    monkeypatch.undo()
    pull = next(pull for pull in judged.crowd.open if any(comment.app for comment in pull.comments))
    monkeypatch.setattr(pull, "comments", pull.comments * 2)
    assert len(found(judged)[0].twice) == 1
    monkeypatch.undo()
    labelled = next(pull for pull in judged.crowd.open if pull.labels)
    both = [judged.world.label_of(labelled.repository, name) for name in ("cla-signed", "cla-required")]
    monkeypatch.setattr(labelled, "labels", both)
    assert len(found(judged)[0].twice) == 1


def test_the_oracle_misses_no_wrong_merge_group(judged, monkeypatch):
    [entry] = [entry for repo in judged.crowd.repositories for entry in repo.merge_queue]
    [check_run] = [run for run in judged.world.check_runs.values() if run.head_sha == entry.head_sha]
    monkeypatch.setattr(check_run, "conclusion", "failure" if check_run.conclusion == "success" else "success")
    assert len(found(judged)[0].wrong) == 1
    monkeypatch.setattr(check_run, "conclusion", None)
    assert len(found(judged)[0].lost) == 1


@pytest.mark.slow
def test_the_oracle_misses_no_lost_or_invented_record(judged, monkeypatch):
    monkeypatch.setattr(judged.crowd, "signed", {**judged.crowd.signed, 1: "NOWHERE"})
    assert found(judged)[1].lost == ["signature NOWHERE, which a page confirmed"]
    monkeypatch.setattr(judged.crowd, "signed", {})
    assert len(found(judged)[1].wrong) == 1
    monkeypatch.undo()

    def rows(query):
        return [("g1", "received")] if "FROM delivery" in query else judged.database.rows(query)

    assert judged.oracle.records(rows).lost == ["delivery g1 is received"]


@pytest.mark.slow
def test_the_oracle_decides_from_the_world_and_its_signatures_alone(judged):
    bare = Oracle(
        judged.world, judged.crowd, judged.stage.app, "version: 1\nrepositories: [{match: ['*'], require: cla}]\n"
    )
    assert {bare.verdict(pull, signed=()).conclusion for pull in judged.crowd.open} == {"failure"}
    assert {bare.verdict(pull, signed=range(10_000)).conclusion for pull in judged.crowd.open} == {"success"}
