"""The many ways to write a `Co-authored-by` trailer, each of which names a person."""

SPELLINGS = (
    "Co-authored-by: {n} <{m}>", "co-authored-by: {n} <{m}>", "CO-AUTHORED-BY: {n} <{m}>", "Co-Authored-By: {n} <{m}>",
    "Co-authored-by : {n} <{m}>", "Co-authored-by:{n} <{m}>", "Co-authored-by:\t{n} <{m}>", "  Co-authored-by: {n} <{m}>",
    "\tCo-authored-by:  {n}  <{m}>  ", "Co-authored-by: {n} <{m}>\r", "Co‑authored‑by: {n} <{m}>", "Coauthored-by: {n} <{m}>",
    "Co authored by: {n} <{m}>", "Co_authored_by: {n} <{m}>", "- Co-authored-by: {n} <{m}>", "> Co-authored-by: {n} <{m}>",
    "**Co-authored-by:** {n} <{m}>", "Co-authored-by: {n}\n <{m}>", "Co-authored-by:\n\t{n} <{m}>", "Co-authored-by:\r\n  {n}\r\n  <{m}>\r",
    "Co-authored-by: {m}", "Co-authored-by: <{m}>", "Co-authored-by: {n} <{m}", "Co-authored-by: {n} ({m})",
    "Co-authored-by: \u200b{n} <{m}>", "Co-authored\u200b-by: {n} <{m}>", "Co-authored-by： {n} <{m}>", "Fix\rCo-authored-by: {n} <{m}>",
    "                                                 Co-authored-by: {n} <{m}>", 'Co-authored-by: "{n}" <{m}>',
    "Co-authored-by: {n} <{m}> (they/them)", "Co-authored-by: {n}, <{m}>", "Co-authored-by: {n} < {m} >",
)  # fmt: skip


def trailers_of(random, name, address):
    """One trailer for that person."""
    return random.choice(SPELLINGS).format(n=name, m=address)
