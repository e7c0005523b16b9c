"""Pull requests for `matching: exact` from hostile alphabets: line ends, cases, white space, odd addresses, odd remediations."""

import random
import unicodedata

WEB_FLOW = {"name": "GitHub", "email": "noreply@github.com"}
NAMES = (
    "Ada", "Ada Lovelace", "ada  lovelace", " Ada", "Ada ", "", " ", "Ada <x", "Ada <ada@x.org>", "Ada>", "<", "İlker", "ilker", "i\u0307lker", "straße", "STRASSE",
    "Jos\u00e9", "Jose\u0301", "\u212aim", "kim", "\u017fam", "sam", "Ada\u00a0L", "Ada\u200b", "\u200fAda", "ΑΣ", "ας", "Ada\r", "\u2028Ada", "Ada\x85", "A\x1cda", "阿达",
    ", I, Bo", "Ada <ada@x.org>, I, Bo", "Ada <ada@x.org>, hereby add my Signed-off-by to this commit: f", "Signed-off-by: Ada", "helper[bot]", "\U0001f600",
)  # fmt: skip
EMAILS = (
    "ada@x.org", "ADA@X.org", "a@b", "a.b@c.d", "", "@", "ada", "ada@", "@x.org", "a@b@c.org", '"a b"@x.org', '"a@b"@x.org', '""@x.org', '"a\\"b"@x.org', '"a\\"@x.org', '"a"b"@x.org',
    '"\u00e9"@x.org', '"a\tb"@x.org', '"a\x01b"@x.org', '"a\\ b"@x.org', '"@x.org', "a..b@x.org", ".a@x.org", "a.@x.org", "a b@x.org", "a@x..org", "a@.org", "a@x.org.", "a@x_y.org", "a@-x-.org", "a@x.1",
    "a@[127.0.0.1]", "a@[IPv6:::1]", "a@[]", "a@[x", "a@x]", "a@[a b]", "a@[a\\b]", "a@[a[b]", "a@[\u00e9]", "用户@例子.广告", "a@bücher.example", "a@x\u3002org", "a" * 64 + "@x.org", "a" * 65 + "@x.org",
    "é" * 32 + "@x.org", "é" * 33 + "@x.org", "ada@x.org ", " ada@x.org", "ada\u200b@x.org", "a(b)@x.org", "a<b@x.org", "a>b@x.org", "a <b@x.org", "!#$%&'*+-/=?^_`{|}~@x.org", "a,b@x.org",
    "x[bot]@users.noreply.github.com", "[bot]@users.noreply.github.com", "1+x[bot]@USERS.noreply.github.com", "x y[bot]@users.noreply.github.com", "[bot]@users.noreply.github.com ", "a@x[bot]@users.noreply.github.com",
    "İ@x.org", "i\u0307@x.org", "\u212a@x.org", "k@x.org", "\u017f@x.org", "s@x.org", "a\x7f@x.org", "a\x80@x.org", "a@x\u00a0y", "noreply@github.com",
)  # fmt: skip
ENDS = ("\n",) * 24 + ("\r\n",) * 4 + ("\n\n", "\r", "\u2028", "\u2029", "\x85", "\v", "\f", "\x1c", "\n\r", "\n \n")
TAILS = ("",) * 16 + (
    " ",
    "  ",
    "\r",
    "\t",
    "\u00a0",
    "\u3000",
    "\u1680",
    "\x85",
    "\u2028",
    "\r\r",
    " \r",
    "\x1c",
    "\x1f",
    "\u200b",
    "\u180e",
    "\ufeff",
    ".",
    ">",
    " >",
    "\x00",
)
NOISE = ("", "Add it", "# Signed-off-by", "Signed-off-by:", "Signed-off-by", "I, Ada", "Co-authored-by: Ada <ada@x.org>", "-- ", "---", 'Revert "Add"', "Merge branch 'main'", "\ufeff", "<>", " <", ">")  # fmt: skip
STARTS = ("",) * 20 + (" ", "\t", "> ", "\r", "\ufeff", "\u00a0", "Not-", "\v")
COLONS = (": ",) * 20 + (":", ":  ", " : ", ":\t", ":\u00a0", ": \t", "：")
TYPES = ("User",) * 6 + ("Bot", "Bot", "Organization", "Mannequin")


class Maker:
    """Makes one pull request from one seed; `pick` and `maybe` are its only dice."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.pick = self.random.choice
        self.people = [self.person() for _ in range(self.pick((1, 2, 2, 3)))]
        self.shas = [self.sha() for _ in range(self.pick((1, 1, 2, 3, 4)))]

    def maybe(self, chance):
        return self.random.random() < chance

    def sha(self):
        return "".join(self.random.choices("0123456789abcdef", k=40))

    def person(self):
        name = self.pick(NAMES) if self.maybe(0.4) else "Ada"
        email = self.pick(EMAILS) if self.maybe(0.35) else self.pick(("ada@x.org", "bo@y.org"))
        return {"name": name, "email": email}

    def cased(self, text):
        """The same letters, or nearly so."""
        ways = (str.upper, str.lower, str.title, str.swapcase, str.casefold)
        if self.maybe(0.3):
            text = self.pick(ways)(text)
        for plain, odd in (
            ("s", "\u017f"),
            ("i", "\u0130"),
            ("i", "\u0131"),
            ("k", "\u212a"),
            ("S", "\u017f"),
            ("I", "\u0130"),
        ):
            if self.maybe(0.008):
                text = text.replace(plain, odd, self.pick((1, -1)))
        return text

    def spelled(self, text):
        """A name or an address as it might stand in a message: mostly as it is."""
        if self.maybe(0.93):
            return text
        change = self.pick(("case", "nfc", "nfd", "before", "after", "drop"))
        if change == "case":
            return self.cased(text)
        if change in ("nfc", "nfd"):
            return unicodedata.normalize(change.upper(), text)
        odd = self.pick((" ", "\u00a0", "\u200b", "\t", "\r", ">", "<", " <"))
        return {"before": odd + text, "after": text + odd, "drop": text[1:]}[change]

    def who(self):
        """A person as a message names them."""
        person = self.pick(self.people) if self.maybe(0.95) else self.pick((WEB_FLOW, self.person()))
        return f"{self.spelled(person['name'])}{self.pick((' ',) * 20 + ('', '  '))}<{self.spelled(person['email'])}>"

    def sign_off(self):
        return self.cased("Signed-off-by") + self.pick(COLONS) + self.who()

    def target(self):
        """A SHA as a remediation names it: mostly one of these commits."""
        sha = self.pick(self.shas)
        if self.maybe(0.8):
            return sha
        return self.pick(
            (
                sha.upper(),
                sha[:12],
                f"{sha}.",
                f"{sha} {sha}",
                f" {sha}",
                f"{sha} ",
                f"<{sha}>",
                self.sha(),
                "",
                f"x this commit: {sha}",
            )
        )

    def declaration(self):
        behalf = f"{self.cased('On behalf of ')}{self.who()}, " if self.maybe(0.4) else ""
        comma = self.pick((", ",) * 20 + (",", ",  ", " , "))
        return f"{behalf}{self.cased('I, ')}{self.who()}{comma}{self.cased('hereby add my Signed-off-by to this commit: ')}{self.target()}"

    def line(self):
        kind = self.random.random()
        made = self.sign_off() if kind < 0.5 else self.declaration() if kind < 0.85 else self.pick(NOISE)
        return self.pick(STARTS) + made + self.pick(TAILS)

    def message(self):
        lines = [self.pick(NOISE), *(self.line() for _ in range(self.pick((0, 1, 2, 2, 3, 5, 8))))]
        return "".join(line + self.pick(ENDS) for line in lines)[: None if self.maybe(0.5) else -1]

    def account(self):
        if self.maybe(0.4):
            return self.pick((None, {}))
        return {"id": self.pick((11, 12, 13)), "login": self.pick(("ada", "x[bot]", "")), "type": self.pick(TYPES)}

    def commit(self, sha):
        author = self.pick(self.people)
        committer = author if self.maybe(0.5) else self.pick((*self.people, WEB_FLOW, None, {}))
        return {"sha": sha, "message": self.message(), "parents": [self.sha() for _ in range(self.pick((0,) + (1,) * 12 + (2, 2, 3)))],
                "verified": self.pick((True, False, None)), "author": author if self.maybe(0.96) else self.pick((None, {})),
                "committer": committer, "author_account": self.account(), "committer_account": self.account()}  # fmt: skip

    def facts(self):
        """The whole pull request as plain data; now and then incomplete."""
        commits = [self.commit(sha) for sha in self.shas]
        if self.maybe(0.03):
            commits.append(self.commit(self.shas[0]))
        count = len(self.shas) if self.maybe(0.97) else self.pick((None, 0, len(self.shas) + 1))
        dco = {"matching": "exact", "members": self.pick(("required", "exempt", "exempt")),
               "remediation": {"individual": self.maybe(0.75), "third_party": self.maybe(0.75)}}  # fmt: skip
        head = self.pick(self.shas) if self.maybe(0.98) else self.sha()
        return {"rulebook": {"version": 1, "repositories": [{"match": ["*"], "require": "dco"}], "dco": dco},
                "repository": {"full_name": "cann/ops"}, "pull_request": {"number": 7, "opener": self.account(), "head_sha": head},
                "commit_count": count, "commits": commits, "members": [key for key in (11, 12) if self.maybe(0.5)],
                "now": "2026-11-21T00:00:00Z"}  # fmt: skip


def case(seed):
    """The facts of that seed."""
    return Maker(seed).facts()
