"""A template that people are asked to sign is named."""


def test_a_template_that_is_asked_for(deployed):
    """Of the rulebook of the settings as of those that were read; without a database nobody knows."""
    rulebook = deployed.folder / "countersign.yml"
    rulebook.write_text(
        "version: 1\nrepositories: [{match: ['*'], require: cla}]\nagreements: {individual: {text: icla, version: '2.0'}}\n"
    )
    assert deployed.item("texts.reviewed")[0] == "not-applicable", "nobody knows yet what will be asked for"
    own = deployed.folder / "dco.yml"
    own.write_text("version: 1\nrepositories: [{match: ['*'], require: dco}]\n")
    assert deployed.item("texts.reviewed", RULEBOOK=str(own))[0] == "pass"
    status, message = deployed.item("texts.reviewed", RULEBOOK=str(rulebook))
    assert (status, "icla 2.0" in message) == ("fail", True)
    assert deployed.item("texts.reviewed", DATABASE_URL=f"sqlite:///{deployed.folder / 'none.db'}")[0] == "unknown"
