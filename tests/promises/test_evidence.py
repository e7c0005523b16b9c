"""Each equivalence of `matching: evidence` is named, stands on a cause, and falls with it."""

import random
import unicodedata

import pytest

from tests.promises.pull import ADA, BO, account, commit, facts, sign_off, verdict

NOREPLY = "users.noreply.github.com"
NFC, NFD = "José", "Jose\u0301"
BOT_GIT = {"name": "helper[bot]", "email": f"99+helper[bot]@{NOREPLY}"}
AGENT_GIT = {"name": "Agent", "email": "noreply@agent.example"}
WEB_FLOW = {"name": "GitHub", "email": "noreply@github.com"}
AGENTS = {"people": {"agents": {"accounts": [{"id": 5}], "emails": ["noreply@agent.example"]}}}


def kinds(work, **given):
    """The equivalences named when the commit passes by its sign-off, None when it does not pass."""
    check = verdict(facts(work, require="dco", **given)).checks[0]
    if check.commits[0].status == "fail":
        assert not any(note.code in ("dco/signed", "dco/equivalent") for note in check.notes)
        return None
    named = [note.values["kinds"] for note in check.notes if note.code == "dco/equivalent"]
    assert check.commits[0].codes == (("dco/signed", "dco/equivalent") if named else ("dco/signed",))
    return named[0] if named else ()


def signed(name, email, line, **changes):
    """A commit by Ada's account with that git identity and a sign-off by that line."""
    who = {"name": name, "email": email}
    return {**commit(message=f"Add\n\nSigned-off-by: {line}\n", author=who, committer=who), **changes}


def mailmap(*lines):
    return {"mailmap": "".join(f"{line}\n" for line in lines)}


def proven(*addresses, owner=11):
    return {"emails": {str(owner): list(addresses)}}


@pytest.mark.parametrize(("kind", "name", "email", "line", "given"), [
    ("spaces", "Ada", "ada@home.org", " Ada <ada@home.org>", {}), ("spaces", "Ada", "ada@home.org", "Ada  <ada@home.org>", {}), ("spaces", "Ada ", "ada@home.org", "Ada <ada@home.org>", {}),
    ("spaces", "Ada", "ada@home.org", "\u00a0Ada\u3000 <ada@home.org>", {}),
    ("unicode", NFC, "j@home.org", f"{NFD} <j@home.org>", {}), ("unicode", NFD, "j@home.org", f"{NFC} <j@home.org>", {}), ("unicode", "Ada", f"{NFC}@home.org", f"Ada <{NFD}@home.org>", {}),
    ("unicode", "\u212b", "a@home.org", "\u00c5 <a@home.org>", {}),
    ("case", "Ada", "ada@home.org", "ADA <ada@home.org>", {}), ("case", "Ada", "ada@home.org", "Ada <Ada@HOME.org>", {}), ("case", "Straße", "s@home.org", "STRASSE <s@home.org>", {}),
    ("case", "ΑΣ", "a@home.org", "ας <a@home.org>", {}), ("case", "ſam", "s@home.org", "Sam <s@home.org>", {}),
    ("noreply", "Ada", "ada@home.org", f"Ada <11+ada@{NOREPLY}>", {}), ("noreply", "Ada", "ada@home.org", f"Ada <ada@{NOREPLY}>", {}), ("noreply", "Ada", f"ada@{NOREPLY}", f"Ada <11+ada@{NOREPLY}>", {}),
    ("noreply", "Ada", f"11+ada@{NOREPLY}", f"Ada <ada@{NOREPLY}>", {}), ("noreply", "Ada", "ada@home.org", f"Ada <11+former@{NOREPLY}>", {}),
    ("mailmap", "Ada", "ada@home.org", "Ada <old@x.org>", mailmap("<ada@home.org> <old@x.org>")), ("mailmap", "Ada", "ada@home.org", "A. L. <ada@home.org>", mailmap("Ada <ada@home.org>")),
    ("mailmap", "Ada", "ada@home.org", "A. L. <old@x.org>", mailmap("Ada <ada@home.org> <old@x.org>")), ("mailmap", "Ada", "ada@home.org", "A. L. <old@x.org>", mailmap("Ada <ada@home.org> A. L. <old@x.org>")),
    ("mailmap", "A. L.", "old@x.org", "Ada <ada@home.org>", mailmap("Ada <ada@home.org> <old@x.org>")), ("mailmap", "A. L.", "old@x.org", "Ada L <new@x.org>", mailmap("Ada <a@b> <old@x.org>", "Ada <a@b> <new@x.org>")),
    ("proven", "Ada", "ada@home.org", "Ada <new@x.org>", proven("new@x.org")), ("proven", "Ada", "ada@home.org", "Ada <NEW@X.org>", proven("new@x.org.")), ("proven", "Ada", f"11+ada@{NOREPLY}", "Ada <a@b\u00fccher.example>", proven("a@xn--bcher-kva.example")),
])  # fmt: skip
@pytest.mark.parametrize("role", ["author", "committer"])
def test_each_equivalence_alone_makes_a_pass_by_its_name(kind, name, email, line, given, role):
    other = "committer" if role == "author" else "author"
    work = signed(name, email, line, **{other: {"name": "Bo", "email": "bo@home.org"}, f"{other}_account": BO})
    assert kinds(work, **given) == (kind,)
    without = {
        "noreply": {**work, f"{role}_account": account(12, "bo")},
        "spaces": {**work, role: {"name": f"{name.strip()}.", "email": email}},
        "unicode": {**work, role: {"name": unicodedata.normalize("NFC", name) + "\u0323", "email": email}},
        "case": {**work, role: {"name": f"{name}x", "email": email}},
    }.get(kind, work)
    assert kinds(without) is None
    if kind in ("noreply", "proven"):
        for no_account in (None, {}):
            assert kinds({**work, f"{role}_account": no_account}, **given) is None


@pytest.mark.parametrize(("name", "email", "line", "given"), [
    ("Ada", "ada@home.org", "Ad a <ada@home.org>", {}), ("Ada", "ada@home.org", "Ada <ada@home.org >", {}), ("Ada", "ada@home.org", "Ada < ada@home.org>", {}), ("Ada L", "ada@home.org", "Ada  L <ada@home.org>", {}),
    ("Ada", "ada@home.org", "Аda <ada@home.org>", {}), ("Ada", "ada@home.org", "A\u200bda <ada@home.org>", {}), ("Ada", "ada@home.org", "\uff21da <ada@home.org>", {}), ("ﬁ", "a@home.org", "ﬂ <a@home.org>", {}),
    ("İlker", "i@home.org", "ılker <i@home.org>", {}), (NFC, "j@home.org", "Jose <j@home.org>", {}), ("Ada", "ada@home.org", "Ada <ada@home.org.>x", {}),
    ("Ada", "ada@home.org", f"Ada <12+ada@{NOREPLY}>", {}), ("Ada", "ada@home.org", f"Ada <bo@{NOREPLY}>", {}), ("Ada", "ada@home.org", f"Ada <011+ada@{NOREPLY}>", {}), ("Ada", "ada@home.org", f"Ada <+ada@{NOREPLY}>", {}),
    ("Ada", "ada@home.org", f"Ada <11-ada@{NOREPLY}>", {}), ("Ada", "ada@home.org", f"Ada <11+ada@{NOREPLY}.evil.org>", {}), ("Ada", "ada@home.org", f"Ada <11+ada@evil{NOREPLY}>", {}), ("Ada", "ada@home.org", "Ada <11+ada@noreply.github.com>", {}),
    ("Ada", "ada@home.org", f"Ada <11+аda@{NOREPLY}>", {}), ("Ada", "ada@home.org", f"Bo <11+ada@{NOREPLY}>", {}), ("Ada", "ada@home.org", f"Ada <11+ada[bot]@{NOREPLY}>", {}),
    ("Ada", "ada@home.org", "Ada <old@x.org>", mailmap("Bo <bo@home.org> <old@x.org>")), ("Ada", "ada@home.org", "A. L. <old@x.org>", mailmap("Ada <ada@home.org> Other <old@x.org>")),
    ("Ada", "ada@home.org", "Bo <old@x.org>", mailmap("<ada@home.org> <old@x.org>")), ("Ada", "ada@home.org", "Ada <old@x.org>", mailmap("Ada <ada@home.org>")), ("Ada", "ada@home.org", "Ada <old@x.org>", mailmap("# Ada <ada@home.org> <old@x.org>")),
    ("Ada", "ada@home.org", "Ada <old@x.org>", mailmap("<ada@home.org> <>", "<> <old@x.org>", "Ada ada@home.org <old@x.org>")), ("Ada", "ada@home.org", "Eve <eve@x.org>", mailmap("Ada <eve@x.org>")),
    ("Ada", "ada@home.org", "Ada <new@x.org>", proven("new@x.org", owner=12)), ("Ada", "ada@home.org", "Bo <new@x.org>", proven("new@x.org")), ("Ada", "ada@home.org", "Ada <new@x.org>", proven("x.org", "@x.org", "*@x.org", "new")),
    ("Ada", "ada@home.org", "Ada <sub@new.x.org>", proven("sub@x.org")), ("Ada", "ada@home.org", "Ada <>", proven("")), ("Ada", "ada@home.org", "Ada <a@b@x.org>", proven("a@b@x.org")), ("Ada", "ada@home.org", "Ada <a+b@x.org>", proven("a@x.org")),
])  # fmt: skip
def test_a_look_alike_is_not_taken_for_an_equivalence(name, email, line, given):
    assert kinds(signed(name, email, line), **given) is None


@pytest.mark.parametrize(("who", "by"), [(BOT_GIT, account(99, "helper[bot]", "Bot")), (AGENT_GIT, None), ({"name": "Agent", "email": "a@x.org"}, account(5, "agent")), (WEB_FLOW, None),
                                         (WEB_FLOW, account(19864447, "web-flow"))])  # fmt: skip
@pytest.mark.parametrize("how", ["as it is", "mailmap", "proven", "noreply", "case", "spaces"])
def test_no_equivalence_makes_a_machine_a_person(who, by, how):
    name, email = who["name"], who["email"]
    lines = {"as it is": f"{name} <{email}>", "mailmap": "Human <h@x.org>", "proven": f"{name} <h@x.org>", "case": f"{name.upper()} <{email.upper()}>", "spaces": f" {name} <{email}>",
             "noreply": f"{name} <{by['id'] if by else 5}+{by['login'] if by else 'agent'}@{NOREPLY}>"}  # fmt: skip
    work = signed(name, email, lines[how], author_account=by, committer_account=by)
    given = {**mailmap(f"{name} <{email}> Human <h@x.org>"), **proven("h@x.org", owner=by["id"] if by else 5)}
    assert kinds(work, rulebook=AGENTS, **given) is None
    if email == "a@x.org":
        return  # an agent by its account alone: the address by itself does not tell
    lent = signed("Ada", "ada@home.org", f"{name} <{email}>")
    assert kinds(lent, rulebook=AGENTS, **mailmap(f"Ada <ada@home.org> <{email}>"), **proven(email)) is None


def test_several_equivalences_at_once_are_all_named():
    given = {**mailmap("Ada <ada@home.org> <old@x.org>"), **proven("new@x.org")}
    assert kinds(signed(NFC, "ada@home.org", f" {NFD.upper()} <NEW@x.org>"), **given) == (
        "case",
        "proven",
        "spaces",
        "unicode",
    )
    assert kinds(
        signed(
            "ada",
            "ada@home.org",
            f"A. L. <old@x.org>\nSigned-off-by: ADA <11+ada@{NOREPLY}>\nSigned-off-by: ADA <ada@home.org>",
        ),
        **given,
    ) == ("case",)
    assert kinds(signed("Ada", "ada@home.org", "ADA <new@x.org>\nSigned-off-by: Ada <ada@home.org>"), **given) == ()


def text(value):
    """What Unicode and case leave of a text."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", value).casefold())


def same_by_text(line, who):
    """Whether the sign-off and the person differ by spaces around the name, Unicode and case alone."""
    name, _, email = line[: line.index(">")].rpartition(" <")
    return text(name.strip()) == text(who["name"].strip()) and text(email) == text(who["email"])


def drawn(seed):
    """A commit of Ada's account from names and addresses that are nearly alike, with mailmap and proofs of all sorts."""
    draw = random.Random(seed)
    names = ("Ada", "ADA", " Ada", "Ada ", "Аda", "José", NFD, "JOSE\u0301", "Bo")
    emails = (
        "ada@home.org",
        "ADA@home.org",
        "old@x.org",
        "new@x.org",
        "bo@home.org",
        f"11+ada@{NOREPLY}",
        f"ada@{NOREPLY}",
        f"12+bo@{NOREPLY}",
        "é@home.org",
        "e\u0301@home.org",
    )
    maps = ("Ada <ada@home.org> <old@x.org>", "Ada <ada@home.org>", "<ada@home.org> <new@x.org>", "José <old@x.org>", "Bo <bo@home.org> Ada <new@x.org>", f"Ada <ada@home.org> <12+bo@{NOREPLY}>")  # fmt: skip
    given = {
        "mailmap": "\n".join(draw.sample(maps, draw.choice((0, 0, 1, 2)))),
        "emails": {account_id: draw.sample(emails, draw.choice((0, 1, 2))) for account_id in ("11", "12")},
    }
    work = signed(draw.choice(names), draw.choice(emails), f"{draw.choice(names)} <{draw.choice(emails)}>", author_account=draw.choice((ADA, ADA, BO, None)))  # fmt: skip
    return {**work, "committer": None, "committer_account": None}, given


@pytest.mark.slow
def test_no_named_equivalence_passes_without_its_cause():
    bare = {"mailmap": "", "emails": {}}
    seen = set()
    for seed in range(1500):
        work, given = drawn(seed)
        found = kinds(work, **given)
        line = work["message"].split("Signed-off-by: ")[1].rstrip("\n")
        stranger = {**work, "author_account": None}
        assert (kinds(stranger, **bare) is not None) is same_by_text(line, work["author"]), seed
        if found is None:
            assert not same_by_text(line, work["author"]), seed
            continue
        seen.update(found)
        if "mailmap" in found:
            assert kinds(work, **{**given, "mailmap": ""}) is None, seed
        if "proven" in found:
            again = kinds(work, **{**given, "emails": {}})
            assert again is None or "mailmap" in again, seed  # the mailmap may say the same
        if "noreply" in found:
            again = kinds({**work, "author_account": account(77, "other")}, **given)
            assert again is None or "mailmap" in again, seed
        if not {"mailmap", "proven", "noreply"} & set(found):
            assert same_by_text(line, work["author"]), seed
        if found == ():
            exact = sign_off(work, rulebook={"dco": {"matching": "exact"}}, **given)
            assert exact in ([("dco/signed",)], [("dco/invalid-email",)]), seed  # addresses are narrower there
    assert seen == {"spaces", "unicode", "case", "noreply", "mailmap", "proven"}
