"""Facts as plain data for JSON: the inverse of `agreements.json.facts_reader.read`, but for the rulebook."""

from datetime import datetime

from agreements import moments
from agreements.facts import (
    Account,
    Coauthor,
    Commit,
    Company,
    Entry,
    Facts,
    Identity,
    Override,
    PullRequest,
    Sender,
    Signature,
)

Plain = dict[str, object]


def record(facts: Facts) -> Plain:
    """The facts as `countersign evaluate` takes them, without their rulebook; what is its default is left out.

    `read({**record(facts), "rulebook": …})` gives these facts under that rulebook. What `read` refuses (half a
    surrogate pair, an unknown type of account) is written as it stands and refused when it is read.
    """
    return {
        "repository": {"full_name": facts.repository, "owner_type": facts.owner_type},
        "pull_request": _pull_request(facts.pull_request),
        "commits": [_commit(commit) for commit in facts.commits],
        "now": moments.text(facts.now),
    } | _some(
        commit_count=facts.commit_count,
        commits_doubt=facts.commits_doubt,
        senders=[_sender(sender) for sender in facts.senders],
        unknown_pushes=list(facts.unknown_pushes),
        members=sorted(facts.members),
        signatures=[_signature(one) for one in facts.signatures],
        companies=[_company(one) for one in facts.companies],
        emails={str(account_id): list(addresses) for account_id, addresses in facts.emails.items()},
        mailmap=facts.mailmap,
        overrides=[_override(one) for one in facts.overrides],
    )


def _some(**values: object) -> Plain:
    """Those that say something: missing, null and empty read alike."""
    return {key: value for key, value in values.items() if value is not None and value not in ("", [], {})}


def _pull_request(one: PullRequest) -> Plain:
    return {"number": one.number, "head_sha": one.head_sha} | _some(
        opener=_account(one.opener),
        base=one.base,
        created_at=_moment(one.created_at),
        labels=list(one.labels),
        files=list(one.files),
        files_complete=None if one.files_complete else False,
    )


def _commit(one: Commit) -> Plain:
    # Without co-authors, those that the message names would be read.
    return {"sha": one.sha, "coauthors": [_coauthor(who) for who in one.coauthors]} | _some(
        message=one.message,
        parents=list(one.parents),
        verified=one.verified,
        authored_at=_moment(one.authored_at),
        author=_identity(one.author),
        committer=_identity(one.committer),
        author_account=_account(one.author_account),
        committer_account=_account(one.committer_account),
    )


def _identity(one: Identity | None) -> Plain | None:
    """Both parts, also when they are empty: an object without any is nobody."""
    return None if one is None else {"name": one.name, "email": one.email}


def _coauthor(one: Coauthor) -> Plain:
    return _some(name=one.name, email=one.email, account=_account(one.account))


def _account(one: Account | None) -> Plain | None:
    """An account without an id stands for a deleted one, which is written as none."""
    if one is None or not one.id:
        return None
    return {"id": one.id} | _some(login=one.login, type="" if one.type == "User" else one.type)


def _sender(one: Sender) -> Plain:
    return {"may_write": one.may_write} | (_account(one.account) or {})


def _signature(one: Signature) -> Plain:
    return {"agreement": one.agreement, "version": one.version, "signed_at": moments.text(one.signed_at)} | _some(
        account=None if one.account_id is None else {"id": one.account_id}, withdrawn_at=_moment(one.withdrawn_at)
    )


def _company(one: Company) -> Plain:
    return {
        "name": one.name,
        "agreement": one.agreement,
        "version": one.version,
        "signed_at": moments.text(one.signed_at),
    } | _some(
        ended_at=_moment(one.ended_at),
        domains=one.domains,
        covers=[_entry(entry) for entry in one.covers],
        excludes=[_entry(entry) for entry in one.excludes],
    )


def _entry(one: Entry) -> Plain:
    """A key that is there but empty is not the same as none."""
    key = {"domain": one.domain, "email": one.email, "account": one.account_id}
    return {name: value for name, value in key.items() if value is not None} | _some(
        subdomains=None if one.subdomains else False,
        **{"from": _moment(one.since), "until": _moment(one.until)},
    )


def _override(one: Override) -> Plain:
    return {"kind": one.kind, "head_sha": one.head_sha, "by": _account(one.by)} | _some(
        account=one.account_id, reason=one.reason
    )


def _moment(when: datetime | None) -> str | None:
    return None if when is None else moments.text(when)
