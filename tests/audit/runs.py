"""A small organisation, audited: what the tests of the outputs write down."""

from dataclasses import replace
from datetime import UTC, date, datetime
from hashlib import sha256

from audit.facts import Delivery, Dependency, Finding, Learned, Place, Repository, Source, Text, Usage, Waiver
from audit.licenses.osadl import shipped
from audit.output.audit_run import build
from audit.verdict.policy import Policy
from audit.verdict.repository_verdict import Judge

AT = datetime(2026, 11, 22, 1, 2, 3, tzinfo=UTC)
ASF = """Apache Commons Lang
Copyright 2001-2021 The Apache Software Foundation

This product includes software developed at
The Apache Software Foundation (https://www.apache.org/).
"""
NETTY = """                            The Netty Project
                            =================

Copyright 2014 The Netty Project

Licensed under the Apache License, Version 2.0 (the "License"); you may not
use this file except in compliance with the License.

This product contains a modified version of Roland Kuhn's ASL2 AbstractNodeQueue.
"""
MIT = "MIT License\n\nCopyright (c) 2019 Ada Example\n\nPermission is hereby granted, free of charge, to any person\n"


def text(path, words):
    """A file that came with something."""
    return Text(path, words, sha256(words.encode()).hexdigest())


def used(name, license_id, usage, **more):
    """A dependency from a lock file's tenth line."""
    place = Place("package-lock.json", 10, name)
    fields = {
        "version": "1.2.0",
        "purl": f"pkg:npm/{name}@1.2.0",
        "why": "package-lock.json",
        "places": (place,),
        **more,
    }
    return Dependency(name=name, license=Learned(license_id, Source.LOCK_FILE, place), usage=usage, **fields)


LANG = used("commons-lang3", "Apache-2.0", Usage.BUNDLED, notices=(text("META-INF/NOTICE.txt", ASF),))
NETTIES = tuple(
    used(f"netty-{part}", "Apache-2.0", Usage.STATIC_LINK, notices=(text("NOTICE", NETTY),)) for part in ("io", "http")
)
LEFT_PAD = used(
    "left-pad", "MIT", Usage.VENDORED, licenses=(text("LICENSE", MIT),), notices=(text("NOTICE", "MIT needs none"),)
)
UPX = used("UPX", "GPL-2.0-or-later", Usage.BUILD_TOOL)
READLINE = used("readline", "GPL-3.0-or-later", Usage.STATIC_LINK)
MYSTERY = used("mystery", None, Usage.RUNTIME_IMPORT)
OWN = used("own-terms", "LicenseRef-own", Usage.BUNDLED, licenses=(text("TERMS", "Be kind.\n"),))
ALL = (LANG, *NETTIES, LEFT_PAD, UPX, READLINE, MYSTERY, OWN)


def audited(*dependencies, name="org/work", license_id="Apache-2.0", policy=None, **more):
    """A repository with these, judged."""
    repository = Repository(name=name, license=Learned(license_id, Source.LICENSE_TEXT, Place("LICENSE")), **more)
    judge = Judge(policy or Policy(delivery=more.get("delivery", Delivery.BINARY)), shipped(), date(2026, 11, 22))
    return judge.audited(replace(repository, dependencies=dependencies))


def organisation():
    """Three repositories: one with everything, one under the GPL with a waiver, one empty."""
    waiver = Waiver(purl="pkg:npm/mystery@1.2.0", until=date(2027, 1, 1), reason="is being replaced", by="Ada Example")
    finding = Finding("file/broken", Place("Cargo.lock", 3), "no TOML: <b>|`x`")
    return (
        audited(*ALL, name="org/work", head="0" * 40, findings=(finding,)),
        audited(READLINE, MYSTERY, name="org/free", license_id="GPL-3.0-or-later", policy=Policy(waivers=(waiver,))),
        audited(name="org/empty", license_id="MIT"),
    )


def whole():
    """The organisation as a run."""
    return build(organisation(), AT)
