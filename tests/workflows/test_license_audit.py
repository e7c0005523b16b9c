"""The workflow to copy is what it says: it reads, runs nothing of the pull request's, and its scripts do the job."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.clones import Desk

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "workflows" / "license-audit.yml").read_text()
WORKFLOW = yaml.safe_load(TEXT)
STEPS = {step["name"]: step for step in WORKFLOW["jobs"]["licenses"]["steps"]}
PACKAGE = '{"name": "tool", "license": "Apache-2.0", "dependencies": {"b": "2"}}'
LOCK = """{"lockfileVersion": 3, "packages": {
  "": {"name": "tool", "license": "Apache-2.0", "dependencies": {"b": "2"}},
  "node_modules/b": {"version": "2.0.0", "license": "%s"}
}}"""
RULES = "version: 1\nlicenses:\n  dependencies: [{name: b, license: MIT}]\n"
RULEBOOK = ".github/countersign.yml"


def test_the_workflow_may_only_read_code():
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert "permissions" not in WORKFLOW["jobs"]["licenses"]
    shows = WORKFLOW["jobs"]["code-scanning"]
    assert shows["permissions"] == {"security-events": "write"}
    assert [step["uses"].partition("@")[0] for step in shows["steps"]] == [
        "actions/download-artifact",
        "github/codeql-action/upload-sarif",
    ]
    assert "head.repo.full_name == github.repository" in shows["if"]
    assert set(WORKFLOW[True]) == {"pull_request", "schedule", "workflow_dispatch"}  # YAML 1.1 reads `on` as true
    assert "edited" in WORKFLOW[True]["pull_request"]["types"]
    assert "secrets." not in TEXT
    assert STEPS["Fetch"]["with"]["persist-credentials"] is False


def test_actions_and_packages_are_pinned():
    other = yaml.safe_load((ROOT / "workflows" / "dco-check.yml").read_text())
    used = re.findall(r"uses: (\S+)", TEXT)

    assert [action.partition("@")[0] for action in used] == [
        "actions/checkout",
        "actions/upload-artifact",
        "actions/download-artifact",
        "github/codeql-action/upload-sarif",
    ]
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action) for action in used)
    assert used[0] in (ROOT / "workflows" / "dco-check.yml").read_text()
    assert WORKFLOW["env"] == other["env"]
    assert STEPS["Install"] == next(step for step in other["jobs"]["dco"]["steps"] if step["name"] == "Install")


def test_no_value_of_the_event_is_part_of_a_script():
    """A branch or a login could be written to run."""
    assert all("${{" not in step.get("run", "") for step in STEPS.values())


def test_the_pages_of_a_failed_audit_are_kept_and_shown():
    assert [STEPS[name]["if"] for name in ("Summary", "Keep")] == ["always()", "always()"]
    assert STEPS["Keep"]["with"]["path"] == "${{ runner.temp }}/licenses"


class Run:
    """The scripts of a run, one after the other as a runner has them; `merge` is what was fetched."""

    def __init__(self, folder, merge):
        self.workspace, self.temp, self.summary = folder / "workspace", folder / "temp", folder / "summary"
        self.workspace.mkdir()
        self.temp.mkdir()
        subprocess.run(
            ["git", "clone", "--quiet", "--depth", "2", merge.folder.as_uri(), "checkout"],
            cwd=self.workspace, check=True,
        )  # fmt: skip
        environment = {
            "RUNNER_TEMP": str(self.temp),
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "HOME": str(folder),
            "COUNTERSIGN_REGISTRIES": "none",
        }
        environment |= {"PATH": f"{Path(sys.executable).parent}:{os.defpath}", "GIT_CONFIG_NOSYSTEM": "1"}
        self.done = {}
        for name in ("Rules", "Audit", "Summary"):
            self.done[name] = subprocess.run(
                ["bash", "-e", "-c", STEPS[name]["run"]],
                cwd=self.workspace, env=environment, capture_output=True, text=True, check=False,
            )  # fmt: skip

    @property
    def code(self):
        """How the audit ended."""
        return self.done["Audit"].returncode


@pytest.fixture(name="merged")
def _merged(home):
    """What a runner fetches: GitHub's merge of a head into a base. Gives a function of both trees."""

    def made(base, head):
        folder = home / "merge"
        subprocess.run(["git", "init", "--quiet", folder], check=True)
        desk = Desk(folder)
        desk.commit("Base", none="")
        for files, branch in ((base, "base"), (head, "head")):
            desk.git("checkout", "--quiet", "-B", branch, *([] if branch == "base" else ["main"]))
            for path, text in files.items():
                desk.write(path, text)
            desk.git("add", "--all")
            desk.git("commit", "--quiet", "--allow-empty", "--message", branch)
        desk.git("checkout", "--quiet", "base")
        desk.git("merge", "--quiet", "--no-ff", "--strategy-option", "theirs", "--message", "Merge", "head")
        return desk

    return made


def package(license_id):
    """A package with one dependency under that licence."""
    return {"package.json": PACKAGE, "package-lock.json": LOCK % license_id}


@pytest.mark.slow
def test_a_compatible_dependency_is_green(tmp_path, merged):
    run = Run(tmp_path, merged({}, package("MIT")))
    first, last = run.done["Audit"].stdout.splitlines()

    assert run.code == 0
    assert first == "countersign: 0 violations"
    assert last.startswith("countersign: licence data of 2024-11-04 (")
    assert run.summary.read_text().startswith("# Licence compatibility\n")
    assert {"report.html", "report.json"} < {path.name for path in (run.temp / "licenses").iterdir()}


@pytest.mark.slow
def test_an_incompatible_dependency_is_red_with_an_annotation(tmp_path, merged):
    run = Run(tmp_path, merged({}, package("GPL-3.0-only")))
    conclusion, first, last = run.done["Audit"].stdout.splitlines()

    assert run.code == 1
    assert first.startswith("::error file=package.json,line=1,title=incompatible%3A b 2.0.0::GPL-3.0-only, ")
    assert conclusion == "countersign: 1 violation"
    assert last.startswith("countersign: licence data of 2024-11-04 (")
    assert "⛔" in run.summary.read_text()


@pytest.mark.slow
def test_the_rulebook_of_the_base_counts(tmp_path, merged):
    assert Run(tmp_path, merged({RULEBOOK: RULES}, package("GPL-3.0-only"))).code == 0


@pytest.mark.slow
@pytest.mark.parametrize("base", [{}, {RULEBOOK: "version: 1\n"}])
def test_a_pull_requests_own_rulebook_does_not_count(tmp_path, merged, base):
    assert Run(tmp_path, merged(base, {**package("GPL-3.0-only"), RULEBOOK: RULES})).code == 1


@pytest.mark.slow
def test_licence_data_of_a_pull_request_does_not_count(tmp_path, merged):
    run = Run(tmp_path, merged({}, {**package("GPL-3.0-only"), "countersign-license-data.json": "{}"}))
    assert run.code == 1


@pytest.mark.slow
def test_a_link_in_the_place_of_the_rulebook_never_passes(tmp_path, merged):
    merge = merged({}, {**package("GPL-3.0-only"), "mine/countersign.yml": RULES})
    (merge.folder / ".github").symlink_to("mine")
    merge.git("add", "--all")
    merge.git("commit", "--quiet", "--amend", "--no-edit")
    assert Run(tmp_path, merge).code == 1
