"""Alerts and dashboard: Prometheus takes them, each alert was seen firing and quiet, every metric exists."""

import importlib.util
import json
import re
import subprocess

import pytest
import yaml

from tests.conftest import missing
from tests.deploy.tools import DEPLOY, python_with, run, tool

FOLDER = DEPLOY / "monitoring"
RULES = [rule for group in yaml.safe_load((FOLDER / "rules.yaml").read_text())["groups"] for rule in group["rules"]]
TEST_FILES = sorted(FOLDER.glob("rules-*test.yaml"))
TESTS = [case for file in TEST_FILES for case in yaml.safe_load(file.read_text())["tests"]]
DASHBOARD = json.loads((FOLDER / "dashboard.json").read_text())


def panels():
    """The panels that show something."""
    return [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]


def queries():
    """Every expression, with where it stands; Grafana's own variables stand for what Grafana puts there."""
    found = {f"alert {rule['alert']}": rule["expr"] for rule in RULES}
    for panel in panels():
        found |= {f"panel {panel['title']} {target['refId']}": target["expr"] for target in panel["targets"]}
    found |= {f"annotation {annotation['name']}": annotation["expr"] for annotation in DASHBOARD["annotations"]["list"]}
    variables = {
        variable["name"]: re.sub(r"label_values\((.*), \w+\)", r"\1", variable["definition"])
        for variable in DASHBOARD["templating"]["list"]
        if variable["type"] == "query"
    }
    found |= {f"variable {name}": query for name, query in variables.items()}
    return {where: text.replace("$__rate_interval", "5m").replace("$job", ".*") for where, text in found.items()}


SELECTORS = """
import json, sys
import promql_parser as promql
def walk(node, found):
    if isinstance(node, promql.VectorSelector):
        found.append([node.name, [[one.name, one.value] for one in node.matchers.matchers]])
    for name in ("expr", "lhs", "rhs", "param", "args", "vector_selector", "vs"):
        inner = getattr(node, name, None)
        for one in inner if isinstance(inner, list) else [inner]:
            if one is not None and not isinstance(one, (str, float, int)):
                walk(one, found)
    return found
print(json.dumps({where: walk(promql.parse(text), []) for where, text in json.load(sys.stdin).items()}))
"""


@pytest.fixture(scope="module", name="selectors")
def _selectors():
    """Of each query the metrics that it reads and how it chooses among their labels, by a parser of PromQL."""
    return json.loads(run(python_with("promql_parser"), "-c", SELECTORS, told=json.dumps(queries())))


def told():
    """The names of the series that a process tells, by the code itself."""
    if not importlib.util.find_spec("bot.telemetry"):
        missing("metrics", "no bot.telemetry")
    from bot.monitoring.metrics_endpoint import GitHubNumbers
    from bot.telemetry.metrics import REGISTRY

    families = [*REGISTRY.collect(), *GitHubNumbers(tuple).collect()]
    ends = {"counter": ("_total",), "histogram": ("", "_bucket", "_sum", "_count")}
    return {f"{family.name}{end}" for family in families for end in ends.get(family.type, ("",))}


def promtool(*words):
    """What promtool says; the test is skipped where there is none, or fails where REQUIRE asks for it."""
    return run(tool("promtool"), *words, cwd=FOLDER)


def test_prometheus_takes_the_rules():
    assert f"{len(RULES)} rules found" in promtool("check", "rules", "rules.yaml")


@pytest.mark.slow
def test_each_alert_fires_and_stays_quiet():
    expected = {(rule["alert"], fires) for rule in RULES for fires in (True, False)}
    tested = {
        (expectation["alertname"], bool(expectation["exp_alerts"]))
        for case in TESTS
        for expectation in case["alert_rule_test"]
    }

    assert tested == expected
    assert promtool("test", "rules", *(file.name for file in TEST_FILES)).count("SUCCESS") == len(TEST_FILES)


@pytest.mark.nightly
@pytest.mark.parametrize(("file", "before", "after"), [("", "> 300", "> 3000"), ("days-", "> 432000", "> 864000")])
def test_a_changed_alert_fails_its_tests(tmp_path, file, before, after):
    text = (FOLDER / "rules.yaml").read_text()
    (tmp_path / "rules.yaml").write_text(text.replace(before, after))
    (tmp_path / "rules-test.yaml").write_text((FOLDER / f"rules-{file}test.yaml").read_text())
    done = subprocess.run(
        [tool("promtool"), "test", "rules", "rules-test.yaml"], cwd=tmp_path, capture_output=True, check=False
    )

    assert done.returncode != 0


def test_alerts_have_the_limits_of_the_servers_warnings():
    if not importlib.util.find_spec("bot.monitoring"):
        missing("metrics", "no bot.monitoring")
    from bot.monitoring import operating_facts as facts

    said = {rule["alert"]: rule["expr"] for rule in RULES}
    backup, silent = f"> {facts.BACKUP_DUE_AFTER.total_seconds():.0f}", facts.SILENT_AFTER.total_seconds()

    assert said["CountersignBackupOld"].endswith(backup)
    assert said["CountersignBackupNever"].count(f"{backup} and ") == 1
    assert said["CountersignDeliveriesSilent"].count(f"> {silent:.0f} or ") == 1
    assert f"{facts.DATABASES_ON_DISK} * max(" in said["CountersignDiskScarce"]
    assert said["CountersignDiskScarce"].endswith(f", {facts.SCARCE_DISK_BYTES})")


def test_each_alert_says_its_urgency_and_the_next_step():
    from bot.cli import COMMANDS

    for rule in RULES:
        assert rule["labels"]["severity"] in ("page", "ticket"), rule["alert"]
        assert set(rule["annotations"]) == {"summary", "action"}
        assert set(re.findall(r"countersign (\w+)", rule["annotations"]["action"])) <= set(COMMANDS)


def test_every_metric_of_a_query_exists(selectors):
    known = told() | {"up"}

    assert {name: where for where, read in selectors.items() for name, _ in read if name not in known} == {}


def test_every_query_names_a_metric(selectors):
    assert [where for where, read in selectors.items() if not read] == []


def test_every_metric_is_shown_or_watched(selectors):
    read = {name for found in selectors.values() for name, _ in found}
    read |= {re.sub(r"_(bucket|sum|count)$", "", name) for name in read}
    elsewhere = {
        "countersign_sweep_found_total",
        "countersign_ledger_newest_entry_timestamp_seconds",
    }
    ends = ("_bucket", "_sum", "_count")

    ours = {name for name in told() if name.startswith("countersign_") and not name.endswith(ends)}
    assert ours - read <= elsewhere


def test_numbers_read_from_the_database_are_not_summed():
    """Every process tells the same number: a sum would be a multiple."""
    summed = re.compile(
        r"sum[^(]*\((?:\w+\()?countersign_(?:deliveries_waiting|deliveries_failed|oldest_delivery|jobs_waiting|workers_alive|mail_|ledger_|database_|last_|served_since|deliveries_lost)"
    )

    assert [where for where, text in queries().items() if summed.search(text)] == []


def test_panels_have_a_place_of_their_own():
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    taken = [
        (x, y)
        for panel in DASHBOARD["panels"]
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    ]

    assert len(set(ids)) == len(ids)
    assert len(set(taken)) == len(taken)
    assert all(panel["title"] for panel in DASHBOARD["panels"])
    assert all(target["datasource"]["uid"] == "${datasource}" for panel in panels() for target in panel["targets"])
