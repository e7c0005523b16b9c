"""JSON facts: what may be missing, and that each mistake is one line with its key path."""

import pytest

from agreements.json.facts_reader import FactsInvalid, read
from agreements.judge import judge


def test_the_smallest_facts_have_none_of_the_optional_parts():
    found = read({"rulebook": {}, "repository": {"full_name": "o/r"}, "pull_request": {"number": 1, "head_sha": "a"},
                  "commits": [{"sha": "a"}], "now": "2026-11-21T00:00:00Z"})  # fmt: skip
    assert (found.commit_count, found.senders, found.members, found.signatures) == (None, (), frozenset(), ())
    assert (found.companies, found.emails, found.overrides, found.mailmap) == ((), {}, (), "")
    assert found.pull_request.opener is None
    assert not judge(found).conclusion.passes


def test_nulls_are_read_as_none(case):
    """GitHub sends null as well as {} for an account, and null for an empty value."""
    empty = dict.fromkeys(
        (
            "senders",
            "members",
            "signatures",
            "companies",
            "emails",
            "commenters",
            "overrides",
            "mailmap",
            "commit_count",
        )
    )
    found = read(case({"sha": "a", "author": {}, "committer": None, "author_account": {}, "coauthors": None}, **empty))
    assert found.commits[0].author is found.commits[0].committer is found.commits[0].author_account is None


@pytest.mark.parametrize(("path", "value", "line"), [
    ("rulebook", None, "rulebook: must be a mapping, not empty"), ("rulebook", {"peeple": {}}, "rulebook.peeple: unknown key, did you mean people?"),
    ("repository", [], "repository: must be an object, not a list"), ("repository.full_name", 5, "repository.full_name: must be a text, not a number"),
    *[("repository.full_name", name, "repository.full_name: must be owner/name") for name in ("cann", "cann/", "/ops", "a/b/c", "cann/ops math")],
    ("commits_doubt", "x", "commits_doubt: must be one of their number"),
    ("repository.full_name", "", "repository.full_name: must not be empty"), ("repository.owner_type", "Team", "repository.owner_type: must be one of"),
    ("pull_request", None, "pull_request: is missing"), ("pull_request.number", "7", "pull_request.number: must be a whole number, not a text"),
    ("pull_request.number", 7.5, "pull_request.number: must be a whole number, not a decimal"), ("pull_request.number", True, "pull_request.number: must be a whole number"),
    ("pull_request.head_sha", None, "pull_request.head_sha: is missing"), ("pull_request.opener", "ada", "pull_request.opener: must be an object"),
    ("pull_request.opener", {"login": "ada"}, "pull_request.opener.id: is missing"), ("pull_request.opener", {"id": 0}, "pull_request.opener.id: must be from 1"),
    ("pull_request.opener", {"id": 1, "type": "Robot"}, "pull_request.opener.type: must be one of User, Bot"), ("pull_request.opener", {"id": 10**19}, "pull_request.opener.id: must be from"),
    ("pull_request.created_at", "2026-11-01", "pull_request.created_at: must be a date and time with a zone"), ("pull_request.labels", "x", "pull_request.labels: must be a list"),
    ("pull_request.files", [5], "pull_request.files.0: must be a text"), ("commit_count", "2", "commit_count: must be a whole number"), ("commit_count", -1, "commit_count: must be from 0"),
    ("commits", None, "commits: is missing"), ("commits", {}, "commits: must be a list, not a mapping"), ("commits", [None], "commits.0: is missing"), ("commits.0.sha", "", "commits.0.sha: must not be empty"),
    ("commits.0.message", 5, "commits.0.message: must be a text"), ("commits.0.message", "\ud800", "commits.0.message: holds half a surrogate pair"),
    ("commits.0.verified", "yes", "commits.0.verified: must be true or false"), ("commits.0.parents", [1], "commits.0.parents.0: must be a text"),
    ("commits.0.author", "Ada", "commits.0.author: must be an object"), ("commits.0.coauthors", [5], "commits.0.coauthors.0: must be an object"),
    ("commits.0.author_account", {"id": "11"}, "commits.0.author_account.id: must be a whole number, not a text"),
    ("senders", [{"id": 1, "may_write": "yes"}], "senders.0.may_write: must be true or false"), ("senders", [""], "senders.0: must be an object"), ("members", ["11"], "members.0: must be a whole number"),
    ("signatures", [{}], "signatures.0.agreement: is missing"), ("signatures", [{"agreement": "icla", "version": 2.0}], "signatures.0.version: must be a text, not a number"),
    ("signatures", [{"agreement": "icla", "version": "2.0", "signed_at": None}], "signatures.0.signed_at: is missing"),
    ("signatures", [{"agreement": "icla", "version": "2.0", "signed_at": "2026-01-01T00:00:00"}], "signatures.0.signed_at: must be a date and time with a zone"),
    ("companies", [{"name": "H", "agreement": "ccla", "version": "2.0", "signed_at": "2026-01-01T00:00:00Z", "covers": [{"domain": 5}]}], "companies.0.covers.0.domain: must be a text"),
    ("companies", [{"name": "H", "agreement": "ccla", "version": "2.0", "signed_at": "2026-01-01T00:00:00Z", "covers": [{"domain": "a.com", "account": 5}]}], "companies.0.covers.0: names both"),
    ("companies", [{"name": "H", "agreement": "ccla", "version": "2.0", "signed_at": "2026-01-01T00:00:00Z", "domains": "all"}], "companies.0.domains: must be one of"),
    ("emails", {"ada": []}, "emails.ada: must be an account id"), ("emails", {"ada@x.org": []}, "emails.a…a@x.org: must be an account id"),
    ("emails", {"a" * 50 + "@x.org": []}, "emails.a…a@x.org: must be"), ("rulebook", {"ada@x.org": 1}, "rulebook.a…a@x.org: unknown key"), ("rulebook", {"people": {"a" * 64 + "@x.org": 1}}, "rulebook.people.a…a@x.org: unknown key"), ("emails", {"11": "a@x.org"}, "emails.11: must be a list"), ("emails", [], "emails: must be an object"),
    ("overrides", [{"kind": "all", "head_sha": "a"}], "overrides.0.kind: must be one of dco, cla"), ("mailmap", [], "mailmap: must be a text"),
    ("overrides", [{"head_sha": "a", "by": {"id": 2}}], "overrides.0.kind: is missing"), ("overrides", [{"kind": None, "head_sha": "a", "by": {"id": 2}}], "overrides.0.kind: is missing"),
    ("overrides", [{"kind": "dco", "head_sha": "a"}, {"head_sha": "a", "by": None}], "overrides.1.kind: is missing"), ("overrides", [{"kind": "", "head_sha": "a"}], "overrides.0.kind: must be one of"),
    ("now", None, "now: is missing"), ("now", "2026-11-21", "now: must be a date and time with a zone"), ("now", 5, "now: must be a date"),
])  # fmt: skip
def test_each_mistake_says_where_and_what_in_one_line(case, path, value, line):
    facts = case()
    target, *keys = facts, *path.split(".")
    for key in keys[:-1]:
        target = target[int(key)] if isinstance(target, list) else target[key]
    target[keys[-1]] = value
    with pytest.raises(FactsInvalid) as caught:
        read(facts)
    assert str(caught.value).startswith(line)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("facts", [None, [], 5, "facts", {}])
def test_facts_that_are_no_object_or_an_empty_one_are_refused(facts):
    with pytest.raises(FactsInvalid):
        read(facts)
