"""The proof of GitHub's verified address, and the refusal of too many codes."""

from datetime import timedelta

from agreements.store.people.email_codes import TooManyCodes
from bot.portal.signing import github_proof, too_many_codes


def test_an_address_that_github_verified_counts_for_a_year(portal):
    proof = github_proof("ada@example.com", portal.at)
    assert (proof.how, proof.until - proof.at) == ("github-verified", timedelta(days=365))


def test_too_many_codes_are_a_429_that_names_the_moment_of_the_next(portal):
    with portal.app.test_request_context("/"):
        refused = too_many_codes(TooManyCodes(portal.at), "email")
    assert (refused.status, refused.errors) == (
        429, {"email": "You have requested too many codes. Try again at 12:00 UTC."},
    )  # fmt: skip
