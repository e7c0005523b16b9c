"""Each line of a batch of questions gets an answer, also a line that cannot be read."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.facts import Delivery, Usage
from audit.licenses import osadl
from bot.cli.command_error import CommandError
from bot.cli.licenses.license_batch import answer, answers

MATRIX = osadl.shipped()
GOOD = {"outbound": "Apache-2.0", "inbound": "MIT"}


def asked(content):
    """The answers to these bytes, and the exit code."""
    out = io.StringIO()
    code = answers(io.BytesIO(content), out, MATRIX)
    return [json.loads(line) for line in out.getvalue().splitlines()], code


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ({}, "outbound"), ({"inbound": "MIT"}, "outbound"), ({**GOOD, "outbound": 7}, "outbound"), ({**GOOD, "outbound": ""}, "outbound"),
        *(({**GOOD, "inbound": value}, "inbound: must be a licence expression as text") for value in (7, 0, True, [], {}, ["MIT"])),
        ({**GOOD, "outbound": "NOASSERTION"}, "outbound"), ({**GOOD, "usage": "x"}, "usage"), ({**GOOD, "usage": 7}, "usage"),
        ({**GOOD, "usage": []}, "usage"), ({**GOOD, "delivery": "x"}, "delivery"), ({**GOOD, "delivery": {}}, "delivery"),
        ([], "must be a JSON object"), (None, "must be a JSON object"), ("x", "must be a JSON object"),
    ],
)  # fmt: skip
def test_a_wrong_line_is_answered_with_the_key_that_is_wrong(line, error):
    found = answer(line, MATRIX)
    assert found.code == 2
    assert json.loads(found.text) == {"error": found.error}
    assert found.error.startswith(error)


@pytest.mark.parametrize(
    "inbound", ["", "NONE", "NOASSERTION", "MIT AND", "Nobody-1.0", "LicenseRef-x", None, "\ud800"]
)
def test_an_unreadable_inbound_licence_is_judged_as_unknown(inbound):
    found = answer({**GOOD, "inbound": inbound}, MATRIX)
    assert (json.loads(found.text)["verdict"], found.code) == ("unknown-license", 1)
    assert json.loads(answer({"outbound": "MIT"}, MATRIX).text)["verdict"] == "unknown-license"


def test_a_missing_and_a_null_usage_or_delivery_mean_the_default():
    plain = answer({**GOOD, "inbound": "LGPL-2.1-only"}, MATRIX)
    assert plain == answer({**GOOD, "inbound": "LGPL-2.1-only", "usage": None, "delivery": None}, MATRIX)
    assert plain == answer(
        {**GOOD, "inbound": "LGPL-2.1-only", "usage": Usage.UNKNOWN, "delivery": Delivery.BINARY}, MATRIX
    )


def test_broken_blank_and_overlong_lines_are_answered_in_order():
    good = json.dumps(GOOD).encode()
    content = b"\n".join(
        [good, b"{", b"", b"\xff", b"[" * 100_000, b" " * 3_000_000, good, b'{"outbound": "MIT", "inbound": "x y"}']
    )
    found, code = asked(content)
    assert [next(iter(reply)) for reply in found] == [
        "verdict",
        "error",
        "error",
        "error",
        "error",
        "error",
        "verdict",
        "verdict",
    ]
    assert code == 2


def test_a_key_that_stands_twice_is_an_error():
    (found,), code = asked(b'{"outbound": "MIT", "outbound": "GPL-3.0-only", "inbound": "GPL-3.0-only"}\n')
    assert (list(found), code) == (["error"], 2)


@pytest.mark.parametrize(
    ("inbounds", "code"), [(["MIT"], 0), (["MIT", "GPL-2.0-only"], 1), (["Nobody-1.0", "MIT"], 1), (["MPL-2.0"], 0)]
)
def test_the_worst_line_decides_the_exit_code(inbounds, code):
    lines = [json.dumps({**GOOD, "inbound": inbound, "usage": "dynamic-link"}).encode() for inbound in inbounds]
    assert asked(b"\n".join(lines) + b"\n")[1] == code


def test_an_empty_batch_is_an_error():
    with pytest.raises(CommandError, match="empty"):
        asked(b"")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda strategy: (
        st.lists(strategy) | st.dictionaries(st.sampled_from(["outbound", "inbound", "usage", "delivery"]), strategy)
    ),
)


@pytest.mark.slow
@given(JSON)
def test_any_json_value_is_answered_in_one_line(value):
    found = answer(value, MATRIX)
    assert json.loads(found.text)
    assert found.text.count("\n") == 1


def test_unknown_terms_fail_the_batch_and_known_restrictions_do_not():
    line = {"outbound": "Apache-2.0", "inbound": "LicenseRef-x", "usage": "model-weights"}
    unknown = answer(line, MATRIX)
    assert (json.loads(unknown.text)["verdict"], unknown.code) == ("review", 1)
    assert answer({**line, "inbound": "CC-BY-NC-4.0"}, MATRIX).code == 0
