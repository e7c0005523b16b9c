"""The rulebook but for licences: its nouns, their reader, and the grammar that names every mistake. Pure; all of the bot may read it."""
