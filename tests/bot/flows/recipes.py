"""Brings every code about on the simulated GitHub: commits, signatures, rulebooks and outages."""

import json
from collections.abc import Callable
from datetime import timedelta
from hashlib import sha256

from agreements.catalog import AgreementText
from agreements.facts import Account, Entry
from agreements.store.companies import companies
from agreements.store.companies.companies import CompanyDraft
from agreements.store.people import emails, person_rows, signatures, texts, withdrawals
from agreements.store.people.emails import CODE_PROOF_LIFETIME, MAILED_CODE, ProvenAddress
from bot.demo.github.contributor import ContributorClone
from bot.demo.github.state import StoredEmail
from bot.store.pulls import rejudge
from tests.bot.flows.scene import Scene
from tests.logged import log_rows
from tests.within import within

SIGNED = "Fix it\n\nSigned-off-by: Mia <mia@home.example>"
CLAUDE = "Claude <noreply@anthropic.com>"
EVE = ("Eve", "eve@nowhere.example")
NO_LOG = ("GET", "/activity", 404)
"""GitHub does not say who pushed: a private fork, or an older GitHub Enterprise Server."""

RECIPES: dict[str, Callable] = {}
"""By the code, and after a colon the case of it; each gives the scene and the pull request, judged."""


def pushed_by_another(scene: Scene) -> tuple:
    """Mia's green pull request, and mal, who pushed a commit to it in mia's name; our server does not know it yet."""
    scene.sign(scene.mia)
    pull, _ = scene.pull()
    scene.settle()
    assert scene.conclusion(pull) == "success"
    mal = scene.world.user("mal", name="Mal", emails=["mal@home.example"])
    pull.head_repository.collaborators[mal.id] = "write"
    theirs = ContributorClone(scene.world, pull.head_repository, mal, scene.folder / "mal")
    theirs.git("switch", "--quiet", "topic")
    theirs.commit("Pretend", author=("Mia", "mia@home.example"))
    theirs.push()
    return pull, mal


def book(require: str, *more: str) -> str:
    """A rulebook in which every repository must have that."""
    above = ("version: 1", "organization: The CANN Authors", f'repositories: [{{match: ["*"], require: {require}}}]')
    return "\n".join([*above, *more, ""])


def recipe(name: str, require: str = "cla", *more: str, **options: object) -> Callable:
    """Keep the recipe under its name; it begins on a scene with that rulebook and gives a pull request."""

    def keep(deed: Callable) -> Callable:
        def bring_about(staged: Callable, monkeypatch: object) -> tuple[Scene, object]:
            scene = staged(**{"rulebook": book(require, *more), **options})
            scene.monkeypatch = monkeypatch
            pull = deed(scene)
            scene.settle()
            return scene, pull

        RECIPES[name] = bring_about
        return deed

    return keep


def rule(scene: Scene, text: str) -> None:
    """Another rulebook for the organisation, as when its ids are known."""
    scene.world.write(scene.rules, {".github/countersign.yml": text})


def opened(scene: Scene, *messages: str, **more: object) -> object:
    """A pull request with these commits."""
    return scene.pull(*messages, **more)[0]


def bot(scene: Scene):
    """An App's account that contributes."""
    return scene.world.user("robo[bot]", name="robo[bot]", type="Bot")


def company(scene: Scene, *entries: Entry, excluded: tuple[Entry, ...] = (), ended: bool = False) -> None:
    """Huawei signed last month, names these and takes those off."""
    at = scene.clock() - timedelta(days=30)
    signed = {"party": scene.party, "signed_at": at, "countersigned_at": at}
    signed["ended_at"] = at + timedelta(days=1) if ended else None
    draft = CompanyDraft(name="Huawei", agreement="ccla", version="2.0", **signed)
    with scene.sessions() as session:
        context = within(session, scene.services.vault, at)
        made = companies.add(context, draft)
        for entry in (*entries, *excluded):
            companies.add_entry(context, made, entry, excluded=entry in excluded)
        log_rows(session, scene.services.vault)


def prove(scene: Scene, who: object, address: str) -> None:
    """That person answers a code at the address, and what they take part in is judged again."""
    at, vault = scene.clock(), scene.services.vault
    proven = ProvenAddress(address=address, how=MAILED_CODE, at=at, until=at + CODE_PROOF_LIFETIME)
    with scene.sessions() as session:
        person = person_rows.ensure(within(session, vault, at), Account(who.id, who.login))
        emails.prove(within(session, vault, at), person, proven)
        log_rows(session, vault)
        rejudge.people(session, scene.jobs, [who.id])


def at_work(scene: Scene) -> object:
    """A pull request of Mia's, committed with her address at Huawei, which is confirmed at GitHub."""
    scene.mia.emails.append(StoredEmail("mia@huawei.com"))
    return opened(scene, author=("Mia", "mia@huawei.com"))


def third_version(scene: Scene) -> None:
    """Version 3.0 of the ICLA is released."""
    with scene.sessions() as session:
        source = "# Individual agreement 3.0\n"
        text = AgreementText("icla", "3.0", "en", source, sha256(source.encode()).hexdigest())
        texts.release(session, [text], by=90, at=scene.clock() - timedelta(hours=1))


def says(scene: Scene, pull: object, who: object, text: str) -> None:
    """A comment, and what follows from it."""
    scene.settle()
    scene.world.comment(pull, who, text)
    scene.settle()


def altered(scene: Scene, change: Callable, after: int = 0) -> None:
    """GitHub's answers to our queries are changed before they come to us, except the first `after` answers."""
    seen = []

    def answer(data: bytes) -> bytes:
        body = json.loads(data)
        seen.append(body)
        if len(seen) > after:
            change(body)
        return json.dumps(body).encode()

    scene.weather.altered.append(("POST", "/graphql", answer))


def unknown_push(scene):
    """A push to Mia's branch of which we are not told, and GitHub does not say who it was."""
    scene.sign(scene.mia)
    pull, clone = scene.pull()
    scene.settle()
    scene.weather.faults.append(NO_LOG)
    clone.commit("Unheard of")
    clone.push()
    scene.hear(drop=("pull_request",))
    scene.again(pull)
    return pull


# The CLA.
@recipe("cla/unsigned")
def _unsigned(scene):
    return opened(scene)


@recipe("cla/outdated", "cla", "agreements: {individual: {version: '2.0'}}")
def _outdated(scene):
    scene.sign(scene.mia)
    third_version(scene)
    rule(scene, book("cla", "agreements: {individual: {version: '3.0'}}"))
    return opened(scene)


@recipe("cla/withdrawn")
def _withdrawn(scene):
    scene.sign(scene.mia)
    with scene.sessions() as session:
        (own,) = signatures.mine(session, scene.mia.id)
        at = scene.clock() - timedelta(hours=1)
        withdrawals.withdraw(within(session, scene.services.vault, at, by=scene.mia.id), own.receipt)
        log_rows(session, scene.services.vault)
    return opened(scene)


@recipe("cla/other-party")
def _other_party(scene):
    scene.sign(scene.mia, party="Other Foundation")
    return opened(scene)


@recipe("cla/not-in-log")
def _not_in_log(scene):
    scene.sign(scene.mia, logged=False)
    return opened(scene)


@recipe("cla/company-ended")
def _company_ended(scene):
    company(scene, Entry(account_id=scene.mia.id), ended=True)
    return opened(scene)


@recipe("cla/excluded")
def _excluded(scene):
    company(scene, Entry(domain="huawei.com"), excluded=(Entry(account_id=scene.mia.id),))
    return at_work(scene)


@recipe("cla/unlinked-email")
def _unlinked(scene):
    scene.sign(scene.mia)
    return opened(scene, author=EVE)


@recipe("cla/unlinked-email:ghost")
def _ghost(scene):
    scene.sign(scene.mia)
    altered(scene, lambda body: body["data"]["repository"]["pullRequest"].update(author=None))
    return opened(scene)


@recipe("cla/bot-not-listed")
def _bot_not_listed(scene):
    return opened(scene, who=bot(scene))


@recipe("cla/bot-unproven")
def _bot_unproven(scene):
    scene.sign(scene.mia)
    robo = bot(scene)
    rule(scene, book("cla", f"people: {{exempt: [{{id: {robo.id}}}]}}"))
    return opened(scene, author=(robo.name, robo.noreply))


def agent(scene: Scene, require: str = "cla", *, policy: str = "ignore", section: str = "") -> object:
    """A pull request that the robot opens, which the rulebook lists as an AI agent."""
    robo = bot(scene)
    people = f"agents: {{policy: {policy}, accounts: [{{id: {robo.id}}}]}}"
    rule(scene, book(require, f"people: {{{people}}}", *([section] if section else [])))
    return opened(scene, who=robo)


@recipe("cla/agent-alone")
def _agent_alone(scene):
    return agent(scene)


@recipe("cla/agent-alone:voucher")
def _agent_alone_with_a_voucher(scene):
    pull = agent(scene)
    says(scene, pull, scene.ada, "/cla vouch I read every line")
    return pull


@recipe("cla/vouched")
def _vouched(scene):
    scene.sign(scene.ada)
    return _agent_alone_with_a_voucher(scene)


@recipe("cla/cannot-sign:organization")
def _an_organization(scene):
    return opened(scene, who=scene.world.user("acme", name="Acme", emails=["team@acme.example"], type="Organization"))


@recipe("cla/cannot-sign:mannequin")
def _a_mannequin(scene):
    mona = {"__typename": "Mannequin", "login": "mona", "databaseId": 9998}
    altered(scene, lambda body: body["data"]["repository"]["pullRequest"].update(author=mona))
    scene.sign(scene.mia)
    return opened(scene)


@recipe("cla/cannot-sign:gone")
def _an_account_that_is_gone(scene):
    scene.sign(scene.mia)
    return opened(scene, author=("Gone", f"9999+gone@{scene.mia.noreply.partition('@')[2]}"))


@recipe("cla/agent-blocked", "cla", "people: {agents: {policy: block}}")
def _agent_blocked(scene):
    scene.sign(scene.mia)
    return opened(scene, f"Fix it\n\nCo-authored-by: {CLAUDE}")


@recipe("cla/individual")
def _individual(scene):
    scene.sign(scene.mia)
    return opened(scene)


@recipe("cla/company-account")
def _company_account(scene):
    company(scene, Entry(account_id=scene.mia.id))
    return opened(scene)


@recipe("cla/company-email")
def _company_email(scene):
    company(scene, Entry(email="mia@home.example"))
    return opened(scene)


@recipe("cla/company-domain")
def _company_domain(scene):
    company(scene, Entry(domain="huawei.com"))
    return at_work(scene)


@recipe("cla/exempt")
def _exempt(scene):
    rule(scene, book("cla", f"people: {{exempt: [{{id: {scene.mia.id}}}]}}"))
    return opened(scene)


@recipe("cla/member", "cla", "people: {members: exempt}")
def _member(scene):
    scene.cann.members[scene.mia.id] = "member"
    return opened(scene)


@recipe("cla/agent-ignored")
def _agent_ignored(scene):
    scene.sign(scene.mia)
    return opened(scene, f"Fix it\n\nCo-authored-by: {CLAUDE}")


@recipe("cla/grace")
def _grace(scene):
    scene.sign(scene.mia)
    third_version(scene)
    accepted = "accept: {icla: [{versions: '3.0'}, {versions: '2.0', until: 2099-01-31}]}"
    rule(scene, book("cla", f"agreements: {{individual: {{version: '3.0'}}, {accepted}}}"))
    return opened(scene)


@recipe("cla/sender-writes")
def _sender_writes(scene):
    """Ada pushes a commit in Mia's name to her branch."""
    scene.sign(scene.mia)
    pull, _ = scene.pull()
    pull.head_repository.collaborators[scene.ada.id] = "write"
    theirs = ContributorClone(scene.world, pull.head_repository, scene.ada, scene.folder / scene.ada.login)
    theirs.git("switch", "--quiet", "topic")
    theirs.commit("Two", author=("Mia", "mia@home.example"))
    theirs.push()
    return pull


@recipe("cla/overridden", "cla", "people: {override: maintainers}")
def _overridden(scene):
    pull = opened(scene)
    says(scene, pull, scene.ada, "/cla exempt @mia Her employer signs next week")
    return pull


@recipe("cla/overridden:ghost", "cla", "people: {override: maintainers}")
def _overridden_ghost(scene):
    pull = unknown_push(scene)
    says(scene, pull, scene.ada, "/cla exempt @ghost It was mia, I saw it")
    return pull


# The sign-off.
def _signed_by(name: str, line: str, **more: object) -> None:
    recipe(name, "dco")(lambda scene: opened(scene, f"Fix it\n\n{line}", **more))


_signed_by("dco/missing", "No more to say.")
_signed_by("dco/missing:agent", "Written by itself.", author=("Claude", "noreply@anthropic.com"))
_signed_by("dco/malformed:no-space", "Signed-off-by:Mia <mia@home.example>")
_signed_by("dco/malformed:after-address", "Signed-off-by: Mia <mia@home.example> (work)")
_signed_by("dco/malformed", "Signed-off-by: Mia mia@home.example")
_signed_by("dco/name-differs", "Signed-off-by: Maria <mia@home.example>")
_signed_by("dco/email-differs", "Signed-off-by: Mia <mia@work.example>")
_signed_by("dco/mismatch", "Signed-off-by: Eve <eve@nowhere.example>")
_signed_by("dco/invisible", "Signed-off-by: Mi\u200ba <mia@home.example>")
_signed_by("dco/invisible:bytes", "Signed-off-by: Mi\ufffd <mia@home.example>", author=("Mi\ufffd", "mia@home.example"))
_signed_by("dco/invalid-email:author", "Signed-off-by: Mia <mia>", author="Mia <mia@>")
_signed_by("dco/agent-signoff", f"Signed-off-by: {CLAUDE}")
_signed_by("dco/signed", "Signed-off-by: Mia <mia@home.example>")
_signed_by("dco/equivalent", "Signed-off-by: mia <Mia@home.example>")
recipe("cla/small-change", "cla, small: {lines: 3, paths: ['*.md']}")(lambda scene: opened(scene, files={"a.md": "x"}))


@recipe("dco/invalid-email:committer", "dco")
def _invalid_committer(scene):
    pull, clone = scene.pull(SIGNED)
    clone.commit(SIGNED, author=("Mia", "mia@home.example"), committer=("Mia", "mia-at-home"))
    clone.push()
    return pull


@recipe("dco/member-unverified", "dco", "dco: {members: exempt}")
def _member_unverified(scene):
    scene.cann.members[scene.mia.id] = "member"
    return opened(scene)


@recipe("dco/member", "dco", "dco: {members: exempt}")
def _dco_member(scene):
    scene.cann.members[scene.mia.id] = "member"
    pull, clone = scene.pull()
    scene.world.verified_commits.add(clone.head)
    return pull


@recipe("dco/bot-unproven", "dco")
def _dco_bot_unproven(scene):
    robo = bot(scene)
    return opened(scene, author=(robo.name, robo.noreply))


@recipe("dco/bot", "dco")
def _dco_bot(scene):
    return opened(scene, who=bot(scene))


@recipe("dco/remediated:individual", "dco", "dco: {remediation: {individual: true}}")
def _remediated(scene):
    pull, clone = scene.pull("One")
    words = f"I, Mia <mia@home.example>, hereby add my Signed-off-by to this commit: {clone.head}"
    clone.commit(f"Sign off\n\n{words}", sign_off=True)
    clone.commit(f"Again\n\n{words}\n\nSigned-off-by: Mia <mia@home.example>")
    clone.push()
    return pull


@recipe("dco/remediated:third-party", "dco", "dco: {remediation: {individual: true, third_party: true}}")
def _remediated_by_another(scene):
    pull, clone = scene.pull("One", author=EVE)
    words = (
        "On behalf of Eve <eve@nowhere.example>, I, Mia <mia@home.example>, hereby add my Signed-off-by to this commit"
    )
    clone.commit(f"Sign off\n\n{words}: {clone.head}\n\nSigned-off-by: Mia <mia@home.example>")
    clone.push()
    return pull


@recipe("dco/merge", "dco")
def _merge(scene):
    pull, clone = scene.pull(SIGNED)
    clone.git("switch", "--quiet", "--create", "side", "origin/main")
    clone.commit(SIGNED, files={"side.txt": "x"})
    clone.git("switch", "--quiet", "topic")
    clone.git("-c", "user.name=Mia", "-c", "user.email=mia@home.example", "merge", "--quiet", "--no-edit", "side")
    clone.push()
    return pull


@recipe("dco/exempt", "dco")
def _dco_exempt(scene):
    rule(scene, book("dco", f"dco: {{exempt: [{{id: {scene.mia.id}}}]}}"))
    return opened(scene)


@recipe("dco/merged", "dco")
def _dco_merged(scene):
    rule(scene, book("dco", "dco: {merged: exempt}"))
    return scene.held(opened(scene))


@recipe("dco/revert", "dco")
def _dco_revert(scene):
    rule(scene, book("dco", "dco: {reverts: exempt}"))
    return scene.reverting()


@recipe("dco/agent-alone", "dco")
def _dco_agent_alone(scene):
    return agent(scene, "dco")


@recipe("dco/agent-blocked", "dco")
def _dco_agent_blocked(scene):
    return agent(scene, "dco", policy="block")


@recipe("dco/only-merges", "dco")
def _only_merges(scene):
    pull, clone = scene.pull(SIGNED)
    clone.git("switch", "--quiet", "--create", "side", "origin/main")
    clone.commit(SIGNED, files={"side.txt": "x"})
    clone.git("push", "--quiet", str(scene.ops.git), "side:refs/heads/main")
    clone.git("switch", "--quiet", "--force-create", "topic", "origin/main")
    clone.git(
        "-c", "user.name=Mia", "-c", "user.email=mia@home.example", "merge", "--quiet", "--no-ff", "--no-commit", "side"
    )
    (clone.folder / "more.txt").write_text("of the merge alone")
    clone.git("add", "more.txt")
    clone.git(
        "-c", "user.name=Mia", "-c", "user.email=mia@home.example", "commit", "--quiet", "--message", "Merge side"
    )
    clone.push(force=True)
    return pull


@recipe("dco/overridden", "dco")
def _dco_overridden(scene):
    pull = opened(scene)
    says(scene, pull, scene.ada, "/dco override Signed on paper")
    return pull
