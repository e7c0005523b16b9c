"""What is kept is for its owner alone, survives a restart, and is never taken for somebody else's."""

import stat

import pytest

from bot.setup import setup_progress
from bot.setup.setup_progress import ProgressInvalid


def load(folder, **answers):
    """As the command does."""
    return setup_progress.load(folder, github_url="https://github.com", answers=answers)


def test_kept(tmp_path):
    """Given answers replace kept ones; empty ones do not."""
    first = load(tmp_path / "out", url="https://a.example", organization="cann")
    state = first.begin_registration()
    again = load(tmp_path / "out", url="https://b.example", organization="")

    assert again.answers == {"url": "https://b.example", "organization": "cann"}
    assert again.is_pending(state)
    assert not again.is_pending(state + "x")
    assert stat.S_IMODE((tmp_path / "out" / setup_progress.FILE).stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o700


def test_what_an_account_is_belongs_to_that_account(tmp_path):
    """It is asked anew for another one, and kept for the same; without it, there is nothing to register for."""
    first = load(tmp_path, url="https://a.example", organization="cann")
    assert first.step == "begin"
    first.answers["owner_type"] = "User"
    first.save()

    assert load(tmp_path).step == load(tmp_path, organization="cann", url="https://b.example").step == "register"
    other = load(tmp_path, organization="other")
    assert (other.step, "owner_type" in other.answers) == ("begin", False)


def test_nothing_comes_back_once_the_settings_are_written(tmp_path):
    """A password that the environment still has is not kept a second time."""
    done = load(tmp_path, url="https://a.example", organization="cann")
    done.written = True
    done.save()
    load(tmp_path, smtp_url="smtp://user:hush@mail.example")

    assert "hush" not in (tmp_path / setup_progress.FILE).read_text()


def test_states_do_not_pile_up(tmp_path):
    """The oldest is forgotten."""
    kept = load(tmp_path)
    states = [kept.begin_registration() for _ in range(25)]
    assert kept.is_pending(states[-1])
    assert not kept.is_pending(states[0])


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"app": 1}'])
def test_another_file_of_that_name(tmp_path, text):
    """Is not overwritten."""
    (tmp_path / setup_progress.FILE).write_text(text)
    with pytest.raises(ProgressInvalid, match="move it away"):
        load(tmp_path)
    assert (tmp_path / setup_progress.FILE).read_text() == text


def test_another_github(tmp_path):
    """Its App is not this one's."""
    load(tmp_path)
    with pytest.raises(ProgressInvalid, match="has the setup of an App at"):
        setup_progress.load(tmp_path, github_url="https://ghe.example", answers={})
