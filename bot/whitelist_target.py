"""Where the public list is committed, as the operator writes it down: a repository, and perhaps a folder in it."""

from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class WhitelistTarget:
    """Where it is committed: a repository, and a folder in it ("" for its top)."""

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
        if any(part in ("", ".", "..") for part in parts.split("/")) and parts:
            raise ValueError("its folder must be a plain path, such as docs/public")
        return cls(owner, name, parts)

    def path(self, file: str) -> str:
        """Where that file lies."""
        return f"{self.folder}/{file}" if self.folder else file
