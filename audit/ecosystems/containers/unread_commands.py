"""Commands that put software into an image which is not read: downloads, and package managers whose commands are not read."""

import re
from collections.abc import Container, Iterator
from itertools import pairwise
from typing import Final

from audit.ecosystems.containers.install_commands import PROGRAMS, SAYS, arguments, segments

# By program, a pattern of the word that installs; behind an empty one each argument is a package.
_INSTALLERS: Final = {
    "cargo": "install|binstall", "gem": "install|i", "go": "install|get|run", "composer": "require",
    "conda": "install|create", "mamba": "install|create", "micromamba": "install|create",
    "pacman": "-S[a-z]*|--sync", "emerge": "", "pkg": "install", "pkg_add": "", "brew": "install", "opkg": "install",
    "xbps-install": "", "nix-env": "-i[A-Za-z]*|--install", "nix": "install", "snap": "install", "flatpak": "install",
    "spack": "install", "vcpkg": "install", "conan": "install", "luarocks": "install", "opam": "install",
    "cabal": "install", "stack": "install", "raco": "install", "cpanm": "", "cpan": "", "pecl": "install", "pear": "install",
    "easy_install": "", "install2.r": "", "installGithub.r": "", "dotnet": "package|install", "nuget": "install",
    "choco": "install", "winget": "install", "scoop": "install", "sdk": "install", "tlmgr": "install", "dart": "activate",
    "ansible-galaxy": "install", "apt-get": "build-dep|source", "apt": "build-dep|source",
    "dnf": "localinstall|groupinstall", "yum": "localinstall|groupinstall", "dpkg": "-i|--install",
    "rpm": "-[iUF][a-z]*|--install|--upgrade",
    "install_packages": "", "deno": "add",
}  # fmt: skip
_VALUED: Final = frozenset({
    "-n", "--name", "-p", "--prefix", "-c", "--channel", "--path", "-r", "--root", "--installdir", "--triplet", "--profile", "-pr", "-s",
})  # fmt: skip
# The work itself, and lists that are read as files of their own.
_OWN: Final = re.compile(r"\.{1,2}(?:[/\[].*)?|(?:\S*/)?(?:environment[\w.-]*\.ya?ml|[\w.-]*requirements[\w.-]*)")
# Program code that stands in a command.
_IN_CODE: Final = re.compile(r"\b(?:install\.packages|install_github|install_version|BiocManager::install|Pkg\.add)\(")
_CLONES: Final = {
    "git": "clone",
    "hg": "clone",
    "svn": "checkout|co|export",
    "gh": "download",
    "aws": "cp|sync",
    "gsutil": "cp|rsync",
}
_LOADERS: Final = frozenset({"curl", "wget", "aria2c", "axel", "Invoke-WebRequest", "iwr"})
_FETCHERS: Final = _LOADERS | frozenset(_CLONES)
# A loader takes a server's name without a scheme, too.
_ADDRESS: Final = re.compile(r"[a-z][a-z0-9+]{1,9}://\S|^[\"']?(?:[a-z0-9-]{1,60}\.){1,5}[a-z]{2,10}/\S")
_LOCAL: Final = re.compile(r"https?://(?:localhost|127\.|0\.0\.0\.0|\[::1?\])")
TEXT: Final = re.compile(
    r"(?i)\.(?:asc|gpg|pgp|key|pub|sig|sign|minisig|pem|crt|cer|sha\d{1,3}(?:sums?)?|md5(?:sum)?|list|repo|sources)(?![\w.-])"
    r"|/keyrings?/|[-_/]gpg(?![\w.-])|gpg[-_.]?key|/keys?/|sha\d{0,3}sums?\d{0,3}(?![a-z-])|checksums?(?![a-z-])|[-_]key(?![\w.-])"
)
"""Words of keys, signatures, checksums and lists of repositories: nothing of these is software."""
_SHELL: Final = re.compile(r"\b(?:(?:ba|da|a|z|k)?sh|eval)\b[^;&|]{0,100}\$\((?:[^;&|()]{0,100}/)?(?:curl|wget)\b")
_RUNS: Final = re.compile(r"(?:ba|da|a|z|k)?sh|python[\d.]{0,5}|perl|ruby|node|php|iex")
_UNPACKS: Final = re.compile(r"(?:bsd)?tar|(?:g|b)?unzip2?|gzip|bzip2|(?:un)?xz|zstd|zcat|cpio|patch|rpm|apk|dpkg")
_SCRIPT: Final = "runs a script that it downloads, and that is not read"
_CURL_SAVES: Final = re.compile(
    r"-[fsSLkvgiIjJlnNqR#46]*[oO](\S*)|--(?:output(?:-dir)?|remote-name(?:-all)?)(?:=(\S*))?"
)
_WGET_NAMES: Final = re.compile(r"-[a-zA-Z]*O(\S*)|--output-document(?:=(\S*))?")
_NOWHERE: Final = frozenset({"-", "/dev/null", "/dev/stdout", "&1", "&2"})


def installs(line: str) -> Iterator[str]:
    """A clause for each command of a line that installs by a program, or a script, whose commands are not read."""
    for words, piped in segments(line):
        program, rest = _first(words, _INSTALLERS)
        if program in _INSTALLERS and _installs(program, rest):
            yield f"installs packages by {program}, whose commands are not read"
        program, rest = _first(words, _LOADERS)
        if program in _LOADERS and _is_wanted(rest) and _reaches(piped, _RUNS):
            yield _SCRIPT
    if _SHELL.search(line):
        yield _SCRIPT
    if _IN_CODE.search(line):
        yield "installs packages by a program's code, which is not read"


def downloads(line: str) -> Iterator[str]:
    """A clause for each command of a line that downloads software; a key or a question to a server is none."""
    for words, piped in segments(line):
        program, rest = _first(words, _FETCHERS)
        if (program in _CLONES and _clones(program, rest)) or (
            program in _LOADERS and _is_wanted(rest) and (_reaches(piped, _UNPACKS) or _is_saved(program, rest))
        ):
            yield f"downloads files by {program}, which are not read"


def _first(words: list[str], known: Container[str]) -> tuple[str, list[str]]:
    """The program of a command, if it is one of these, and the words behind it; other programs come before their arguments."""
    near = ((name, at) for at, word in enumerate(words[:12]) if (name := _name(word)) in known or name in PROGRAMS)
    program, at = next(near, ("", 0))
    return ("", []) if words[0] in SAYS else (program, words[at + 1 :])


def _name(word: str) -> str:
    return word.rpartition("/")[2].lstrip("@-\"'([{$").rstrip("\"'")


def _installs(program: str, rest: list[str]) -> bool:
    verb = _INSTALLERS[program]
    start = next((at for at, word in enumerate(rest[:10]) if re.fullmatch(verb, word)), None) if verb else -1
    if start is None:
        return False
    own = program not in {"dpkg", "rpm"}  # These install files of any folder.
    found = [word for word in arguments(rest[start + 1 :], _VALUED) if not (own and _OWN.fullmatch(word))]
    if program == "go":  # Without a version it is a package of the module itself.
        found = [word for word in found if "@" in word or (rest[start] == "get" and not word.startswith("."))]
    return bool(found)


def _clones(program: str, rest: list[str]) -> bool:
    start = next((at for at, word in enumerate(rest[:10]) if re.fullmatch(_CLONES[program], word)), None)
    if start is None:
        return False
    # These two copy to the server as well.
    is_copy = program in {"aws", "gsutil"}
    found = list(arguments(rest[start + 1 :], frozenset({"-b", "--branch", "--depth", "-c", "-r", "-R", "--repo"})))
    return bool(found) and (not is_copy or "://" in found[0]) and not _OWN.fullmatch(found[0])


def _is_wanted(rest: list[str]) -> bool:
    """Whether there is software among what is loaded."""
    addresses = [word for word in rest if _ADDRESS.search(word)]
    wanted = [word for word in addresses if not TEXT.search(word) and not _LOCAL.search(word)]
    # The name under which one file is kept may tell as well.
    is_text = len(addresses) < 2 and any(map(TEXT.search, rest))
    return not is_text and (bool(wanted) or not addresses)


def _reaches(piped: list[list[str]], programs: re.Pattern[str]) -> bool:
    """Whether what is loaded is piped into such a program."""
    return any(programs.fullmatch(_name(word)) for words in piped for word in words[:6])


def _is_saved(program: str, words: list[str]) -> bool:
    """Whether a command loads something from an address into a file."""
    if not any("$" in word or _ADDRESS.search(word) for word in words):
        return False
    followed = list(pairwise([*(word.strip("\"'") for word in words), ""]))
    # A redirection may stand with its file, or before it.
    if any((word.lstrip("1>") or after) not in _NOWHERE for word, after in followed if word.startswith((">", "1>"))):
        return True
    if program == "curl":
        return any(
            word.startswith("--remote") or "O" in word or (match[1] or match[2] or after) not in _NOWHERE
            for word, after in followed
            if (match := _CURL_SAVES.fullmatch(word))
        )
    named = ((match[1] or match[2] or after) for word, after in followed if (match := _WGET_NAMES.fullmatch(word)))
    return program != "wget" or ("--spider" not in words and _NOWHERE.isdisjoint(named))
