"""Helpers of the licence check's tests: cann/ops with a lock file, and the runs of a pull request."""

import json
from contextlib import suppress
from dataclasses import replace

from audit.sources.license_lookup import LookupResult

PLAIN = 'version: 1\nrepositories: [{match: ["*"], require: none}]\n'
AUDITED = PLAIN + "licenses: {}\n"
READLINE = {"readline": ("8.2.0", "GPL-3.0-or-later")}
LEFT_PAD = {"left-pad": ("1.3.0", "MIT")}
NAME = "Countersign / Licenses"


def locked(*packages, own="Apache-2.0", dev=()):
    """package.json and its lock file with these packages, each name → (version, licence); `dev` are for development alone."""
    every = {name: told for package in packages for name, told in package.items()}
    runtime = {name: version for name, (version, _) in every.items() if name not in dev}
    tools = {name: every[name][0] for name in dev}
    manifest = {"name": "ops", "version": "1.0.0", "license": own, "dependencies": runtime, "devDependencies": tools}
    entries = {
        f"node_modules/{name}": {"version": version, "license": said} | ({"dev": True} if name in dev else {})
        for name, (version, said) in every.items()
    }
    lock = {
        "name": "ops",
        "version": "1.0.0",
        "lockfileVersion": 3,
        "requires": True,
        "packages": {"": manifest} | entries,
    }
    return {"package.json": json.dumps(manifest, indent=2), "package-lock.json": json.dumps(lock, indent=2)}


def runs(scene, pull, head=None):
    """The runs about licences on a head."""
    head = head or pull.head_sha
    return [value for value in scene.world.check_runs.values() if value.name == NAME and value.head_sha == head]


def run(scene, pull, head=None):
    """The only run about licences on the head; None while there is none."""
    found = runs(scene, pull, head)
    assert len(found) <= 1, found
    return found[0] if found else None


def conclusion(scene, pull, head=None):
    """Its conclusion; None while there is no run, or while it is in progress."""
    found = run(scene, pull, head)
    return found and found.conclusion


def rewrite(scene, text, *pulls):
    """The organisation's rulebook says something else now, and these are judged by it."""
    scene.world.write(scene.rules, {".github/countersign.yml": text})
    for pull in pulls:
        scene.again(pull)
    scene.settle()


class Killed(BaseException):
    """kill -9: nothing of ours catches it."""


class Dying:
    """A hub at whose call of that name the process dies: before GitHub hears of it, or after."""

    def __init__(self, hub, name, *, after):
        self._hub, self._name, self._after = hub, name, after

    def __getattr__(self, name):
        inner = getattr(self._hub, name)

        def call(*given, **named):
            if self._after:
                inner(*given, **named)
            raise Killed

        return call if name == self._name else inner


class Listing:
    """A hub that lists these files for every pull request."""

    def __init__(self, hub, files):
        self._hub, self._files = hub, files

    def files(self, _look):
        """Always the same."""
        return self._files

    def __getattr__(self, name):
        return getattr(self._hub, name)


class Cut:
    """A hub whose trees are cut short."""

    def __init__(self, hub):
        self._hub = hub

    def tree(self, place, commit):
        """What GitHub gives, and not all of it."""
        return replace(self._hub.tree(place, commit), complete=False)

    def __getattr__(self, name):
        return getattr(self._hub, name)


class Silent:
    """A learner that knows no more than the files tell."""

    def learned(self, repository, _judge):
        """Nothing is learned, and nothing failed."""
        return LookupResult(repository)


class Away:
    """A learner whose registry does not answer."""

    scope = ""

    def learned(self, repository, _judge):
        """Nothing is learned."""
        return LookupResult(repository, {"registry.npmjs.org is away": 1})


def only_reviewed(scene):
    """Do the review that waits; the licences wait still."""
    scene.hear()
    with suppress(RuntimeError):  # the engine says so when the limit was reached
        scene.jobs.run_all(limit=1)
    assert [job.name for job in scene.jobs.waiting] == ["licenses"]
