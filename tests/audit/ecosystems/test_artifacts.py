"""Addresses without secrets, checksums in SPDX's spelling."""

import base64

import pytest

from audit.ecosystems.artifacts import address, checksum, integrity, of_address, prefixed, repository
from audit.facts import Checksum

SHA1, SHA256 = "0a" * 20, "1B" * 32


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("https://registry.npmjs.org/@s/a/-/a-1.tgz", "https://registry.npmjs.org/@s/a/-/a-1.tgz"),
        (f"https://registry.yarnpkg.com/a/-/a-1.tgz#{SHA1}", "https://registry.yarnpkg.com/a/-/a-1.tgz"),
        ("https://ada:s3cret@npm.example.com:8443/a.tgz", "https://npm.example.com:8443/a.tgz"),
        ("https://ghp_token@GitHub.com/o/r/archive/1.zip?token=abc#x", "https://github.com/o/r/archive/1.zip"),
        ("http://host", "http://host"),
        ("https://ada:p@ss@host/a.tgz", None),  # not to be told apart, so nothing is said
        ("file:../own.tgz", None),
        ("file:///home/ada/own.tgz", None),
        ("/home/ada/own.tgz", None),
        ("../own", None),
        ("C:\\own.tgz", None),
        ("javascript://host/x", None),
        ("https://host/a b.tgz", None),
        ("https://höst/a.tgz", None),
        ("https://github.com/${OWNER}/a", None),
        ("", None),
    ],
)
def test_an_address_keeps_no_user_password_query_or_local_folder(written, kept):
    assert address(written) == kept


@pytest.mark.parametrize(
    ("written", "commit", "kept"),
    [
        ("https://github.com/o/r.git", "00ff", "git+https://github.com/o/r.git@00ff"),
        ("git+ssh://git@github.com/o/r.git", "00ff", "git+ssh://github.com/o/r.git@00ff"),
        ("git@github.com:o/r.git", None, "git+ssh://github.com/o/r.git"),
        ("git+ssh://git@github.com:o/r.git", "v1", "git+ssh://github.com/o/r.git@v1"),
        ("git://host/r.git", "00ff", "git://host/r.git@00ff"),
        ("https://host/r", "two words", "git+https://host/r"),
        ("../r", "00ff", None),
    ],
)
def test_a_repository_has_the_form_of_spdx_with_its_commit(written, commit, kept):
    """SPDX 2.3, section 7.7, gives the form."""
    assert repository(written, commit) == kept


def test_an_address_is_an_archive_or_a_commit_of_a_repository():
    assert of_address("git+ssh://git@host/r.git#00ff") == "git+ssh://host/r.git@00ff"
    assert of_address("https://host/r.git#00ff") == "git+https://host/r.git@00ff"
    assert of_address("https://host/a.tgz#00ff") == "https://host/a.tgz"
    assert of_address("bundled") is None


@pytest.mark.parametrize(
    ("algorithm", "digest", "name"),
    [
        ("sha256", SHA256, "SHA256"),
        ("SHA-256", SHA256, "SHA256"),
        ("sha1", SHA1, "SHA1"),
        ("md5", "0f" * 16, "MD5"),
        ("blake2b", "0f" * 64, "BLAKE2b-512"),
        ("sha3-256", SHA256, "SHA3-256"),
        ("h1", SHA256, None),
        ("sha256", SHA1, None),
        ("sha1", "0z" * 20, None),
        ("sha1", "", None),
    ],
)
def test_a_checksum_needs_an_algorithm_of_spdx_and_its_length(algorithm, digest, name):
    assert checksum(algorithm, digest) == ((Checksum(name, digest.lower()),) if name else ())


def test_a_prefixed_checksum_is_read():
    assert prefixed(f"sha256:{SHA256}") == (Checksum("SHA256", SHA256.lower()),)
    assert prefixed(SHA256) == ()


def _base64(digest):
    return base64.b64encode(bytes.fromhex(digest)).decode()


def test_an_integrity_value_becomes_hexadecimal_checksums():
    both = f"sha1-{_base64(SHA1)}?opt sha512-{_base64('2c' * 64)} sha512-{_base64('2c' * 64)}"
    assert integrity(both) == (Checksum("SHA1", SHA1), Checksum("SHA512", "2c" * 64))
    for wrong in ("", "sha512-", "sha512-!!!!", f"sha512-{_base64(SHA1)}", f"sha999-{_base64(SHA1)}", "x" * 10_000):
        assert integrity(wrong) == ()
