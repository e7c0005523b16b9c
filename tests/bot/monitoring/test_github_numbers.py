"""What Prometheus reads of GitHub's breakers: the state of each, and what is left of an installation's limit."""

from bot.github.availability import GitHubState
from bot.monitoring.github_numbers import GitHubNumbers


def samples(*states):
    """(metric, labels) → value."""
    families = GitHubNumbers(lambda: states).collect()
    return {(one.name.removeprefix("countersign_github_"), *one.labels.values()): one.value for family in families for one in family.samples}  # fmt: skip


def test_each_state_is_a_number():
    """Healthy, failing, open."""
    shown = samples(
        GitHubState("host", None, "failing", cause="ada@huawei.com"),
        GitHubState("app", None, "healthy"),
        GitHubState("installation", 7, "open"),
    )
    assert shown == {
        ("circuit_state", "host", ""): 1,
        ("circuit_state", "app", ""): 0,
        ("circuit_state", "installation", "7"): 2,
    }


def test_what_is_left_of_a_limit():
    """Where GitHub said it; 0 is a number, too."""
    shown = samples(
        GitHubState("installation", 7, "healthy", remaining=4999),
        GitHubState("installation", 8, "open", remaining=0),
        GitHubState("installation", 9, "healthy"),
        GitHubState("nobody", None, "healthy", remaining=12),
    )
    left = {name[1]: value for name, value in shown.items() if name[0] == "rate_limit_remaining"}
    assert left == {"7": 4999, "8": 0}
