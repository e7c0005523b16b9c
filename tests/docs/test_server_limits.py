"""Pages have the server's limits as they stand in the code and in deploy/."""

import re
from pathlib import Path

import yaml

from bot import serving
from bot.pdf import typesetter_worker
from bot.server import http_server, listening, request_body, wsgi_bridge
from bot.webhook import endpoint

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "server.md"
MIB, KIB = 1024 * 1024, 1024


def test_every_limit_of_the_server_is_that_of_the_code():
    section = PAGE.read_text(encoding="utf-8").partition("## What the server takes")[2].partition("\n## ")[0]
    rows = dict(line.strip("| ").split(" | ", 1) for line in section.splitlines() if line.startswith("| "))

    assert f"{serving.MAX_CONNECTIONS:,}" in rows["connections at once"]
    assert f"{http_server.IDLE_SECONDS} s" in rows["a connection without the whole head of a request"]
    assert rows["the head of a request"].startswith(f"{http_server.HEAD_BYTES // KIB} KiB")
    assert f"{2 * http_server.HEAD_BYTES // KIB} KiB" in rows["the head of a request"]
    assert rows["a body"].startswith(
        f"{request_body.TIMEOUT_SECONDS:.0f} s; {wsgi_bridge.BUFFERED_BODY_BYTES // KIB} KiB for a form"
    )
    assert f"{endpoint.MAX_PAYLOAD_BYTES // MIB} MB for a webhook" in rows["a body"]
    uploads = rows["an upload of more than 64 KiB"]
    assert (
        uploads
        == f"{request_body.TIMEOUT_SECONDS:.0f} s for each piece of it, {wsgi_bridge.UPLOAD_SECONDS / 60:.0f} minutes in all"
    )
    together = rows["bodies that arrive together"]
    assert (
        f"{endpoint.PAYLOADS_BUDGET_BYTES // MIB} MB of webhooks, {wsgi_bridge.FORMS_BUDGET_BYTES // MIB} MB of forms"
        in together
    )
    assert rows["an answer that nobody takes"] == f"cut after {listening.UNREAD_SECONDS} s"
    assert wsgi_bridge.READ_SECONDS == listening.UNREAD_SECONDS
    assert rows["pages that wait for one of eight threads"].startswith(f"{wsgi_bridge.MAX_WAITING_REQUESTS};")
    assert rows["answers that wait for their readers"].startswith(
        f"{wsgi_bridge.RESPONSES_BUDGET_BYTES // MIB} MB together"
    )
    assert f"after {serving.END_SECONDS} it ends" in section
    assert f"within {serving.DRAIN_SECONDS} seconds" in section
    assert f"gets {serving.LAST_SECONDS} more" in section


def memory_limits():
    """The limit of memory of each of our processes, by the folder of its file in deploy/."""
    deploy = ROOT / "deploy"
    yield "deploy/systemd", re.search(r"MemoryMax=(\S+)", (deploy / "systemd/countersign.service").read_text())[1]
    for name in ("compose.yaml", "compose.postgresql.yaml"):
        services = yaml.safe_load((deploy / "compose" / name).read_text())["services"]
        yield from (
            ("deploy/compose", service["mem_limit"])
            for role, service in services.items()
            if "COUNTERSIGN_IMAGE" in service["image"] and role != "setup"  # It serves no client.
        )
    for name in ("web", "worker"):
        pod = yaml.safe_load((deploy / f"kubernetes/base/{name}.yaml").read_text())["spec"]["template"]["spec"]
        yield "deploy/kubernetes", pod["containers"][0]["resources"]["limits"]["memory"]
        values = yaml.safe_load((deploy / "chart/values.yaml").read_text())
        yield "the chart", values[name]["resources"]["limits"]["memory"]


def test_the_memory_of_a_process_is_that_of_its_deployment():
    section = (
        (ROOT / "docs/how-to/scaling.md").read_text(encoding="utf-8").partition("### Memory")[2].partition("\n## ")[0]
    )
    rows = [line for line in section.splitlines() if line.startswith("| ")]
    units = {"G": " GiB", "m": " MiB", "Mi": " MiB"}
    found = list(memory_limits())

    assert {place for place, _ in found} == {"deploy/systemd", "deploy/compose", "deploy/kubernetes", "the chart"}
    for place, limit in found:
        shown = re.sub(r"\D+$", lambda unit: units[unit[0]], limit)
        assert [row for row in rows if place in row.replace("`", "") and row.endswith(f"| {shown} |")], (place, shown)
    assert f"{typesetter_worker.MAX_ADDRESS_SPACE_BYTES // 1024**3} GiB of address space" in section
