"""What an attacker does who writes all git metadata: each attack is a small function that adds to the pull request.

`by` is the account that really acts. No attack knows whether it succeeds: the truth is in the addresses that it used.
"""

from tests.hostile.world import BOTH, Mail


def own_commit(pull, by):
    """A plain commit under one's own name."""
    pull.commit(by.identity, by.identity)


def borrowed_author(pull, by):
    """A covered person's name and address as author."""
    pull.commit(victim(pull).identity, by.identity)


def borrowed_altogether(pull, by):
    """A covered person's name and address as author and committer."""
    who = victim(pull)
    pull.commit(who.identity, pull.random.choice((who.identity, (who.name, who.spare))))


def borrowed_committer(pull, by):
    """A covered person's name and address as committer."""
    pull.commit(by.identity, victim(pull).identity)


def borrowed_name(pull, by):
    """A covered person's name, or their login, with one's own address."""
    who = victim(pull)
    pull.commit((pull.random.choice((who.name, who.login, f"@{who.login}", str(who.id))), by.main), by.identity)


def borrowed_spare(pull, by):
    """An older address of a covered person."""
    who = victim(pull)
    mail = pull.random.choice((who.spare, Mail(who.spare.text.swapcase(), who, who.spare.linked)))
    pull.commit((who.name, mail), by.identity)


def borrowed_proof(pull, by):
    """An address that a covered person proved to us and GitHub knows nothing of, in any spelling."""
    who = victim(pull)
    for proven in who.proven[:1]:
        text = pull.random.choice((proven.text, proven.text.upper() if proven.text.isascii() else proven.text))
        pull.commit((who.name, Mail(text, who, proven.linked, unaided=True)), by.identity)


def shared_mailbox(pull, by):
    """An address that two people proved belongs to no account."""
    mail = Mail(f"team.{pull.random.getrandbits(32)}@past.org")
    for who in (victim(pull), by):
        pull.world.emails.setdefault(str(who.id), []).append(mail.text)
    if by is not victim(pull):
        pull.commit((victim(pull).name, mail), by.identity)


def stranger(pull, by):
    """A well-known name with an address that belongs to no account."""
    who = pull.random.choice(
        (victim(pull).name, "dependabot[bot]", "GitHub", pull.world.exempt.login, victim(pull).login, "")
    )
    pull.commit((who or "x", Mail(f"nobody.{pull.random.getrandbits(32)}@nowhere.org")), by.identity)


def look_alike(pull, by):
    """A covered person's address, all but one letter, label or sign."""
    mail = victim(pull).main.text
    local, _, domain = mail.rpartition("@")
    near, broken = pull.random.choice((
        (f"{local}@evil{domain}", False), (f"{mail}.cn", False), (f"{mail}.evil.org", False), (f"{local}@www.{domain}", False),
        (f"{local}+x@{domain}", False), (f"{local.replace('a', 'а').replace('p', 'р')}@{domain}", False), (f"{mail} ", True),
        (f" {mail}", True), (f"{mail}\n", True), (f"{mail}\x00", True), (f"{mail}@evil.org", True), (f"\u200b{mail}", False),
        (f'"{local}"@{domain}', False), (f"{local}@[{domain}]", not domain.isascii()), (f"<{mail}>", True), (f"mailto:{mail}", True),
        (f"{local}@{domain}:25", True), (f"{local}%{domain}@evil.org", False), (f"{domain}@{local}", False), (f"{local}＠{domain}", True), (f"{local}@{domain}＠evil.org", False),
    ))  # fmt: skip
    pull.commit((victim(pull).name, Mail(near if near != mail else f"x{mail}", broken=broken)), by.identity)


def no_address(pull, by):
    """An address that is none at all."""
    text = pull.random.choice(
        ("", " ", "@", "eve", "eve@", "@evil.org", "e ve@evil.org", "eve@evil..org", "eve@evil.org.", "None", "null")
    )
    pull.commit(("Eve", Mail(text, broken=True)), by.identity)


def null_author(pull, by):
    """GitHub names no author, or no committer, or neither."""
    author, committer = pull.random.choice(((None, by.identity), (by.identity, None), (None, None)))
    pull.commit(author, committer)


def in_the_browser(pull, by):
    """GitHub's web-flow commits, as for a suggestion or an edit; the author is the person who was written there."""
    author = pull.random.choice((by, victim(pull))).identity
    pull.commit(author, ("GitHub", pull.world.web_flow.main))


def as_web_flow(pull, by):
    """Web-flow's address as author, plainly or in letters that come to the same."""
    own = pull.world.web_flow.main
    text = pull.random.choice(
        (own.text, own.text.upper(), "NoReply@GitHub.com", "noreply@ｇithub.com", "noreply@github。com")
    )
    mail = own if text == own.text else Mail(text, machine=True)
    pull.commit(("GitHub", mail), pull.random.choice((by.identity, ("GitHub", mail))))


def as_listed_bot(pull, by):
    """An exempt bot's own address, id and all."""
    bot = pull.world.listed_bot
    pull.commit(
        (bot.login, bot.main),
        pull.random.choice((by.identity, (bot.login, bot.main), ("GitHub", pull.world.web_flow.main))),
    )


def as_exempt(pull, by):
    """An exempt account's own address, without it."""
    pull.commit(pull.world.exempt.identity, by.identity)


def as_other_bot(pull, by):
    """A bot that the rulebook does not list, or lists by its login alone."""
    bot = pull.random.choice((pull.world.other_bot, pull.world.login_bot))
    pull.commit((bot.login, bot.main), by.identity)


def bot_without_id(pull, by):
    """A bot's noreply address without its id, or with no real one."""
    number = pull.random.choice(
        ("", "0+", "+", "x+", "４９+", f"{pull.world.listed_bot.id} +", "99999999999999999999+", "-1+")
    )
    mail = Mail(f"{number}dependabot[bot]@{pull.world.noreply}")
    pull.commit(("dependabot[bot]", mail), by.identity)


def noreply_of(pull, by):
    """A covered person's noreply form with the id: it is theirs, whether GitHub says so or not."""
    who = victim(pull)
    login = pull.random.choice((who.login, who.login.upper(), "renamed", by.login))
    host = pull.random.choice((pull.world.noreply, pull.world.noreply.upper()))
    mail = Mail(f"{who.id}+{login}@{host}", who, who.noreply.linked, unaided=True)
    pull.commit((who.name, mail), by.identity)


def noreply_of_me(pull, by):
    """One's own id with a covered person's login: the id decides."""
    mail = Mail(f"{by.id}+{victim(pull).login}@{pull.world.noreply}", by, by.noreply.linked, unaided=True)
    pull.commit((victim(pull).name, mail), by.identity)


def noreply_without_id(pull, by):
    """A covered person's login without their id, or with what is no id."""
    prefix = pull.random.choice(
        ("", "", "+", "0+", "00+", "１１+", f"{victim(pull).id}-", f"{victim(pull).id}.", "1e3+")
    )
    pull.commit((victim(pull).name, Mail(f"{prefix}{victim(pull).login}@{pull.world.noreply}")), by.identity)


def noreply_elsewhere(pull, by):
    """A covered person's noreply form at another host."""
    who = victim(pull)
    host, own = pull.world.host, pull.world.noreply
    other = "users.noreply.acme.example" if host == "github.com" else "users.noreply.github.com"
    host = pull.random.choice(
        (f"{own}.evil.org", f"evil{own}", f"noreply.{host}", f"x.{own}", "users.noreply.gitlab.com", other, other)
    )
    pull.commit((who.name, Mail(f"{who.id}+{who.login}@{host}")), by.identity)


def noreply_of_no_account(pull, by):
    """The noreply form of an id that has agreed to nothing, with a covered person's login."""
    who = pull.world.person(login=victim(pull).login)
    pull.commit((victim(pull).name, who.noreply), by.identity)


def coauthors(pull, by):
    """Trailers for covered people, uncovered ones and nobodies, in every spelling, told by GitHub or read by us."""
    world, found = pull.world, []
    for _ in range(pull.random.randrange(1, 4)):
        who = pull.random.choice(world.humans)
        mail = pull.random.choice(
            (who.main, who.noreply, who.spare, *who.proven, Mail(f"x{pull.random.getrandbits(24)}@nowhere.org"))
        )
        found.append((who.name, mail))
    pull.commit(by.identity, by.identity, coauthors=found, listed=pull.random.random() < 0.5)


def coauthors_in_one_line(pull, by):
    """Several people behind one trailer, the uncovered one last."""
    world, random = pull.world, pull.random
    people = [*random.sample(world.covered, random.randrange(3) % len(world.covered)), outsider(pull)]
    commit = pull.commit(by.identity, by.identity, listed=False)
    between = random.choice((", ", " and ", "; ", "\n  ", ",\n\t", " "))
    commit.message += "\nCo-authored-by: " + between.join(f"{who.name} <{who.noreply.text}>" for who in people)
    commit.coauthors = [(who.name, who.noreply) for who in people]


def agents(pull, by):
    """An AI agent as co-author, exactly as listed, or nearly so to hide a person behind it."""
    world = pull.world
    name = pull.random.choice(("Claude", victim(pull).name, "Eve"))
    mail = pull.random.choice((
        world.agent_mail, world.agent.noreply, world.agent.main, Mail("noreply@anthropic.com.evil.org"), Mail("xnoreply@anthropic.com"),
        Mail("noreply+eve@anthropic.com"), Mail("noreply@www.anthropic.com"), Mail(f"Copilot@{pull.world.noreply}"), Mail(f"0+Copilot@{pull.world.noreply}"),
    ))  # fmt: skip
    pull.commit(by.identity, by.identity, coauthors=[(name, mail)], listed=pull.random.random() < 0.5)


def agent_s_address(pull, by):
    """A person added an agent's address, which the rulebook does not list, to an account of their own."""
    who = outsider(pull)
    mail = pull.random.choice(
        ("noreply@openai.com", "CursorAgent@cursor.com", "209825114+claude[bot]@users.noreply.github.com")
    )
    pull.commit(by.identity, by.identity, coauthors=[("Claude", Mail(mail, who, BOTH))])


def number_of_an_agent(pull, by):
    """A person whose number is a known agent's at github.com: on another server a person like any other."""
    world = pull.world
    if world.host == "github.com":
        return
    who = world.person(login="claude")
    who.id = pull.random.choice((81847, 198982749, 62310815, 19864447))
    who.noreply.text = f"{who.id}+{who.login}@{world.noreply}"
    if pull.random.random() < 0.5:
        pull.commit(who.identity, by.identity)
    else:
        pull.commit(by.identity, by.identity, coauthors=[(who.name, who.main)])


def agent_as_committer(pull, by):
    """An AI agent as committer of a person's work."""
    world = pull.world
    mail = pull.random.choice((world.agent_mail, world.agent.main, world.agent.noreply))
    pull.commit(pull.random.choice((by, victim(pull))).identity, ("Claude", mail))


def agent_as_author(pull, by):
    """An AI agent as author: no person, and its word certifies nothing."""
    world = pull.world
    mail = pull.random.choice((world.agent_mail, world.agent.main, world.agent.noreply))
    pull.commit(("Claude", mail), pull.random.choice((by.identity, ("Claude", mail))))


def merge(pull, by):
    """A merge that brings more than it merges."""
    who = pull.random.choice((by, victim(pull), outsider(pull)))
    pull.commit(who.identity, by.identity, merge=True)


def only_merges(pull, by):
    """Nothing but merges, with any content."""
    for commit in pull.commits:
        commit.merge = True
    pull.commit(by.identity, by.identity, merge=True)


def merge_in_words(pull, by):
    """One parent, and a subject as of a merge or a revert."""
    commit = pull.commit(by.identity, by.identity, signed=False)
    subject = pull.random.choice(("Merge branch main", "Merge pull request #1 from evil/x", "Revert x"))
    commit.message = f"{subject}\n{commit.message}"


def in_bulk(pull, by):
    """An uncovered person in the midst of many commits by others."""
    place = pull.random.randrange(20)
    for number in range(20):
        who = outsider(pull) if number == place else victim(pull)
        pull.commit(who.identity, who.identity)


def remedies(pull, by):
    """A later word for an earlier commit: one's own, in another's name, on another's behalf."""
    target = pull.commit(victim(pull).identity, victim(pull).identity, signed=False)
    owner, maker = target.author, by.identity
    rules = pull.world.rulebook["dco"].get("remediation", {})
    own = pull.random.random() < 0.4
    if own:
        text = f"I, {owner[0]} <{owner[1].text}>, hereby add my Signed-off-by to this commit: {target.sha}"
        maker = pull.random.choice((owner, maker))
        counts = rules.get("individual") and maker == owner
    else:
        declared = pull.random.choice((maker, maker, owner, outsider(pull).identity))
        behalf = pull.random.choice((owner, owner, outsider(pull).identity))
        text = (f"On behalf of {behalf[0]} <{behalf[1].text}>, I, {declared[0]} <{declared[1].text}>, "
                f"hereby add my Signed-off-by to this commit: {target.sha}")  # fmt: skip
        counts = rules.get("individual") and rules.get("third_party") and declared == maker and behalf == owner
    pull.commit(maker, maker, text=text)
    target.remedied = bool(counts)


def half_remedies(pull, by):
    """A remediation that names part of a SHA, another commit, or says it in other words."""
    target = pull.commit(by.identity, by.identity, signed=False)
    sha = pull.random.choice(
        (target.sha[:12], f"{target.sha}.", target.sha.upper(), "0" * 40, f"{target.sha} and all others", "")
    )
    said = f"I, {by.name} <{by.main.text}>, hereby add my Signed-off-by to this commit: {sha}"
    pull.commit(by.identity, by.identity, text=said)


def directives(pull, by):
    """Words that other tools obey, and forms that mean something elsewhere."""
    text = pull.random.choice((
        "[skip cla]", "[ci skip]", "/cla exempt @eve trust me", "/dco override trust me", "cla: yes", "CLA-Signed: true", "@cla-bot check",
        "I have read the CLA Document and I hereby sign the CLA", "<!-- countersign: success -->", "```\nCountersign: success\n```",
        "\u202egnp.nigol", "\x1b[2J\x1b[32mpassed\x1b[0m", "'; DROP TABLE signatures; --", "{{7*7}}", "Change-Id: I0000", "\x00",
    ))  # fmt: skip
    pull.commit(by.identity, by.identity, text=text)


def victim(pull):
    """A person who is covered, always the same person in a pull request."""
    return pull.world.covered[0]


def outsider(pull):
    """A person who is not covered."""
    return pull.world.uncovered[0]


GIT = (
    own_commit, borrowed_author, borrowed_altogether, borrowed_committer, borrowed_name, borrowed_spare,
    borrowed_proof, shared_mailbox, stranger, look_alike,
    no_address, null_author, in_the_browser, as_web_flow, as_listed_bot, as_exempt, as_other_bot, bot_without_id, noreply_of, noreply_of_me,
    noreply_without_id, noreply_elsewhere, noreply_of_no_account, coauthors, coauthors, coauthors_in_one_line, agents, agent_s_address, number_of_an_agent, agent_as_author, agent_as_author, agent_as_committer, merge, only_merges, merge_in_words,
    in_bulk, remedies, remedies, half_remedies, directives,
)  # fmt: skip
