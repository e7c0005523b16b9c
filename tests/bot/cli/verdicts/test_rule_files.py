"""`rulebook show` reads the files that are given or those that the App reads, and prints the rules with their origins."""

import json

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from bot.cli.verdicts.rulebook import command
from bot.demo.github.simulated_github import SimulatedGitHub
from bot.demo.github.simulated_server import SimulatedGitHubServer
from bot.rulebook import effective
from tests.bot.cli.verdicts.test_rulebook import NEWER, release, run
from tests.terminal import TerminalRunner

ABOVE = 'version: 1\norganization: "The # Authors"\nrepositories:\n  - {match: [ops-*], require: cla}\n'
OWN = "version: 1\npeople: {domains: enrolled}\n"
DCO = "require: {members: false}\n"


def show(*arguments, **environ):
    """Run `rulebook show`."""
    return TerminalRunner(env=environ).invoke(command, ["show", *map(str, arguments)])


@pytest.fixture(name="given")
def _given(tmp_path):
    """Files with these texts, as options."""

    def write(**texts):
        for name, text in texts.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        return [word for name in texts for word in (f"--{name}", tmp_path / name)]

    return write


def test_show_prints_each_value_with_its_origin_as_a_valid_rulebook(given, tmp_path):
    files = given(rulebook=ABOVE, own=OWN)
    ran = show("cann/ops-math", *files)
    assert ran.exit_code == 0
    lines = ran.output.splitlines()
    assert lines[0] == "# The rules in force for cann/ops-math: require cla, mode enforce"
    assert lines[1] == f"# matched by 'ops-*'; from {tmp_path / 'rulebook'}, {tmp_path / 'own'}"
    assert 'organization: "The # Authors"  # organisation, line 2' in lines
    assert "  - match: [cann/ops-math]  # organisation, line 4" in lines
    assert "    require: cla  # organisation, line 4" in lines
    assert "    mode: enforce  # default" in lines
    assert "  domains: enrolled  # repository, line 2" in lines
    assert "    individual: false  # default" in lines

    (tmp_path / "saved").write_text(ran.output, encoding="utf-8")
    found = json.loads(run(tmp_path / "saved", "--format", "json").output)["problems"]
    assert all(problem["severity"] == "advice" and "template for counsel" in problem["message"] for problem in found)
    rules = effective.parse_rulebook(ran.output).rules
    assert (rules.organization, rules.people.domains, rules.repositories[0].require) == (
        "The # Authors",
        "enrolled",
        "cla",
    )


def test_the_shown_part_on_licences_means_the_same_when_read_again(given, tmp_path):
    dependencies = '[{purl: "pkg:npm/%40a/b", in: ["*"], usage: build-tool, reason: "yes: it is"}, {name: "a # b", modified: true}]'
    waivers = f'[{{purl: pkg:pypi/x, until: 2027-01-01, reason: old, by: "Ada, Bo", sha256: {"a" * 64}}}]'
    text = f'version: 1\nlicenses:\n  repositories: {{"*": MIT OR Zlib, "on": "BSD"}}\n  dependencies: {dependencies}\n  waivers: {waivers}\n'
    ran = show("cann/ops", *given(rulebook=text))
    assert ran.exit_code == 0
    assert effective.parse_rulebook(ran.output).policy == effective.parse_rulebook(text).policy


def test_show_prints_the_rules_as_json_with_their_origins(given):
    ran = show("cann/ops-math", *given(rulebook=ABOVE, own=OWN), "--format", "json")
    shown = json.loads(ran.output)
    assert {key: shown[key] for key in ("repository", "require", "mode", "matched")} == {
        "repository": "cann/ops-math",
        "require": "cla",
        "mode": "enforce",
        "matched": ["ops-*"],
    }
    assert [source.rpartition("/")[2] for source in shown["sources"]] == ["rulebook", "own"]
    assert shown["rules"]["people.domains"] == {"value": "enrolled", "from": "repository", "line": 2}
    assert shown["rules"]["version"] == {"value": 1, "from": "both", "line": 1, "own_line": 1}
    assert shown["rules"]["repositories.require"] == {"value": "cla", "from": "organisation", "line": 4}
    assert shown["rules"]["labels.signed"] == {"value": "cla-signed", "from": "default"}


def test_show_applies_the_dco_file_without_a_rulebook(given):
    options = given(dco=DCO)
    assert f"  members: exempt  # {options[1]}, line 1" in show("a/b", *options).output.splitlines()
    assert "  members: required  # default" in show("a/b", *options, *given(rulebook=ABOVE)).output.splitlines()


def test_show_names_the_mistakes_of_a_broken_rulebook(given):
    ran = show("a/b", *given(rulebook="version: 1\nx: 1\ny: 1\n"))
    assert ran.exit_code == 1
    assert [line.partition(": ")[0].rpartition(", ")[2] for line in ran.output.splitlines()] == ["line 2", "line 3"]
    ran = show("a/b", *given(rulebook=ABOVE, own="version: 1\npeople: {members: exempt}\n"))
    assert ran.exit_code == 1
    assert "line 2: people.members: exempt is looser" in ran.output


@pytest.mark.parametrize("target", ["ops", "a/b/c", "a/b#1", "https://github.com/a/b", ""])
def test_show_refuses_a_target_that_is_no_repository(target):
    ran = show(target)
    assert ran.exit_code == 2
    assert f"{target!r} is not owner/repository" in ran.output


def test_show_names_the_missing_settings_of_the_app():
    ran = show("a/b")
    assert ran.exit_code == 2
    assert ran.output.count("Or name the files, such as --rulebook FILE.\n") == 2
    assert [line.split()[1] for line in ran.output.splitlines()] == [
        "COUNTERSIGN_APP_ID", "COUNTERSIGN_PRIVATE_KEY",
    ]  # fmt: skip


class Deployment:
    """cann with our App on it, by the small GitHub."""

    def __init__(self, folder, gate):
        self.key = rsa.generate_private_key(65537, 2048)
        self.world = SimulatedGitHub(folder)
        self.server = SimulatedGitHubServer(self.world, wrap=gate.wrap).start()
        self.ada = self.world.user("ada", emails=["ada@cann.example"])
        self.cann = self.world.organization("cann", admins=[self.ada])
        self.ops = self.world.repository(self.cann, "ops-math", files={".github/countersign.yml": OWN})
        public = self.key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
        self.app = self.world.app("countersign", self.cann, public)
        self.installation = self.world.install(self.app, self.cann, self.ada)

    @property
    def settings(self):
        """The settings of this App, as environment."""
        key = self.key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()
        return {
            "COUNTERSIGN_GITHUB_API_URL": self.server.api_url,
            "COUNTERSIGN_APP_ID": str(self.app.id),
            "COUNTERSIGN_PRIVATE_KEY": key,
        }

    def show(self, *arguments, **environ):
        """`rulebook show` with these settings."""
        return show(*arguments, **(self.settings | environ))


@pytest.fixture(name="cann")
def _cann(tmp_path, gate):
    """A deployment."""
    (tmp_path / "git").mkdir()
    made = Deployment(tmp_path / "git", gate)
    yield made
    made.server.stop()


def test_show_reads_the_files_through_the_app_unless_one_is_given(cann, tmp_path):
    lines = cann.show("CANN/OPS-math").output.splitlines()
    assert lines[1] == "# no rule matches it; from .github/countersign.yml"

    cann.world.repository(cann.cann, ".github", files={".github/countersign.yml": ABOVE})
    lines = cann.show("CANN/OPS-math").output.splitlines()
    assert lines[0] == "# The rules in force for cann/ops-math: require cla, mode enforce"
    assert lines[1] == "# matched by 'ops-*'; from .github/countersign.yml, .github/countersign.yml"
    assert "  domains: enrolled  # repository, line 2" in lines

    file = tmp_path / "rules.yml"
    file.write_text("version: 1\n", encoding="utf-8")
    shown = cann.show("cann/ops-math", "--format", "json", COUNTERSIGN_RULEBOOK=str(file)).output
    assert json.loads(shown)["sources"] == [str(file), ".github/countersign.yml"]


def test_show_says_that_an_unselected_rulebook_repository_is_not_known(cann, tmp_path):
    cann.world.choose(cann.installation, cann.ada, added=[cann.ops])
    ran = cann.show("cann/ops-math")
    assert ran.exit_code == 2
    assert ran.output.startswith("countersign: We do not know whether cann/.github has a rulebook. ")
    assert ran.output.endswith("Let the App read it, or give the file by --rulebook.\n")
    assert ran.output.count("\n") == 1

    (tmp_path / "rules.yml").write_text("version: 1\n", encoding="utf-8")
    assert cann.show("cann/ops-math", COUNTERSIGN_RULEBOOK=str(tmp_path / "rules.yml")).exit_code == 0


def test_show_says_in_one_line_what_the_app_cannot_read(cann):
    for target in ("cann/nothing", "elsewhere/ops-math"):
        ran = cann.show(target)
        assert (ran.exit_code, ran.output) == (
            2, f"countersign: the App cannot read {target}: check that it is installed there\n",
        )  # fmt: skip
    ran = cann.show("cann/ops-math", COUNTERSIGN_APP_ID="999999")
    assert ran.exit_code == 2
    assert ran.output.startswith("countersign: GitHub: ")
    assert ran.output.count("\n") == 1


@pytest.mark.slow
def test_show_knows_a_released_text_with_the_servers_database(tmp_path, given):
    url = f"sqlite:///{tmp_path / 'x.db'}"
    environ = {"COUNTERSIGN_DATABASE_URL": url}
    for files in ({"rulebook": NEWER}, {"own": NEWER}):
        ran = show("a/b", *given(**files), **environ)
        assert ran.exit_code == 1
        assert (
            "line 2: agreements.individual.version: icla 2.1 was not released; choose from 2.0 in this rel"
            in ran.output
        )
        assert ran.output.endswith("set COUNTERSIGN_DATABASE_URL to include texts that were released in the portal\n")
    release(url)
    for files in ({"rulebook": NEWER}, {"own": NEWER}):
        ran = show("a/b", *given(**files), **environ)
        assert (ran.exit_code, '    version: "2.1"' in ran.output) == (0, True), ran.output
