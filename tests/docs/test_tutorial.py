"""The tutorial is true: a real browser walks its steps against the demo, read from the page's own text."""

import re

import pytest
from playwright.sync_api import expect

from tests.bot.demo.test_play import _playing, until  # noqa: F401 - the fixture `playing`
from tests.test_docs import ROOT

PAGE = (ROOT / "docs/tutorial/first-pull-request.md").read_text(encoding="utf-8")
PLACES = {
    "the portal": "Countersign",
    "a simulated GitHub": "Simulated GitHub",
    "a red pull request": "A red pull request",
}
"""What the page says that the demo prints, and the words before its address there."""


SECTIONS = ("See why it is red", "Sign", "Play the other roles")
"""The sections that have steps."""

PEOPLE = re.findall(r"`(\w+)` (?:administers|audits|works)", PAGE)
"""Whom the page says one can sign in as."""


def sentences(title):
    """The sentences of a section's steps, in order; in a section without steps none."""
    section = PAGE.partition(f". {title}\n")[2].partition("\n## ")[0]
    steps = re.findall(r"^\d\. (.+)$", section, re.MULTILINE)
    return [part for step in steps for part in re.split(r"(?<=\.) ", step)]


def names(text):
    """The links, buttons and paths that the text names, in its order."""
    return [link or path for link, path in re.findall(r"\*([^*]+)\*|`(/[\w/]+)`", text)]


class Reader:
    """A person who does what a sentence says; one of which no way is known fails, so that page and test never part."""

    def __init__(self, page, printed):
        self.page, self.printed = page, printed
        self.red, self.portal = self.address("A red pull request"), self.address("Countersign")

    def address(self, name):
        """The address that the demo printed beside that name."""
        return re.search(rf"^  {name} +(http\S+)", self.printed, re.MULTILINE)[1]

    def does(self, sentence):
        """Do it, or see it."""
        for words, deed in WAYS.items():
            if found := re.fullmatch(words, sentence):
                return deed(self, *found.groups())
        raise AssertionError(f"the test knows no way to do this: {sentence}")

    def opens(self, address):
        """Open an address, of the portal if it is a path."""
        self.page.goto(address if address.startswith("http") else self.portal + address)

    def follows(self, *words):
        """Follow the links with these words."""
        for word in words:
            self.page.get_by_role("link", name=word, exact=True).first.click()

    def sees(self, *words):
        """These words stand on the page."""
        for word in words:
            expect(self.page.locator("main")).to_contain_text(word, timeout=30_000)

    def signs_in(self, login):
        """Sign in where the page asks for it."""
        if self.page.locator("a[href^='/login']").count():
            self.page.locator("a[href^='/login']").first.click()
        self.page.get_by_role("button", name=re.compile(rf"\b{login}\b")).first.click()
        self.page.wait_for_url(f"{self.portal}/**")

    def becomes(self, login):
        """Sign out at both places, by the button that is at the top of both, and sign in as that person."""
        for place in (self.portal, self.address("Simulated GitHub")):
            self.page.goto(place)
            self.page.get_by_role("button", name=re.search(r"\*(Sign out)\* is at the top", PAGE)[1]).first.click()
        self.opens("/me")
        self.signs_in(login)

    def signs(self):
        """Sign the agreement, and stand before the receipt."""
        self.page.locator("input[type=text]").first.fill("Ada Chen")
        self.page.get_by_role("checkbox").first.check()
        self.page.locator("form button[type=submit]").last.click()
        self.sees("receipt")

    def shows(self, conclusion):
        """The pull request's check turns to that conclusion; a person reloads the page until it does."""

        def turned():
            self.opens(self.red)
            return self.page.locator(f"[title='Countersign: {conclusion}']").count()

        until(turned, within=60)

    def withdraws(self, login, path):
        """Withdraw the signature of that person at that page."""
        self.becomes(login)
        self.opens(path)
        self.follows("Withdraw")
        self.page.get_by_role("checkbox").first.check()
        self.page.locator("main form button[type=submit]").last.click()

    def administers(self, login, path, link):
        """Follow a link at the administrators' page, as that person."""
        self.becomes(login)
        self.opens(path)
        self.follows(link)


WAYS = {
    r"Open the red pull request\.": lambda self: self.opens(self.red),
    r"Its check says that `(\w+)` has not signed\.": lambda self, login: self.sees(login, "not signed"),
    r"Follow \*(.+)\*\.": Reader.follows,
    r"The check lists each person and how to fix it\.": lambda self: self.sees("ada", "sign"),
    r"This page shows the rules that apply\.": lambda self: self.sees("Rules"),
    r"Follow \*(.+)\*, and sign in as `(\w+)`\.": lambda self, link, login: (self.follows(link), self.signs_in(login)),
    r"Read the agreement, fill in the form, and sign\.": Reader.signs,
    r"You get a receipt\.": lambda self: self.sees("receipt"),
    r"Go back to the pull request\.": lambda self: self.opens(self.red),
    r"After a second the check is green\.": lambda self: self.shows("success"),
    r"As `(\w+)`, open `(\S+)` and follow \*(.+)\*\.": Reader.administers,
    r"The page lists the signature of `(\w+)`\.": lambda self, login: self.sees(login),
    r"Open `(\S+)`\.": Reader.opens,
    r"Each change is an entry\.": lambda self: self.sees("signature"),
    r"Withdraw the signature as `(\w+)` at `(\S+)`\.": Reader.withdraws,
    r"The pull request turns red again\.": lambda self: self.shows("failure"),
}
"""A pattern of a sentence, and what a person does or sees then."""


@pytest.mark.browser
@pytest.mark.slow
def test_every_step_of_the_tutorial_can_be_done_with_the_demo(playing, chromium):
    _folder, _port, printed = playing
    context = chromium.new_context(locale="en-US")
    context.set_default_timeout(30_000)
    reader = Reader(context.new_page(), printed)
    assert all(map(reader.address, PLACES.values()))
    assert all(f"\n  {login} " in printed for login in PEOPLE)
    said = [sentence for title in SECTIONS for sentence in sentences(title)]
    named = names(" ".join(said))
    rest = printed.partition("Try this:")[2]
    for name in named:  # The demo prints the same steps in the same order; it has more behind them.
        before, found, rest = rest.partition(name)
        assert found, f"the demo does not print {name!r} where the tutorial has it; before it: {before}"
    assert len(named) > 5
    for sentence in said:
        reader.does(sentence)
    context.close()


def test_the_tutorial_names_addresses_people_and_steps():
    said = re.search(r"Then it prints addresses: (.+)\.", PAGE)[1]
    assert set(re.split(r", and |, ", said)) == set(PLACES)
    assert PEOPLE == ["bo", "kim", "lin"]
    assert all(len(sentences(title)) > 2 for title in SECTIONS)
