"""Facts written as JSON read back as the same facts; defaults are left out."""

import json
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agreements.completeness import DIFFERS
from agreements.facts import (
    Account,
    ChosenCover,
    Coauthor,
    Commit,
    Company,
    Entry,
    Facts,
    FileDiff,
    Identity,
    Override,
    PortalSignoff,
    PullRequest,
    Sender,
    Signature,
)
from agreements.github_server import GitHubServer, github_server
from agreements.identity.subjects import GHOST
from agreements.json.facts_reader import FactsInvalid, read
from agreements.json.facts_writer import record
from agreements.judge import judge
from agreements.rulebook.rules import Rules

ACME = github_server("acme.ghe.com")


def again(facts):
    """The facts as they come back from JSON, under the same rules."""
    return read({**json.loads(json.dumps(record(facts))), "rulebook": None}, lambda _none: facts.rules)


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
names = texts.filter(bool)
ids = st.integers(1, 2**63 - 1)
counts = st.integers(0, 2**63 - 1)
moments = st.datetimes(datetime(1970, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC))
maybe = st.none
accounts = st.builds(Account, ids, texts, st.sampled_from(["User", "Bot", "Organization", "Mannequin"]))
identities = st.builds(Identity, texts, texts)


def lists(of, most=3):
    """Tuples of at most that many."""
    return st.lists(of, max_size=most).map(tuple)


commits = st.builds(
    Commit,
    sha=names,
    message=st.one_of(texts, st.just("Fix\n\nCo-authored-by: Bo <bo@x.org>\n")),
    parents=lists(texts),
    verified=st.sampled_from([None, True, False]),
    merged=st.sampled_from([None, True, False]),
    reverts=st.sampled_from([None, True, False]),
    authored_at=maybe() | moments,
    author=maybe() | identities,
    committer=maybe() | identities,
    author_account=maybe() | accounts,
    committer_account=maybe() | accounts,
    coauthors=lists(st.builds(Coauthor, texts, texts, maybe() | accounts), 2),
)
entries = st.one_of(
    st.builds(Entry, domain=texts, subdomains=st.booleans(), since=maybe() | moments),
    st.builds(Entry, email=texts, until=maybe() | moments),
    st.builds(Entry, account_id=ids),
    st.just(Entry()),
)
companies = st.builds(
    Company,
    name=texts,
    agreement=texts,
    version=texts,
    signed_at=moments,
    ended_at=maybe() | moments,
    party=maybe() | names,
    domains=st.sampled_from([None, "linked", "enrolled"]),
    covers=lists(entries, 2),
    excludes=lists(entries, 2),
)
everything = st.builds(
    Facts,
    rules=st.just(Rules()),
    repository=st.from_regex(r"[A-Za-z0-9][A-Za-z0-9-]{0,9}/[A-Za-z0-9._-]{1,10}", fullmatch=True),
    owner_type=st.sampled_from(["Organization", "User"]),
    owner_id=maybe() | ids,
    server=st.sampled_from(
        ["github.com", "ghe.corp.example", "acme.ghe.com", "[::1]", "127.0.0.1:3000", "git_hub"]
    ).map(github_server),
    pull_request=st.builds(
        PullRequest,
        number=ids,
        opener=maybe() | accounts,
        head_sha=names,
        base=texts,
        created_at=maybe() | moments,
        labels=lists(texts),
        files=lists(texts),
        files_complete=st.booleans(),
        changes=maybe()
        | lists(
            st.builds(FileDiff, path=names, previous_path=texts, additions=counts, deletions=counts, text=st.booleans())
        ),
    ),
    commit_count=maybe() | st.integers(0, 2**63 - 1),
    commits=st.lists(commits, max_size=3, unique=True).map(tuple),
    senders=lists(st.builds(Sender, accounts | st.just(GHOST), st.booleans(), maybe() | st.frozensets(texts))),
    members=st.frozensets(ids, max_size=3),
    signatures=lists(
        st.builds(
            Signature,
            account_id=maybe() | ids,
            signed_at=moments,
            withdrawn_at=maybe() | moments,
            party=maybe() | names,
        )
    ),
    companies=lists(companies, 2),
    emails=st.dictionaries(ids, lists(texts), max_size=3),
    small_lines=st.dictionaries(ids, counts, max_size=3),
    commenters=lists(accounts),
    mailmap=texts,
    overrides=lists(
        st.builds(
            Override,
            kind=st.sampled_from(["dco", "cla", "vouch"]),
            account_id=maybe() | ids,
            by=accounts,
            head_sha=texts,
            email=maybe() | names,
        )
    ),
    choices=lists(st.builds(ChosenCover, ids, maybe() | names)),
    now=moments,
)


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(everything)
def test_facts_come_back_equal_and_with_the_same_verdict(facts):
    found = again(facts)
    assert found == facts
    assert judge(found) == judge(facts)


def unsaid(value, path="facts"):
    """Key paths at which a noun has its default, so that a record without them would not be missed."""
    if isinstance(value, tuple):
        return [found for number, part in enumerate(value) for found in unsaid(part, f"{path}.{number}")]
    if not is_dataclass(value) or isinstance(value, (Rules, GitHubServer)):
        return []
    empty = (None, "", (), {}, frozenset())
    at = {field: f"{path}.{field.name}" for field in fields(value)}
    mine = [at[field] for field in at if getattr(value, field.name) in (field.default, *empty)]
    return mine + [found for field in at for found in unsaid(getattr(value, field.name), at[field])]


def test_every_field_of_facts_comes_back():
    """A new field that the writer leaves out makes this fail."""
    then, bot = datetime(2026, 1, 1, tzinfo=UTC), Account(5, "x[bot]", "Bot")
    who = Identity("Ada", "ada@huawei.com")
    when = {"since": then, "until": then, "record": "e1"}
    kept = {"record": "r1", "logged": False}
    entry = Entry(domain="huawei.com", subdomains=False, **when)
    company = Company(
        name="H", agreement="ccla", version="2.0", signed_at=then, ended_at=then, domains="enrolled", covers=(entry,),
        party="P", **kept, excludes=(Entry(email="x@y.org", subdomains=False, **when), Entry(account_id=5, subdomains=False, **when)),
    )  # fmt: skip
    facts = Facts(
        rules=Rules(), repository="o/r", owner_type="User", owner_id=7, server=ACME, commit_count=1, now=then, members=frozenset({5}),
        pull_request=PullRequest(
            number=1, opener=bot, head_sha="a", base="main", created_at=then, labels=("l",), files=("f",), files_complete=False, changed_files=2,
            changes=(FileDiff(path="f", previous_path="e", additions=1, deletions=2, text=True),),
        ),
        commits=(Commit(sha="a", message="m", parents=("0",), verified=True, merge_changes=True, merged=True, reverts=True, authored_at=then, author=who, committer=who,
                        author_account=bot, committer_account=bot, coauthors=(Coauthor("N", "e", bot),)),),
        senders=(Sender(bot, may_write=True, shas=frozenset({"a" * 40})),), companies=(company,), emails={5: ("a@b.org",)}, commenters=(bot,), mailmap="m",
        signatures=(Signature(agreement="icla", version="2.0", account_id=5, signed_at=then, withdrawn_at=then, party="P", **kept),),
        commits_doubt=DIFFERS, unknown_pushes=("b",), small_lines={5: 3},
        overrides=(Override(kind="cla", account_id=5, head_sha="a", by=bot, reason="r", email="x@y.org"),),
            signoffs=(PortalSignoff(5, ("a",)),),
            choices=(ChosenCover(5, "H"),),
    )  # fmt: skip
    keys = {"domain", "email", "account_id"}  # an entry has one of these three
    assert [
        path
        for path in unsaid(facts)
        if not (path.startswith("facts.companies.0.") and path.rpartition(".")[2] in keys)
    ] == []
    assert again(facts) == facts


def test_the_example_of_the_page_comes_back_the_same(case):
    ada = {"id": 11, "login": "ada"}
    facts = read(
        case(
            {"sha": "a", "author": {}, "committer": None, "author_account": {}, "coauthors": None, "message": "M"},
            {"sha": "b", "message": "Fix\n\nCo-authored-by: Bo <bo@x.org>", "verified": False},
            senders=[{"may_write": True}, {**ada, "may_write": None}],
            signatures=[{"agreement": "icla", "version": "2.0", "account": ada, "signed_at": "2026-01-01T08:00:00+08:00"}],
            companies=[{"name": "H", "agreement": "ccla", "version": "2.0", "signed_at": "2026-01-01T00:00:00.5Z",
                        "covers": [{"domain": "huawei.com", "subdomains": False}, {"email": None}, {"account": ada}]}],
            emails={"11": ["ada@huawei.com"], "12": []},
            overrides=[{"kind": "dco", "head_sha": "b", "by": ada}, {"kind": "cla", "account": 11, "head_sha": "b", "by": ada}],
        )
    )  # fmt: skip
    assert again(facts) == facts
    assert facts.senders[0].account == GHOST
    assert facts.commits[1].coauthors == (Coauthor("Bo", "bo@x.org"),)


def test_default_values_and_the_rulebook_are_not_written(case):
    found = record(
        read(case({"sha": "a", "author": {}, "committer": None}, pull_request={"number": 7, "head_sha": "a"}))
    )
    assert found == {
        "repository": {"full_name": "cann/ops-math", "owner_type": "Organization"},
        "pull_request": {"number": 7, "head_sha": "a"},
        "commit_count": 1,
        "commits": [{"sha": "a", "coauthors": []}],
        "now": "2026-11-21T00:00:00Z",
    }


@pytest.mark.parametrize("wrong", [Account(5, type="Robot"), Account(5, login="\ud800")])
def test_writing_unreadable_facts_works_and_reading_them_is_refused(case, wrong):
    facts = read(case())
    odd = Facts(
        rules=facts.rules,
        repository="o/r",
        pull_request=PullRequest(number=1, opener=wrong, head_sha="a"),
        commit_count=0,
        commits=(),
        now=facts.now,
    )
    with pytest.raises(FactsInvalid):
        again(odd)
