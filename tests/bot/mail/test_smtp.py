"""An e-mail is written whole or not at all, and goes to a real mail server, however that behaves."""

import re
from datetime import UTC, datetime
from email import message_from_bytes
from email.policy import default
from itertools import pairwise
from pathlib import Path

import pytest

from bot.mail.smtp import EmailInvalid, EmailRefused, MailServer, message, read
from bot.store.outbox import Email

AT = datetime(2026, 1, 1, tzinfo=UTC)
MAILS = Path(__file__).parents[3] / "bot" / "mail" / "templates"
VALUES = {"title": "ICLA", "version": "2.0", "receipt": "K7QM", "url": "http://x/r", "site": "http://x", "time": "noon"}


def email(**changed):
    """A receipt for ada."""
    told = {"kind": "receipt", "to": "ada@example.org", "language": "en", "values": {**VALUES, "login": "ada"}}
    return Email(**(told | changed))


def mail(**changed):
    """The same as a mail."""
    return message(email(**changed), sender="Countersign 签 <cla@example.org>", mail_id="m1", at=AT)


def test_the_first_line_is_the_subject():
    page = read(email())

    assert page.subject == "Your receipt: ICLA, version 2.0"
    assert page.body.startswith("Thank you.")
    assert "GitHub account: ada\n" in page.body
    assert "ICLA" not in repr(page).removeprefix("RenderedEmail(subject='Your receipt: ICLA, version 2.0'")


@pytest.mark.parametrize("path", sorted(MAILS.rglob("*.txt")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_template_speaks_both_languages(path):
    other = MAILS / {"en": "zh", "zh": "en"}[path.parent.name] / path.name
    gaps = [set(re.findall(r"\{(\w*)\}", template.read_text(encoding="utf-8"))) for template in (path, other)]
    subject, empty, *body = path.read_text(encoding="utf-8").splitlines()
    broken = [line for line, after in pairwise(body) if line and after and not re.search(r"[.:?。：？}]$", line)]

    assert gaps[0] == gaps[1]
    assert 0 < len(subject) <= 80
    assert empty == ""
    assert broken == [], "each mail program breaks lines by itself"


@pytest.mark.parametrize(
    "changed", [{"kind": "nothing"}, {"kind": "../en/receipt"}, {"language": "fr"}, {"language": ".."}]
)
def test_an_email_without_a_template_is_refused(changed):
    with pytest.raises(EmailInvalid, match="there is no template"):
        read(email(**changed))


def test_a_missing_value_is_named_without_the_others():
    with pytest.raises(EmailInvalid, match="needs the value 'url'") as refused:
        read(email(values={name: "Kanarienvogel" for name in (*VALUES, "login") if name != "url"}))

    assert "Kanarienvogel" not in str(refused.value)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\x85", "\u2028", "\v", "\x00", "\u202e"])
def test_a_value_cannot_begin_a_line_or_a_header(end):
    evil = f"x{end}Bcc: all@example.org{end}{end}Click http://evil.example"
    made = mail(values={**VALUES, "login": evil, "title": evil})
    lines = made.get_content().splitlines()

    assert made["Bcc"] is None
    assert not [line for line in lines if line.startswith(("Bcc", "Click"))]
    assert made["Subject"].startswith("Your receipt: x Bcc: all@example.org Click")
    assert made.as_bytes().count(b"\nBcc") == 0


@pytest.mark.parametrize(
    "kind", ["revoked", "company-refused", "company-ended", "domain-refused", "erasure-restricted"]
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_reason_is_sent_whole_and_a_subject_is_not_endless(kind, language):
    reason = "because " * 250  # 2,000 characters: as long as the form takes.
    gaps = dict.fromkeys(("company", "domain", "day", "due", "login"), "x" * 1500)
    page = read(email(kind=kind, language=language, values={**VALUES, **gaps, "reason": reason}))

    assert reason.strip() in page.body
    assert len(page.subject) <= 1000


def test_a_name_that_ends_with_a_full_stop_gets_no_second_one():
    values = {"company": "Example Co., Ltd.", "login": "ada", "domain": "example.com", "url": "https://x.example"}
    body = read(email(kind="enrolled", values=values)).body

    assert "they work for Example Co., Ltd. Your agreement" in body
    assert "they work for Example. Your" in read(email(kind="enrolled", values={**values, "company": "Example"})).body


def test_a_space_stands_between_chinese_and_latin_letters_alone():
    values = {"company": "华为", "login": "ada", "domain": "huawei.com", "url": "https://x.example"}
    assert read(email(kind="enrolled", language="zh", values=values)).subject == "ada 已关联华为"
    assert "，确认其在华为任职。" in read(email(kind="enrolled", language="zh", values=values)).body


def test_names_of_every_script_stay_whole():
    for name in ("䶮 𠮷", "𲎯", "Ünver", "عَلِيّ", "می‌خواهم"):
        assert name in read(email(values={**VALUES, "login": name})).body


@pytest.mark.parametrize(
    "to",
    ["a@b.example, c@d.example", "a@b.example\nBcc: c@d.example", "", "a", "A <a@b.example>", "a@b.example\r\nX: y"],
)
def test_a_second_address_is_refused_and_not_repeated(to):
    with pytest.raises(EmailInvalid, match="address") as refused:
        mail(to=to)
    assert "example" not in str(refused.value)


def test_the_headers_are_those_of_rfc_5322_and_rfc_3834(smtp):
    MailServer.parse(smtp.url).send(mail(language="zh"))
    got = message_from_bytes(smtp.got[0].content, policy=default)

    assert (got["Message-ID"], got["Date"]) == ("<m1@example.org>", "Thu, 01 Jan 2026 00:00:00 +0000")
    assert (got["Auto-Submitted"], got["To"]) == ("auto-generated", "ada@example.org")
    assert got["From"] == "Countersign 签 <cla@example.org>"
    assert got["Subject"] == "签署回执：ICLA（版本 2.0）"
    assert "谢谢" in got.get_content()
    assert smtp.got[0].content.isascii()


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("smtp://mail.example.org", ("mail.example.org", 587, "starttls", "", "")),
        ("smtps://u%40x:p%3A%2F%20@mail.example.org", ("mail.example.org", 465, "tls", "u@x", "p:/ ")),
        ("smtp://localhost:2525", ("localhost", 2525, "none", "", "")),
        ("smtp://[::1]:25", ("::1", 25, "none", "", "")),
        ("smtp://localhost.example.org:25", ("localhost.example.org", 25, "starttls", "", "")),
        ("smtp://127.0.0.1.example.org", ("127.0.0.1.example.org", 587, "starttls", "", "")),
        ("smtps://127.0.0.1", ("127.0.0.1", 465, "tls", "", "")),
    ],
)
def test_only_a_mail_server_on_loopback_may_be_plain(url, told):
    server = MailServer.parse(url)

    assert (server.host, server.port, server.security, server.user, server.password) == told
    assert told[4] == "" or told[4] not in repr(server)


@pytest.mark.parametrize(
    "url",
    ["", "http://x", "smtp://", "smtp://h:port", "smtp://h:0x1", "smtp://h:99999", "smtp://u:p/w@h", "smtp://h?x=1"],
)
def test_a_wrong_mail_server_address_is_explained_without_its_password(url):
    with pytest.raises(ValueError, match=r"^must ") as refused:
        MailServer.parse(url)
    assert "p/w" not in str(refused.value)


@pytest.mark.parametrize(
    ("place", "answer", "said", "for_good"),
    [
        ("rcpt", "550 5.1.1 no such user ada@example.org", "refused the recipient: 550 5.1.1", True),
        ("rcpt", "450 4.2.0 greylisted, ada@example.org", "refused the recipient: 450 4.2.0", False),
        ("data", "554 spam from ada@example.org", "refused the content: 554", True),
        ("data", "452 4.3.1 full", "refused the content: 452 4.3.1", False),
        ("sender", "550 5.7.1 not you", "refused the sender: 550 5.7.1", False),
        ("sender", "421 4.7.0 too many", "refused the sender: 421 4.7.0", False),
    ],
)
def test_a_refusal_is_told_by_its_numbers_and_5xx_is_final(smtp, place, answer, said, for_good):
    """The words may hold the address."""
    smtp.answers[place] = answer
    with pytest.raises(EmailRefused) as refused:
        MailServer.parse(smtp.url).send(mail())

    assert str(refused.value) == f"the mail server {said}"
    assert refused.value.for_good is for_good


def test_a_wrong_password_does_not_give_the_email_up(smtp_with_password):
    """The operator may mend it."""
    right = MailServer.parse(smtp_with_password.url.replace("//", "//us%3Aer:pass%20word@"))
    right.send(mail(), trust=smtp_with_password.trust)
    assert len(smtp_with_password.got) == 1
    wrong = MailServer.parse(smtp_with_password.url.replace("//", "//us%3Aer:other@"))
    with pytest.raises(EmailRefused, match="refused user and password: 535") as refused:
        wrong.send(mail(), trust=smtp_with_password.trust)

    assert not refused.value.for_good


def test_a_server_with_an_untrusted_certificate_gets_nothing(smtp_with_password):
    with pytest.raises(EmailRefused, match="cannot be used: SSLCertVerificationError"):
        MailServer.parse(smtp_with_password.url).send(mail())
    assert smtp_with_password.got == []


def test_starttls_is_used_where_it_is_offered(smtp_starttls):
    server = MailServer(host="127.0.0.1", port=smtp_starttls.port, security="starttls")
    server.send(mail(), trust=smtp_starttls.trust)

    assert smtp_starttls.got[0].encrypted


def test_starttls_with_an_untrusted_certificate_sends_nothing(smtp_starttls):
    with pytest.raises(EmailRefused, match="SSLCertVerificationError") as refused:
        MailServer(host="127.0.0.1", port=smtp_starttls.port, security="starttls").send(mail())

    assert not refused.value.for_good
    assert smtp_starttls.got == []


@pytest.mark.parametrize("answer", [None, "454 4.7.0 TLS not available"])
def test_without_starttls_nothing_is_sent(smtp, raw_smtp, answer):
    if answer:
        raw_smtp.lines = [b"220 hi\r\n", b"250-me\r\n250 STARTTLS\r\n", answer.encode() + b"\r\n"]
    port = raw_smtp.port if answer else smtp.port
    with pytest.raises(EmailRefused, match="454 4.7.0" if answer else "does not offer STARTTLS") as refused:
        MailServer(host="127.0.0.1", port=port, security="starttls").send(mail())

    assert not refused.value.for_good
    assert smtp.got == []


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([], "TimeoutError"),
        ([b""], "SMTPServerDisconnected"),
        ([b"220 hi\r\n", b""], "SMTPServerDisconnected"),
        ([b"220 hi\r\n", b"250 me\r\n", b"250 ok\r\n", b"250 ok\r\n", b"354 go\r\n", b""], "SMTPServerDisconnected"),
        ([b"220 hi\r\n", b"250 me\r\n", b"250 ok\r\n", b"250 ok\r\n", b"354 go\r\n"], "TimeoutError"),
        ([b"x" * 100000 + b"\r\n"], "SMTPResponseException|refused us"),
        ([b"HTTP/1.1 400 Bad Request\r\n\r\n"], "SMTP|refused us"),
    ],
    ids=["hangs", "drops", "drops after hello", "drops in the mail", "hangs after the mail", "endless", "a web server"],
)
def test_a_server_that_hangs_or_drops_is_given_up_and_tried_again(raw_smtp, lines, why):
    raw_smtp.lines = lines
    with pytest.raises(EmailRefused, match=why) as refused:
        MailServer(host="127.0.0.1", port=raw_smtp.port, security="none").send(mail(), patience=0.3)

    assert not refused.value.for_good


def test_a_closed_port_is_tried_again(free):
    with pytest.raises(EmailRefused, match="ConnectionRefusedError"):
        MailServer(host="127.0.0.1", port=free, security="none").send(mail())


@pytest.mark.parametrize("farewell", [b"", b"421 go away\r\n"])
def test_an_email_that_the_server_took_is_not_sent_again(raw_smtp, farewell):
    ok = b"250 ok\r\n"
    raw_smtp.lines = [b"220 hi\r\n", ok, ok, ok, b"354 go\r\n", ok, farewell]

    MailServer(host="127.0.0.1", port=raw_smtp.port, security="none").send(mail())


def test_a_login_sends_nothing_and_names_the_step_that_failed(smtp, smtp_with_password, raw_smtp, free):
    MailServer.parse(smtp.url).check("Countersign <cla@example.org>", patience=2)
    user = smtp_with_password.url.replace("://", "://us%3Aer:pass%20word@")
    MailServer.parse(user).check("cla@example.org", trust=smtp_with_password.trust, patience=2)
    assert smtp.got == smtp_with_password.got == []
    smtp.answers["sender"] = "550 5.7.1 not you"

    def step(url, **more):
        with pytest.raises(EmailRefused) as error:
            MailServer.parse(url).check("cla@example.org", patience=1, **more)
        return error.value.step

    assert step(smtp.url) == "sender"
    assert step(user) == "certificate"
    assert step(user.replace("word", "x"), trust=smtp_with_password.trust) == "login"
    assert step(smtp.url.replace("smtp:", "smtps:")) == "encryption"
    assert step(f"smtp://127.0.0.1:{free}") == "connection"
    raw_smtp.lines = [b"421 4.7.0 busy\r\n"]
    assert step(f"smtp://127.0.0.1:{raw_smtp.port}") == "server"
