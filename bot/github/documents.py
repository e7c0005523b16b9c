"""The GraphQL documents: one snapshot of all that a review needs, the further pages of commits, and what else is asked."""

from collections.abc import Sequence

LABEL_SLOTS = 4  # Label names in one snapshot: `label` takes one name, so each has a slot.

AUTHOR_SLOTS = 10  # Commits in one query whose authors are more than a page of commits brings of each.

LOGIN_SLOTS = 100  # Logins in one query, each in a slot.

_PERSON = """fragment Person on GitActor {
  name
  email
  user { __typename databaseId login }
}
"""
_FILE = """fragment File on GitObject {
  __typename
  ... on Blob { text isTruncated isBinary }
}
"""
_OWNER = """fragment Owner on RepositoryOwner {
  __typename
  login
  ... on User { databaseId }
  ... on Organization { databaseId }
}
"""
_ACTOR = """fragment Who on Actor {
  __typename
  login
  ... on User { databaseId }
  ... on Bot { databaseId }
  ... on Mannequin { databaseId }
  ... on Organization { databaseId }
}
"""
_COMMITS = (
    _PERSON
    + """fragment Commits on PullRequestCommitConnection {
  totalCount
  pageInfo { hasNextPage endCursor }
  nodes {
    commit {
      oid
      message
      authoredDate
      parents(first: 10) { nodes { oid } }
      signature { isValid }
      author { ...Person }
      committer { ...Person }
      authors(first: 20) { pageInfo { hasNextPage endCursor } nodes { ...Person } }
    }
  }
}
"""
)

# One query, so that all is of one moment: the pull request, its repository, the rule files, the first commits.
SNAPSHOT_QUERY = (
    """
query Look(
  $owner: String!, $name: String!, $number: Int!,
  $label0: String!, $label1: String!, $label2: String!, $label3: String!
) {
  repository(owner: $owner, name: $name) {
    databaseId
    name
    isPrivate
    owner { ...Owner }
    rulebook: object(expression: "HEAD:.github/countersign.yml") { ...File }
    dco: object(expression: "HEAD:.github/dco.yml") { ...File }
    label0: label(name: $label0) { name }
    label1: label(name: $label1) { name }
    label2: label(name: $label2) { name }
    label3: label(name: $label3) { name }
    pullRequest(number: $number) {
      number
      title
      state
      isDraft
      createdAt
      updatedAt
      changedFiles
      baseRefName
      baseRefOid
      headRefName
      headRefOid
      headRepository { nameWithOwner }
      baseRef { target { ... on Commit { file(path: ".mailmap") { object { ...File } } } } }
      author { ...Who }
      labels(first: 100) { nodes { name } }
      commits(first: 100) { ...Commits }
    }
  }
  rules: repository(owner: $owner, name: ".github", followRenames: false) {
    name
    owner { ...Owner }
    rulebook: object(expression: "HEAD:.github/countersign.yml") { ...File }
  }
}
"""
    + _OWNER
    + _FILE
    + _ACTOR
    + _COMMITS
)

# With each page comes what must not have changed since the first one: the repository, the head, the total.
MORE_COMMITS_QUERY = (
    """
query More($owner: String!, $name: String!, $number: Int!, $after: String!) {
  repository(owner: $owner, name: $name) {
    databaseId
    pullRequest(number: $number) {
      headRefOid
      commits(first: 100, after: $after) { ...Commits }
    }
  }
}
"""
    + _COMMITS
)


def authors_query(count: int) -> str:
    """The query for the next authors of so many commits: `$oid0`, `$after0` and on; each comes back as `commit0` and on."""
    declared = ", ".join(f"$oid{slot}: GitObjectID!, $after{slot}: String!" for slot in range(count))
    asked = "\n    ".join(f"commit{slot}: object(oid: $oid{slot}) {{ ...Authors{slot} }}" for slot in range(count))
    fragments = "".join(
        f"""fragment Authors{slot} on Commit {{
  oid
  authors(first: 100, after: $after{slot}) {{ pageInfo {{ hasNextPage endCursor }} nodes {{ ...Person }} }}
}}
"""
        for slot in range(count)
    )
    return f"""
query Authors($owner: String!, $name: String!, {declared}) {{
  repository(owner: $owner, name: $name) {{
    databaseId
    {asked}
  }}
}}
{fragments}{_PERSON}"""


def logins_query(count: int) -> str:
    """The query for the accounts that have so many logins: `$login0` and on; each comes back as `login0` and on."""
    declared = ", ".join(f"$login{slot}: String!" for slot in range(count))
    asked = "\n  ".join(f"login{slot}: repositoryOwner(login: $login{slot}) {{ ...Owner }}" for slot in range(count))
    return f"""
query Logins({declared}) {{
  {asked}
}}
{_OWNER}"""


def label_variables(names: Sequence[str]) -> dict[str, str]:
    """The variables for the label slots; an unused slot repeats the first name. ValueError for more than fit."""
    if len(names) > LABEL_SLOTS:
        raise ValueError(f"a snapshot can ask for {LABEL_SLOTS} labels, not {len(names)}")
    filled = [*names, *[names[0] if names else "-"] * LABEL_SLOTS]  # Each variable is required.
    return {f"label{slot}": filled[slot] for slot in range(LABEL_SLOTS)}


# A hundred entries at a time; GitHub answers null where the queue is empty.
MERGE_QUEUE = """
query MergeQueue($owner: String!, $name: String!, $branch: String!, $after: String) {
  repository(owner: $owner, name: $name) {
    databaseId
    name
    owner { login }
    mergeQueue(branch: $branch) {
      entries(first: 100, after: $after) {
        totalCount
        pageInfo { hasNextPage endCursor }
        nodes {
          position
          pullRequest { number headRefOid }
          headCommit { oid }
          baseCommit { oid }
        }
      }
    }
  }
}
"""

# The newest forced pushes to a branch: the one kind of push that the pull request's own repository remembers.
FORCE_PUSHES_QUERY = (
    """
query Forced($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    databaseId
    pullRequest(number: $number) {
      timelineItems(last: 100, itemTypes: [HEAD_REF_FORCE_PUSHED_EVENT]) {
        nodes {
          ... on HeadRefForcePushedEvent {
            createdAt
            beforeCommit { oid }
            afterCommit { oid }
            actor { ...Who }
          }
        }
      }
    }
  }
}
"""
    + _ACTOR
)

# The newest commits of default branches, one for each id in the same order.
HEADS_QUERY = """
query Heads($nodes: [ID!]!) {
  nodes(ids: $nodes) {
    __typename
    ... on Repository { defaultBranchRef { target { oid } } }
  }
}
"""

BLOB_SLOTS = 100  # Blobs in one query, each in a slot.


def blobs_query(count: int) -> str:
    """The query for so many blobs, `$oid0` and on; each comes back as `blob0` and on."""
    declared = ", ".join(f"$oid{slot}: GitObjectID!" for slot in range(count))
    asked = "\n    ".join(f"blob{slot}: object(oid: $oid{slot}) {{ ...File }}" for slot in range(count))
    return f"""
query Blobs($owner: String!, $name: String!, {declared}) {{
  repository(owner: $owner, name: $name) {{
    databaseId
    {asked}
  }}
}}
{_FILE}"""


_OPEN = """
fragment Open on PullRequestConnection {
  nodes { number headRefOid updatedAt baseRefName mergeQueueEntry { headCommit { oid } } }
  pageInfo { hasNextPage endCursor }
}
"""

# The open pull requests that were updated last, for each of these repositories in the same order.
OPEN_PULLS = (
    """
query OpenPulls($nodes: [ID!]!) {
  nodes(ids: $nodes) {
    __typename
    ... on Repository {
      pullRequests(states: OPEN, first: 10, orderBy: {field: UPDATED_AT, direction: DESC}) { ...Open }
    }
  }
}
"""
    + _OPEN
)

MORE_OPEN_PULLS = (
    """
query MoreOpenPulls($node: ID!, $after: String!) {
  node(id: $node) {
    __typename
    ... on Repository {
      pullRequests(states: OPEN, first: 100, after: $after, orderBy: {field: UPDATED_AT, direction: DESC}) { ...Open }
    }
  }
}
"""
    + _OPEN
)
"""The next hundred of one repository."""
