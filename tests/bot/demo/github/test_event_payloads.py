"""Payloads of webhooks; their whole shape is checked against GitHub's schemas by every test of this folder."""


def test_events_name_organisation_installation_and_sender(place):
    place.pull()
    own = place.world.repository(place.mia, "own")
    place.world.install(place.app, place.mia, place.mia)
    place.world.rename(own, "mine", place.mia)
    opened = place.events("pull_request")[0]
    assert (opened["organization"]["login"], opened["installation"]["id"]) == ("cann", place.installation.id)
    renamed = place.events("repository")[0]
    assert "organization" not in renamed
    assert (renamed["changes"]["repository"]["name"]["from"], renamed["repository"]["name"]) == ("own", "mine")


def test_only_pushes_carry_addresses_of_people(place):
    pull, clone = place.pull()
    place.world.comment(pull, place.mia, "x")
    clone.commit("y")
    clone.push()
    place.events()
    assert all(b"mia@home.example" not in delivery.payload for delivery in place.world.hooks.log)
    owner = place.clone(place.runtime, place.ada)
    owner.commit("z")
    owner.push("main")
    assert place.events("push")[0]["head_commit"]["author"]["email"] == "ada@cann.example"
