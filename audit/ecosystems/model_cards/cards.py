"""Cards of models and data sets: Markdown whose first lines are YAML between `---` (huggingface.co/docs/hub/model-cards)."""

from dataclasses import replace
from typing import Final

from audit.ecosystems.formats import yaml_text
from audit.ecosystems.formats.yaml_text import YamlMapping
from audit.ecosystems.model_cards.card_statement import NOTHING, CardStatement, sources, stated
from audit.ecosystems.parsed_file import ParseError, finding, text, texts
from audit.facts import UNLEARNED, Learned, Place

_MARK: Final = "---"
_MAX_FRONT_CHARACTERS: Final = 200_000  # Prose follows.
_MODEL_KEYS: Final = frozenset({
    "base_model", "base_model_relation", "pipeline_tag", "library_name", "model-index", "datasets", "quantized_by", "model_name", "license_name",
    "inference", "widget", "instance_prompt", "new_version", "prompt_template",
})  # fmt: skip
_DATA_KEYS: Final = frozenset({
    "dataset_info", "configs", "task_categories", "task_ids", "size_categories", "annotations_creators", "language_creators",
    "source_datasets", "pretty_name", "multilinguality", "paperswithcode_id",
})  # fmt: skip
# Pages of a site, and programs that Hugging Face runs: what they state is no licence of weights.
_PAGE_KEYS: Final = frozenset({
    "layout", "permalink", "nav_order", "sidebar_label", "sidebar_position", "slug", "date", "draft", "sdk", "emoji", "toc", "aliases", "redirect_from",
})  # fmt: skip
_TAG: Final = "license:"
_LOADERS: Final = frozenset(  # Written in `datasets` for "files of my own".
    {
        "generator",
        "imagefolder",
        "audiofolder",
        "videofolder",
        "custom",
        "json",
        "csv",
        "parquet",
        "text",
        "arrow",
        "unknown",
        "n/a",
        "none",
    }
)


def read(path: str, content: str) -> CardStatement:
    """The statements of a card's front matter; nothing for Markdown without one, or for a page of a site."""
    front = _front(content)
    if front is None:
        return NOTHING
    try:
        data = yaml_text.load(front)
    except ParseError as broken:
        amiss = finding(broken.code, path, broken.line, f"its front matter cannot be read: {broken.why}")
        return replace(NOTHING, findings=(amiss,))  # A card that can't be read may hide a licence.
    if not isinstance(data, YamlMapping) or not _PAGE_KEYS.isdisjoint(data):
        return NOTHING
    how = text(data.get("base_model_relation"))
    sets = sources(data.get("datasets") or [], _place(path, data, "datasets"))
    return CardStatement(
        license=_license(path, data),
        base_models=sources(data.get("base_model") or [], _place(path, data, "base_model"), how),
        data_sets=tuple(source for source in sets if source.name.casefold() not in _LOADERS),
        is_model=not _MODEL_KEYS.isdisjoint(data),
        is_data=not _DATA_KEYS.isdisjoint(data),
    )


def _front(content: str) -> str | None:
    content = content.removeprefix("\ufeff")  # A byte order mark.
    if not content.startswith(f"{_MARK}\n") and not content.startswith(f"{_MARK} "):
        return None
    lines = content[:_MAX_FRONT_CHARACTERS].split("\n")
    end = next((at for at, line in enumerate(lines) if at and line.rstrip() in (_MARK, "...")), None)
    return None if end is None else "\n".join(["", *lines[1:end]])  # The empty line keeps the numbers.


def _place(path: str, data: YamlMapping, key: str) -> Place:
    return Place(path, data.lines.get(key))


def _license(path: str, data: YamlMapping) -> Learned:
    """`license` with its name and its link; else a tag."""
    more, link = text(data.get("license_name")), text(data.get("license_link"))
    found = stated(_place(path, data, "license"), data.get("license"), more, link)
    if found != UNLEARNED:
        return found
    # Hugging Face turns `license` into a tag, and some cards have only the tag.
    tags = [tag.removeprefix(_TAG) for tag in texts(data.get("tags") or []) if tag.startswith(_TAG)]
    return stated(_place(path, data, "tags"), tags)
