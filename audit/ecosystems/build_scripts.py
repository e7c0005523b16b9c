"""Crates that exist for Rust's build scripts: Cargo.lock says who needs them, and not that only the build does."""

from collections.abc import Iterable, Mapping
from typing import Final

HELPERS: Final[Mapping[str, str]] = {
    "autocfg": "asks the compiler what it can do",
    "autotools": "runs configure and make",
    "bindgen": "writes declarations from C headers",
    "cbindgen": "writes C headers from declarations",
    "cc": "runs the C compiler",
    "cfg_aliases": "names conditions for build.rs",
    "cmake": "runs CMake",
    "embed-resource": "runs the resource compiler",
    "gcc": "the former name of cc",
    "metadeps": "reads pkg-config's answers",
    "napi-build": "sets the linker's options for Node.js",
    "nasm-rs": "runs the assembler",
    "pkg-config": "asks pkg-config",
    "pyo3-build-config": "asks the Python interpreter",
    "rustc_version": "asks the compiler for its version",
    "system-deps": "reads pkg-config's answers",
    "vcpkg": "finds libraries of vcpkg",
    "version_check": "asks the compiler for its version",
    "winres": "runs the resource compiler",
    "winresource": "runs the resource compiler",
}
"""By name what each does, as its own documentation says: called from build.rs, a part of no binary.

What finds, compiles or asks is here; what brings sources of its own that are linked (`openssl-src`), and what writes code that goes
in from templates of its own (`prost-build`, macros), is not.
"""


def tools(names: Iterable[str]) -> dict[str, str]:
    """The keys of a lock file's graph that are such crates, with who needs them, in words."""
    return {name: f"build scripts ({name})" for name in names if name in HELPERS}
