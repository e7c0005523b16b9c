"""Letters to a company's managers: to each in office whom we can write to, in the language of what they signed."""

from bot import manager_letters
from bot.manager_letters import Occasion
from tests.bot.portal.company import office

VALUES = {"login": "ada", "company": "Huawei", "domain": "huawei.com", "url": "http://localhost"}


def test_each_manager_gets_one_letter_an_occasion(portal):
    """Not those without an address, not those of another company, and never a second one for the same occasion."""
    office.company(portal, managers=((12, "bob"), (13, "cyd")))
    office.company(portal, office.Entry(domain="redhat.com"), key="c2", name="Red Hat", managers=((14, "dan"),))
    for _ in range(2):
        with portal.parts.sessions() as session:
            occasion = Occasion(kind="enrolled", values=VALUES, once="first")
            manager_letters.write(session, portal.parts.vault, "c1", occasion, at=portal.at, new_id=portal.parts.new_id)

    written = office.letters(portal)
    assert [(one.to, one.account_id, one.language) for one in written] == [
        ("bob@boss.example", 12, "en"),
        ("cyd@boss.example", 13, "en"),
    ]
