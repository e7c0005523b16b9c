"""Writes the parts of docs/reference that come from code: `make reference`; a test fails while a page differs.

A page holds such a part between `<!-- generated: NAME -->` and `<!-- end -->`; all else in it is written by hand.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import click
import yaml
from sqlalchemy import Boolean, Integer, LargeBinary, Table
from sqlmodel import SQLModel

from agreements.store.tables.columns import BigId, Moment
from agreements.store.tables.declarations import of_table
from bot import verdict_codes
from bot.cli import COMMANDS, root
from bot.doctor.manifests.checklist import CHECKLIST
from bot.github.client.server_features import FEATURES, NEWEST_PUBLISHED, ServerVersion
from bot.monitoring.metrics_endpoint import GitHubNumbers
from bot.portal.admin import routes as admin
from bot.portal.admin.log import KINDS
from bot.portal.company import routes as company
from bot.portal.contributor import routes as contributor
from bot.portal.public import routes as public
from bot.portal.session import login
from bot.settings import NAMES
from bot.store.logged_tables import TABLES
from bot.telemetry import metrics, security_log
from docs import audit_pages, license_tables

ROOT: Final = Path(__file__).parents[1]
REFERENCE: Final = ROOT / "docs" / "reference"
ACCESS: Final = ROOT / "tests" / "cases" / "access.txt"
"""Every address of the portal and who may open it; a test holds it to the application."""

_KINDS: Final = ((Moment, "moment"), (Boolean, "true or false"), (Integer | BigId, "number"), (LargeBinary, "bytes"))

_PART: Final = re.compile(r"(?s)(<!-- generated: (\S+) -->\n).*?(<!-- end -->)")
_LINK: Final = re.compile(r"\[([^\]]+)\]\([^)]*\)")


def settings() -> Iterator[tuple[str, ...]]:
    """Each setting, as `serve --help` has it."""
    yield "setting", "meaning"
    yield from NAMES.items()


def _commands(command: click.Command | None, name: str) -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        context = click.Context(command)
        for part in command.list_commands(context):
            yield from _commands(command.get_command(context, part), f"{name} {part}")
    elif command is not None:
        yield name, command


def commands() -> Iterator[tuple[str, ...]]:
    """Each command with its arguments, as `--help` lists it."""
    yield "command", "what it does"
    for name in sorted(COMMANDS):
        for full, command in _commands(root.get_command(click.Context(root), name), name):
            usage = command.collect_usage_pieces(click.Context(command, help_option_names=[]))
            words = " ".join((full, *(piece for piece in usage if piece != "[OPTIONS]")))
            yield f"`{words}`", command.get_short_help_str(limit=200)


def keys(node: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every key of a rulebook's schema that holds no further keys, with what the schema says of it."""
    if "properties" in node.get("items", {}):
        yield from keys(node["items"], f"{path}[]")
    elif "properties" in node or isinstance(node.get("additionalProperties"), dict):
        for key, below in (node.get("properties") or {"NAME": node["additionalProperties"]}).items():
            yield from keys(below, f"{path}.{key}" if path else key)
    else:
        yield path, node


def _default(node: Mapping[str, Any]) -> str:
    if node.get("default") in (None, []):
        return ""
    written = yaml.safe_dump(node["default"], default_flow_style=True, width=1000).removesuffix("...\n").strip()
    return f"`{written}`".replace("'", '"')


def rulebook() -> Iterator[tuple[str, ...]]:
    """Each key of a rulebook, as its JSON Schema has it."""
    schema = json.loads((REFERENCE / "rulebook.schema.json").read_text(encoding="utf-8"))
    yield "key", "values", "default", "in a repository's own file"
    for key, node in keys(schema):
        yield f"`{key}`", _LINK.sub(r"\1", node["description"]), _default(node), node["x-repository"]


def _families() -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    for one in metrics.REGISTRY._collector_to_names:
        if hasattr(one, "_labelnames"):
            for family in one.describe():
                name = f"{family.name}_total" if family.type == "counter" else family.name
                yield name, family.type, family.documentation, tuple(one._labelnames)
    for family in GitHubNumbers(tuple).collect():
        yield family.name, family.type, family.documentation, tuple(family._labelnames)


def metric_families() -> Iterator[tuple[str, ...]]:
    """Each metric with type, labels and meaning, as `/metrics` says it."""
    yield "metric", "type", "labels", "meaning"
    for name, kind, text, labels in sorted(_families()):
        yield name, kind, ", ".join(labels), text


def reasons(*families: str) -> str:
    """Each problem in those families: what it means, and how to fix it."""
    return "\n\n".join(
        f"### `{code}`\n\n{one.docs['what']}\n\n**Fix:** {one.docs['fix']}"
        for code, one in verdict_codes.declared().items()
        if one.kind == "problem" and code.partition("/")[0] in families
    )


def codes() -> Iterator[tuple[str, ...]]:
    """Each code of a verdict: whether it is a problem, what it means, and how to fix it."""
    yield "code", "kind", "meaning", "fix"
    for code, one in verdict_codes.declared().items():
        yield code, one.kind, *(_LINK.sub(r"\1", one.docs.get(part, "")) for part in ("what", "fix"))


def security_events() -> Iterator[tuple[str, ...]]:
    """Each security event with level, fields and meaning."""
    yield "event", "level", "fields", "meaning"
    for one in security_log.Event:
        yield one.value, security_log.level(one), ", ".join(security_log.FIELDS[one]), security_log.MEANINGS[one]


def manifest_checklist() -> Iterator[tuple[str, ...]]:
    """Each item of the checklist for manifests: its weight, what holds when it passes, and what to do where it applies."""
    yield "item", "severity", "passes if", "Kubernetes", "compose"
    for name, one in CHECKLIST.items():
        yield name, one.severity, one.said, one.kubernetes, one.compose


def routes() -> Iterator[tuple[str, ...]]:
    """Each address of the portal, who may open it, and how often one account may. `/login` counts network addresses."""
    yield "address", "method", "who", "limit"
    pages = (public.BLUEPRINTS, contributor.BLUEPRINTS, company.BLUEPRINTS, admin.BLUEPRINTS)
    limits = {(one.method, one.path): one.limit for audience in pages for found in audience.values() for one in found}
    limits |= {("GET", path): login.RATE_LIMIT for path in ("/login", "/login/callback")}
    for part in ACCESS.read_text(encoding="utf-8").split("\n[")[1:]:
        who, _, lines = part.partition("]\n")
        for line in sorted(one for one in lines.splitlines() if one and not one.startswith("#")):
            method, address = line.split()
            yield address, method, who, limits.get((method, address), "")


def enterprise_server() -> Iterator[tuple[str, ...]]:
    """What an Enterprise Server may lack, from which version it has it, and what is done without."""
    yield "what", "from version", "without it"
    for one in FEATURES:
        since = _release(one.since) if one.since else f"not described up to {_release(NEWEST_PUBLISHED)}"
        yield one.what, since, one.instead


def _release(version: ServerVersion) -> str:
    return f"{version.major}.{version.minor}"


def _columns(table: Table) -> Iterator[tuple[str, ...]]:
    declared = of_table(table)
    for column in table.c:
        kind = next((said for of_type, said in _KINDS if isinstance(column.type, of_type)), "text")
        name, why = column.name, ""
        if name in declared.present:
            hashed, why = "presence", declared.present[name]
            hashed += ", not in the first entries" if name == declared.sealed else ""
        elif name in declared.hashed:
            hashed = "value unless NULL" if name in declared.unless_null else "value"
        else:
            hashed = "no: derived" if name in declared.derived else "no: free"
            why = {**declared.derived, **declared.free}[name]
        key = ", key" if column.primary_key else ""
        yield table.name, name, f"{kind}{key}", hashed, why


def ledger_columns() -> Iterator[tuple[str, ...]]:
    """Each column of each table whose rows the log names, as the tables declare them."""
    yield "table", "column", "value", "hashed", "reason"
    for one in TABLES:
        yield from _columns(SQLModel.metadata.tables[str(one.__tablename__)])


def ledger_kinds() -> Iterator[tuple[str, ...]]:
    """Each kind of entry, in the words of the page of the log."""
    yield "kind", "what happened"
    for kind, words in KINDS.items():
        yield kind, str(words)


PARTS: Final[Mapping[str, Callable[[], str]]] = {
    "reasons-cla": lambda: reasons("cla"), "reasons-dco": lambda: reasons("dco"),
    "reasons-facts": lambda: reasons("facts"), "reasons-rules": lambda: reasons("rulebook", "changelog"),
}  # fmt: skip


FILES: Final[Mapping[str, Callable[[], Iterator[tuple[str, ...]]]]] = {
    "codes.csv": codes,
    "commands.csv": commands,
    "dependency-files.csv": audit_pages.dependency_files,
    "enterprise-server.csv": enterprise_server,
    "into-gpl.csv": license_tables.into_gpl,
    "ledger-columns.csv": ledger_columns,
    "ledger-kinds.csv": ledger_kinds,
    "license-exceptions.csv": license_tables.exceptions,
    "license-grades.csv": audit_pages.review_grades,
    "license-review.csv": audit_pages.reviewed_licenses,
    "manifest-checklist.csv": manifest_checklist,
    "metrics.csv": metric_families,
    "model-licenses.csv": audit_pages.model_licenses,
    "published-models.csv": audit_pages.published_models,
    "published-answers.csv": license_tables.answers,
    "routes.csv": routes,
    "rulebook-keys.csv": rulebook,
    "security-events.csv": security_events,
    "settings.csv": settings,
    "spdx-types.csv": audit_pages.spdx_types,
}
"""Tables beside the pages."""


def file(name: str) -> str:
    """The CSV file of that name as the code has it now."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(FILES[name]())
    return text.getvalue()


def whole(page: str) -> str:
    """The page with its generated parts as the code has them now."""
    return _PART.sub(lambda found: f"{found[1]}\n{PARTS[found[2]]()}\n\n{found[3]}", page)


def main() -> None:
    """Write every page and table of the reference anew."""
    for name in FILES:
        (REFERENCE / name).write_text(file(name), encoding="utf-8")
    for path in sorted(REFERENCE.glob("*.md")):
        page = path.read_text(encoding="utf-8")
        path.write_text(whole(page), encoding="utf-8")


if __name__ == "__main__":
    main()
