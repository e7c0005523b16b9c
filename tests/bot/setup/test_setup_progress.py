"""The kept progress is for its owner alone, survives a restart, and is never taken for that of another App."""

import stat

import pytest

from bot.setup import setup_progress
from bot.setup.setup_progress import ProgressInvalid


def load(folder, **answers):
    """As the command does."""
    return setup_progress.load(folder, github_url="https://github.com", answers=answers)


def test_given_answers_replace_kept_ones_and_empty_ones_do_not(tmp_path):
    first = load(tmp_path / "out", url="https://a.example", organization="cann")
    state = first.begin_registration()
    again = load(tmp_path / "out", url="https://b.example", organization="")

    assert again.answers == {"url": "https://b.example", "organization": "cann"}
    assert again.is_pending(state)
    assert not again.is_pending(state + "x")
    assert stat.S_IMODE((tmp_path / "out" / setup_progress.FILE).stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o700


def test_the_kind_of_account_is_kept_for_that_account(tmp_path):
    first = load(tmp_path, url="https://a.example", organization="cann")
    assert first.step == "begin"
    first.answers["owner_type"] = "User"
    first.save()

    assert load(tmp_path).step == load(tmp_path, organization="cann", url="https://b.example").step == "register"
    other = load(tmp_path, organization="other")
    assert (other.step, "owner_type" in other.answers) == ("begin", False)


def test_no_answer_is_kept_again_once_the_settings_are_written(tmp_path):
    done = load(tmp_path, url="https://a.example", organization="cann")
    done.written = True
    done.save()
    load(tmp_path, smtp_url="smtp://user:hush@mail.example")

    assert "hush" not in (tmp_path / setup_progress.FILE).read_text()


def test_the_oldest_state_is_forgotten(tmp_path):
    kept = load(tmp_path)
    states = [kept.begin_registration() for _ in range(25)]
    assert kept.is_pending(states[-1])
    assert not kept.is_pending(states[0])


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"app": 1}'])
def test_a_foreign_file_of_that_name_is_not_overwritten(tmp_path, text):
    (tmp_path / setup_progress.FILE).write_text(text)
    with pytest.raises(ProgressInvalid, match="move it away"):
        load(tmp_path)
    assert (tmp_path / setup_progress.FILE).read_text() == text


def test_the_setup_at_another_github_is_refused(tmp_path):
    load(tmp_path)
    with pytest.raises(ProgressInvalid, match="has the setup of an App at"):
        setup_progress.load(tmp_path, github_url="https://ghe.example", answers={})
