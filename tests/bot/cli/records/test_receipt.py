"""`receipt verify` says in one line each whether a receipt is genuine and which text was signed, and prints no person."""

import io
import json
import sys

import pypdf
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pypdf.generic import ArrayObject, DecodedStreamObject, DictionaryObject, NameObject

from agreements import ledger, signed_receipt
from bot.cli.records.receipt import command
from bot.pdf import pdf_signature
from tests.agreements.test_signed_receipt import KEY, OTHER, place_of
from tests.bot.pdf.pdf_files import pdf, signer
from tests.http_server import LoopbackServer, QuietHandler
from tests.terminal import TerminalRunner

TEXT = b"# The agreement\n"
EC = ec.generate_private_key(ec.SECP256R1())
CONTENT = {
    "issuer": "https://cla.example.org",
    "agreement": {"name": "icla", "version": "2.0", "language": "en"},
    "organization": "The CANN Authors",
    "source_sha256": "c9e1f7ba8a0b3d0a8d6e1b9d5cbb0d2b1cf7d0b0dbd9f0e1c6bb0d0a0e3f1a2b",
    "name": "Ada Lovelace",
    "email": "ada@example.com",
    "account": {"id": 11, "login": "ada"},
    "signed_at": "2026-11-21T12:00:00Z",
    "withdrawn_at": None,
}


def key_of(key=KEY):
    """The public key as an operator copies it."""
    return ledger.verifier_key(key.public_key().public_bytes_raw())


@pytest.fixture(name="verify")
def _verify(tmp_path):
    """Runs the command on a receipt with these changes."""

    def verify(*words, content=None, data=None, key=KEY):
        receipt = signed_receipt.sign({**CONTENT, **(content or {})}, place_of(5, key), key)
        file = tmp_path / "receipt.json"
        file.write_bytes(json.dumps(receipt).encode() if data is None else data)
        return TerminalRunner().invoke(command, ["verify", str(file), *(words or ("--key", key_of()))])

    return verify


def test_a_genuine_receipt_names_its_text_and_no_person(verify):
    found = verify()

    assert found.exit_code == 0
    assert found.stdout.splitlines() == [
        f"genuine: signed by the log {ledger.origin(KEY.public_key().public_bytes_raw())}, entry 5",
        f"agreement: icla 2.0 (en), SHA-256 {CONTENT['source_sha256']}",
        "signed: 2026-11-21T12:00:00Z, with The CANN Authors",
    ]


def test_a_withdrawal_is_said(verify):
    found = verify(content={"withdrawn_at": "2026-11-22T12:00:00Z", "organization": None})

    assert "signed: 2026-11-21T12:00:00Z, with an organization that is not known" in found.stdout
    assert found.stdout.endswith("withdrawn: 2026-11-22T12:00:00Z\n")


def test_json_says_the_same_and_no_person_either(verify):
    found = json.loads(verify("--key", key_of(), "--format", "json").stdout)

    assert (found["genuine"], found["name"], found["version"], found["entry"]) == (True, "icla", "2.0", 5)
    assert "ada" not in json.dumps(found).lower()


SIGN_OFF = {
    "agreement": {"name": "dco", "version": "1.1", "language": "en"},
    "source_sha256": CONTENT["source_sha256"],
    "account": {"id": 11, "login": "ada"},
    "repository": {"id": 98, "name": "cann/ops-math"},
    "pull_request": 7,
    "commits": ["a" * 40, "b" * 40],
    "signed_at": "2026-11-21T12:00:00Z",
    "withdrawn_at": None,
}


def sign_off(**changed):
    """A signed receipt of a sign-off, as a file."""
    signed = signed_receipt.sign({**SIGN_OFF, **changed}, place_of(5), KEY, form=signed_receipt.SIGN_OFF_FORMAT)
    return json.dumps(signed).encode()


def test_of_a_sign_off_it_says_which_account_signed_off_which_commits_and_when(verify):
    found = verify(data=sign_off())

    assert found.exit_code == 0
    assert found.stdout.splitlines()[1:] == [
        "signed off: 2026-11-21T12:00:00Z, by the GitHub account 11 (ada)",
        f"certified: dco 1.1, SHA-256 {CONTENT['source_sha256']}, for exactly these commits of cann/ops-math#7 (repository 98):",
        "  " + "a" * 40,
        "  " + "b" * 40,
    ]
    said = json.loads(verify("--key", key_of(), "--format", "json", data=sign_off()).stdout)
    assert (said["account"], said["commits"]) == (SIGN_OFF["account"], SIGN_OFF["commits"])


def test_an_erased_login_and_a_withdrawal_are_said_of_a_sign_off(verify):
    found = verify(data=sign_off(account={"id": 11, "login": ""}, withdrawn_at="2026-11-22T12:00:00Z")).stdout

    assert "by the GitHub account 11\n" in found
    assert found.endswith("withdrawn: 2026-11-22T12:00:00Z\n")


def test_a_changed_sign_off_is_not_genuine_and_its_text_is_compared(verify, tmp_path):
    changed = verify(data=sign_off().replace(b"b" * 40, b"c" * 40))
    (tmp_path / "dco.txt").write_bytes(b"another text")
    other = verify("--key", key_of(), "--text", str(tmp_path / "dco.txt"), data=sign_off())

    assert (changed.exit_code, changed.stdout) == (1, "not genuine: it, or its signature, was changed\n")
    assert (other.exit_code, other.stdout.splitlines()[-1]) == (1, "text: it is not the one that was signed")


@pytest.mark.parametrize(("words", "code"), [(TEXT, 0), (TEXT + b" ", 1)])
def test_the_text_beside_it_is_compared(verify, tmp_path, words, code):
    import hashlib

    (tmp_path / "en.md").write_bytes(words)
    content = {"source_sha256": hashlib.sha256(TEXT).hexdigest()}
    found = verify("--key", key_of(), "--text", str(tmp_path / "en.md"), content=content)

    assert found.exit_code == code
    assert found.stdout.splitlines()[-1] == f"text: it is {'not ' if code else ''}the one that was signed"


def test_another_logs_receipt_and_a_changed_one_are_not_genuine(verify):
    foreign = verify(key=OTHER)
    receipt = signed_receipt.sign(CONTENT, place_of(5), KEY)
    changed = verify(data=json.dumps({**receipt, "name": "Mallory"}).encode())

    assert (foreign.exit_code, changed.exit_code) == (1, 1)
    assert foreign.stdout == "not genuine: it names another log than the one of this key\n"
    assert changed.stdout == "not genuine: it, or its signature, was changed\n"
    said = verify("--key", key_of(), "--format", "json", data=json.dumps({**receipt, "name": "M"}).encode()).stdout
    assert json.loads(said) == {"genuine": False, "why": "it, or its signature, was changed"}


def pdf_with(content, key=KEY):
    """A PDF by any author, with a receipt in it that the log signed."""
    return pdf(("receipt.json", json.dumps(signed_receipt.sign({**CONTENT, **content}, place_of(5), key)).encode()))


@pytest.mark.slow
def test_of_a_pdf_the_receipt_is_verified_and_unsigned_pages_are_said_to_be_that(verify):
    found = verify(data=pdf_with({}))
    assert found.exit_code == 0
    assert found.stdout.startswith("genuine: the attached receipt is signed by the log")
    assert found.stdout.endswith(
        "pages: not signed, so they may show anything: rely on the lines above, and not on the pages\n"
    )
    assert json.loads(verify("--key", key_of(), "--format", "json", data=pdf_with({})).stdout)["pages"] == "not signed"
    assert verify(data=pdf_with({}, OTHER)).exit_code == 1


def hostile(base, change):
    """The PDF after that change of its objects by a stranger, appended as one more revision if it was signed."""
    writer, made = pypdf.PdfWriter(io.BytesIO(base), incremental=True), io.BytesIO()
    change(writer)
    writer.write(made)
    return made.getvalue()


def other_pages(writer):
    """Pages that name another person."""
    writer.pages[0][NameObject("/Contents")] = writer._add_object(DecodedStreamObject())
    writer.pages[0]["/Contents"].set_data(b"BT (Mallory signed this) Tj ET")


def mark_with_a_file(writer):
    """A mark on the page with another receipt in it, which no list of attachments names."""
    file = writer._add_object(DecodedStreamObject())
    file.get_object().set_data(b"{}")
    spec = DictionaryObject({NameObject("/EF"): DictionaryObject({NameObject("/F"): file})})
    mark = DictionaryObject({NameObject("/Subtype"): NameObject("/FileAttachment"), NameObject("/FS"): spec})
    writer.pages[0][NameObject("/Annots")] = ArrayObject([mark])


def second_meaning(writer):
    """Another file under the same name, which other programs take."""
    file = writer._add_object(DecodedStreamObject())
    file.get_object().set_data(b"{}")
    spec = writer.root_object["/Names"]["/EmbeddedFiles"]["/Names"][1]
    spec["/EF"][NameObject("/UF")] = file


@pytest.mark.slow
@pytest.mark.usefixtures("pades")
@pytest.mark.parametrize(
    ("signs", "change", "code", "said"),
    [
        (False, other_pages, 0, "pages: not signed"),
        (True, other_pages, 1, "not genuine: the PDF is not as the server signed it"),
        (False, mark_with_a_file, 2, "more than one attachment"),
        (False, second_meaning, 2, "more than one attachment"),
        (
            True,
            lambda writer: writer.add_blank_page(100, 100),
            1,
            "not genuine: the PDF is not as the server signed it",
        ),
    ],
)
def test_a_hostile_pdf_around_a_genuine_receipt_is_never_called_genuine_as_a_whole(verify, signs, change, code, said):
    base = pdf_with({pdf_signature.CERTIFICATE_KEY: signer().sha256} if signs else {})
    found = verify(data=hostile(pdf_signature.sign(base, signer()) if signs else base, change))
    assert (found.exit_code, said in found.output) == (code, True), found.output
    assert "genuine: signed" not in found.output


@pytest.mark.slow
@pytest.mark.usefixtures("pades")
def test_pages_are_genuine_only_as_the_named_certificate_signed_them(verify, monkeypatch):
    bare = pdf_with({pdf_signature.CERTIFICATE_KEY: signer().sha256})
    signed, foreign = pdf_signature.sign(bare, signer()), pdf_signature.sign(bare, signer(EC))
    found = verify(data=signed)
    assert found.exit_code == 0
    assert found.stdout.splitlines()[-1].startswith("pages: they are as the server signed them")
    assert signer().sha256 in found.stdout

    for changed in (bare, signed + b"\n", foreign):
        found = verify(data=changed)
        assert found.exit_code == 1
        assert found.stdout == "not genuine: the PDF is not as the server signed it; only its attachment is\n"
    # A signature makes no pages genuine when the PDF names no certificate.
    assert "pages: not signed" in verify(data=pdf_signature.sign(pdf_with({}), signer())).stdout
    monkeypatch.setitem(sys.modules, "pyhanko", None)
    found = verify(data=signed)
    assert (found.exit_code, "pages: not checked" in found.stdout) == (1, True)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        pdf(),
        pdf(("a", b"{}"), ("b", b"{}")),
        pdf(("a", b"{}"), password="x"),
        b"%PDF-" + bytes(5 * 10**6),
        b"\x00" * 100,
        b"[" * 50_000,
        b"%PDF-1.7",
        b'{"a": 1, "a": 2}',
        b" " * 10**6,
        b'{"format": "x"}',
    ],
)
def test_what_is_no_receipt_is_wrong_input_in_one_line(verify, data, tmp_path):
    found = verify(data=data)

    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr.startswith(f"countersign: {tmp_path / 'receipt.json'}: it ")
    assert found.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--format", "text"), "--key"),
        (("--key", "k", "--url", "https://example.org"), "--key"),
        (("--key", "k"), "public key of a log"),
        (("--key", key_of()[:-3]), "public key of a log"),
        (("--url", "http://example.org"), "https://"),
        (("--url", "file:///etc/passwd"), "https://"),
        (("--url", "http://127.0.0.1:9"), "did not answer"),
        (("--key", key_of(), "--text", "/nowhere"), "cannot read /nowhere"),
    ],
)
def test_wrong_options_are_wrong_usage(verify, words, said):
    found = verify(*words)

    assert (found.exit_code, found.stdout) == (2, "")
    assert said in found.stderr.splitlines()[-1]


def test_a_missing_file_and_a_folder_are_wrong_input(tmp_path):
    for path in (tmp_path, tmp_path / "no"):
        found = TerminalRunner().invoke(command, ["verify", str(path), "--key", key_of()])
        assert (found.exit_code, found.stderr.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [(200, key_of().encode() + b"\n", 0), (200, b"\xff" * 5_000, 2), (302, b"", 2), (404, b"", 2)],
)
def test_the_key_is_asked_from_the_server(verify, status, body, code):
    class Answer(QuietHandler):
        """The server with the key."""

        def do_GET(self):
            self.answer(status if self.path == "/checkpoint/key" else 500, body, {"Location": "https://example.org"})

    with LoopbackServer(Answer).running() as server:
        found = verify("--url", f"{server.url}/")

    assert (found.exit_code, "genuine: signed" in found.stdout) == (code, code == 0)
    assert found.stderr.count("\n") == (1 if code else 0)


def test_a_key_made_anew_verifies_nothing_of_before(verify):
    assert verify("--key", key_of(Ed25519PrivateKey.generate())).exit_code == 1
