"""The tests on each Python that is supported: `make matrix`."""

import nox

PYTHONS = ("3.11", "3.12", "3.13")
"""As `requires-python` of pyproject.toml says; a test compares them."""

nox.options.error_on_missing_interpreters = False


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """The tests of `make test` with the locked packages, or those that are named behind `--`."""
    session.run("python", "requirements/install.py", "requirements/dev.lock", silent=True)
    session.run("python", "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--editable", ".")
    session.run("pytest", "--numprocesses", "auto", "--dist", "loadfile", *session.posargs)
