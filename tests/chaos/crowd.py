"""Contributors at work: they open, push, close, comment, queue and sign, in an order that a seed decides."""

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from bot.demo.github.contributor import Contributor
from bot.demo.github.git.bare_repository import GitFailed
from bot.demo.github.refusal import ErrorResponse
from bot.demo.github.state import StoredEmail
from tests.bot.demo.github import queued_merges
from tests.chaos.browser import Browser

RULEBOOK = """\
version: 1
organization: The CANN Authors
repositories:
  - {match: [docs], require: dco}
  - {match: [ge], require: both}
  - {match: ["*"], require: cla}
"""
REPOSITORIES = ("ops-math", "ge", "docs")
PEOPLE = ("ada", "bo", "cy", "dee", "eve", "fay", "gus", "hal")
MOST_OPEN = 40
"""Open pull requests; then some are closed first."""

DEEDS = {
    "opens": 30,
    "pushes": 22,
    "rewrites": 10,
    "signs": 12,
    "withdraws": 3,
    "comments": 6,
    "closes": 4,
    "reopens": 4,
    "queues": 5,
    "leaves_the_queue": 3,
    "takes_the_label_off": 2,
    "readies": 2,
}
"""What they do, and how often of a hundred times."""


class Crowd:
    """Who contributes to `cann`. `signed` has the receipts that a page gave, by account id, while they are in force."""

    def __init__(self, stage, chance):
        self.stage, self.world, self.chance = stage, stage.world, chance
        self.signed, self.receipts, self.withdrawn = {}, set(), set()
        self._at_build, self._ever_signed, self._ever_withdrawn = {}, set(), set()
        self.deeds = dict.fromkeys(DEEDS, 0)
        self.failures = []
        self.ending = threading.Event()
        self._numbers, self._clones, self._busy = itertools.count(1), {}, set()
        self._visits = ThreadPoolExecutor(4, thread_name_prefix="browser")
        self._waiting = []
        self._community()

    def act(self):
        """One deed; its name. What is not possible at the moment is another."""
        while True:
            deed = self.chance.choices(list(DEEDS), list(DEEDS.values()))[0]
            with suppress(GitFailed, ErrorResponse):
                if getattr(self, f"_{deed}")():
                    self.deeds[deed] += 1
                    return deed

    def settle(self, within):
        """Wait for the people who are about to sign; False when not all could."""
        for browser in self._waiting:
            try:
                browser.result(timeout=within)
            except TimeoutError:
                self.failures.append(f"a browser was not done after {within} s")
            except Exception as error:  # noqa: BLE001 - a browser that broke has proved nothing
                self.failures.append(f"a browser: {type(error).__name__}: {error}")
        self._waiting.clear()
        return not self.failures

    def close(self):
        """No contributor does anything any more."""
        self.ending.set()
        self._visits.shutdown()

    @property
    def open(self):
        """The open pull requests."""
        return [pull for repo in self.repositories for pull in list(repo.pulls.values()) if pull.closed_at is None]

    def at_build(self, group):
        """The pull requests whose commits a group has, those ahead of it among them, and who had signed since it was built.

        The second are the accounts that had at any moment, the third those that had at every moment.
        """
        pulls, begun = self._at_build[group[-1].head_sha]
        return pulls, self._ever_signed | begun, (begun & self.signed.keys()) - self._ever_withdrawn

    def _community(self):
        desks = self.stage.folder / "desks"
        desks.mkdir()
        boss = self.world.user("boss", name="Boss", emails=[StoredEmail("boss@example.org", primary=True)])
        self.people = [
            Contributor(self.world, self.world.user(name, name=name.title(), emails=[f"{name}@example.org"]), desks)
            for name in PEOPLE
        ]
        self.boss, community = boss, self.world.organization("cann", admins=[boss])
        home = self.world.repository(community, ".github")
        self.world.write(home, {".github/countersign.yml": RULEBOOK})
        self.repositories = [self.world.repository(community, name) for name in REPOSITORIES]
        self.world.install(self.stage.app, community, boss)
        self.browsers = {
            person.account.id: Browser(self.stage.url, self.stage.github_url, person.account) for person in self.people
        }

    def _clone(self, who, base):
        key = (who.account.id, base.id)
        if key not in self._clones:
            fork = self.world.fork(base, who.account)
            self._clones[key] = who.branch(fork, "start", of=base)
        return self._clones[key]

    def _commit(self, clone, who, *, amend=False):
        """Mostly by the person who pushes, sometimes by another person, signed off or not."""
        author = who if self.chance.random() < 0.8 else self.chance.choice(self.people)
        email = author.account.emails[0].address
        sign_off = self.chance.random() < 0.6
        message = f"Change {next(self._numbers)}"
        message += f"\n\nSigned-off-by: {author.account.name} <{email}>" if sign_off else ""
        clone.commit(message, author=(author.account.name, email), amend=amend)

    def _opens(self):
        if len(self.open) >= MOST_OPEN:
            return self._closes()
        who, base = self.chance.choice(self.people), self.chance.choice(self.repositories)
        clone, branch = self._clone(who, base), f"b{next(self._numbers)}"
        clone.branch(branch, start="origin/HEAD")
        for _ in range(self.chance.choice((1, 1, 1, 2, 3))):
            self._commit(clone, who)
        clone.push(branch)
        self.world.open_pull(base, who.account, branch, source=clone.repository, draft=self.chance.random() < 0.1)
        return True

    def _mine(self, of=None):
        """A contributor, their open pull request that waits in no queue, and its clone at that branch."""
        found = [candidate for candidate in self.open if of is None or of(candidate)]
        if not found:
            return None, None, None
        pull = self.chance.choice(found)
        who = next(person for person in self.people if person.account is pull.opener)
        return who, pull, self._clone(who, pull.repository)

    def _pushes(self, *, amend=False):
        who, pull, clone = self._mine(lambda candidate: not self._queued(candidate))
        if pull is None:
            return False
        clone.git("switch", "--quiet", pull.head)
        self._commit(clone, who, amend=amend)
        clone.push(pull.head, force=amend)
        return True

    def _rewrites(self):
        return self._pushes(amend=True)

    def _signs(self):
        able = [
            person
            for person in self.people
            if person.account.id not in self.signed and person.account.id not in self._busy
        ]
        return self._visit(able, self._sign)

    def _withdraws(self):
        able = [
            person for person in self.people if person.account.id in self.signed and person.account.id not in self._busy
        ]
        return self._visit(able, self._withdraw)

    def _visit(self, able, act):
        if not able:
            return False
        who = self.chance.choice(able).account.id
        self._busy.add(who)
        self._waiting.append(self._visits.submit(act, who))
        return True

    def _sign(self, who):
        receipt = self.browsers[who].sign(self.ending)
        if receipt is None:
            self.failures.append(f"{who} could not sign")
            return
        self.signed[who] = receipt
        self.receipts.add(receipt)
        self._ever_signed.add(who)
        self._busy.discard(who)

    def _withdraw(self, who):
        self._ever_withdrawn.add(who)
        if not self.browsers[who].withdraw(self.signed[who], self.ending):
            self.failures.append(f"{who} could not take the signature back")
            return
        self.withdrawn.add(self.signed.pop(who))
        self._busy.discard(who)

    def _comments(self):
        who, pull, _ = self._mine()
        return pull is not None and bool(self.world.comment(pull, who.account, "/cla-check"))

    def _closes(self):
        who, pull, _ = self._mine(lambda candidate: not self._queued(candidate))
        if pull is None:
            return False
        self.world.close_pull(pull, who.account)
        return True

    def _reopens(self):
        closed = [
            pull
            for repo in self.repositories
            for pull in repo.pulls.values()
            if pull.closed_at is not None and pull.merged_at is None
        ]
        if not closed or len(self.open) >= MOST_OPEN:
            return False
        self.world.reopen_pull(self.chance.choice(closed), self.boss)
        return True

    def _queued(self, pull):
        return any(entry.pull is pull for entry in pull.repository.merge_queue)

    def _queues(self):
        """One or two pull requests go into the queue, whose group asks for its checks."""
        _, pull, _ = self._mine(lambda candidate: not self._queued(candidate) and not candidate.draft)
        if pull is None or len(pull.repository.merge_queue) > 4:
            return False
        queued_merges.enqueue(self.world, pull, self.boss)
        group = queued_merges.build_group(self.world, pull.repository, pull.base, size=2)
        if group:
            queue = queued_merges.queue_of(self.world, pull.repository, pull.base)
            ahead = [entry.pull for entry in queue[: queue.index(group[-1]) + 1]]
            self._at_build[group[-1].head_sha] = ahead, set(self.signed)
        return True

    def _leaves_the_queue(self):
        waiting = [entry for repo in self.repositories for entry in repo.merge_queue]
        if not waiting:
            return False
        entry = self.chance.choice(waiting)
        queued_merges.dequeue(self.world, entry, self.boss)
        return True

    def _takes_the_label_off(self):
        _, pull, _ = self._mine(lambda candidate: any(label.name.startswith("cla-") for label in candidate.labels))
        if pull is None:
            return False
        name = next(label.name for label in pull.labels if label.name.startswith("cla-"))
        self.world.remove_label(pull, name, self.boss)
        return True

    def _readies(self):
        who, pull, _ = self._mine(lambda candidate: candidate.draft)
        if pull is None:
            return False
        self.world.ready(pull, who.account)
        return True
