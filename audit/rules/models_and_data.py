"""Weights of models and data sets: their own terms say how they may be used, independent of the code beside them."""

from collections.abc import Callable, Mapping
from typing import Final

from audit.facts import UNKNOWN_TERMS_RULE, LicenseVerdict, Usage
from audit.licenses import model_terms, strength
from audit.licenses.expression import Atom
from audit.licenses.model_terms import ModelTerms, TermsKind
from audit.rules.ruling import Ruling

# By what a licence demands above all. For counsel to confirm.
_VERDICTS: Final[Mapping[TermsKind, tuple[LicenseVerdict, str]]] = {
    TermsKind.ATTRIBUTION: (LicenseVerdict.COMPATIBLE, "model/attribution"),
    TermsKind.SHARE_ALIKE: (LicenseVerdict.OBLIGATIONS, "model/share-alike"),
    TermsKind.RESTRICTED: (LicenseVerdict.CONDITIONAL, "model/restricted"),
    TermsKind.NON_COMMERCIAL: (LicenseVerdict.REVIEW, "model/non-commercial"),
    TermsKind.NO_DERIVATIVES: (LicenseVerdict.REVIEW, "model/no-derivatives"),
}
_SAID: Final[Mapping[TermsKind, str]] = {
    TermsKind.ATTRIBUTION: "allows every use",
    TermsKind.SHARE_ALIKE: "keeps what is passed on under the same terms",
    TermsKind.RESTRICTED: "restricts how it may be used",
    TermsKind.NON_COMMERCIAL: "does not by itself allow commercial use",
    TermsKind.NO_DERIVATIVES: "allows no changed versions",
}


def unknown(why: str) -> Ruling:
    """For unknown terms, for any reason: a person reads them."""
    return Ruling(LicenseVerdict.REVIEW, UNKNOWN_TERMS_RULE, "none", why)


def ruling(outbound: Atom | None, inbound: Atom, usage: Usage, as_data: Callable[[], Ruling]) -> Ruling:
    """The ruling on the terms of weights or data, in a work under `outbound` (None: not known)."""
    terms = model_terms.terms(inbound.license) if inbound.exception is None else None
    if terms is not None:
        return _by_terms(terms, outbound)
    if inbound.exception is None and strength.is_permissive(inbound.license):
        thing = "weights" if usage is Usage.MODEL_WEIGHTS else "data"
        reason = f"{inbound} is permissive and restricts no use of the {thing}; keep its notices"
        return Ruling(LicenseVerdict.COMPATIBLE, "model/permissive", "category", reason)
    if strength.is_known(inbound.license) and strength.restricts_use(inbound.license):
        kind = strength.category(inbound.license) or "category not known"
        reason = f"{inbound} may restrict its use ({kind}): read its terms"
        return Ruling(LicenseVerdict.REVIEW, "model/review", "category", reason)
    # A licence of code, with copyleft, is judged as that of any data beside the code.
    found = as_data()
    return unknown(found.reason) if found.rule == "license/unknown" else found


def _by_terms(terms: ModelTerms, outbound: Atom | None) -> Ruling:
    verdict, rule = _VERDICTS[terms.kind]
    clauses = [terms.limits] if terms.limits else []
    if terms.kind is TermsKind.NON_COMMERCIAL and outbound is not None:
        if outbound.license == terms.license:
            verdict = LicenseVerdict.CONDITIONAL  # The work's own terms are the same.
        elif strength.is_free(outbound.license):
            clauses.append(f"{outbound}, the licence of the work, allows commercial use of all the rest")
    if terms.duties:
        clauses.append(f"if you pass it on, {terms.duties}")
    source = terms.source.removeprefix("https://")
    return Ruling(verdict, rule, "curated", f"{terms.name} {_SAID[terms.kind]}: {'; '.join(clauses)} ({source})")
