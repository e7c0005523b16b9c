"""A library's licence counts for its version and later ones."""

from audit.ecosystems.native.library_versions import known_at


def test_versions():
    """OpenSSL 1.1 had another licence than OpenSSL 3."""
    assert known_at("openssl", "3.0.1").license == "Apache-2.0"
    assert known_at("OpenSSL", None).license == "Apache-2.0"
    assert known_at("openssl", "v4").license == "Apache-2.0"
    assert known_at("openssl", "1.1.1w") is None
    assert known_at("openssl", "main").license == "Apache-2.0"
    assert known_at("acme-of-nobody", "1") is None
