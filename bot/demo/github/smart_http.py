"""Git's smart HTTP by `git http-backend`: real clones, real pushes, and what a push sets in motion."""

import subprocess
import tempfile
from functools import cache
from http import HTTPStatus
from signal import SIGINT
from typing import IO

from flask import Blueprint, Response, request

from bot.demo.github.git import bare_repository
from bot.demo.github.refusal import ErrorResponse
from bot.demo.github.rest_request import me, world
from bot.demo.github.state import StoredAccount, StoredRepository

routes = Blueprint("git", __name__)
_CHUNK_BYTES = 65536


@routes.route("/<owner>/<name>.git/<path:rest>", methods=["GET", "POST"])
def serve(owner: str, name: str, rest: str) -> Response:
    """Answer git; without rights 401 asks for a login and token, 403 says that they do not suffice."""
    pushing = rest.endswith("git-receive-pack") or request.args.get("service") == "git-receive-pack"
    with world().lock:
        repo, pusher = _allowed(owner, name, pushing=pushing)
    backend = _Backend(repo, rest, pusher)
    if not (pushing and request.method == "POST"):  # Reading needs no lock, and may take long.
        return backend.answer()
    with world().push(repo, pusher):
        return backend.answer(whole=True)  # The references have moved when it has ended.


def _allowed(owner: str, name: str, *, pushing: bool) -> tuple[StoredRepository, StoredAccount]:
    ask = {"WWW-Authenticate": 'Basic realm="GitHub"'}  # Without it git asks for no password.
    try:
        who = me().user
    except ErrorResponse as refused:
        raise ErrorResponse(401, "Invalid username or token.", headers=ask) from refused
    repo = world().find_repository(owner, name) or world().formerly(owner, name)
    if who is None and (pushing or repo is None or repo.private):
        raise ErrorResponse(401, "Authentication required", headers=ask)
    if repo is None or not world().may(who, repo, "read"):
        raise ErrorResponse(404, "Repository not found.")
    if pushing and not world().may(who, repo, "write"):
        raise ErrorResponse(403, f"Permission to {repo.full_name}.git denied to {who.login if who else 'nobody'}.")
    return repo, who or world().web_flow  # A stand-in for an anonymous reader.


@cache
def _program() -> str:
    # By way of `git` the program would outlive a kill.
    return f"{bare_repository.run('--exec-path').decode().strip()}/git-http-backend"


class _Backend:
    """One run of the CGI program."""

    def __init__(self, repo: StoredRepository, rest: str, who: StoredAccount) -> None:
        # The request's body goes through a file, so that neither side waits for the other.
        self._sent: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed when the answer is
        while chunk := request.stream.read(_CHUNK_BYTES):
            self._sent.write(chunk)
        length = self._sent.tell()
        self._sent.seek(0)
        self._environment = {
            **bare_repository.ISOLATED,
            "GIT_PROJECT_ROOT": str(repo.git.parent),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": f"/{repo.git.name}/{rest}",
            "QUERY_STRING": request.query_string.decode(),
            "REQUEST_METHOD": request.method,
            "CONTENT_TYPE": request.content_type or "",
            "CONTENT_LENGTH": str(length),
            "HTTP_CONTENT_ENCODING": request.headers.get("Content-Encoding", ""),  # Git compresses large requests.
            "GIT_PROTOCOL": request.headers.get("Git-Protocol", ""),  # Else git falls back to protocol 0.
            "REMOTE_USER": who.login,
        }

    def answer(self, *, whole: bool = False) -> Response:
        """Run the program and give its answer as it comes, or with `whole` after it has ended."""
        process, line = self._started()
        assert process.stdout is not None
        out = process.stdout
        status, headers = 200, {}
        while line := line.strip():
            key, _, value = line.decode().partition(": ")
            if key.lower() == "status":
                status = int(value.split()[0])
            else:
                headers[key] = value
            line = out.readline()
        chunks = iter(lambda: out.read(_CHUNK_BYTES), b"")
        answer = Response(b"".join(chunks) if whole else chunks, HTTPStatus(status), headers)
        if whole:
            process.wait()
        answer.call_on_close(lambda: self._end(process))
        return answer

    def _started(self) -> tuple["subprocess.Popen[bytes]", bytes]:
        # Without a first line git would take the repository for an empty one.
        while True:
            process = subprocess.Popen(  # noqa: S603 - git's own program, no shell
                [_program()], stdin=self._sent, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self._environment,
                start_new_session=True,  # Ctrl-C in a terminal is not for it.
            )  # fmt: skip
            assert process.stdout is not None
            if line := process.stdout.readline():
                return process, line
            if process.wait() != -SIGINT:  # Else a Ctrl-C between the fork and the new session: it had not begun
                self._end(process)
                raise ErrorResponse(500, "git-http-backend ended without an answer")
            process.stdout.close()

    def _end(self, process: "subprocess.Popen[bytes]") -> None:
        process.kill()  # The reader may have gone away in the middle.
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
        self._sent.close()
