"""A pull request while it is written: what its writers may claim in git, and beside it what is true."""

from dataclasses import dataclass, field

from tests.hostile import signing
from tests.hostile.spelling import trailers_of
from tests.hostile.world import NOW

DATES = (
    None,
    "1970-01-01T00:00:00Z",
    "2016-05-04T03:02:01+14:00",
    "2026-11-02T00:00:00Z",
    "2026-11-21T00:00:00Z",
    "2999-01-01T00:00:00Z",
)


@dataclass(eq=False)
class Written:
    """A commit; `author` and `committer` are (name, Mail) or None, `signed` whether a sign-off in it counts.

    `signed` True means that a person among author and committer certifies it by a named equivalence or exactly.
    """

    message: str
    author: tuple | None
    committer: tuple | None
    signed: bool
    merge: bool = False
    verified: bool | None = None
    listed: bool = True
    coauthors: list = field(default_factory=list)
    remedied: bool = False
    sha: str = ""
    extra: dict = field(default_factory=dict)

    def persons(self):
        return [person for person in (self.author, self.committer) if person is not None]


class Pull:
    """The pull request of a world, and every attack that went into it."""

    def __init__(self, world):
        self.world, self.random, self.shape = world, world.random, world.shape
        self.opener, self.senders, self.commits, self.attacks = None, [], [], []
        self.wrong = None  # "incomplete" or "refused" once the facts are spoiled as a whole
        self.changes = {}  # what an attack does to the finished facts
        self.labels = []
        self.signing = 1.0  # how many of the commits carry a sign-off that counts

    def commit(self, author, committer, *, coauthors=(), listed=True, merge=False, signed=None, text=""):
        """One more commit by these (name, Mail) pairs; its sign-offs count as often as `signing` says, if not told."""
        wanted = self.random.random() < self.signing if signed is None else signed
        message, counts = signing.message(self, author, committer, signed=wanted)
        trailers = [trailers_of(self.random, name, mail.text) for name, mail in coauthors]
        message = "\n".join([message, *trailers, text] if trailers or text else [message])
        written = Written(message, author, committer, counts, merge, self._verified(committer), listed, list(coauthors))
        written.sha = f"{self.random.getrandbits(160):040x}"
        self.commits.append(written)
        return written

    def _verified(self, committer):
        """True only for a key of an account that really acts here, or for GitHub's own key."""
        if committer is None:
            return None
        owner = committer[1].owner
        genuine = (
            owner is not None and self.shape in committer[1].linked and owner in {*self.actors, self.world.web_flow}
        )
        return self.random.choice((True, True, None)) if genuine else self.random.choice((False, None))

    def strangers(self, *persons):
        """People who have no part in a commit by these, in any order."""
        used = {text for person in persons if person for text in (person[0], person[1].text)}
        owners = {person[1].owner for person in persons if person}
        found = [
            human for human in self.world.humans
            if human not in owners and not used & {human.name, human.main.text, *(mail.text for mail in human.proven)}
        ]  # fmt: skip
        return self.random.sample(found, len(found))

    @property
    def actors(self):
        """The accounts that GitHub authenticated."""
        return {who for who in (self.opener, *(sender for sender, _ in self.senders)) if who is not None}

    def facts(self):
        """All of it as JSON facts."""
        world, head = self.world, self.commits[-1].sha if self.commits else "0" * 40
        request = {"number": 7, "opener": self._account(self.opener), "created_at": "2026-11-01T00:00:00Z",
                   "base": "main", "head_sha": head, "labels": self.labels, "files": ["README.md"]}  # fmt: skip
        facts = {
            "rulebook": world.rulebook,
            "server": world.host,
            "repository": {"full_name": "cann/ops-math", "owner_type": "Organization", "owner_id": world.owner},
            "pull_request": request,
            "commit_count": len({commit.sha for commit in self.commits}),
            "commits": [self._commit(commit) for commit in self.commits],
            "senders": [
                {**self._account(who), "may_write": may} if who else {"may_write": may} for who, may in self.senders
            ],
            "members": sorted(person.id for person in world.people if person.member),
            "signatures": world.signatures,
            "companies": [
                {key: company[key] for key in company if key not in ("at", "grace")} for company in world.companies
            ],
            "emails": world.emails,
            "mailmap": "\n".join(world.mailmap),
            "overrides": [self._override(override, head) for override in world.overrides],
            "now": NOW,
        }
        for change in self.changes.values():
            change(facts)
        return facts

    def _account(self, who):
        return who.account(self.random) if who is not None else self.random.choice((None, {})) or {}

    def _override(self, override, head):
        by = override["by"].account(self.random) if override["by"] else self.random.choice((None, {}))
        whom = (
            None
            if override["whom"] is None
            else self.random.choice((override["whom"].id, override["whom"].account(self.random)))
        )
        return {
            "kind": override["kind"],
            "account": whom,
            "head_sha": head if override["head"] is None else override["head"],
            "by": by,
            "reason": "…",
        }

    def _commit(self, commit):
        data = {"sha": commit.sha, "message": commit.message, "verified": commit.verified,
                "authored_at": self.random.choice(DATES),
                "parents": [f"{number:040x}" for number in range(2 if commit.merge else 1)]}  # fmt: skip
        for role, who in (("author", commit.author), ("committer", commit.committer)):
            data[role] = self.random.choice((None, {})) if who is None else {"name": who[0], "email": who[1].text}
            data[f"{role}_account"] = self._linked(who)
        if commit.listed:
            data["coauthors"] = [
                {"name": name, "email": mail.text, "account": self._linked((name, mail))}
                for name, mail in commit.coauthors
            ]
        return {**data, **commit.extra}

    def _linked(self, who):
        """GitHub's answer to whose the address is: the account, or either of its two ways to name no account."""
        if who is not None and who[1].owner is not None and self.shape in who[1].linked:
            return who[1].owner.account(self.random)
        return self.random.choice((None, {}))
