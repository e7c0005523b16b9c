"""Who exists, whose each address is, and who is covered: all of it decided before any git data is written."""

from dataclasses import dataclass, field

NOW = "2026-11-21T00:00:00Z"
PAST = ("2019-02-03T04:05:06Z", "2025-12-31T23:59:59Z", "2026-11-20T23:59:59Z", "2026-11-21T01:59:59+02:00")
FUTURE = ("2026-11-21T00:00:01Z", "2027-01-31T00:00:00Z", "2026-11-20T23:30:00-01:00", "9999-12-31T23:59:59Z")
HOSTS = ("github.com", "github.com", "ghe.corp.example", "acme.ghe.com")
"""Servers; on each its own addresses count, and github.com's numbers on github.com alone."""
NAMES = (
    "Ada Lovelace", "Bo Li", "José Álvarez", "Zoë Straße", "王伟", "Ægir Ünal", "Maeve O'Neil", "İlker Şahin", "Eve Sky",
    "Mallory Ray", "Trent Kim", "Nguyễn Thị Ánh", "Пётр Ильич", "Frank", "Grace Hopper", "Heidi Ott", "Ivan Øst", "Judy Fu",
)  # fmt: skip
LOGINS = ("ada", "Bo-Li", "jose7", "zoe", "wangwei", "aegir", "maeve", "ilker", "eve", "mallory", "trent", "anh", "petr",
          "frank", "grace", "heidi", "ivan", "judy")  # fmt: skip
PLACES = ("huawei.com", "hisilicon.com", "acme.co.uk", "siemens.de", "müller-werke.de", "华为技术.com", "rust-labs.dev",
          "azure.com", "intel.com", "openlab.org", "example.com.cn", "hua-wei.net")  # fmt: skip


@dataclass(eq=False)
class Mail:
    """An address and the truth about it, which no writer of commits can change.

    `linked`: GitHub knows it as its owner's, in one of its two dialects (`rest`) or both. `unaided`: it names its owner
    also without GitHub's answer: a noreply form with the id, or proven to us by a mailed code and by no other person.
    `machine`: it is web-flow's or a listed agent's; `broken`: no well-formed address.
    """

    text: str
    owner: "Person | None" = None
    linked: tuple[str, ...] = ()
    unaided: bool = False
    machine: bool = False
    broken: bool = False

    def whose(self, shape: str, *, asked: bool = True) -> "Person | None":
        """Whose it is by all that is known; `asked` False where GitHub was not asked for the account."""
        return self.owner if self.unaided or (asked and shape in self.linked) else None


BOTH = ("graphql", "rest")


@dataclass(eq=False)
class Person:
    """An account. `covered` and `codes` are the answer, given here; `link` is an address that must be seen for it."""

    id: int
    login: str
    name: str
    type: str = "User"
    main: Mail = field(default_factory=lambda: Mail(""))
    spare: Mail = field(default_factory=lambda: Mail(""))
    noreply: Mail = field(default_factory=lambda: Mail(""))
    proven: list[Mail] = field(default_factory=list)
    covered: bool = False
    codes: frozenset[str] = frozenset({"cla/unsigned"})
    link: Mail | None = None
    member: bool = False
    listed: bool = False

    @property
    def bot(self):
        return self.type == "Bot"

    @property
    def identity(self):
        return self.name, self.main

    def account(self, random):
        """As GitHub tells it; a missing type is a user's, or shows in the login."""
        told = {"id": self.id, "login": self.login, "type": self.type}
        if random.random() < 0.1 and (self.type == "User" or self.login.endswith("[bot]")):
            del told["type"]
        return told


class World:
    """The rulebook, the accounts, and the records about them."""

    def __init__(self, random, shape):
        self.random, self.shape = random, shape
        self.host = random.choice(HOSTS)
        self.noreply = f"users.noreply.{self.host}"
        self.rulebook = {"version": 1, "people": {}, "dco": {}, "agreements": {}}
        self.policies = {}
        self.owner = None
        self.people, self.signatures, self.companies, self.mailmap, self.overrides = [], [], [], [], []
        self.emails = {}
        self.sign_too = False
        self.parties, self.other_parties = (None,), ("Other Foundation",)
        self.least = "linked"
        self.shared = []
        self._ids = random.sample(range(100, 60_000_000), 40)
        self._names = random.sample(range(len(NAMES)), len(NAMES))
        self._places = random.sample(PLACES, len(PLACES))

    def id(self):
        return self._ids.pop()

    def place(self):
        """A registrable domain that no other person in this world has."""
        return self._places.pop() if self._places else f"place{self.id()}.org"

    def person(self, *, login=None, kind="User"):
        """A new account without any cover; its main and its spare address and its noreply form are GitHub's truth."""
        number = self._names.pop() if self._names else None
        name = NAMES[number] if number is not None else f"Person {self.id()}"
        who = Person(self.id(), login or (LOGINS[number] if number is not None else f"user{self.id()}"), name, kind)
        who.main = Mail(f"{who.login}.{who.id}@home.org", who, BOTH)
        who.spare = Mail(f"{who.id}.Old@Mail-{who.id}.net", who, BOTH)
        linked = self.random.choice((BOTH, ("rest",), ()))
        who.noreply = Mail(f"{who.id}+{who.login}@{self.noreply}", who, linked, unaided=True)
        self.people.append(who)
        return who

    def robot(self, login):
        """A GitHub App's account: GraphQL names no account for its address, REST does."""
        bot = self.person(login=login, kind="Bot")
        bot.name, bot.noreply.linked = login, ("rest",)
        bot.main = bot.spare = bot.noreply
        return bot

    def prove(self, who, mail):
        """The person answers a mailed code from that address."""
        mail.owner, mail.unaided = who, True
        who.proven.append(mail)
        text = self.random.choice((mail.text, mail.text.upper(), f"{mail.text}.")) if mail.text.isascii() else mail.text
        self.emails.setdefault(str(who.id), []).append(text)

    def allows(self, section):
        """Whether the rulebook allows an override of that check."""
        default = "maintainers" if section == "dco" else "nobody"
        return self.rulebook[section].get("override", default) != "nobody"

    @property
    def policy(self):
        """What the rulebook says of AI agents."""
        return self.rulebook["people"].get("agents", {}).get("policy", "ignore")

    def party(self, *, counts):
        """A party to record with an agreement: one that counts under the rulebook, or one that does not."""
        return self.random.choice(self.parties if counts else self.other_parties)
