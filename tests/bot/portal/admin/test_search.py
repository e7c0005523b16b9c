"""Looking somebody up: by POST alone, and nothing of it in an address."""


def found(office, wanted, browser=None):
    """The page with what was found."""
    answer = office.post("/admin/search", browser, page="/admin/search", wanted=wanted)
    assert answer.status_code == 200
    return answer.text


def test_people_companies_and_receipts(office):
    """Each leads to its page, by number or id."""
    receipt = office.signed()
    company_id = office.company()

    assert '<a href="/admin/people/11">ada</a>' in found(office, "AD")
    assert f'<a href="/admin/companies/{company_id}">Huawei</a>' in found(office, "huaw")
    assert f'<a href="/admin/signatures/{receipt}">{receipt}</a>' in found(office, receipt.lower())
    assert "Nothing was found. Enter domains" in found(office, "nobody")


def test_an_auditor_searches_too(office):
    """Searching reads."""
    office.signed()
    assert "/admin/people/11" in found(office, "ada", office.eye)
    assert office.entries() == ()


def test_the_address_is_not_kept_in_the_page_s_address(office):
    """What is looked for is sent in the body; a GET with it finds nothing."""
    office.signed()
    page = office.root.get("/admin/search?wanted=ada").text
    assert "/admin/people/11" not in page
    assert 'method="post"' in page


def test_what_was_typed_is_shown_escaped(office):
    """Markup is letters."""
    assert "<script>" not in found(office, "<script>alert(1)</script>")
