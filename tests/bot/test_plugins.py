"""Plugins as their authors write them: real distributions, named or not, good or not; the page's example is one of them."""

import os
import re
import subprocess
import sys
import textwrap
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from audit import ecosystems
from audit.output import all_reports
from bot import plugins
from bot.doctor import setting_checks
from bot.licenses import remote_repository
from bot.notifications import endpoints
from bot.notifications.endpoints import Endpoint
from bot.notifications.webhook_sender import WebhookRefused
from bot.plugins import PluginInvalid
from bot.settings import Settings, for_child

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "write-a-plugin.md").read_text(encoding="utf-8")
WEBHOOKS = "webhooks:\n  chat: {url: 'https://hooks.example.org/', secret: correct-horse-battery, events: [signed], format: %s}\n"
ELM = '{"dependencies": {"direct": {"elm/core": "1.0.5"}, "indirect": {}}}'
BAD = """
import sys
def read(path, content): raise KeyError(content)
def nothing(*arguments): return None
def private(event): raise ValueError(event)
READERS = {"bad.lock": read, "none.lock": nothing}
EXISTS = {"nothing.lock": read, "package.json": read}
INSIDE = {"our-requirements.txt": read}
HIDES = {"*.yml": read}
EMPTY = {" ": read}
"""
ENDS = "import sys\nsys.exit('the end')\n"


@pytest.fixture(name="site", scope="module")
def _site(tmp_path_factory):
    """A folder with the distribution of the page, built and unpacked as an installer does."""
    source, dist, site = (tmp_path_factory.mktemp(name) for name in ("source", "dist", "site"))
    for name, text in re.findall(r"```\w+\n# (\S+)\n(.*?)```", PAGE, re.DOTALL):
        (source / name).parent.mkdir(exist_ok=True)
        (source / name).write_text(text, encoding="utf-8")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(dist)]
    subprocess.run(build, cwd=source, check=True, capture_output=True)
    [wheel] = dist.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    return site


@pytest.fixture(name="application")
def _application(tmp_path):
    """A checkout that names one package in a file that Countersign itself does not read."""
    folder = tmp_path / "application"
    folder.mkdir()
    (folder / "elm.json").write_text(ELM, encoding="utf-8")
    return folder


@pytest.fixture(name="run")
def _run(tmp_path):
    """`countersign` in a process of its own: the plugins that the setting names, and those that lie in a folder."""

    def run(*arguments, named="", lie=None, program=("-m", "bot")):
        given = {"COUNTERSIGN_PLUGINS": named, "COUNTERSIGN_LICENSE_CACHE": str(tmp_path / "cache.db")}
        environ = for_child({**given, "PYTHONPATH": os.pathsep.join(map(str, (ROOT, *([lie] if lie else []))))})
        command = [sys.executable, *program, *map(str, arguments)]
        return subprocess.run(command, env=environ, capture_output=True, text=True, check=False, cwd=tmp_path)

    return run


@pytest.fixture(name="installed")
def _installed(tmp_path, monkeypatch):
    """Installs a distribution by hand, where this process finds it; what it registers is forgotten after the test."""
    rows, registries = [*ecosystems.FILE_READERS], (all_reports.FORMATS, endpoints.FORMATS)
    held = [dict(registry) for registry in registries]
    monkeypatch.setattr(plugins, "_TRIED", {})
    monkeypatch.syspath_prepend(tmp_path)

    def installed(entries, code=BAD, name="corp-bad"):
        module = name.replace("-", "_")
        info = tmp_path / f"{module}-2.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 2.0\n")
        (info / "entry_points.txt").write_text(textwrap.dedent(entries).format(module))
        (tmp_path / f"{module}.py").write_text(code)
        return name

    yield installed
    sys.modules.pop("corp_bad", None)
    ecosystems.FILE_READERS[:] = rows
    ecosystems.PLUGINS.clear()
    ecosystems._lookup = ecosystems._Lookup()
    for registry, before in zip(registries, held, strict=True):
        registry.clear()
        registry.update(before)


@pytest.mark.slow
def test_the_documented_plugin_reads_and_reports(run, site, application, tmp_path):
    alone = run("audit", application, "--offline", "--format", "text", lie=site)
    assert "file/unsupported elm.json" in alone.stdout
    unknown = run("audit", application, "--offline", "--format", "violations", lie=site)
    assert (unknown.returncode, "'violations' is not one of 'text', 'json'" in unknown.stderr) == (2, True)

    asked = ("audit", application, "--offline", "--format", "violations", "--out", tmp_path / "out")
    done = run(*asked, named="Countersign_Corp", lie=site)
    assert (done.returncode, done.stdout) == (1, "application: elm/core\n"), done.stderr
    assert (tmp_path / "out" / "report.violations").read_text() == "application: elm/core\n"
    assert "pkg:elm/elm/core@1.0.5" in (tmp_path / "out" / "report.json").read_text()


@pytest.mark.slow
def test_the_documented_webhook_is_an_endpoint_by_name(run, site, tmp_path):
    (tmp_path / "webhooks.yml").write_text(WEBHOOKS % "chat")
    with pytest.raises(
        endpoints.EndpointsInvalid, match=r"line 2: .*format must be one of countersign, slack, .*, teams$"
    ):
        endpoints.load(tmp_path / "webhooks.yml")
    script = (
        "import sys; from pathlib import Path; from bot import plugins; from bot.notifications import endpoints\n"
        "[one] = plugins.load(['countersign-corp']); print(one)\n"
        "[chat] = endpoints.load(Path('webhooks.yml'))\n"
        'print(chat.body(b\'{"event": "verdict-changed", "repository": {"name": "cann/ops"}}\').decode())'
    )
    done = run(script, lie=site, program=("-c",))
    assert done.stdout.splitlines() == [
        "countersign-corp 1.0 (ecosystems elm, reports violations, webhooks chat)",
        '{"text": "verdict-changed cann/ops"}',
    ], done.stderr


@pytest.mark.parametrize(
    ("entries", "code", "said"),
    [
        ("[console_scripts]\nx = {}:read", BAD, "corp-bad 2.0 has no entry point of countersign.ecosystems, "),
        ("[countersign.ecosystem]\nx = {}:READERS", BAD, "adds x to countersign.ecosystem, but a plugin can add to countersign.ecosystems, "),
        ("[countersign.ecosystems]\nx = {}:NONE", BAD, "but cannot be loaded (AttributeError: "),
        ("[countersign.ecosystems]\nx = {}:READERS", "import nothing_there", "but cannot be loaded (ModuleNotFoundError: "),
        ("[countersign.ecosystems]\nx = {}:READERS", ENDS, "but cannot be loaded (SystemExit: the end)"),
        ("[countersign.ecosystems]\nx = {}:read", BAD, "but it is function, not a mapping of file names to readers"),
        ("[countersign.ecosystems]\nx = {}:EMPTY", BAD, "but no file is named"),
        ("[countersign.ecosystems]\nnpm = {}:READERS", BAD, "but the family npm exists already"),
        ("[countersign.ecosystems]\nx = {}:EXISTS", BAD, "but package.json is read already, by the family npm"),
        ("[countersign.ecosystems]\nx = {}:INSIDE", BAD, "but our-requirements.txt is read already, by the family requirements"),
        ("[countersign.ecosystems]\nx = {}:HIDES", BAD, "but *.yml is read already, by the family "),
        ("[countersign.reports]\nx = {}:READERS", BAD, "but it is dict, which cannot be called"),
        ("[countersign.reports]\nhtml = {}:nothing", BAD, "but the format html exists already"),
        ("[countersign.reports]\nsarif = {}:nothing", BAD, "but the format sarif exists already"),
        ("[countersign.reports]\n../x = {}:nothing", BAD, "but the format '../x' must be called by 1 to 40 "),
        ("[countersign.webhooks]\ncountersign = {}:nothing", BAD, "but the format countersign exists already"),
    ],
)  # fmt: skip
def test_a_broken_plugin_is_one_line_with_its_distribution(installed, entries, code, said):
    before = [*ecosystems.FILE_READERS], dict(all_reports.FORMATS), dict(endpoints.FORMATS)
    for _ in range(2):
        with pytest.raises(PluginInvalid) as refused:
            plugins.load([installed(entries, code)] if not plugins._TRIED else ["corp.bad"])
    line = str(refused.value)
    assert line.startswith("corp-bad 2.0 ")
    assert said in line
    assert line.endswith(": correct it, or remove it from COUNTERSIGN_PLUGINS")
    assert "\n" not in line
    assert before == ([*ecosystems.FILE_READERS], dict(all_reports.FORMATS), dict(endpoints.FORMATS))


@pytest.mark.parametrize("command", [("audit", ".", "--offline"), ("serve",)])
def test_a_command_stops_without_a_named_plugin(run, command):
    done = run(*command, named="not-there")
    said = "COUNTERSIGN_PLUGINS: not-there is not installed beside Countersign: install it, or remove it from COUNTERSIGN_PLUGINS"
    assert (done.returncode, done.stdout) == (2, "")
    assert f"countersign: {said}\n" in done.stderr


def test_a_reader_that_fails_is_a_finding_that_keeps_the_audit_from_passing(installed):
    reader = remote_repository.reader()
    plugins.load([installed("[countersign.ecosystems]\nbad = {}:READERS")])
    [failed] = ecosystems.read("a/bad.lock", "x").findings
    [nothing] = ecosystems.read("none.lock", "x").findings
    assert (failed.code, failed.message) == ("file/broken", "the plugin corp-bad 2.0 failed (KeyError: 'x')")
    assert nothing.message == "the plugin corp-bad 2.0 gave NoneType instead of ParsedFile"
    assert remote_repository.reader() == f"{reader}+corp-bad 2.0"


@pytest.mark.slow
def test_a_report_that_fails_ends_the_command_in_one_line(run, installed, application, tmp_path):
    name = installed("[countersign.reports]\nempty = {}:nothing")
    for more in (("--format", "empty"), ("--out", tmp_path / "out")):
        done = run("audit", application, "--offline", *more, named=name, lie=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.splitlines()[-1] == "countersign: the plugin corp-bad 2.0 gave NoneType instead of str"


def test_a_webhook_plugin_that_fails_is_tried_again(installed):
    plugins.load([installed("[countersign.webhooks]\nbad = {}:private")])
    endpoint = Endpoint("chat", "https://x.example", b"", frozenset(), endpoints.FORMATS["bad"])
    with pytest.raises(WebhookRefused, match=r"^the plugin corp-bad 2\.0 failed \(ValueError\)$"):
        endpoint.body(b"private")


def test_the_doctor_names_loaded_and_broken_plugins(installed):
    name = installed("[countersign.webhooks]\nbad = {}:private")

    def items(*named):
        found = setting_checks.judge(replace(Settings(), plugins=named), ())
        return [
            (doctor_result.status, doctor_result.message)
            for doctor_result in found
            if doctor_result.id == "settings.plugins"
        ]

    assert items() == []
    assert items(name) == [("pass", "Loaded: corp-bad 2.0 (webhooks bad).")]
    [(status, message)] = items(name, "not-there")
    assert (status, message.partition(":")[0]) == ("fail", "Not-there is not installed beside Countersign")


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_version_and_help_read_no_metadata_and_mind_no_missing_plugin(run, option):
    script = (
        "import sys; from bot.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "finally: print({'bot.plugins', 'importlib.metadata'} & {*sys.modules})"
    )
    done = run(script, option, named="not-there", program=("-c",))
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "set()"
