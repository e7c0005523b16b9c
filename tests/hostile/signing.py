"""Sign-offs that count and sign-offs that only look like it; each is a small function that gives the lines of a message."""

import unicodedata


def line(name, email):
    return f"Signed-off-by: {name} <{email}>"


def certifiers(pull, author, committer):
    """Those of author and committer whose word can count: people, never agents, bots or web-flow."""
    world = pull.world
    found = []
    for who in (author, committer):
        if who is None:
            continue
        owner = who[1].whose(pull.shape)
        machine = owner is not None and (owner.bot or owner in (world.agent, world.web_flow))
        robotic = who[1].text.lower().endswith((f"[bot]@{world.noreply}", "[bot]@users.noreply.github.com"))
        if not machine and not robotic and not who[1].machine:
            found.append(who)
    return found


def plainly(pull, who):
    """As git writes it."""
    return line(who[0], who[1].text)


def shouting(pull, who):
    """The fixed words in any case."""
    return plainly(pull, who).replace(
        "Signed-off-by", pull.random.choice(("SIGNED-OFF-BY", "signed-off-by", "SiGnEd-OfF-bY"))
    )


def other_case(pull, who):
    """Name and address in other case."""
    return line(who[0].upper(), who[1].text.upper() if who[1].text.isascii() else who[1].text)


def decomposed(pull, who):
    """The same letters, spelled with combining marks."""
    return line(unicodedata.normalize("NFD", who[0]), who[1].text)


def trailing(pull, who):
    """White space after the line, as editors and mailers leave it."""
    return plainly(pull, who) + pull.random.choice(("\r", "  ", "\u00a0", "\t\r"))


def folded(pull, who):
    """Over two lines, as mailers and editors break long ones; git reads it so."""
    return line(who[0], who[1].text).replace(" <", pull.random.choice(("\n <", "\n\t<")), 1)


def by_noreply(pull, who):
    """The account's own noreply form, with the id or as it was before 2017."""
    owner = who[1].owner
    if owner is None or pull.shape not in who[1].linked:
        return plainly(pull, who)
    return line(
        who[0],
        pull.random.choice((f"{owner.id}+{owner.login}@{pull.world.noreply}", f"{owner.login}@{pull.world.noreply}")),
    )


def by_proven(pull, who):
    """Another address that the same person has proven."""
    owner = who[1].owner
    if owner is None or pull.shape not in who[1].linked or not owner.proven:
        return plainly(pull, who)
    return line(who[0], pull.random.choice(owner.proven).text)


def by_mailmap(pull, who):
    """Another identity that the base's mailmap gives to this one."""
    other = f"old.{pull.random.getrandbits(32)}@past.org"
    pull.world.mailmap.append(f"{who[0]} <{who[1].text}> Former Name <{other}>")
    return line("Former Name", other)


COUNT = (
    plainly,
    plainly,
    plainly,
    plainly,
    shouting,
    other_case,
    decomposed,
    trailing,
    folded,
    by_noreply,
    by_proven,
    by_mailmap,
)


def nothing(pull, who, strangers):
    """No sign-off."""
    return "Reviewed-by: everybody"


def by_another(pull, who, strangers):
    """Another person's word, however well covered they are."""
    return line(strangers[0].name, strangers[0].main.text)


def mixed(pull, who, strangers):
    """The right name with another's address, or the other way round."""
    other = strangers[0]
    return pull.random.choice((line(who[0], other.main.text), line(other.name, who[1].text)))


def malformed(pull, who, strangers):
    """Nearly a sign-off: indented, quoted, glued, followed by more, or with other brackets."""
    name, mail = who[0], who[1].text
    return pull.random.choice((
        f"  {line(name, mail)}", f"> {line(name, mail)}", f"Signed-off-by:{name} <{mail}>", f"{line(name, mail)} (Acme)",
        f"Signed-off-by: {name} ({mail})", f"Signed-off-by: {name} {mail}", f"Signed-off-by {name} <{mail}>",
        f"Signed-off-by： {name} <{mail}>", f"Signed‑off‑by: {name} <{mail}>", f"Fix\r{line(name, mail)}",
        f"Signed-off-by: {name}\n<{mail}>", f"Not-Signed-off-by: {name} <{mail}>", f"Signed-off-by: {name}<{mail}>",
        f"Signed-off-by: {name} <{mail}>.", f"Signed-off-by: \u200b{name} <{mail}>", f"Fix\u2028{line(name, mail)}",
    ))  # fmt: skip


def invisible(pull, who, strangers):
    """A letter that no eye can see, or one from another alphabet."""
    name, mail = who[0], who[1].text
    return pull.random.choice((
        line(f"{name[:1]}\u200b{name[1:]}", mail), line(name, f"{mail[:1]}\u200d{mail[1:]}"), line(f"{name}\u202e", mail),
        line(name, mail.replace("o", "о", 1) if "o" in mail else f"{mail}x"), line(name, f"{mail}\u2060"),
    ))  # fmt: skip


def near_noreply(pull, who, strangers):
    """A noreply form with another account's id, or another's login."""
    other, noreply = strangers[0], pull.world.noreply
    return line(who[0], pull.random.choice((
        f"{other.id}+{who[1].text.partition('@')[0]}@{noreply}", f"{other.id}+{other.login}@{noreply}", f"0+x@{noreply}",
    )))  # fmt: skip


def near_address(pull, who, strangers):
    """An address that only resembles the right one."""
    mail = who[1].text
    return line(who[0], pull.random.choice((f"{mail}.cn", f"x{mail}", f"{mail} ", f" {mail}", f"{mail}@evil.org", "")))


def by_machine(pull, who, strangers):
    """Web-flow, an agent or a bot: they certify nothing."""
    world = pull.world
    return pull.random.choice((
        line("GitHub", f"noreply@{pull.world.host}"), line("GitHub", "noreply@github.com"), line(who[0], "NoReply@GitHub.com"), line("Claude", "noreply@anthropic.com"),
        line(world.agent.name, world.agent.main.text), line("dependabot[bot]", world.listed_bot.main.text),
    ))  # fmt: skip


def proven_by_another(pull, who, strangers):
    """The right name with an address that another person has proven, or that the mailmap gives to another person."""
    other = strangers[0]
    if other.proven:
        return line(who[0], other.proven[0].text)
    shared = f"shared.{pull.random.getrandbits(32)}@past.org"
    pull.world.mailmap.append(f"{other.name} <{other.main.text}> <{shared}>")
    return line(who[0], shared)


FAIL = (
    nothing, nothing, by_another, by_another, mixed, malformed, malformed, invisible, near_noreply, near_address, by_machine,
    proven_by_another,
)  # fmt: skip


def message(pull, author, committer, *, signed):
    """A commit message whose sign-offs certify it, or do not; (text, whether they do)."""
    strangers = pull.strangers(author, committer)
    able = certifiers(pull, author, committer)
    persons = [person for person in (author, committer) if person is not None]
    subject = f"Change {pull.random.randrange(1000)}"
    if signed and able:
        lines = [pull.random.choice(COUNT)(pull, pull.random.choice(able))]
        if pull.random.random() < 0.2:
            lines.insert(pull.random.randrange(2), by_another(pull, able[0], strangers))
    elif persons and pull.random.random() < 0.9:
        who = pull.random.choice(persons)
        lines = [pull.random.choice(FAIL)(pull, who, strangers)]
        if who not in able and pull.random.random() < 0.5:
            lines = [plainly(pull, who)]
    else:
        lines = []
    return "\n".join([subject, "", *lines, ""]), bool(signed and able)
