"""PyPI: the expression, a classifier, a short text; what fits several licences stays a family, or unknown."""

import pytest

from audit.sources import pypi

OSI = "License :: OSI Approved :: "


@pytest.mark.parametrize(
    ("info", "licence"),
    [
        ({"license_expression": "MIT OR Apache-2.0", "license": "BSD", "classifiers": [f"{OSI}BSD License"]}, "MIT OR Apache-2.0"),
        ({"license_expression": None, "classifiers": [f"{OSI}MIT License"], "license": "whatever"}, "MIT"),
        ({"classifiers": [f"{OSI}BSD License"], "license": "BSD-3-Clause"}, "BSD-3-Clause"),
        ({"classifiers": [f"{OSI}BSD License"], "license": "see LICENSE"}, "BSD License"),
        ({"classifiers": [f"{OSI}BSD License", f"{OSI}Apache Software License"], "license": "BSD-3-Clause OR Apache-2.0"}, "BSD-3-Clause OR Apache-2.0"),
        ({"classifiers": [f"{OSI}MIT License", f"{OSI}ISC License (ISCL)"]}, "MIT AND ISC"),
        ({"classifiers": [f"{OSI}MIT License", f"{OSI}GNU General Public License v2 or later (GPLv2+)"]}, "MIT AND GPL-2.0-or-later"),
        ({"classifiers": [f"{OSI}MIT License", "License :: Other/Proprietary License"]}, None),
        ({"classifiers": ["License :: OSI Approved", f"{OSI}MIT License"]}, "MIT"),
        ({"classifiers": ["License :: OSI Approved"], "license": "Apache 2.0"}, "Apache 2.0"),
        ({"classifiers": [f"{OSI}GNU General Public License v3 or later (GPLv3+)"]}, "GNU General Public License v3 or later (GPLv3+)"),
        ({"classifiers": ["License :: CC0 1.0 Universal (CC0 1.0) Public Domain Dedication"]}, "CC0-1.0"),
        ({"classifiers": [f"{OSI}Zope Public License"]}, None),
        ({"license": "Permission is hereby granted, free of charge " * 40}, None),
        ({"license": "UNKNOWN"}, None),
        ({"license": "Copyright (c) Ada"}, None),
        ({"license": ""}, None),
        ({"license": ["MIT"], "classifiers": "License :: OSI Approved :: MIT License", "license_expression": 7}, None),
        ({"classifiers": [7, None, ["License :: x"]]}, None),
        ({"license": "Dual License", "classifiers": [f"{OSI}BSD License", f"{OSI}Apache Software License"]}, "BSD OR Apache"),
        ({"license": "Dual License", "classifiers": [f"{OSI}MIT License", "License :: Other/Proprietary License"]}, None),
        ({"license": "Dual License", "classifiers": [f"{OSI}MIT License"]}, "MIT"),
        ({"license": "Dual License"}, None),
        (None, None),
    ],
)  # fmt: skip
def test_forms(info, licence):
    """In this order; a text that is no licence's name is none."""
    assert pypi.read({"info": info}).expression == licence


def test_path():
    """A release as JSON."""
    assert pypi.path("x", "1.0") == ("pypi", "x", "1.0", "json")
