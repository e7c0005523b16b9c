"""Lines that were meant as a sign-off are recognised, and prose is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreements.dco.near_miss import Malformed, malformed, meant_address
from agreements.dco.trailers import signoffs

ADA = "Ada <ada@x.org>"


@pytest.mark.parametrize(("line", "why"), [
    ("Signed-off-by:Ada <ada@x.org>", "no-space"), ("signed-off-by:\tAda <ada@x.org>", "no-space"),
    (f"Signed-off-by: {ADA}.", "after-address"), (f"Signed-off-by: {ADA} (Acme)", "after-address"), (f"Signed-off-by: {ADA}, Bo <bo@x.org>, Cy", "after-address"),
    ("Signed-off-by: Ada", "shape"), (f"Signed-off-by : {ADA}", "shape"), ("Signed-off-by:Ada <ada>", "shape"), ("Signed-off-by:Ada ada@x.org", "shape"),
    ("Signed-off-by: A<a@x> B<b@x>", "shape"), ("Signed-off-by: Ada <ada@x.org", "shape"), ("Signed-off-by: Ada<ada@x.org>", "shape"),
    ("Signed-off-by：Ada <ada@x.org>", "no-space"), ("Signed-off-by: ada@x.org", "shape"), ("Signed-off-by: Ada &lt;ada@x.org&gt;", "shape"),
    (f"  Signed-off-by: {ADA}", "prefix"), (f"- Signed-off-by: {ADA}", "prefix"), (f"* Signed-off-by: {ADA}", "prefix"), (f"> Signed-off-by: {ADA}", "prefix"),
    (f"# Signed-off-by: {ADA}", "prefix"), (f"// Signed-off-by: {ADA}", "prefix"), (f"`Signed-off-by: {ADA}`", "prefix"), (f"**Signed-off-by:** {ADA}", "prefix"),
    (f"1. Signed-off-by: {ADA}", "prefix"), (f"Fix it\\n\\nSigned-off-by: {ADA}", "prefix"), (f"\\nSigned-off-by: {ADA}", "prefix"),
    (f"Signed off by: {ADA}", "spelling"), (f"Signed_off_by: {ADA}", "spelling"), (f"SignedOffBy: {ADA}", "spelling"), (f"Signed‐off‐by: {ADA}", "spelling"),
    (f"Signed–off–by: {ADA}", "spelling"), (f"Signed—off—by: {ADA}", "spelling"), (f"Sign-off-by: {ADA}", "spelling"), (f"Signed-of-by: {ADA}", "spelling"),
    (f"Signoff-by: {ADA}", "spelling"), (f"Signed-by: {ADA}", "spelling"), (f"Signed-off: {ADA}", "spelling"), (f"Singed-off-by: {ADA}", "spelling"),
    (f"Signed-off-byy: {ADA}", "spelling"), (f"ONE-DCO-1.0-Signed-off-by: {ADA}", "spelling"),
    (f"Signed-off-by {ADA}", "no-colon"), (f"signed off by {ADA}", "no-colon"), (f"Signed-off-by-{ADA}", "no-colon"),
])  # fmt: skip
def test_each_malformed_line_is_told_why_it_is_no_sign_off(line, why):
    assert malformed(f"Fix\n\n{line}\n") == Malformed(line, why)


@pytest.mark.parametrize("message", [
    "Fix", f"Signed-off-by: {ADA}", f"Fix\n\nSigned-off-by: {ADA}\n", "Signed-off-by-lines are checked", "we need signed-off-by: lines", "This was signed off by the board.",
    "Signed off by legal on Monday", "Sign up: ada@x.org", "Design: Ada <ada@x.org>", "Assigned-to: Ada <ada@x.org>", "Signature: Ada <ada@x.org>",
    "The board signed off: see a@x.org", "Co-authored-by: Ada <ada@x.org>", "Acked-by: Ada <ada@x.org>", "signed-off-by", "", f'Revert "Signed-off-by: {ADA}"', f"Reviewed and signed-off-by: {ADA}",
])  # fmt: skip
def test_good_lines_other_trailers_and_prose_are_not_malformed(message):
    assert malformed(message) is None


@pytest.mark.parametrize(("message", "line"), [
    ("Fix\n\nSigned-off-by: Ada\n<ada@x.org>", "Signed-off-by: Ada <ada@x.org>"), ("Signed-off-by: Ada Lovelace \n <ada@x.org>\n", "Signed-off-by: Ada Lovelace <ada@x.org>"),
])  # fmt: skip
def test_a_line_that_is_split_is_shown_with_both_halves(message, line):
    assert malformed(message) == Malformed(line, "wrapped")


@pytest.mark.parametrize(("text", "meant"), [
    ("ada at x.org", "ada@x.org"), ("ada(at)x.org", "ada@x.org"), ("ada [at] x.org", "ada@x.org"), ("ada AT x.org", "ada@x.org"), ("<ada@x.org", "ada@x.org"),
    ("ada@x.org>", "ada@x.org"), ("mailto:ada@x.org", "ada@x.org"), ("ada＠x.org", "ada@x.org"), ("ada @ x.org", "ada@x.org"), ("ada@x.org", "ada@x.org"), ("", ""),
])  # fmt: skip
def test_an_address_written_another_way_is_understood_as_the_one_meant(text, meant):
    assert meant_address(text) == meant


@pytest.mark.parametrize(
    "email", ["ada at huawei.com", "<ada@huawei.com>", "mailto:ada@huawei.com", "ada(at)huawei.com"]
)
def test_a_sign_off_with_such_an_address_does_not_count_and_is_shown_masked(verdict, commit, email):
    (problem,) = verdict(commit(message=f"Add\n\nSigned-off-by: Ada <{email}>")).checks[0].problems
    assert (problem.code, problem.values["why"]) == ("dco/malformed", "address")
    assert problem.values["expected"] == ("Signed-off-by: Ada <a…a@huawei.com>",)
    assert "ada at" not in str(problem.values)
    assert "ada@" not in str(problem.values)


def test_no_address_is_shown_with_or_without_its_at_sign(verdict, commit):
    for line in ("Sign-off-by: Ada <ada@huawei.com>", "Sign-off-by: Ada <ada at huawei.com>"):
        (problem,) = verdict(commit(message=f"Add\n\n{line}")).checks[0].problems
        assert problem.code == "dco/malformed"
        assert "ada" not in str(problem.values).lower().replace("ada <", "").replace("a…a", "")


@pytest.mark.slow
@given(st.lists(st.sampled_from(["Signed-off-by: A <a@x>\n", "Signed-off-by", "sign off by", ": ", "：", "<a@x>", "ſigned", "\\n", "\n", " ", "*", "-", "İ", "ign", "@"]),
                max_size=14).map("".join))  # fmt: skip
def test_a_malformed_line_of_any_message_stands_in_it_and_is_no_good_one(message):
    found = malformed(message)
    if found is not None and found.why != "wrapped":
        assert found.line in message.split("\n")
        assert found.line.strip()
        assert not signoffs(found.line)
    assert malformed(f"Signed-off-by: {ADA}\n{message}") == found
