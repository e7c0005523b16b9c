"""The place where the public list is committed, as the operator writes it: a repository, and perhaps a folder in it."""

from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class WhitelistTarget:
    """The repository `owner`/`name` where it is committed, and a `folder` in it ("" for its top)."""

    owner: str
    name: str
    folder: str = ""

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Read `owner/name` or `owner/name:folder`; an empty text is nowhere. Raises ValueError with one clause."""
        if not text:
            return None
        repository, _, folder = text.partition(":")
        owner, slash, name = repository.strip().partition("/")
        parts = folder.strip().strip("/")
        if not owner or not slash or not name or "/" in name or not (repository + parts).isprintable():
            raise ValueError("must be owner/name, or owner/name:folder")
        # GitHub would refuse them, at night, when no operator looks.
        if any(part in ("", ".", "..") for part in parts.split("/")) and parts:
            raise ValueError("its folder must be a plain path, such as docs/public")
        return cls(owner, name, parts)

    def path(self, file: str) -> str:
        """The path of that file in the repository."""
        return f"{self.folder}/{file}" if self.folder else file
