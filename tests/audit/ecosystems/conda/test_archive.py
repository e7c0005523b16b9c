"""Addresses of Conda archives: channels of hosts that all share, and others."""

import pytest

from audit.ecosystems.conda.archive import of_address, purl


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://conda.anaconda.org/conda-forge/linux-64/ld_impl_linux-64-2.40-h41732ed_0.conda", ("conda-forge", "ld_impl_linux-64", "2.40")),
        ("https://repo.anaconda.com/pkgs/main/noarch/tzdata-2024a-h04d1e81_0.tar.bz2", ("main", "tzdata", "2024a")),
        ("https://user:pw@conda.corp.example/x/noarch/a-1-0.conda#aa", ("", "a", "1")),
        ("https://conda.anaconda.org/conda-forge/noarch/repodata.json", None),
        ("https://conda.anaconda.org/a-1.conda", None),
        ("file:///a-1-0.conda", None),
        ("", None),
    ],
)  # fmt: skip
def test_addresses(address, expected):
    """The name may hold hyphens, version and build may not."""
    found = of_address(address)
    assert (found and (found.channel, found.name, found.version)) == expected
    assert not found or "pw" not in found.address


def test_package_urls():
    """With the channel, and the host of one that is somebody's own."""
    assert purl("a", "1", "conda-forge") == "pkg:conda/a@1?channel=conda-forge"
    assert purl("a", "1", "defaults") == "pkg:conda/a@1"
    assert purl("a", "1", "x y") == "pkg:conda/a@1"
    assert purl("a", "1", "x", "https://c.corp.example/x") == "pkg:conda/a@1?channel=x&repository_url=c.corp.example"
