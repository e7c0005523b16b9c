"""The git commands that sign off commits: ready to copy, right in any clone, and never signing another person's work unasked."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Protocol, Self
from urllib.parse import urlsplit

from agreements.domains.masking import names_mailbox, visible
from bot.report.markdown import code
from bot.report.words.templates import Language, entries, fill

_BASE: Final = "BASE"
_BRANCH: Final = "BRANCH"
"""The word for a branch whose name is not known, or can't be shown."""
_HEX: Final = frozenset("0123456789abcdef")
_MIN_OBJECT_NAME_DIGITS: Final = 40
"""Digits of a whole object name, at least: a base that is a commit can't be brought up to date."""
_MAX_LISTED: Final = 50
"""Commits that a remediation command names one by one; of more it is only said that it is allowed."""
_EMPTY_LINES: Final = re.compile(r"\n{3,}")
_WHOLE: Final = "--depth=2147483647"
"""All of the history, also for a shallow clone, whose last commit would else be rewritten as one without a past.

The number is git's own for no limit; `--unshallow` says the same, but git refuses it in a clone that is not shallow.
"""


def writable(branch: str) -> str:
    """The branch's name; "" for one that can't stand in a command: a mask would make it another, a hyphen an option."""
    # The opener of a pull request chooses the name, and git has options that run a program.
    return "" if names_mailbox(branch) or branch.startswith("-") else branch


@dataclass(frozen=True, slots=True)
class PushDestination:
    """The place to which rewritten commits go: `target` is the remote and branch as git takes them, "" for git's own choice.

    `lease` is what the branch must still be there, `BRANCH:SHA`; "" for what the clone fetched of it last.
    """

    target: str = ""
    lease: str = ""

    @classmethod
    def of(cls, remote: str, branch: str, expected: str = "") -> Self:
        """A branch to the one of the same name, both as a shell takes them."""
        # By its name, not as HEAD: a rebase that stopped halfway then pushes nothing.
        # The name stands twice: alone, git's settings might push the branch to one of another name.
        return cls(f"{remote} {branch}:{branch}", f"{branch}:{expected}" if expected else "")

    def command(self, *, force: bool) -> str:
        """The command; with `force` over what is there, unless another person pushed meanwhile."""
        option = f" --force-with-lease{f'={self.lease}' if self.lease else ''}" if force else ""
        return f"git push{option} {self.target}".rstrip()


@dataclass(frozen=True, slots=True)
class PullBranch:
    """A pull request's branch by addresses, such as `base_url`: the names of a clone's remotes are not known. It ends at `head_sha`.

    `head_url` is "" when the repository that the commits came from is gone; `head` "" when its name can't be shown.
    """

    base_url: str
    head_url: str
    head: str
    head_sha: str

    @classmethod
    def at(cls, github_url: str, base: str, head: tuple[str | None, str], head_sha: str) -> Self:
        """The branch by names: `base` and the repository of `head` as `owner/name` (None: gone), with the branch."""
        repository, branch = head
        shown = writable(branch)
        head_url = f"{github_url}/{repository}.git" if repository else ""
        return cls(f"{github_url}/{base}.git", head_url, shown, head_sha)

    @property
    def name(self) -> str:
        """The branch as a shell takes it."""
        return shlex.quote(visible(self.head) or _BRANCH)  # It comes from a stranger.

    @property
    def start(self) -> tuple[str, ...]:
        """The commands that check out the branch with all that is in the pull request."""
        # Commits that were made on GitHub's website are in no clone.
        pull = f"git pull --ff-only {_WHOLE} {shlex.quote(self.head_url)} {self.name}"
        return (f"git switch {self.name}", pull) if self.head_url else ()

    def fetch(self, base: str) -> str:
        """The branch that it goes into, afterwards known as FETCH_HEAD."""
        whole = "" if self.head_url else f" {_WHOLE}"  # Else `start` has fetched it whole.
        return f"git fetch{whole} {shlex.quote(self.base_url)} {base}"

    @property
    def push(self) -> PushDestination | None:
        """The place where its commits are; None where that is gone."""
        return PushDestination.of(shlex.quote(self.head_url), self.name, self.head_sha) if self.head_url else None

    @property
    def ssh(self) -> tuple[str, str] | None:
        """The beginning of the addresses, and what stands there for who uses SSH; None where that is not known."""
        parts = urlsplit(self.base_url)
        known = parts.scheme == "https" and parts.port is None  # Behind another one SSH is elsewhere.
        return (f"https://{parts.netloc}/", f"git@{parts.netloc}:") if known else None


@dataclass(frozen=True, slots=True)
class CommandContext:
    """The situation for which the commands are: is only the last commit meant, and are commits of `others` in between?

    `amend` None means that it is not known: then both ways are shown. An unknown `base` is written as BASE.
    `own`: one of the commits that fail is by who reads this, as far as is known; `committed`: it was committed by them.
    `reset`: an author must be written anew. `merges`: a rebase would leave merges out. `bots`: some of the commits that
    fail only name a bot; `machines`: a commit of each bot and agent whose commits fail. `push`: where the branch is; None
    when it was sent nowhere yet.
    `known`: whose clone it is, so that only `own` commits are signed as a rule.
    `pull`: where the pull request is, for who reads this somewhere else than in a clone.
    `individual` and `third_party`: the commits that a later one may sign off by the rulebook, by their authors or for them.
    `web`: those that fail and were made on GitHub's website.
    `merge`: one of those that fail is a merge that amending does not reach: a rebase would lose what it brings.
    `portal`: one of those that fail may be signed off in the portal. `blank`: one of those that fail has no message.
    `verifiable`: one of those that fail would pass once its account has verified the address in the sign-off.
    """

    base: str = ""
    amend: bool | None = None
    others: bool = False
    own: bool = True
    committed: bool = False
    reset: bool = False
    merges: bool = False
    bots: bool = False
    machines: tuple[str, ...] = ()
    push: PushDestination | None = PushDestination()
    known: bool = False
    pull: PullBranch | None = None
    individual: tuple[str, ...] = ()
    third_party: tuple[str, ...] = ()
    web: tuple[str, ...] = ()
    merge: bool = False
    verifiable: bool = False
    portal: bool = False
    blank: bool = False


class _Say(Protocol):
    def __call__(self, name: str, **more: str) -> str: ...


# Many commits and pages ask for the same.
@lru_cache(maxsize=128)
def commands(situation: CommandContext, language: Language) -> str:
    """The commands that sign off, each on a line of its own in a code block, and what is to be known about them."""
    # Never by counting back from HEAD: with a merge in between that would sign other people's work.
    values = _values(situation)

    def say(name: str, **more: str) -> str:
        return fill(entries(language)[f"command/{name}"]["message"], values | more)

    own, web = [*_rewriting(situation, say)], [*_website(situation, say)]
    hints = [hint for hint in _hints(situation, say) if hint not in "\n".join(own)]
    later = [*_later(situation, say)]
    # A person who made the one commit on the website may have no clone.
    parts = [*web, *own, *hints, *later] if situation.amend else [*own, *hints, *later, *web]
    return _EMPTY_LINES.sub("\n\n", "\n".join(parts).rstrip("\n"))


def _values(situation: CommandContext) -> dict[str, str]:
    base, pull = visible(situation.base) or _BASE, situation.pull
    push = pull.push if pull else situation.push
    start = "".join(f"{line}\n" for line in pull.start) if pull else ""
    ssh = (pull and pull.ssh) or ("", "")
    return {
        # By a commit, as an address stands in no public text.
        "machines": "".join(
            f'|"$(git log -1 --format=%ae {sha})"' for sha in situation.machines[:_MAX_LISTED] if set(sha) <= _HEX
        ),
        "base": "FETCH_HEAD" if pull else shlex.quote(base),
        "branch": code(base),
        "start": start,
        "fetch": f"{pull.fetch(shlex.quote(base))}\n" if pull else "",
        "push": f"\n{push.command(force=True)}" if push else "",
        "send": f"\n{push.command(force=False)}" if push else "",
        "https": code(ssh[0], mask=visible),
        "ssh": code(ssh[1], mask=visible),
        "head": code(pull.head or _BRANCH, mask=visible) if pull else "",
        "flags": " --allow-empty-message" if situation.blank else "",
        "clone": code(f"git clone --branch {pull.name} {shlex.quote(pull.head_url)}", longest=1000, mask=visible)
        if pull
        else "",
    }


def _rewriting(situation: CommandContext, say: _Say) -> Iterator[str]:
    amendment = _amending(situation, say)
    if situation.merge:
        yield say("merge")
    elif not situation.own:  # Where only other people's commits fail, they are asked.
        yield say("ask")
        if situation.committed and not situation.reset:
            yield from (say("passed-one"), amendment) if situation.amend else (say("passed"), say("rebase"))
    elif situation.amend:
        yield amendment
        if situation.bots or situation.others or situation.committed:
            yield say("certify" if situation.bots else "last")
    else:
        many = "\n".join(_many(situation, say))
        yield many if situation.amend is False else say("either", one=amendment, many=many)


def _amending(situation: CommandContext, say: _Say) -> str:
    """The commands for one commit: those that people know, and folded away those that do in any clone, with their reasons."""
    name, pull = "reset-one" if situation.reset else "amend", situation.pull
    blank = [say("blank")] if situation.blank else []
    if pull is None or not pull.head_url:
        return "\n".join([say(name), *blank])
    anywhere = "\n".join([say(name), say("reasons"), *blank, "", *_hints(situation, say)])
    if situation.web:  # Such a commit is in no clone.
        return _folded(say("clone"), anywhere)
    known = say(name, start="", push=f"\n{PushDestination().command(force=True)}")
    return "\n".join([known, say("here"), _folded(say("anywhere"), anywhere)])


def _folded(title: str, body: str) -> str:
    # GitHub reads Markdown in HTML only between empty lines.
    return f"\n<details><summary>{title}</summary>\n\n{body}\n\n</details>\n"


def _many(situation: CommandContext, say: _Say) -> Iterator[str]:
    if situation.others:
        yield say("reset-own" if situation.reset else "own-machines" if situation.machines else "own")
        exactly = situation.known or situation.pull is not None
        yield say("reset-others" if situation.reset else "others" if exactly else "others-or")
        if situation.machines and not situation.reset:
            yield say("machines")
    else:
        is_commit = len(situation.base) >= _MIN_OBJECT_NAME_DIGITS and set(situation.base) <= _HEX
        yield say("reset-many" if situation.reset else "rebase")
        yield say("certify" if situation.bots else "since" if situation.pull or is_commit else "yours")
    if situation.merges:
        yield say("merges")


def _hints(situation: CommandContext, say: _Say) -> Iterator[str]:
    pull = situation.pull
    if pull is None:
        return
    if not (pull.head and situation.base):
        yield say("placeholders")
    if not pull.head_url:
        yield say("gone")
    elif pull.ssh:
        yield say("ssh")


def _later(situation: CommandContext, say: _Say) -> Iterator[str]:
    """Signing off without rewriting, as far as the rulebook allows it."""
    ways = "\n\n".join(_ways_later(situation, say))
    if ways:
        yield _folded(say("keep"), ways) if situation.pull else f"\n{ways}"


def _ways_later(situation: CommandContext, say: _Say) -> Iterator[str]:
    gone = situation.pull is not None and not situation.pull.head_url
    for name, shas in (("individual", situation.individual), ("third-party", situation.third_party)):
        if shas and not gone:
            listed = " ".join(shlex.quote(visible(sha)) for sha in shas)
            # With other people's commits in between, one's own are signed alone.
            mine = ' --fixed-strings --author="<$(git config user.email)>"' if situation.others else ""
            many = "-many" if len(shas) > _MAX_LISTED else ""
            yield say(name + many, shas=listed, mine=mine)


def _website(situation: CommandContext, say: _Say) -> Iterator[str]:
    """The way for commits that were made on GitHub's website."""
    made = say("made-one" if situation.amend else "made-some")
    if situation.web and situation.pull is None:
        yield "\n" + say("web-made", made=made)
        yield say("web-setting")
    elif situation.web and situation.pull and situation.pull.head_url:
        own = [sha for sha in situation.web if sha in situation.individual][:_MAX_LISTED]
        lines = "".join(say("line", sha=visible(sha)) for sha in own)
        yield "\n" + say("web-later" if lines else "web-again", made=made, lines=lines)
        yield say("web-setting")
