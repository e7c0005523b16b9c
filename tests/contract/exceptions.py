"""The few places where GitHub's published schema is stricter than GitHub; each entry says what of GitHub shows it."""

import copy
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Departure:
    """What else is right: `also` is one more schema accepted at each JSON pointer of `where`, or a copied operation."""

    why: str
    where: tuple[str, ...] = ()
    also: dict = field(default_factory=dict)
    alias: tuple[str, str] | None = None  # (new path, known path)
    kind: str = "schema"  # schema, alias, or a name that contract.py asks for with `allowed`


NULL = {"type": "null"}
SCHEMAS = "/components/schemas"
LABELS = (
    "/paths/~1repos~1{owner}~1{repo}~1issues~1{issue_number}~1labels/post/requestBody/content/application~1json/schema"
)

DEPARTURES = (
    Departure(
        where=(LABELS,),
        also={"type": "array", "items": {"type": "string"}, "minItems": 1},
        why="REST, 'Add labels to an issue', about `labels`: 'You can also pass an array of labels directly'.",
    ),
    Departure(
        where=tuple(
            f"{SCHEMAS}/{name}/properties/head/properties/{what}"
            for name in ("pull-request", "pull-request-simple")
            for what in ("label", "repo", "user")
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
        kind="alias",
        alias=("/repositories/{repository_id}", "/repos/{owner}/{repo}"),
        why="Recorded 301 of a renamed repository whose Location is /repositories/1000, and the 200 there "
        "(octokit/fixtures, scenarios/api.github.com/rename-repository).",
    ),
    Departure(
        kind="errors anywhere",
        why="'Troubleshooting the REST API' and 'Rate limits for the REST API': 401, 403, 404, 410, 422 and 429 "
        "may answer any request, with a message; the form is that of basic-error or validation-error.",
    ),
    Departure(
        kind="redirects anywhere",
        why="'Best practices for using the REST API', Follow redirects: any request may be answered by 301, 302 or 307.",
    ),
    Departure(
        kind="not modified",
        why="'Best practices for using the REST API', Use conditional requests: a GET may be answered by 304.",
    ),
)


def departed(document: dict) -> dict:
    """A copy of GitHub's description with the departures written in."""
    document = copy.deepcopy(document)
    for departure in DEPARTURES:
        for pointer in departure.where:
            _widen(document, pointer, departure.also)
        if departure.alias:
            new, known = departure.alias
            document["paths"][new] = {"get": {**document["paths"][known]["get"], "parameters": [_number(new)]}}
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


def _number(path: str) -> dict:
    """The one path parameter of an alias: a number."""
    name = path.split("{")[1].rstrip("}")
    return {"name": name, "in": "path", "required": True, "schema": {"type": "integer"}}
