"""Long lists are divided into pages whose number stands in the address."""

import pytest

from bot.portal.admin.page_context import PAGE_ROWS, list_page


@pytest.mark.parametrize(
    ("asked", "number", "rows", "more"),
    [("", 1, 50, True), ("2", 2, 50, True), ("3", 3, 20, False), ("9", 9, 0, False), ("0", 1, 50, True), ("x", 1, 50, True),
     ("-1", 1, 50, True), ("²", 1, 50, True), ("9" * 30, 1, 50, True)],
)  # fmt: skip
def test_the_address_chooses_the_page_and_an_unreadable_number_is_the_first(portal, asked, number, rows, more):
    everything = list(range(120))
    with portal.app.test_request_context(f"/?page={asked}"):
        found = list_page(lambda skip, most: everything[skip : skip + most])

    assert (found.number, len(found.rows), found.more) == (number, rows, more)
    assert found.rows == tuple(everything[(number - 1) * PAGE_ROWS : number * PAGE_ROWS])
