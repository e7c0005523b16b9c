"""What people read: the words behind every code, in English and Simplified Chinese."""

from bot.words.phrases import CODES, Language, Situation, Words, person, phrase, render, set_aside, text

__all__ = ["CODES", "Language", "Situation", "Words", "person", "phrase", "render", "set_aside", "text"]
