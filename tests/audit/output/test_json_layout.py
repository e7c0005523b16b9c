"""JSON with one entry on each line."""

import json

import pytest

from audit.output.json_layout import closed, members, written


def test_each_entry_of_a_list_has_its_own_line():
    found = {
        "schema": 1,
        "empty": [],
        "all": [{"name": "a", "cells": [{"n": 1}, {"n": 2}]}, {"name": "b", "cells": []}],
    }

    assert json.loads(written(found)) == found
    assert written(found).splitlines() == [
        "{", '"schema": 1,', '"empty": [],', '"all": [', '{"name": "a", "cells": [', '{"n": 1},', '{"n": 2}', "]},",
        '{"name": "b", "cells": []}', "]", "}",
    ]  # fmt: skip


@pytest.mark.parametrize("word", ["中文", 'a"\\\n', "\ud83d", "\u2028", "a\u202egpj.exe", "\x9b31m", "\u2066x\u2069"])
def test_any_word_comes_back_from_utf8_and_steers_no_terminal(word):
    said = written({"x": word})
    assert json.loads(said.encode())["x"] == word
    assert not set(said) & set("\x9b\u2028\u202e\u2066\u2069")


def test_a_document_in_parts_is_the_same_as_in_one():
    assert closed(members({"a": 1}), members({"results": [{"b": 2}]})) == written({"a": 1, "results": [{"b": 2}]})
