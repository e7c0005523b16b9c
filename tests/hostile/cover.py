"""Every way to be covered and every way to miss it by a hair; each is a small function that adds records.

A way answers with the codes that a verdict may give for it, and, where cover rests on an address that GitHub links to the
account, with that address: it counts only once it is seen in the pull request.
"""

from tests.hostile.world import BOTH, FUTURE, NOW, PAST, Mail

LATER = {"from": FUTURE[0]}
OVER = {"until": NOW}
UNSIGNED = frozenset({"cla/unsigned"})


def settle(world, who, *, covered):
    """Decide that the person is covered, or is not, and write the records that make it so."""
    random = world.random
    if world.sign_too:
        own, company = (True, True) if covered else random.choice(((True, False), (False, True), (False, False)))
    else:
        own, company = random.choice(((True, False), (False, True), (True, True))) if covered else (False, False)
    mine = random.choice(GOOD_OWN if own else BAD_OWN)(world, who)
    theirs, link = random.choice(GOOD_COMPANY if company else BAD_COMPANY)(world, who)
    kept = [codes for codes, good in ((mine, own), (theirs, company)) if good is covered]
    who.covered, who.codes = covered, frozenset().union(*kept) | (frozenset() if covered else UNSIGNED)
    who.link = link if covered and (world.sign_too or not own) else None


def _sign(world, who, version, **changes):
    account = {"id": who.id, "login": world.random.choice((who.login, "renamed", ""))}
    signature = {"agreement": world.texts[0], "version": version, "account": account, "withdrawn_at": None}
    if (party := world.party(counts=True)) is not None:
        signature["party"] = party
    world.signatures.append({**signature, "signed_at": world.random.choice((*PAST, NOW)), **changes})


def _version(world, text, *, good=True):
    """A version of that agreement, and the codes beside the usual note's."""
    fine, grace, bad = world.policies[text]
    if not good:
        return world.random.choice(bad), frozenset()
    found = world.random.choice((*fine, *grace))
    return found, frozenset({"cla/grace"} if found in grace else ())


def signed(world, who):
    """An accepted version, signed at or before now, withdrawn never or later than now."""
    version, grace = _version(world, world.texts[0])
    _sign(world, who, version, withdrawn_at=world.random.choice((None, None, *FUTURE)))
    return grace or frozenset({"cla/individual"})


def signed_again(world, who):
    """Withdrawn or outdated once, signed anew since."""
    withdrawn(world, who)
    outdated(world, who)
    found = signed(world, who)
    world.random.shuffle(world.signatures)
    return found


def nothing(world, who):
    """No record at all."""
    return UNSIGNED


def withdrawn(world, who):
    """Signed, and withdrawn before or at this moment."""
    _sign(world, who, _version(world, world.texts[0])[0], withdrawn_at=world.random.choice((*PAST, NOW)))
    return frozenset({"cla/withdrawn"})


def outdated(world, who):
    """A version that does not count, or no longer."""
    _sign(world, who, _version(world, world.texts[0], good=False)[0])
    return frozenset({"cla/outdated"})


def signed_later(world, who):
    """A signature of the future."""
    _sign(world, who, _version(world, world.texts[0])[0], signed_at=world.random.choice(FUTURE))
    return UNSIGNED


def other_party(world, who):
    """The right text, signed with another party."""
    _sign(world, who, _version(world, world.texts[0])[0], party=world.party(counts=False))
    return frozenset({"cla/other-party"})


def other_agreement(world, who):
    """Another text, or the right one in other letters."""
    other = (world.texts[1], world.texts[0].upper(), f"{world.texts[0]} ", "", "dco")
    _sign(world, who, _version(world, world.texts[0])[0], agreement=world.random.choice(other))
    return UNSIGNED


def same_login(world, who):
    """A signature by an account that had this login before: another id."""
    _sign(world, who, _version(world, world.texts[0])[0], account={"id": world.id(), "login": who.login})
    return UNSIGNED


def no_key(world, who):
    """A signature and entries that name no person at all."""
    _sign(world, who, _version(world, world.texts[0])[0], account=world.random.choice((None, {})))
    _company(world, new=True)["covers"] += [{}, {"account": None}, {"email": None, "domain": None}, {"domain": ""},
                                            {"email": ""}, {"account": {}}]  # fmt: skip
    return UNSIGNED


GOOD_OWN = (signed, signed, signed, signed_again)
BAD_OWN = (nothing, nothing, other_party, withdrawn, outdated, signed_later, other_agreement, same_login, no_key)


def _company(world, *, new=False, **changes):
    """A company in force with a domain of its own; a shared one unless it must be new."""
    random = world.random
    if world.shared and not new and not changes and random.random() < 0.6:
        return random.choice(world.shared)
    version, grace = _version(world, world.texts[1])
    mode = random.choice((None, "linked", "enrolled"))
    firm = {"name": f"Company {len(world.companies)}", "agreement": world.texts[1], "version": version, "domains": mode,
           "signed_at": random.choice((*PAST, NOW)), "ended_at": random.choice((None, None, *FUTURE)), "covers": [],
           "excludes": [], "at": world.place(), "grace": grace, "party": world.party(counts=True)}  # fmt: skip
    firm.update(changes)
    world.companies.append(firm)
    if not new and not changes:
        world.shared.append(firm)
    return firm


def _work(world, who, domain, *, prove=False):
    """The person's address at a domain, which GitHub links to the account; proven too when asked for."""
    mail = Mail(f"p.{who.id}@{domain}", who, BOTH)
    if prove:
        world.prove(who, mail)
    return mail


def _known(world, who, company, domain):
    """The address made to count under the company's mode, and the link on which that rests."""
    enrolled = "enrolled" in (world.least, company["domains"])
    mail = _work(world, who, domain, prove=enrolled or world.random.random() < 0.5)
    return mail, None if mail.unaided else mail


def _times(world):
    return world.random.choice(({}, {}, {"from": NOW}, {"from": PAST[0], "until": FUTURE[0]}, {"until": FUTURE[1]}))


def by_account(world, who, company=None):
    """A company names the account."""
    company = company or _company(world)
    named = who.id if world.random.random() < 0.5 else {"id": who.id, "login": "label"}
    company["covers"].append({"account": named, **_times(world)})
    return company["grace"] or frozenset({"cla/company-account"}), None


def by_email(world, who):
    """A company names the whole address, in any case."""
    company = _company(world)
    mail, link = _known(world, who, company, company["at"])
    company["covers"].append({"email": world.random.choice((mail.text, mail.text.title())), **_times(world)})
    return company["grace"] or frozenset({"cla/company-email", "cla/company-domain"}), link


def by_domain(world, who):
    """A company holds the domain of the address, or the one above it."""
    company = _company(world)
    below = world.random.choice(("", "", "rd.", "de.mail.", "WWW-2."))
    _, link = _known(world, who, company, below + company["at"])
    spelled = world.random.choice((company["at"], company["at"].upper(), f"{company['at']}."))
    company["covers"].append({"domain": spelled, "subdomains": bool(below), **_times(world)})
    return company["grace"] or frozenset({"cla/company-domain", "cla/company-email"}), link


def by_another(world, who):
    """One company took the person out or has ended, another covers them."""
    world.random.choice((company_ended, excluded, entry_over, company_outdated))(world, who)
    return by_account(world, who, _company(world, new=True))


def no_company(world, who):
    """No company at all."""
    return UNSIGNED, None


def _spoiled(world, who, codes, times=None, **changes):
    """A company that names the account and the domain, but for what the changes spoil."""
    company = _company(world, new=True, **changes)
    mail = _work(world, who, company["at"], prove=world.random.random() < 0.5)
    named = world.random.choice(({"account": who.id}, {"domain": company["at"]}, {"email": mail.text}))
    company["covers"].append({**named, **(times or {})})
    return frozenset(codes) | UNSIGNED, None


def company_ended(world, who):
    """The company's agreement is over."""
    return _spoiled(world, who, {"cla/company-ended"}, ended_at=world.random.choice((*PAST, NOW)))


def excluded(world, who):
    """The company covers the place, but takes out this person, by account or by address."""
    company = _company(world)
    mail = _work(world, who, company["at"], prove=True)
    company["covers"] += [{"account": who.id}, {"domain": company["at"]}]
    taken = world.random.choice(({"account": who.id}, {"email": mail.text.upper()}))
    company["excludes"].append({**taken, "from": world.random.choice((None, NOW, *PAST))})
    return frozenset({"cla/excluded"}), None


def entry_over(world, who):
    """The company's entry has ended."""
    return _spoiled(world, who, {"cla/company-ended"}, OVER)


def entry_later(world, who):
    """The company's entry has not begun."""
    return _spoiled(world, who, set(), LATER)


def company_later(world, who):
    """The company will sign."""
    return _spoiled(world, who, set(), signed_at=world.random.choice(FUTURE))


def company_outdated(world, who):
    """The company signed a version that does not count."""
    return _spoiled(world, who, {"cla/outdated"}, version=_version(world, world.texts[1], good=False)[0])


def company_of_another_party(world, who):
    """The company agreed with another party."""
    return _spoiled(world, who, {"cla/other-party"}, party=world.party(counts=False))


def company_other(world, who):
    """The company agreed to something else."""
    return _spoiled(world, who, set(), agreement=world.random.choice((world.texts[0], world.texts[1].upper(), "dco")))


LOOKALIKES = (
    "{d}.cn", "evil{d}", "{d}.evil.org", "www.{d}", "mail.www.{d}", "x-{d}", "{d}-labs.com", "{d}x", "{l}.hk",
    "{l}-com.com", "{l}.evil.org", "{c}",
)  # fmt: skip


def lookalike(world, domain):
    """A domain that an eye may take for the other domain, and that has another holder."""
    label, _, suffix = domain.partition(".")
    cyrillic = domain.translate(str.maketrans("aeoci", "аеосі"))
    found = world.random.choice(LOOKALIKES).format(d=domain, l=label, c=cyrillic)
    return found if found != domain and not found.endswith(f".{suffix}.{domain}") else f"{label}.{suffix}.evil.org"


def looks_alike(world, who):
    """An address at a domain that only resembles the company's; verified at GitHub, and proven."""
    company = _company(world)
    company["covers"].append({"domain": company["at"]})
    proven = _work(world, who, lookalike(world, company["at"]), prove=True)
    other = _work(world, who, lookalike(world, company["at"]))
    who.main = proven if other.text == proven.text else other
    return UNSIGNED, None


def next_address(world, who):
    """An address that only resembles the one that a company names."""
    company = _company(world)
    local = f"partner{who.id}"
    company["covers"].append({"email": f"{local}@home-{company['at']}"})
    near = (f"{local}+1@home-{company['at']}", f"x{local}@home-{company['at']}", f"{local}@rd.home-{company['at']}",
            f"{local}_@home-{company['at']}", f"{local}@home-{company['at']}.cn")  # fmt: skip
    who.main = Mail(world.random.choice(near), who, BOTH)
    return UNSIGNED, None


def no_subdomains(world, who):
    """Below a domain whose entry stands for itself alone."""
    company = _company(world, new=True)
    company["covers"].append({"domain": company["at"], "subdomains": False})
    who.main = _work(world, who, f"rd.{company['at']}", prove=True)
    return UNSIGNED, None


def not_enrolled(world, who):
    """The company or the rulebook asks for proof; GitHub's link alone is there, as leavers keep it."""
    modes = ("enrolled",) if world.least == "linked" else (None, "linked", "enrolled")
    company = _company(world, new=True, domains=world.random.choice(modes))
    who.main = _work(world, who, company["at"])
    company["covers"] += [{"domain": company["at"]}, {"email": who.main.text}]
    return UNSIGNED, None


def left_by_domain(world, who):
    """The company's domain entries stand, an exclusion of the whole domain beats them."""
    company = _company(world, new=True)
    who.main = _work(world, who, company["at"], prove=True)
    company["covers"].append({"domain": company["at"]})
    company["excludes"].append({"domain": company["at"], "from": None})
    return frozenset({"cla/excluded"}), None


def held_by_no_company(world, who):
    """A company was given what no company can hold: free mail, a public suffix, a code host, a noreply domain."""
    company = _company(world, new=True)
    place, domain = world.random.choice((
        ("gmail.com", "gmail.com"), ("qq.com", "vip.qq.com"), ("com.cn", "evil.com.cn"), ("co.uk", "evil.co.uk"), ("com", "evil.com"),
        ("github.io", "evil.github.io"), ("github.com", "users.github.com"), (world.noreply, world.noreply), (world.noreply.partition(".noreply.")[2], world.noreply),
        ("hey.com", "hey.com"), ("wo.cn", "wo.cn"), ("alumni.mit.edu", "alumni.mit.edu"), ("localhost", "localhost.org"),
    ))  # fmt: skip
    company["covers"] += [
        {"domain": place},
        {"domain": f"*.{domain}"},
        {"domain": f"@{domain}"},
        {"email": f"@{domain}"},
    ]
    who.main = _work(world, who, domain, prove=domain != world.noreply)
    return UNSIGNED, None


def below_the_server(world, who):
    """The GitHub server stands below the company's own domain, and so do the no-reply addresses of all its accounts."""
    company = _company(world, new=True)
    company["covers"] += [{"domain": world.host}, {"domain": world.host.partition(".")[2]}]
    who.main = _work(world, who, world.noreply)
    return UNSIGNED, None


def rented(world, who):
    """An address below the company's domain at a name for rent: by the public suffix list it is another holder's."""
    company = _company(world, new=True)
    place, below = world.random.choice((
        ("amazonaws.com", "ec2-1.compute-1.amazonaws.com"), ("amazonaws.com.cn", "x.cn-north-1.compute.amazonaws.com.cn"),
        ("clever-cloud.com", "evil.eu.services.clever-cloud.com"),
    ))  # fmt: skip
    company["covers"].append({"domain": place})
    who.main = _work(world, who, below, prove=True)
    return UNSIGNED, None


GOOD_COMPANY = (by_account, by_email, by_domain, by_domain, by_another)
BAD_COMPANY = (below_the_server, company_of_another_party,
    no_company, no_company, company_ended, excluded, entry_over, entry_later, company_later, company_outdated, company_other,
    looks_alike, looks_alike, next_address, no_subdomains, not_enrolled, left_by_domain, held_by_no_company, rented,
)  # fmt: skip
