"""Pull requests as JSON."""

from bot.demo.github.json import pull_json


def test_a_listed_pull_request_is_part_of_the_whole(place):
    pull, _ = place.pull()
    whole, short = pull_json.pull(place.world, pull), pull_json.pull_simple(place.world, pull)
    assert {key: whole[key] for key in short} == short
    assert whole["head"]["label"] == "mia:work"
