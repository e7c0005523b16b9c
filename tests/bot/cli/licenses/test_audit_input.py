"""The licence commands report unreadable data and rulebooks in one line."""

import pytest

from audit.facts import Dependency, Judgement, LicenseVerdict
from audit.verdict.outbound import OutboundCandidate
from bot.cli.command_error import CommandError
from bot.cli.licenses import audit_input


@pytest.fixture(name="data", autouse=True)
def _data(tmp_path, monkeypatch):
    """Where newer data would be."""
    path = tmp_path / "data.json"
    monkeypatch.setenv("COUNTERSIGN_LICENSE_DATA", str(path))
    return path


def test_unreadable_licence_data_is_an_error_that_says_how_to_refresh_it(data):
    data.write_text("{}")
    with pytest.raises(CommandError, match="license refresh FILE"):
        audit_input.data()


@pytest.mark.parametrize(("content", "said"), [(None, "cannot read"), (b"\xff", "not UTF-8")])
def test_an_unreadable_rulebook_is_named_with_its_mistake(tmp_path, content, said):
    path = tmp_path / "rules.yml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(CommandError, match=f"{said}"):
        audit_input.options(path)


def test_the_text_output_bounds_the_reasons_and_the_licences():
    judged = Judgement(
        verdict=LicenseVerdict.INCOMPATIBLE, rule="r", basis="osadl", reason="no", data_version="2024-11-04"
    )
    common = tuple((Dependency(name=f"d{number // 2}"), judged) for number in range(12))
    own = [tuple((Dependency(name=f"x{number}-{two}"), judged) for two in range(4)) for number in range(11)]
    blocked = [
        OutboundCandidate(f"L-{number}", LicenseVerdict.INCOMPATIBLE, common + own[number]) for number in range(11)
    ]
    nearly = OutboundCandidate("N", LicenseVerdict.INCOMPATIBLE, common)
    clean = [OutboundCandidate(f"C-{number}", LicenseVerdict.COMPATIBLE, ()) for number in range(12)]
    said = list(audit_input.choices([nearly, *blocked], 12, "text"))

    assert said[1:3] == ["in the way of every licence:", "  d0: incompatible, no"]
    assert said[8:11] == ["N: nothing else in the way", "L-0: 4 in the way", "  x0-0: incompatible, no"]
    assert said[13] == "  and 1 more: --format json lists all"
    assert said[-1] == "and 2 licences more: --format json lists all"
    assert list(audit_input.choices(clean, 0, "text"))[-1] == "  and 2 more: --format json lists all"
