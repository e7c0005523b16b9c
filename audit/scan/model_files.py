"""Weights of models and data sets in a tree, by their names, and the files beside them that speak for them."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from audit.ecosystems.model_cards import cards, configs, dataset_metadata, gguf
from audit.ecosystems.model_cards.card_statement import NOTHING, CardStatement
from audit.ecosystems.parsed_file import ParseError, nearest, said
from audit.facts import Learned, Place, Source, Text, Unknown, Usage
from audit.licenses import model_terms

_WEIGHTS: Final = re.compile(
    r".*\.(?:safetensors|gguf|ggml|ckpt|onnx|tflite|mlmodel|keras|mindir|om|pdparams|caffemodel|pt2?|pth|t7|rknn|mnn|engine|nemo|llamafile|weights)",
    re.IGNORECASE,
)
# Formats of weights that other things are in, too: they count beside a configuration, or by what the file is called.
_MAYBE_WEIGHTS: Final = re.compile(r".*\.(?:bin|h5|hdf5|pb|msgpack|npz|npy|pkl|pickle|joblib|params)", re.IGNORECASE)
_CALLED_WEIGHTS: Final = re.compile(
    r"(?:.*[-_.])?(?:model|weights?|checkpoint|adapter|consolidated|lora|pytorch|diffusion|flax|saved_model|frozen|inference_graph)(?:[-_.\d].*)?",
    re.IGNORECASE,
)
_DATA: Final = re.compile(
    r".*\.(?:csv|tsv|parquet|arrow|feather|jsonl|ndjson|tfrecords?|lmdb|mat|geojson|h5|hdf5|npz|npy)(?:\.(?:gz|zst|bz2|xz))?",
    re.IGNORECASE,
)
_LANGUAGES: Final = (".de", ".es", ".fr", ".it", ".ru")
# Folders in which `.pt` is a page template, or Portuguese.
_TEMPLATES: Final = frozenset(
    {"template", "templates", "skins", "browser", "views", "locale", "locales", "i18n", "lang", "translations"}
)
# In these files Python finds paths for imports.
_NO_PATHS: Final = frozenset({"distutils-precedence.pth", "easy-install.pth", "matplotlib-nspkg.pth"})
_CARD: Final = re.compile(r"(?:readme|model[-_]?card|data(?:set)?[-_]?card)\.(?:md|markdown)", re.IGNORECASE)
_NOTICE: Final = re.compile(r"notices?(?:\.(?:txt|md))?", re.IGNORECASE)
_POLICY: Final = re.compile(r"(?:prohibited[-_])?(?:acceptable[-_])?use[-_]?policy(?:\.(?:txt|md))?", re.IGNORECASE)
# Words in the name of a licence file that say what it is for: `LICENSE-MODEL`, `WEIGHT_DIFF_LICENSE`, `DATA_LICENSE`.
_SPEAKS_FOR: Final = (
    (Usage.MODEL_WEIGHTS, re.compile(r"(?:.*[-_.])?(?:models?|weights?|checkpoints?)(?:[-_.].*)?", re.IGNORECASE)),
    (Usage.TRAINING_DATA, re.compile(r"(?:.*[-_.])?(?:data(?:sets?)?|corpus)(?:[-_.].*)?", re.IGNORECASE)),
)
_Reader = Callable[[str, str], CardStatement]
_CONFIGS: Final[Mapping[str, _Reader]] = dict.fromkeys(
    ("config.json", "model_index.json", "adapter_config.json", "tokenizer_config.json", "params.json"), configs.read
)
_METADATA: Final[Mapping[str, _Reader]] = {
    "croissant.json": dataset_metadata.read_croissant,
    "datapackage.json": dataset_metadata.read_data_package,
    "dataset_infos.json": dataset_metadata.read_dataset_infos,
    "dataset_info.json": dataset_metadata.read_dataset_infos,
    "dataset_info.yaml": dataset_metadata.read_dataset_info,
}
# Files at the root that speak of the whole repository.
_OWN: Final[Mapping[str, _Reader]] = {
    "CITATION.cff": dataset_metadata.read_citation,
    ".zenodo.json": dataset_metadata.read_zenodo,
}
# Names that nothing else has: where one lies is a model, also if its weights are elsewhere.
_MODEL_CONFIGS: Final = frozenset({"model_index.json", "adapter_config.json"})
_MODEL_FOLDERS: Final = frozenset({
    "model", "models", "weights", "checkpoints", "checkpoint", "pretrained", "lora", "loras", "adapters", "data", "dataset", "datasets",
})  # fmt: skip
MAX_STATEMENTS: Final = 5_000  # Files that are read because they speak for weights or data.


@dataclass
class ModelFiles:
    """Files of `weights` and of `data` by folder, and the files that may speak for them.

    `configured` are folders with a model's configuration, `with_weights` and `with_data` those that hold some, or have
    a folder below that does. `_beside` are the files that may speak for a folder, `statements` what those say that were
    read, by path; `headers` are GGUF files whose header is read.
    """

    weights: dict[str, list[str]] = field(default_factory=dict)
    data: dict[str, list[str]] = field(default_factory=dict)
    usages: dict[str, Usage] = field(default_factory=dict)
    """Every file of weights and of data, by its path."""
    configured: set[str] = field(default_factory=set)
    with_weights: set[str] = field(default_factory=set)
    with_data: set[str] = field(default_factory=set)
    headers: list[str] = field(default_factory=list)
    texts: list[tuple[Usage, Text]] = field(default_factory=list)
    """Licence texts at the root that by their names are of weights or data alone."""
    statements: dict[str, CardStatement] = field(default_factory=dict)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    """The first file that is one too many, and how many of what are read."""
    _beside: dict[str, list[str]] = field(default_factory=dict)

    def enter(self, folder: str, names: Sequence[str]) -> None:
        """A folder, with the names of its files."""
        if not _MODEL_CONFIGS.isdisjoint(names):
            self.configured.add(folder)
        is_configured = "config.json" in names or folder in self.configured
        there = frozenset(names)
        weights = [
            name
            for name in names
            if _is_weights(name, is_configured=is_configured) and not _is_text(folder, name, there)
        ]
        data = [name for name in names if _DATA.fullmatch(name) and name not in weights]
        is_model = bool(weights) or folder in self.configured
        # A citation below the root is that of another work.
        beside = [name for name in names if is_statement(name) and (name not in _OWN or not folder)]
        # Notices and policies of use speak for a model only where one lies.
        beside += [name for name in names if is_model and (_NOTICE.fullmatch(name) or _POLICY.fullmatch(name))]
        if beside:
            self._beside[folder] = beside
        start = f"{folder}/" if folder else ""
        self.usages |= {start + name: Usage.TRAINING_DATA for name in data}
        self.usages |= {start + name: Usage.MODEL_WEIGHTS for name in weights}
        if weights:
            self.weights[folder] = weights
            _mark(folder, self.with_weights)
            self.headers += [start + name for name in weights if name.lower().endswith(".gguf")]
        if data:
            self.data[folder] = data
            _mark(folder, self.with_data)

    def takes(self, text: Text) -> bool:
        """Whether a licence text at the root is of weights or data alone; it is kept for them."""
        kind = next((kind for kind, pattern in _SPEAKS_FOR if pattern.fullmatch(text.path)), None)
        self.texts += [(kind, text)] if kind else []
        return kind is not None

    def named_files(self) -> list[str]:
        """The files that speak for what lies in the tree, in order: those beside it, else those in the nearest folder above."""
        folders = {""} if "" in self._beside else set()
        for at in (*self.weights, *self.data, *self.configured):
            above: str | None = at
            # A card ends the way up: what lies above it speaks for others.
            while above is not None and (above := nearest(above, self._beside)) is not None:
                folders.add(above)
                has_card = any(_CARD.fullmatch(name) for name in self._beside[above])
                above = None if has_card or not above else above.rpartition("/")[0]
        is_there = bool(self.weights or self.data or self.configured)
        # Without weights and data, only what speaks of the whole repository is read.
        wanted = [
            f"{folder}/{name}" if folder else name
            for folder in sorted(folders)
            for name in self._beside[folder]
            if is_there or name in _OWN
        ]
        self.left_out += [
            (path, f"{MAX_STATEMENTS:,} cards of models and data") for path in wanted[MAX_STATEMENTS:][:1]
        ]
        return wanted[:MAX_STATEMENTS]

    def header_files(self) -> list[str]:
        """The GGUF files of which the header is read."""
        more = self.headers[gguf.MAX_FILES :][:1]
        self.left_out += [(path, f"{gguf.MAX_FILES:,} headers of GGUF files") for path in more]
        return self.headers[: gguf.MAX_FILES]

    def take(self, path: str, shown: str, content: str) -> None:
        """Reads such a file; `shown` is its path as people see it. A configuration that is none says nothing."""
        name = path.rpartition("/")[2]
        reader = _CONFIGS.get(name) or _METADATA.get(name) or _OWN.get(name) or cards.read
        reader = _read_policy if _POLICY.fullmatch(name) else reader
        reader = _read_notice if _NOTICE.fullmatch(name) else reader
        try:
            found = reader(shown, content)
        except (ParseError, RecursionError):
            return  # Any program may have a `config.json`.
        if found != NOTHING:
            self.statements[path] = found

    def header(self, path: str, shown: str, data: bytes) -> None:
        """Reads the first bytes of a GGUF file."""
        found = gguf.read(shown, data)
        if found != NOTHING:
            self.statements[path] = found


def is_statement(name: str) -> bool:
    """Whether a file of that name may speak for weights or data beside it."""
    return bool(_CARD.fullmatch(name)) or name in _CONFIGS or name in _METADATA or name in _OWN


def tells(path: str) -> bool:
    """Whether a change of the file alone may change what is found; of cards by their folder's name."""
    folder, _, name = path.rpartition("/")
    # Nearly every repository has a README: it is a card only where models or data lie.
    if _CARD.fullmatch(name) or name in _CONFIGS:
        return name in _MODEL_CONFIGS or not _MODEL_FOLDERS.isdisjoint(folder.lower().split("/"))
    return (
        is_statement(name)
        or bool(_POLICY.fullmatch(name))
        or bool(_WEIGHTS.fullmatch(name))
        or bool(_MAYBE_WEIGHTS.fullmatch(name) and _CALLED_WEIGHTS.fullmatch(name))
    )


def _read_notice(path: str, content: str) -> CardStatement:
    named = model_terms.by_notice(content)
    if not named:
        return NOTHING
    expression = " AND ".join(terms.license for terms in named)
    place = Place(path, None, said(" ".join(terms.notice for terms in named)))
    return CardStatement(license=Learned(expression, Source.METADATA, place), is_model=True)


def _read_policy(path: str, _content: str) -> CardStatement:
    words = f"{path} restricts how the weights may be used, and names no licence"
    return CardStatement(
        license=Learned(None, Source.UNSTATED, Place(path, None, words), Unknown.UNREADABLE), is_model=True
    )


def _is_weights(name: str, *, is_configured: bool) -> bool:
    if name in _NO_PATHS or name.endswith(("-nspkg.pth", "-py3.pth")):
        return False
    if _WEIGHTS.fullmatch(name):
        return True
    if not _MAYBE_WEIGHTS.fullmatch(name):
        return False
    return is_configured or bool(_CALLED_WEIGHTS.fullmatch(name))


def is_card(path: str) -> bool:
    """Whether a file is a card, which people write, by its name."""
    return _CARD.fullmatch(path.rpartition("/")[2]) is not None


def _is_text(folder: str, name: str, there: Collection[str]) -> bool:
    stem, dot, ending = name.rpartition(".")
    if dot + ending != ".pt":
        return False
    in_templates = not _TEMPLATES.isdisjoint(folder.lower().split("/")) or "configure.zcml" in there
    return in_templates or any(stem + language in there for language in _LANGUAGES)


def _mark(folder: str, holding: set[str]) -> None:
    while folder not in holding:
        holding.add(folder)
        folder = folder.rpartition("/")[0]
