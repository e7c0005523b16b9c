"""A command's effect is read from its words."""

import pytest

from bot.doctor.manifests.command_lines import (
    Listener,
    does_not_ask,
    is_loopback,
    is_shell,
    listener,
    loses_logs,
    no_backup,
    proves_nothing,
    says_backup,
    script,
    simple,
)

SERVED = Listener("0.0.0.0", 8080)


def sh(text):
    """As a manifest has a script."""
    return ["/bin/sh", "-ec", text]


@pytest.mark.parametrize(
    ("command", "lost"),
    [
        (sh("countersign serve 2>/dev/null"), True),
        (sh("countersign serve 2>&1 | tee /log"), True),
        (sh("exec countersign serve &>/log"), True),
        (sh("countersign serve > /log 2>&1"), True),
        (sh("countersign serve |& tee /log"), True),
        (sh("countersign serve 2>&1"), False),
        (sh("pg_dump countersign | gzip > /backups/x"), False),
        (sh("countersign backup /backups/x || true"), False),
        (sh("countersign migrate && exec countersign serve"), False),
        (["countersign", "serve"], False),
        ([], False),
    ],
)
def test_only_a_shells_redirection_of_standard_error_loses_the_log(command, lost):
    assert loses_logs(command) is lost


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (["backup", "/backups/x"], ""),
        (["countersign", "backup", "/backups/x"], ""),
        (sh('countersign backup "/backups/x-$(date -u +%F)"\nfind /backups -mtime +35 -delete'), ""),
        (sh("pg_dump -f /backups/x countersign"), ""),
        (sh("set -o pipefail; pg_dump countersign | gzip > /backups/x.gz"), ""),
        (sh("while sleep 86400; do pg_dump --file=/backups/x countersign; done"), ""),
        (sh("PGHOST=db exec pg_dump countersign > /backups/x"), ""),
        (sh("set -o pipefail\npg_dump countersign | aws s3 cp - s3://bucket/x"), ""),
        (
            sh("pg_dump countersign | gzip > /backups/x.gz"),
            "a pipe hides when pg_dump fails: it needs `set -o pipefail`",
        ),
        (["pgbackrest", "backup"], ""),
        (
            sh("sqlite3 /data/c.db '.backup /backups/x'"),
            "the backup is written to /data/c.db, which is on no volume that stays",
        ),
        (["pg_dump", "countersign"], "it has no volume that the backup could stay on"),
        (sh("echo countersign backup"), "its command makes no backup"),
        (sh("# pg_dump\nsleep 1"), "its command makes no backup"),
        (["countersign", "backup", "--help"], "its command makes no backup"),
        (["countersign", "backup"], "its command makes no backup"),
        (["true"], "its command makes no backup"),
        ([], "its command makes no backup"),
        (sh("countersign backup /backups/x || true"), "its command succeeds even when no backup is made"),
        (sh("pg_dump x > /backups/x; exit 0"), "its command succeeds even when no backup is made"),
        (sh("pg_dump x > /dev/null"), "its command writes the backup to /dev/null"),
        (sh("countersign backup /tmp/x"), "the backup is written to /tmp/x, which is on no volume that stays"),
        (
            sh("set -eo pipefail; pg_dump x | gzip > /tmp/x.gz"),
            "the backup is written to /tmp/x.gz, which is on no volume that stays",
        ),
    ],
)
def test_a_backup_command_must_make_keep_and_report_it(command, why):
    assert no_backup(command, is_kept=lambda path: path.startswith("/backups/"), has_volume=False) == why


@pytest.mark.parametrize(
    ("words", "at"),
    [
        ([], SERVED),
        (["serve"], Listener("127.0.0.1", 8080)),
        (["serve", "--host", "0.0.0.0", "--port", "9000"], Listener("0.0.0.0", 9000)),
        (["countersign", "serve", "--host=0.0.0.0", "--port=9000"], Listener("0.0.0.0", 9000)),
        (["serve", "--role", "worker"], Listener("127.0.0.1", None)),
        (["serve", "--role", "worker", "--port", "8080"], Listener("127.0.0.1", 8080)),
        (["serve", "--host", "0.0.0.0", "--port", "$PORT"], Listener("0.0.0.0", None)),
        (sh("countersign migrate && exec countersign serve --host 0.0.0.0"), SERVED),
    ],
)
def test_a_server_listens_where_its_options_say(words, at):
    assert listener(words) == at


@pytest.mark.parametrize(
    ("host", "inside"), [("127.0.0.1", True), ("localhost", True), ("[::1]", True), ("0.0.0.0", False), ("[::]", False)]
)
def test_only_a_loopback_address_is_the_containers_own(host, inside):
    assert is_loopback(host) is inside


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (["curl", "--fail", "http://127.0.0.1:8080/readyz"], ""),
        (["curl", "-fsS", "localhost:8080/readyz"], ""),
        (["wget", "-q", "--spider", "http://[::1]:8080/readyz"], ""),
        (["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8080/readyz')"], ""),
        (["true"], "`true` succeeds whatever the server does"),
        (
            ["echo", "http://127.0.0.1:8080/readyz"],
            "`echo http://127.0.0.1:8080/readyz` succeeds whatever the server does",
        ),
        (sh("exit 0"), "`exit 0` succeeds whatever the server does"),
        (
            sh("curl -f localhost:8080/readyz; true"),
            "`curl -f localhost:8080/readyz; true` succeeds whatever the server does",
        ),
        (["curl", "-f", "http://127.0.0.1:8080/"], "`curl -f http://127.0.0.1:8080/` does not request /readyz"),
        (["pgrep", "countersign"], "`pgrep countersign` does not request /readyz"),
        (["curl", "-f", "http://127.0.0.1:9/readyz"], "it asks port 9, where nothing listens: Countersign's is 8080"),
        (["curl", "-f", "http://127.0.0.1/readyz"], "it asks port 80, where nothing listens: Countersign's is 8080"),
        (["curl", "-f", "http://example.org:8080/readyz"], "it asks example.org, not its own container"),
        (["curl", "http://127.0.0.1:8080/readyz"], "curl without --fail succeeds whatever the answer is"),
        (
            ["grep", "http://127.0.0.1:8080/readyz", "/etc/x"],
            "`grep http://127.0.0.1:8080/readyz /etc/x` requests nothing",
        ),
    ],
)
def test_a_probe_command_has_to_request_the_path_and_be_able_to_fail(command, why):
    assert does_not_ask(command, ["/readyz"], SERVED) == why


def test_shell_scripts_are_split_into_commands():
    assert script(["bash", "-e", "-c", "a b"]) == "a b"
    assert script(["a", "b c"]) == "a 'b c'"
    assert simple(sh("A=1 exec a b # c\nif d; then 'e; f'; fi")) == [["a", "b"], ["d"], ["'e"], ["f'"], ["fi"]]
    assert simple([]) == []
    assert is_shell(["/usr/bin/bash"])
    assert not is_shell([])
    assert proves_nothing(["pg_isready"]) == ""
    assert proves_nothing(sh("pg_isready | grep accepting")) == ""
    assert proves_nothing(sh("pg_isready | cat")) == "`pg_isready | cat` succeeds whatever the server does"
    assert proves_nothing(["echo", "x" * 90]).endswith("…` succeeds whatever the server does")
    assert says_backup(["nightly-backup"])
    assert not says_backup(["serve"])
