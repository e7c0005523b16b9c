"""Models and data sets that the files of a tree speak of, as dependencies of the repository, and its own licence where it is a model itself."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from audit import display_text
from audit.ecosystems import purls
from audit.ecosystems.model_cards.card_statement import CardStatement, NamedSource
from audit.ecosystems.parsed_file import nearest
from audit.facts import UNLEARNED, Dependency, Finding, Learned, Place, Source, Text, Unknown, Usage
from audit.licenses import model_terms
from audit.licenses.expression import all_of, atoms, read
from audit.licenses.model_terms import PublishedLicense, TermsKind
from audit.scan.decoding import shown
from audit.scan.gathering import ScanResult
from audit.scan.installed_packages import folder_name
from audit.scan.model_files import is_card
from audit.texts import work_license
from audit.texts.normalization import normalize
from audit.texts.text_index import digest
from audit.usage import FOLDERS, MODELS_AND_DATA, usage_by_folder

RESTRICTED_CODE: Final = "license/use-restricted"
UNSTATED_CODE: Final = "license/weights-unstated"
_RESTRICTS: Final = frozenset({TermsKind.RESTRICTED, TermsKind.NON_COMMERCIAL, TermsKind.NO_DERIVATIVES})
# Folders in which Hugging Face's own programs keep what they fetched.
_HUB_CACHE: Final = re.compile(
    r"(?:.*/)?(?P<kind>models|datasets)--(?P<owner>[\w.-]{1,100}?)--(?P<name>[\w.-]{1,100})(?:/snapshots/(?P<commit>[0-9a-f]{40}))?"
)
_NOT_STATED: Final = "nothing that is read in the repository states its licence, and Countersign's table of well-known ones does not have it"


@dataclass(slots=True)
class _Unit:
    """A model or data set in a `folder`: its `usage`, its `license`, its `base_models`, and `data_sets` it names."""

    folder: str
    usage: Usage
    license: Learned = UNLEARNED
    base_models: list[NamedSource] = field(default_factory=list)
    data_sets: list[NamedSource] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class FoundModels:
    """The repository's `dependencies` with those that are models and data, and `findings` about them."""

    dependencies: tuple[Dependency, ...]
    findings: tuple[Finding, ...]


def own_license(own: Learned, gathered: ScanResult, detect: work_license.Detect) -> Learned:
    """The repository's own licence where its card at the root, or a file by which it is cited, is all that states one."""
    if own.expression is not None:
        return own
    unit = _units(gathered).get("")
    texts = [text for text in gathered.own.licenses if "/" not in text.path]
    if unit is not None and unit.license != UNLEARNED:
        return unit.license if unit.license.expression else _by_texts(unit.license, texts, detect)
    of_text = _by_texts(own, texts, detect) if unit is not None and texts else own
    cited = [
        statement.license
        for statement in gathered.models.statements.values()
        if statement.is_own and statement.license.expression
    ]
    return of_text if of_text.expression or own.place or not cited else cited[0]


def found(
    listed: Sequence[Dependency],
    gathered: ScanResult,
    own: Learned,
    detect: work_license.Detect,
    licensed: Collection[str] = (),
) -> FoundModels:
    """The dependencies with models and data sets; `own` is the repository's licence, `licensed` are files with one."""
    units = _units(gathered)
    dependencies = [_converted(use, gathered, units) for use in listed]
    lying = {place.path for use in dependencies if use.usage in MODELS_AND_DATA for place in use.places}
    files = gathered.models.usages
    by_file = {
        (place.path.rpartition("/")[0], use.license.expression)
        for use in dependencies
        for place in use.places
        if place.path in files
    }
    added: dict[tuple[str, Usage, str | None], Dependency] = {}
    for folder, unit in sorted(units.items()):
        is_listed = shown(folder) in lying or (shown(folder), unit.license.expression) in by_file
        # What a unit at the root states makes it a thing beside the work only where it is another licence than the work's own.
        is_other = bool(folder) or read(own.expression) not in {None, read(unit.license.expression)}
        is_apart = not is_listed and unit.license != UNLEARNED and is_other
        for use in ([_unit_dependency(unit, gathered)] if is_apart else []) + list(_made_from(unit)):
            key = use.name, use.usage, use.license.expression
            known = added.setdefault(key, use)  # Several folders may name one model: one use, several places.
            if known is not use:
                added[key] = replace(known, places=(*known.places, *use.places))
    by_texts, remarks = _by_root_texts(gathered)
    models = [*dependencies, *added.values(), *by_texts]
    # The texts beside a model tell its licence where its card does not.
    for at, use in enumerate(models):
        if use.usage in MODELS_AND_DATA and use.license.expression is None and use.licenses:
            models[at] = replace(use, license=_by_texts(use.license, use.licenses, detect))
    broken = [each for statement in gathered.models.statements.values() for each in statement.findings]
    told = _restricted(models, own if "" in units else UNLEARNED)
    return FoundModels(
        tuple(models), (*broken, *told, *remarks, *_unstated(gathered, units.values(), models, licensed))
    )


def _by_root_texts(gathered: ScanResult) -> tuple[list[Dependency], list[Finding]]:
    used, remarks = [], []
    there = {Usage.MODEL_WEIGHTS: gathered.models.with_weights, Usage.TRAINING_DATA: gathered.models.with_data}
    for usage, text in gathered.models.texts:
        thing = "weights" if usage is Usage.MODEL_WEIGHTS else "data"
        if there[usage]:
            used.append(Dependency(
                name=f"{thing} of the repository", purl=purls.purl("generic", f"{thing}-of-the-repository"), usage=usage,
                why=f"{text.path} is the licence of {thing} by its name", places=(Place(text.path),), direct=True, licenses=(text,),
            ))  # fmt: skip
        else:
            said = f"by its name it is the licence of {thing}, and there are none in the tree: it was put aside"
            remarks.append(Finding("license/remark", Place(text.path), said))
    return used, remarks


def _units(gathered: ScanResult) -> dict[str, _Unit]:
    """The models and data sets that statements speak for, by folder; without a licence, part of one above."""
    by_folder: dict[str, list[CardStatement]] = {}
    # The card first, and last a policy of use, which names no licence.
    ordered = sorted(
        gathered.models.statements.items(),
        key=lambda entry: (not is_card(entry[0]), entry[1].license.unknown is not None, entry[0]),
    )
    for path, said in ordered:
        if not said.is_own:  # A citation is about the whole repository.
            by_folder.setdefault(path.rpartition("/")[0], []).append(said)
    units: dict[str, _Unit] = {}
    for folder, listed in sorted(by_folder.items()):
        kind = _kind(folder, listed, gathered)
        if kind is None:
            continue
        license_ = _stated(listed)
        above = nearest(folder.rpartition("/")[0], units) if folder and license_ == UNLEARNED else None
        unit = units.setdefault(folder if above is None else above, _Unit(folder, kind, license_))
        named = any(is_card(model.place.path) for said in listed for model in said.base_models)
        for said in listed:
            # What a configuration was loaded from is no base where a card names one, unless it is well known.
            unit.base_models += [
                model
                for model in said.base_models
                if is_card(model.place.path) or not named or model_terms.of_model(model.name)
            ]
            unit.data_sets += said.data_sets
    return units


def _stated(listed: Sequence[CardStatement]) -> Learned:
    """The licence that a folder's files state, the card first: where others name further ones, all of them count."""
    stated = [statement.license for statement in listed if statement.license != UNLEARNED]
    # A card that names an unknown licence leaves it open, also where another file states one.
    if not stated or stated[0].expression is None:
        return stated[0] if stated else UNLEARNED
    different = dict.fromkeys(expression for license_ in stated if (expression := read(license_.expression)))
    return replace(stated[0], expression=str(all_of(tuple(different))))


def _kind(folder: str, said: Sequence[CardStatement], gathered: ScanResult) -> Usage | None:
    """Weights or data; None for what speaks of neither: a page of a site, a configuration of something else."""
    files = gathered.models
    has_license = any(statement.license != UNLEARNED for statement in said)
    is_told = has_license or any(statement.is_model for statement in said)
    if is_told and (folder in files.configured or folder in files.with_weights):
        return Usage.MODEL_WEIGHTS
    if folder not in files.with_data:
        return None
    # A licence at the root is that of the repository, and makes no data set of its files.
    is_told = any(statement.is_data for statement in said) or (has_license and bool(folder))
    return Usage.TRAINING_DATA if is_told else None


def _converted(dependency: Dependency, gathered: ScanResult, units: Mapping[str, _Unit]) -> Dependency:
    """A work in the tree as a model or data set: with a card, or with a licence beside weights or data and no code."""
    if dependency.usage not in (Usage.VENDORED, Usage.DATA_OR_DOC):
        return dependency
    folder = next((place.path for place in dependency.places if place.line is None), None)  # Folders have none.
    if folder is None:
        return dependency
    unit = units.get(folder)
    usage = (
        unit.usage
        if unit is not None and (unit.license != UNLEARNED or folder not in gathered.code_files.folders)
        else None
    )
    if usage is None and folder not in gathered.code_files.folders:
        files = gathered.models
        usage = Usage.TRAINING_DATA if folder in files.with_data else None
        usage = Usage.MODEL_WEIGHTS if folder in files.with_weights else usage
    if usage is None:
        return dependency
    said = unit.license if unit is not None and not dependency.license.expression else UNLEARNED
    why = f"{'weights' if usage is Usage.MODEL_WEIGHTS else 'data'} in {folder}/"
    return replace(dependency, usage=usage, why=why, license=said if said != UNLEARNED else dependency.license)


def _unit_dependency(unit: _Unit, gathered: ScanResult) -> Dependency:
    folder = shown(unit.folder)
    cached = _HUB_CACHE.fullmatch(folder)
    name = folder_name(folder) if folder else "weights of the repository"
    name = f"{cached['owner']}/{cached['name']}" if cached else name
    url = purls.purl("generic", name.lower().replace(" ", "-"))
    url = _url(name, cached["commit"]) if cached and cached["kind"] == "models" else url
    aside = usage_by_folder(f"{unit.folder}/x")
    thing = "weights" if unit.usage is Usage.MODEL_WEIGHTS else "data"
    work = gathered.works.found.get(unit.folder)
    texts: Sequence[Text] = work.package.licenses if work is not None else ()
    return Dependency(
        name=name,
        version=cached["commit"] if cached else None,
        purl=url,
        usage=aside or unit.usage,
        why=f"{thing} in {folder or '.'}/" + (f", a folder of {FOLDERS[aside]}" if aside else ""),
        license=unit.license,
        places=(Place(folder or "."),),
        direct=True,
        licenses=tuple(texts),
    )


def _made_from(unit: _Unit) -> Iterator[Dependency]:
    where = f"the weights in {shown(unit.folder) or '.'}/"
    aside = usage_by_folder(f"{unit.folder}/x")
    named = [(model, True) for model in unit.base_models] + [(data_set, False) for data_set in unit.data_sets]
    for source, is_model in named:
        owner, _, name = source.name.rpartition("/")
        known = model_terms.of_model(source.name) if is_model else model_terms.of_data_set(source.name)
        why = f"are made from it{f' ({source.how})' if source.how else ''}" if is_model else "were trained on it"
        yield Dependency(
            name=source.name, purl=_url(source.name) if is_model else purls.purl("generic", name, None, owner),
            usage=aside or (Usage.MODEL_WEIGHTS if is_model else Usage.TRAINING_DATA), why=f"{where} {why}",
            license=_published(source, known), places=(source.place,), direct=True,
        )  # fmt: skip


def _url(name: str, commit: str | None = None) -> str | None:
    owner, _, last = name.rpartition("/")
    return purls.purl("huggingface", last, commit, owner)


def _published(source: NamedSource, known: PublishedLicense | None) -> Learned:
    if known is None:
        return Learned(None, Source.UNSTATED, replace(source.place, said=_NOT_STATED), Unknown.NO_REGISTRY)
    expression = model_terms.of_name(known.license) or str(read(known.license))
    return Learned(
        expression, Source.METADATA, replace(source.place, said=f"{source.name}, {known.license} by {known.source}")
    )


def _by_texts(said: Learned, texts: Sequence[Text], detect: work_license.Detect) -> Learned:
    """The licence by these texts; where that is not known, the text that was not recognised."""
    # Texts of models' licences are no texts of SPDX's list.
    known = work_license.of_texts(
        texts, lambda text, path: detect(text, path) or model_terms.of_digest(digest(normalize(text).form))
    )
    if known.expression is not None or not texts:
        return known if known.expression is not None else said
    first = next((text for text in texts if not detect(text.text, text.path)), texts[0])
    named = model_terms.by_heading(first.text)
    near = f"; it calls itself {named.name}, but the rest was not compared" if named else ""
    words = f"the text of {first.path} was not recognised{near}"
    return Learned(None, Source.UNSTATED, Place(first.path, None, words), Unknown.UNREADABLE)


def _unstated(
    gathered: ScanResult, units: Iterable[_Unit], listed: Iterable[Dependency], licensed: Collection[str]
) -> Iterator[Finding]:
    folders = {place.path for dependency in listed for place in dependency.places if place.line is None}
    folders |= {shown(unit.folder) for unit in units if unit.license != UNLEARNED or unit.base_models}
    # Weights of tests and examples are not delivered, and others may lie below a folder that is spoken for.
    paths = [
        f"{folder}/{name}" if folder else name
        for folder, names in gathered.models.weights.items()
        if not usage_by_folder(f"{folder}/x") and nearest(shown(folder), folders) is None
        for name in names
    ]
    alone = sorted(set(paths).difference(licensed))
    if alone and all(usage is not Usage.MODEL_WEIGHTS for usage, _ in gathered.models.texts):
        many = display_text.count(len(alone), "file of weights", "files of weights")
        message = f"{many}, and nothing beside states a licence: if the weights are somebody else's, list them in the rulebook as model-weights"
        yield Finding(UNSTATED_CODE, Place(shown(alone[0])), message)


def _restricted(listed: Iterable[Dependency], own: Learned) -> Iterator[Finding]:
    places: dict[str, list[tuple[Place, str]]] = {}
    said = [
        (dependency.license, dependency.name, dependency.places)
        for dependency in listed
        if dependency.usage in MODELS_AND_DATA
    ]
    said.append((own, "the repository itself", (own.place,) if own.place else ()))
    for license_, name, at in said:
        for atom in atoms(read(license_.expression)):
            terms = model_terms.terms(atom.license)
            place = license_.place or next(iter(at), None)
            if terms is not None and terms.kind in _RESTRICTS and place is not None:
                places.setdefault(atom.license, []).append((Place(place.path, place.line), name))
    for license_id, found_at in sorted(places.items()):
        terms = model_terms.terms(license_id)
        place, name = min(found_at, key=lambda pair: (pair[0].path, pair[0].line or 0))
        more = f" and {len(found_at) - 1:,} more" if len(found_at) > 1 else ""
        if terms is not None:
            yield Finding(
                RESTRICTED_CODE, place, f"{name}{more}: {terms.name} restricts how it may be used: {terms.limits}"
            )
