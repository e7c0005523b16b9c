"""Agreements signed elsewhere: the catalog does not have their text, so the signed version alone decides."""

EXTERNAL_TEXT = "external"
"""Stands for the hash of a text that we do not have; no file has such a hash."""

UNDETERMINED_LANGUAGE = "und"
"""BCP 47 for a language that nobody told us."""

IMPORTED = "imported"
"""How we know who signed: another tool's list says so, and the account is one that already was there then."""

PROOFS = frozenset({IMPORTED, "administrator"})
"""The ways to come by a signature of somebody else's text; a person who signs here signs a text of ours."""


def made_elsewhere(source_sha256: str, identity_proof: str) -> bool:
    """Whether a signature is of a text that only another tool, or paper, holds. `accept` decides on its version."""
    return source_sha256 == EXTERNAL_TEXT and identity_proof in PROOFS
