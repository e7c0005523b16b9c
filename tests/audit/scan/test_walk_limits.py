"""The bounds of a walk."""

from dataclasses import astuple

from audit.scan.walk_limits import LIMITS, Limits
from bot.licenses import remote_repository


def test_the_server_reads_no_more_than_a_machine():
    pairs = zip(astuple(remote_repository.LIMITS), astuple(LIMITS), strict=True)
    assert all(0 < there <= here for there, here in pairs)
    assert Limits() == LIMITS
