"""Bazel's hubs: repositories that a lock file, a manifest or a list of packages fills, and not a rule that fetches one thing.

Their labels name no dependency: what is in a hub is what its files name, and these are followed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from posixpath import dirname, join, normpath
from typing import Final

from audit.ecosystems import includes
from audit.ecosystems.containers import container_files
from audit.ecosystems.native.starlark import StarlarkCall
from audit.ecosystems.parsed_file import Include, dependency_at, not_read, said
from audit.ecosystems.purls import purl
from audit.facts import Dependency, Finding, Place, Usage

LOCK: Final = "bazel lock"
"""The family of a file that a hub names: one that no other reader knows is not read."""
_HUBS: Final = frozenset({"maven_install", "pip_parse", "pip_install", "pip_import", "npm_translate_lock", "npm_install", "yarn_install", "crates_repository", "crate_universe", "go_register_toolchains", "rules_foreign_cc", "install", "parse"})  # fmt: skip
# The names that these rules give by themselves.
_DEFAULT_NAMES: Final = {"maven_install": "maven", "maven.install": "maven", "pip_install": "pip"}
_EXTENSION: Final = re.compile(r"pip|python|pypi|maven|npm|node|pnpm|yarn|go_deps|go_sdk|crate|cargo|rust|oci|toolchain|configure|sdk|jvm|nuget|ruby|bundler|dev")  # fmt: skip
# They hold nothing but what a list says: without one, it is not known what is in them.
_NEED_LIST: Final = frozenset({"parse", "pip_parse", "pip_install", "pip_import", "npm_translate_lock", "npm_install", "yarn_install", "crates_repository", "from_cargo", "from_file"})  # fmt: skip
_LIST: Final = re.compile(r"(?:\w+_)?(?:lock(?:_?file|_json)?|install_json|requirements(?:_\w+)?|manifests?|package_json|go_mod|go_work|gemfile)")  # fmt: skip
_LOCAL: Final = frozenset({"local_repository", "new_local_repository", "local_path_override"})
_IMAGES: Final = frozenset({"oci.pull", "oci_pull", "container_pull"})
_WORKSPACE: Final = re.compile(r"WORKSPACE(?:\.\w+)?|MODULE\.bazel")


@dataclass
class Hubs:
    """The hubs of the file at `path` so far: `names`, what each `brings` in its call, the `lists` it names, `findings`."""

    path: str
    names: set[str] = field(default_factory=set)
    brings: list[Dependency] = field(default_factory=list)
    lists: list[Include] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def add(self, call: StarlarkCall) -> None:
        """One call of the file, if it has to do with hubs."""
        owner, _, function = call.name.rpartition(".")
        if call.name == "use_repo":
            is_hub = bool(call.names) and _EXTENSION.search(call.names[0]) is not None
            self.names |= {hub for hub, _ in call.texts(*call.arguments)} if is_hub else set()
        elif function in _LOCAL:
            self._local(call, function)
        elif call.name in _IMAGES or function in _IMAGES:
            self._image(call)
        elif dependency := self._package(call, function):
            self.brings.append(dependency)
        elif function in _HUBS or (owner and _EXTENSION.search(owner)):
            named = {hub for hub in (call.text("name"), call.text("hub_name")) if hub}
            self.names |= (named or {_DEFAULT_NAMES.get(call.name, "")}) if function in _HUBS else set()
            self._follow(call, function)

    def _local(self, call: StarlarkCall, function: str) -> None:
        """A folder: within the tree it is the work's own, one outside is not read, and its labels name what is used."""
        folder = call.text("path")
        root = Place(self._root("x"), call.line, said(f"{function} {folder}"))
        outside = [
            Finding(each.code, self._place(call, root.said), each.message) for each in includes.outside(folder, root)
        ]
        self.findings += outside
        if not outside and function != "local_path_override":
            self.names.add(call.text("name"))

    def _image(self, call: StarlarkCall) -> None:
        registry, name = call.text("registry"), call.text("image", "repository")
        image = f"{registry}/{name}" if registry and not name.startswith(registry) else name
        version = call.text("digest") or call.text("tag")
        if not image:
            self.findings.append(not_read(self.path, call.line, "pulls an image by a name that is not spelled out"))
            return
        image += f"@{version}" if version.startswith("sha256:") else f":{version}" if version else ""
        name, stated, url = container_files.image(image)
        place = self._place(call, f"{call.name} {image}")
        self.brings.append(dependency_at(place, name, stated, url, Usage.AGGREGATE, f"Bazel: {call.name}", direct=True))

    def _package(self, call: StarlarkCall, function: str) -> Dependency | None:
        """A package that a hub is told of in the call itself."""
        version = call.text("version", "tag")
        if call.name == "crate.spec" and (name := call.text("package")):
            url, how = purl("cargo", name, version or None), Usage.STATIC_LINK
        elif call.name == "go_deps.module" and (name := call.text("path")):
            folder, _, last = name.rpartition("/")
            url, how = purl("golang", last, version or None, folder), Usage.STATIC_LINK
        elif function == "npm_import" and (name := call.text("package")):
            scope, _, last = name.rpartition("/")
            url, how = purl("npm", last, version or None, scope), Usage.RUNTIME_IMPORT
        else:
            return None
        place = self._place(call, f"{call.name} {name} {version}")
        return dependency_at(place, name, version, url, how, f"Bazel: {call.name}", direct=True)

    def _follow(self, call: StarlarkCall, function: str) -> None:
        """The files that say what is in the hub."""
        named = list(self._lists(call))
        for label, line, family in named:
            place = Place(self.path, line, said(label))
            if label.startswith("@") and not label.startswith(("@//", "@@//")):
                self.findings.append(not_read(self.path, line, f"{call.name} names a file of another repository"))
                continue
            package, colon, name = label.lstrip("@").partition(":")
            inside = package.removeprefix("//") if package.startswith("//") else dirname(self.path)
            # `//a/b` is `//a/b:b`; without slashes and colon it is a file's name.
            file = name if colon else package if not package.startswith("//") else package.rpartition("/")[2]
            below = self._root(inside) if package.startswith("//") else inside
            self.lists.append(Include(normpath(join(below, file)), place, family))
        # A definition of such a rule has no texts; other things are parsed, too.
        is_hub = not call.name.endswith(".parse") or _EXTENSION.search(call.name) is not None
        if not named and function in _NEED_LIST and call.arguments and is_hub:
            why = f"{call.name} takes its packages from a list that is not spelled out"
            self.findings.append(not_read(self.path, call.line, why))

    def _lists(self, call: StarlarkCall) -> Iterator[tuple[str, int, str]]:
        keys = [key for key in call.arguments if _LIST.fullmatch(key)]
        # What rules_rust writes beside Cargo's own files says the same.
        if "lockfile" in keys and any("cargo_lockfile" in key or "manifest" in key for key in keys):
            keys.remove("lockfile")
        for key in keys:
            family = "requirements" if "requirements" in key else LOCK
            for text, line in call.texts(key):
                # The platforms of `requirements_by_platform` are no labels.
                if ":" in text or "//" in text or re.search(r"\.\w+$", text):
                    yield text, line, family

    def _root(self, inside: str) -> str:
        """A path below the workspace: the folder of its own file, else the root of the tree."""
        folder, _, name = self.path.rpartition("/")
        return join(folder, inside) if _WORKSPACE.fullmatch(name) else inside

    def _place(self, call: StarlarkCall, words: str) -> Place:
        return Place(self.path, call.line, said(words))
