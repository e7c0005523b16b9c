"""What a build file says that only the tree settles."""

from audit.ecosystems.native.build_file import AskedLibrary, BuildFile
from audit.facts import Dependency


def test_a_file_that_says_nothing():
    """Makes nothing and asks for nothing; what is asked for is looked for unless the linker names it."""
    empty = BuildFile()
    assert not any(
        (
            empty.asked,
            empty.libraries,
            empty.packages,
            empty.projects,
            empty.spaces,
            empty.commands,
            empty.wraps,
            empty.linkage,
        )
    )
    assert not AskedLibrary("tea", Dependency(name="tea")).is_linked
