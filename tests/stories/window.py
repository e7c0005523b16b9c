"""A browser window of a person on the stage, without script: what people do in the portal, in their own words."""

from dataclasses import dataclass

from playwright.sync_api import expect


@dataclass
class Window:
    """One person's window; `keep` puts a screenshot into the album. `clicks` counts what they clicked since they signed in."""

    play: object
    page: object
    keep: object
    clicks: int = 0

    def signs_in(self, login, after="/me"):
        """Sign in with GitHub as that account; stands before the page `after`."""
        number = self.play.world.account(login).id
        self.page.goto(f"{self.play.stage.url}/login?next={after}")
        self.page.locator(f"button[name=account][value='{number}']").click()
        self.page.wait_for_url(lambda url: url.endswith(after))
        self.clicks = 0
        return self

    def goes(self, path):
        """Open a page of the portal."""
        answer = self.page.goto(self.play.stage.url + path)
        assert answer.status == 200, f"{path}: {answer.status}"
        return self

    def pull(self, number, name="ops-math"):
        """Open a pull request at GitHub."""
        self.page.goto(f"{self.play.stage.github_url}/cann/{name}/pull/{number}")
        return self

    def fills(self, **fields):
        """Type into fields by their names in the form; `__` stands for a hyphen."""
        for name, value in fields.items():
            self.page.locator(f"main [name='{name.replace('__', '-')}']").last.fill(value)
        return self

    def ticks(self, selector):
        """Tick a box, or choose one of several."""
        self.page.locator(selector).check()
        self.clicks += 1
        return self

    def presses(self, button, within="main"):
        """Press the button with these words."""
        self.page.locator(within).get_by_role("button", name=button).first.click()
        self.clicks += 1
        return self

    def follows(self, link):
        """Follow the link with these words, on the page itself."""
        self.page.locator("main").get_by_role("link", name=link).first.click()
        self.clicks += 1
        return self

    def sees(self, *words):
        """These words stand on the page, once it is there."""
        for word in words:
            expect(self.page.locator("main")).to_contain_text(word, use_inner_text=True, timeout=30_000)
        return self

    def photo(self, name):
        """Into the album."""
        self.keep(self.page, name)
        return self

    def signs(self, name, agreement="icla", query=""):
        """Sign an individual agreement; gives the receipt's number."""
        self.goes(f"/sign/{agreement}{query}")
        folded = self.page.locator("details.all-the-same > summary")
        if folded.count():
            folded.click()
        self.fills(name=name).ticks("#agree").presses("I agree")
        self.page.wait_for_url("**/receipts/**")
        return self.page.url.partition("/receipts/")[2].partition("?")[0].partition("/")[0]
