"""What must be there at the end, by the world's facts and the pure decision alone; and what is lost, wrong or there twice."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta

import agreements.facts as nouns
from agreements.judge import judge
from bot.demo.github.git import bare_repository
from bot.flows.publishing.labels import wanted_label
from bot.report.merge_group_text import worst
from bot.rulebook import effective

LABELS = {"cla-signed", "cla-required"}


@dataclass
class Findings:
    """Each finding in one line. `pending` says that work is known to be left, which is no finding yet."""

    lost: list = field(default_factory=list)
    wrong: list = field(default_factory=list)
    twice: list = field(default_factory=list)

    @property
    def all(self):
        """All of them."""
        return [*self.lost, *self.wrong, *self.twice]

    @property
    def counts(self):
        """How many of each."""
        return {"lost": len(self.lost), "wrong": len(self.wrong), "twice": len(self.twice)}


class Oracle:
    """Knows the world, and which signatures are in force by what pages of ours said."""

    def __init__(self, world, crowd, app, rulebook):
        self.world, self.crowd, self.app = world, crowd, app
        self.rules = effective.parse_rulebook(rulebook).rules

    def github(self):
        """What of ours at GitHub is not as it has to be."""
        found = Findings()
        with self.world.lock:
            runs = Counter()
            shown = {}
            for run in self.world.check_runs.values():
                if run.app is self.app:
                    key = (run.repository.id, run.head_sha, run.name)
                    runs[key] += 1
                    shown[key] = run
            found.twice += [f"{count} runs {key[2]} on {key[1][:8]}" for key, count in runs.items() if count > 1]
            for repo in self.crowd.repositories:
                for pull in repo.pulls.values():
                    self._pull(pull, shown.get((repo.id, pull.head_sha, "Countersign")), found)
                for group in {id(entry.group): entry.group for entry in repo.merge_queue if entry.group}.values():
                    self._group(group, shown.get((repo.id, group[-1].head_sha, "Countersign")), found)
        return found

    def _pull(self, pull, run, found):
        where = f"{pull.repository.name}#{pull.number} at {pull.head_sha[:8]}"
        comments = sum(comment.app is self.app for comment in pull.comments)
        if comments > 1:
            found.twice.append(f"{where}: {comments} comments")
        if pull.closed_at is not None:
            return
        verdict = self.verdict(pull)
        if run is None or run.conclusion is None:
            found.lost.append(f"{where}: {'no check run' if run is None else 'a check run that is not completed'}")
        elif run.conclusion != verdict.conclusion:
            found.wrong.append(f"{where}: {run.conclusion} in place of {verdict.conclusion}")
        labels = {label.name for label in pull.labels} & LABELS
        wanted = {name for name in [wanted_label(verdict, self.rules.labels)] if name}
        if labels != wanted:
            kind = found.twice if len(labels) > 1 else found.wrong if labels - wanted else found.lost
            kind.append(f"{where}: labels {sorted(labels)} in place of {sorted(wanted)}")
        if verdict.conclusion == "failure" and not comments:
            found.lost.append(f"{where}: no comment")

    def _group(self, group, run, found):
        """A group is answered once: what was right at any moment since it was built is right."""
        where = f"group of {', '.join(f'{entry.pull.repository.name}#{entry.pull.number}' for entry in group)}"
        if run is None or run.conclusion is None:
            found.lost.append(f"{where}: no answer")
            return
        pulls, ever, always = self.crowd.at_build(group)
        best, least = (worst([self.verdict(pull, who).conclusion for pull in pulls]) for who in (ever, always))
        if not least.passes <= (run.conclusion == "success") <= best.passes:
            found.wrong.append(f"{where}: {run.conclusion}, between {least} and {best}")

    def verdict(self, pull, signed=None):
        """The one right answer for a pull request as it is now; `signed` are other accounts than those that have signed."""
        git, now = pull.repository.git, self.world.now()
        commits = bare_repository.between(git, pull.base_sha, pull.head_sha)
        long_ago = now - timedelta(days=1)
        return judge(
            nouns.Facts(
                rules=self.rules,
                repository=pull.repository.full_name,
                owner_type="Organization",
                pull_request=nouns.PullRequest(
                    number=pull.number, opener=_account(pull.opener), head_sha=pull.head_sha, base=pull.base
                ),
                commit_count=len(commits),
                commits=tuple(self._commit(commit) for commit in commits),
                senders=(nouns.Sender(_account(pull.opener)),),
                signatures=tuple(
                    nouns.Signature(agreement="icla", version="2.0", account_id=who, signed_at=long_ago)
                    for who in (list(self.crowd.signed) if signed is None else signed)
                ),
                now=now,
            )
        )

    def _commit(self, commit):
        people = [self.world.account_of_email(signed.email) for signed in (commit.author, commit.committer)]
        return nouns.Commit(
            sha=commit.sha, message=commit.message, parents=commit.parents, authored_at=commit.author.at,
            author=nouns.Identity(commit.author.name, commit.author.email),
            committer=nouns.Identity(commit.committer.name, commit.committer.email),
            author_account=_account(people[0]), committer_account=_account(people[1]),
        )  # fmt: skip

    def records(self, rows):
        """What of our records is not as it has to be; `rows` asks the database."""
        found = Findings()
        force = rows(
            "SELECT s.account_id, s.receipt FROM signature s LEFT JOIN withdrawal w ON w.signature_id = s.id"
            " WHERE w.signature_id IS NULL"
        )
        for who, count in Counter(who for who, _ in force).items():
            if count > 1:
                found.twice.append(f"{count} signatures in force of account {who}")
        by_page, by_record = set(self.crowd.signed.values()), {receipt for _, receipt in force}
        found.lost += [f"signature {receipt}, which a page confirmed" for receipt in by_page - by_record]
        found.wrong += [f"signature {receipt}, which no page confirmed" for receipt in by_record - by_page]
        [(signatures,)], [(withdrawals,)] = (
            rows("SELECT count(*) FROM signature"),
            rows("SELECT count(*) FROM withdrawal"),
        )
        kinds = dict(rows("SELECT kind, count(*) FROM ledger_entry GROUP BY kind"))
        for kind, count in (("signature.added", signatures), ("signature.withdrawn", withdrawals)):
            if kinds.get(kind, 0) != count:
                found.wrong.append(f"{kinds.get(kind, 0)} entries {kind} in the log for {count} rows")
        if signatures != len(self.crowd.receipts):
            found.twice.append(f"{signatures} signatures for {len(self.crowd.receipts)} receipts")
        found.lost += [
            f"delivery {guid} is {state}"
            for guid, state in rows("SELECT guid, state FROM delivery WHERE state <> 'done'")
        ]
        found.lost += [
            f"pull {number} has news that no worker judged"
            for (number,) in rows("SELECT number FROM pull WHERE evaluated < latest")
        ]
        return found


def _account(account):
    return None if account is None else nouns.Account(account.id, account.login, account.type)
