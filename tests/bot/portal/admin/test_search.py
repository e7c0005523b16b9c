"""Looking somebody up: by POST alone, and nothing of it in an address."""

from agreements.store.people import people


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


def test_somebody_restricted_is_a_number(office):
    """Also to who looks for the number, and on the page that it leads to."""
    office.signed()
    with office.portal.services.sessions() as session:
        people.find(session, 11).restricted_at = office.portal.at

    assert '<a href="/admin/people/11">account 11</a>' in found(office, "11")
    assert "/admin/people/11" not in found(office, "ada")
    page = office.eye.get("/admin/people/11").text
    assert "<h1>account 11</h1>" in page
    assert ">ada<" not in page
    assert "Has this login since" not in page
