"""The first page: what waits is counted and linked, and an auditor is told that they only read."""


def test_nothing_waits_in_an_empty_house(office):
    """Six things, none of them; counts of what there is."""
    page = office.root.get("/admin").text

    assert page.count("<p>None</p>") == 6
    assert "You have read-only access" not in page
    assert "You have read-only access." in office.eye.get("/admin").text


def test_what_waits_is_counted_and_linked(office):
    """A request and a claim."""
    company_id = office.company()
    office.claim(company_id)
    page = office.root.get("/admin").text

    assert page.count("<p><strong>1</strong></p>") == 2
    assert '<a href="/admin/companies">Companies that request an agreement</a>' in page
    assert '<a href="/admin/domains">Domains requested by companies</a>' in page


def test_it_speaks_chinese(office):
    """All of it."""
    page = office.root.get("/admin?lang=zh").text

    assert "<h1>管理</h1>" in page
    assert "To do" not in page
