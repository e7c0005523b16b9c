"""Open pull requests of many repositories in one request; a page says where the next one begins."""

import pytest

from bot.demo.github.contributor import ContributorClone
from bot.github.ports import Missing
from tests.bot.demo.github import queued_merges


def node(repository):
    """A repository's id in GraphQL."""
    return f"R_{repository.id}"


@pytest.fixture(name="twelve")
def _twelve(scene):
    """Twelve open pull requests, which is more than a first page holds, and a closed one."""
    fork = scene.world.fork(scene.ops, scene.mia)
    clone = ContributorClone(scene.world, fork, scene.mia, scene.folder / "many")
    pulls = []
    for number in range(13):
        clone.branch(f"b{number}", start="origin/main")
        clone.commit("One", files={f"{number}.txt": "1"})
        clone.push()
        pulls.append(scene.world.open_pull(scene.ops, scene.mia, f"b{number}", source=fork))
    scene.world.close_pull(pulls.pop(), scene.mia)
    return pulls


@pytest.mark.slow
def test_pages_list_open_pull_requests_by_their_last_update(scene, twelve):
    page = scene.hub.open_pulls(scene.installation.id, [node(scene.ops)])[node(scene.ops)]
    rest = scene.hub.more_open_pulls(scene.installation.id, node(scene.ops), page.cursor)

    assert (len(page.pulls), len(rest.pulls), rest.cursor) == (10, 2, None)
    found = {pull.number: pull.head_sha for pull in (*page.pulls, *rest.pulls)}
    assert found == {pull.number: pull.head_sha for pull in twelve}
    updates = [pull.updated_at for pull in (*page.pulls, *rest.pulls)]
    assert updates == sorted(updates, reverse=True)


@pytest.mark.slow
def test_the_trial_merge_of_a_queued_pull_request_is_told(scene, twelve):
    first, second, *_ = twelve
    for pull in (first, second):
        queued_merges.enqueue(scene.world, pull, scene.ada)
    (entry,) = queued_merges.build_group(scene.world, scene.ops, "main")
    found = scene.hub.open_pulls(scene.installation.id, [node(scene.ops)])[node(scene.ops)]
    assert {pull.number: (pull.base, pull.trial_sha) for pull in found.pulls if pull.trial_sha} == {
        first.number: ("main", entry.head_sha)
    }


def test_a_repository_that_is_gone_is_left_out(scene):
    there = scene.hub.open_pulls(scene.installation.id, [node(scene.ops), "R_99999"])
    assert list(there) == [node(scene.ops)]
    assert there[node(scene.ops)].pulls == ()
    with pytest.raises(Missing):
        scene.hub.more_open_pulls(scene.installation.id, "R_99999", "Y3Vyc29yOnYyOjA=")


def test_many_repositories_take_one_request(scene):
    others = [scene.world.repository(scene.cann, f"r{number}") for number in range(60)]
    scene.hub.open_pulls(scene.installation.id, [])
    scene.world.calls.clear()
    found = scene.hub.open_pulls(scene.installation.id, [node(repository) for repository in others])
    assert len(found) == 60
    assert [call.template for call in scene.world.calls if "access_tokens" not in call.template] == ["/graphql"]
