"""The origin of a package as a lock file says it: a public registry, a mirror of one, or a private registry."""

import re
from typing import Final

_HOST: Final = re.compile(r"(?:registry\+|sparse\+)?https?://(?:[^/@\s]*+@)?([A-Za-z0-9.-]+)")
PUBLIC_REGISTRY_HOSTS: Final = frozenset(  # Their packages are public.
    {
        "registry.npmjs.org", "registry.npmjs.com", "registry.yarnpkg.com",
        "pypi.org", "pypi.python.org", "files.pythonhosted.org",
        "index.crates.io", "static.crates.io", "crates.io",
        "rubygems.org", "index.rubygems.org", "packagist.org", "repo.packagist.org", "api.nuget.org", "www.nuget.org",
        "hex.pm", "repo.hex.pm", "pub.dev", "pub.dartlang.org", "conda.anaconda.org", "repo.anaconda.com",
        # Public mirrors.
        "registry.npmmirror.com", "cdn.npmmirror.com", "registry.npm.taobao.org", "registry.nlark.com",
        "pypi.tuna.tsinghua.edu.cn", "mirrors.tuna.tsinghua.edu.cn", "mirrors.aliyun.com", "pypi.mirrors.ustc.edu.cn",
        "mirrors.ustc.edu.cn", "mirrors.bfsu.edu.cn", "mirrors.sjtug.sjtu.edu.cn", "pypi.doubanio.com", "pypi.douban.com",
        "mirrors.cloud.tencent.com", "mirrors.huaweicloud.com", "repo.huaweicloud.com", "rsproxy.cn",
        "gems.ruby-china.com", "pub.flutter-io.cn", "nuget.cdn.azure.cn",
    }
)  # fmt: skip
_KINDS: Final = tuple(
    f"pkg:{kind}/"
    for kind in ("npm", "pypi", "cargo", "gem", "composer", "nuget", "hex", "pub", "conda", "cocoapods", "maven")
)
_VCS: Final = re.compile(r"(?:hg|svn|bzr)\+")
_ARCHIVES: Final = (".whl", ".zip", ".tgz", ".tar", ".tar.gz", ".tar.bz2", ".tar.xz", ".egg")
NO_REGISTRY: Final = "no-registry"  # In place of a host, for a package that is a file.
# Cargo writes it for crates.io.
_CRATES: Final = re.compile(r"registry\+https://github\.com/rust-lang/crates\.io-index/?(?:#.*+)?")


def host(address: str) -> str:
    """The host of a registry that is not shared; empty for a shared one, and without an address."""
    found = None if _CRATES.fullmatch(address) else _HOST.match(address[:2_000])
    name = found[1].lower() if found else ""
    return "" if name in PUBLIC_REGISTRY_HOSTS else name


def taken(purl: str | None, address: str) -> str | None:
    """The package URL, with the registry as its qualifier where that is not shared."""
    return _marked(purl, host(address))


def of_archive(purl: str | None, address: str) -> str | None:
    """The package URL of an archive with an address of its own; NO_REGISTRY stands for the host where it is a file."""
    # Unmarked, the archive would pass for the registry's package of that name.
    plain = _VCS.sub("", address)
    return taken(purl, plain) if not plain or _HOST.match(plain[:2_000]) else named(purl, NO_REGISTRY)


def is_archive(path: str) -> bool:
    """Whether a path ends as archives do: then it leads to a package, and to no folder of the repository."""
    return path.partition("#")[0].partition("?")[0].strip().lower().endswith(_ARCHIVES)


def named(purl: str | None, registry: str) -> str | None:
    """The package URL, with a private registry as its qualifier, of which a file says the name alone."""
    return _marked(purl, re.sub(r"[^A-Za-z0-9.-]+", "-", registry[:100]).strip("-").lower())


def _marked(purl: str | None, registry: str) -> str | None:
    if not purl or not registry or not purl.startswith(_KINDS) or "_url=" in purl:  # The first origin counts.
        return purl
    return f"{purl}{'&' if '?' in purl else '?'}repository_url={registry}"
