"""The few places where GitHub's published schema is stricter than GitHub; each entry says what of GitHub shows it."""

import copy
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Departure:
    """What else is right: `also` is one more schema accepted at each JSON pointer of `where`."""

    why: str
    where: tuple[str, ...] = ()
    also: dict = field(default_factory=dict)
    kind: str = "schema"  # or a name that contract.py asks for with `allowed`


NULL = {"type": "null"}
SCHEMAS = "/components/schemas"
LABELS = (
    "/paths/~1repos~1{owner}~1{repo}~1issues~1{issue_number}~1labels/post/requestBody/content/application~1json/schema"
)
INSTALLATIONS = "/paths/~1app~1installations/get/responses/200/content/application~1json/schema/items"
PEOPLE = ("author", "committer")
COMMITTERS = (
    *(f"{SCHEMAS}/simple-commit/properties/{who}/properties/email" for who in PEOPLE),
    *(
        f"{SCHEMAS}/webhook-check-suite-{action}/properties/check_suite/properties/head_commit/properties/{who}/properties/email"
        for action in ("completed", "requested", "rerequested")
        for who in PEOPLE
    ),
    *(
        f"{SCHEMAS}/webhook-push/properties/{commit}/properties/{who}/properties/email"
        for commit in ("commits/items", "head_commit")
        for who in PEOPLE
    ),
    f"{SCHEMAS}/webhook-push/properties/pusher/properties/email",
)

DEPARTURES = (
    Departure(
        where=(LABELS,),
        also={"type": "array", "items": {"type": "string"}, "minItems": 1},
        why="REST, 'Add labels to an issue', about `labels`: 'You can also pass an array of labels directly'.",
    ),
    Departure(
        where=(
            f"{SCHEMAS}/pull-request/properties/head/properties/label",
            f"{SCHEMAS}/pull-request/properties/head/properties/repo",
            f"{SCHEMAS}/pull-request/properties/head/properties/user",
            f"{SCHEMAS}/pull-request-simple/properties/head/properties/label",
            f"{SCHEMAS}/pull-request-simple/properties/head/properties/repo",
        ),
        also=NULL,
        why="Recorded answer of api.github.com to GET /repos/PyGithub/PyGithub/pulls/31 of 2023-06-07 (PyGithub, "
        "tests/ReplayData/PullRequest.setUp.txt): all three are null once the fork and its account are gone.",
    ),
    Departure(
        where=(f"{SCHEMAS}/pull-request/properties/user",),
        also=NULL,
        why="The same field of the same pull request in a list may be null (schema pull-request-simple: "
        "nullable-simple-user), and so may PullRequest.author in GraphQL.",
    ),
    Departure(
        where=(f"{SCHEMAS}/pull-request-simple/properties/labels/items/properties/description",),
        also=NULL,
        why="A label without a description has null: the schemas label and pull-request (labels) say so, "
        "and a list of pull requests shows the same labels.",
    ),
    Departure(
        where=(INSTALLATIONS,),
        also={"$ref": "#/components/schemas/installation"},
        why="The list describes each installation by an older copy whose account is a user and an enterprise at once; "
        "GitHub's example of the list has a plain user, as the schema installation (GET one of them) says.",
    ),
    Departure(
        where=(f"{SCHEMAS}/api-overview",),
        also={
            "type": "object",
            "properties": {"installed_version": {"type": "string"}},
            "required": ["installed_version"],
        },
        why="GitHub's descriptions of Enterprise Server (@octokit/openapi, ghes-3.*.json, the same schema) have it.",
    ),
    Departure(
        kind="repositories by id",
        why="'Using pagination in the REST API' shows the Link header <https://api.github.com/repositories/1300192/"
        "issues?page=2>; octokit/fixtures, rename-repository, records the 301 to /repositories/1000 and the 200 there.",
    ),
    Departure(
        kind="teams by id",
        why="REST, 'Get a team by name' and the other operations on teams: 'You can also specify a team by org_id and "
        "team_id using the route GET /organizations/{org_id}/team/{team_id}', with the rest of the path behind it.",
    ),
    Departure(
        where=COMMITTERS,
        also={"type": "string"},
        why="The address of a commit is what git was told: recorded, 49699333+dependabot[bot]@users.noreply.github.com "
        "(PyGithub, tests/ReplayData/Artifact.testGetArtifactsFromWorkflow.txt), which RFC 5321 would have in quotes.",
    ),
    Departure(
        where=(f"{SCHEMAS}/full-repository/properties/homepage",),
        also={"const": ""},
        why="Recorded answers of api.github.com to GET /repos/{owner}/{repo} since 2023 (PyGithub, tests/ReplayData/"
        'Artifact.setUp.txt): a homepage that was emptied is "", no null and no address.',
    ),
)


def departed(document: dict) -> dict:
    """A copy of GitHub's description with the departures written in."""
    document = copy.deepcopy(document)
    for departure in DEPARTURES:
        for pointer in departure.where:
            _widen(document, pointer, departure.also)
    return document


def allowed(kind: str) -> bool:
    """Whether the table has a departure of this kind."""
    return any(departure.kind == kind for departure in DEPARTURES)


def _widen(document: dict, pointer: str, also: dict) -> None:
    """Put `anyOf [what is there, also]` at the pointer; a pointer to nothing is a mistake and raises KeyError."""
    *way, last = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    node = document
    for part in way:
        node = node[part]
    node[last] = {"anyOf": [node[last], also]}
