"""The floor: the least program on our stack that judges durably; one look, one check run, one comment for each delivery."""

import json
import os
import sqlite3
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor

import requests
from flask import Flask, request

THREADS = 8


def make() -> Flask:
    """The application; it asks the GitHub at the port BARE_GITHUB, and its database is as durable as Countersign's."""
    folder = tempfile.TemporaryDirectory(prefix="countersign-floor-")
    connection = sqlite3.connect(f"{folder.name}/floor.db", check_same_thread=False, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE row (guid TEXT PRIMARY KEY, body BLOB)")
    github = f"http://127.0.0.1:{os.environ['BARE_GITHUB']}/api/v3"  # noqa: TID251 - this program has no settings
    turn, here, pool = threading.Lock(), threading.local(), ThreadPoolExecutor(THREADS)
    floor = Flask("floor")
    floor.extensions["folder"] = folder  # Removed together with the application

    def post(path: str, body: object) -> object:
        if not hasattr(here, "line"):
            here.line = requests.Session()
        return here.line.post(f"{github}{path}", json=body, timeout=30).json()

    def judge(number: int, head_sha: str) -> None:
        post("/graphql", {"query": "query", "variables": {"number": number}})
        run = {"name": "Floor", "head_sha": head_sha, "status": "completed", "conclusion": "failure"}
        post("/repos/cann/ops-math/check-runs", run)
        post(f"/repos/cann/ops-math/issues/{number}/comments", {"body": "Please sign."})

    @floor.post("/webhook")
    def receive() -> tuple[str, int]:
        body = request.get_data()
        with turn:
            connection.execute("INSERT INTO row VALUES (?, ?)", (request.headers["X-GitHub-Delivery"], body))
        pull = json.loads(body)["pull_request"]
        pool.submit(judge, pull["number"], pull["head"]["sha"])  # Judged after the answer, as by Countersign.
        return "stored", 202

    return floor
