"""A webhook counts only when its bytes are sealed with a secret of ours."""

import hashlib
import hmac

import pytest

from bot.webhook.signature import BadSignature, WebhookSignature

# GitHub's own example, from "Validating webhook deliveries".
SECRET = b"It's a Secret to Everybody"
BODY = b"Hello, World!"
NOT_ONE = "^X-Hub-Signature-256 is missing or not of the form sha256=<64 hexadecimal digits>$"
NOT_OURS = "^X-Hub-Signature-256 does not fit the body under any webhook secret$"
HEADER = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"


def verify(secrets, body, header):
    """As the webhook does it: the header first, then the body in pieces."""
    seal = WebhookSignature(secrets, header)
    for start in range(0, len(body), 5):
        seal.update(body[start : start + 5])
    seal.verify()


def test_githubs_published_signature_is_accepted():
    verify([SECRET], BODY, HEADER)


@pytest.mark.parametrize("secrets", [[b"new", SECRET], [SECRET, b"old"]])
def test_either_secret_seals_while_rotating(secrets):
    verify(secrets, BODY, HEADER)


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "sha256=",
        HEADER[len("sha256=") :],
        HEADER.upper(),
        "sha1=" + HEADER[len("sha256=") :],
        HEADER + "0",
        HEADER + "\n",
        " " + HEADER,
        "sha256=" + "é" * 64,
    ],
)
def test_a_malformed_header_is_refused(header):
    with pytest.raises(BadSignature, match=NOT_ONE):
        WebhookSignature([SECRET], header)


def test_a_header_with_one_altered_digit_is_refused():
    with pytest.raises(BadSignature, match=NOT_OURS):
        verify([SECRET], BODY, HEADER[:-1] + ("8" if HEADER[-1] == "7" else "7"))


@pytest.mark.parametrize("secrets", [[], [b""], [b"other"]])
def test_a_missing_empty_or_wrong_secret_seals_nothing(secrets):
    sealed_with_nothing = "sha256=" + hmac.new(b"", BODY, hashlib.sha256).hexdigest()
    for header in (HEADER, sealed_with_nothing):
        with pytest.raises(BadSignature, match=NOT_OURS):
            verify(secrets, BODY, header)


def test_one_changed_byte_breaks_the_seal():
    header = "sha256=" + hmac.new(SECRET, b'{"a":1}', hashlib.sha256).hexdigest()
    verify([SECRET], b'{"a":1}', header)
    with pytest.raises(BadSignature):
        verify([SECRET], b'{"a": 1}', header)


def test_the_refusal_holds_neither_secret_nor_digest():
    with pytest.raises(BadSignature) as refused:
        verify([b"hush"], BODY, HEADER)
    assert "hush" not in str(refused.value)
    assert HEADER[10:20] not in str(refused.value)
