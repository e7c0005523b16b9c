"""Time zones are known by the names of places."""

import pytest

from bot import time_zones


@pytest.mark.parametrize("name", ["UTC", "Asia/Shanghai", "America/Argentina/Ushuaia"])
def test_the_name_of_a_place_is_a_time_zone(name):
    assert time_zones.parse(name).key == name
    assert name in time_zones.names()


@pytest.mark.parametrize(
    "name",
    [
        "",
        "asia/shanghai",
        "Asia",
        "Asia/",
        "Asia/Atlantis",
        "Asia/../Europe/Berlin",
        "Asia/../../../../etc/passwd",
        "/etc/passwd",
        "Asia/\0",
        "Asia/" + "x" * 5000,
        "PRC",
        "Etc/GMT-8",
        "UTC+8",
        "posix/Asia/Shanghai",
    ],
)
def test_any_other_name_is_refused(name):
    with pytest.raises(ValueError, match=r"^must be the name of a time zone, such as Asia/Shanghai"):
        time_zones.parse(name)
    assert name not in time_zones.names()


def test_every_name_that_is_offered_is_taken():
    names = time_zones.names()
    assert names[0] == "UTC"
    assert list(names[1:]) == sorted(set(names[1:]))
    assert [time_zones.parse(name).key for name in names] == [*names]
