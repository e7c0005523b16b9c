"""Where the tools are that look at deploy/: in the environment of `make deployment`, else on the machine."""

import json
import shutil
import subprocess
from pathlib import Path

import yaml

from tests.conftest import missing

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
TOOLS = ROOT / ".deployment"


def tool(name):
    """The command of that name; without it the test is skipped, or fails where REQUIRE asks for `deployment`."""
    own = TOOLS / "bin" / name
    found = str(own) if own.exists() else shutil.which(name)
    if found is None:
        missing("deployment", f"no command {name}: make .deployment/ready")
    return found


def node_module(path):
    """A file of a package of npm's, with node before it; skipped like `tool`."""
    file = TOOLS / "node_modules" / path
    if not file.exists():
        missing("deployment", f"no {path}: make .deployment/ready, with npm on the machine")
    return [tool("node"), file]


def run(*command, cwd=ROOT, told=None):
    """What a command printed; the test fails with it when the command fails."""
    done = subprocess.run(command, cwd=cwd, input=told, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def built(folder):
    """The objects of a kustomization of deploy/kubernetes."""
    return list(yaml.safe_load_all(run(tool("kubectl"), "kustomize", DEPLOY / "kubernetes" / folder)))


def rendered(**values):
    """The objects of the chart with these values, by real Helm."""
    script = (
        "import json, sys\nfrom helm_python.chart import Chart\n"
        "chart = Chart.load(sys.argv[1])\nvalues = json.load(sys.stdin)\nchart.validate_schema(values)\n"
        'print("\\n---\\n".join(chart.render(values, name="countersign", namespace="countersign").values()))\n'
    )
    text = run(python_with("helm_python"), "-c", script, DEPLOY / "chart", told=json.dumps(values))
    return [manifest for manifest in yaml.safe_load_all(text) if manifest]


def python_with(module):
    """The Python of the tools' environment, which has that module."""
    python = TOOLS / "bin/python"
    if not python.exists() or not list(TOOLS.glob(f"lib/python*/site-packages/{module}")):
        missing("deployment", f"no {module}: make .deployment/ready")
    return python


def helm_command(folder):
    """A folder with a program `helm`, whose `template` is that of real Helm, as the tools' environment has it."""
    script = (
        "import sys\nfrom helm_python.chart import Chart\n"
        "command, name, chart, option, space = sys.argv[1:]\nassert (command, option) == ('template', '--namespace')\n"
        "try:\n    texts = Chart.load(chart).render({}, name=name, namespace=space)\n"
        "except Exception as error:\n    sys.exit(f'Error: {error}')\n"
        'print("\\n---\\n".join(texts.values()))\n'
    )
    (folder / "helm").write_text(f"#!{python_with('helm_python')}\n{script}")
    (folder / "helm").chmod(0o755)
    return folder
