"""The administration's pages of the nightly licence audit: reports, files to download and changes."""

import io
import json
import zipfile

import pytest

from audit.store import account_states, nights, sealed
from bot.licenses import sealed_files
from tests.bot.portal.populated import audited

AT = "/admin/licenses/3"


@pytest.fixture(name="eye")
def _eye(office):
    """An auditor's browser, after two nights of the account cann."""
    audited(office.portal)
    return office.eye


def test_the_list_of_accounts_links_to_reports_or_says_why_there_is_none(eye, office):
    with office.portal.services.sessions() as session:
        account_states.begin(session, 4, "other", "job", at=office.portal.at)
        account_states.failed(session, 4, "the organisation's rulebook has no `licenses` section")
        account_states.begin(session, 5, "", "job", at=office.portal.at)
    page = eye.get("/admin/licenses").text

    assert '<a href="/admin/licenses/3">cann</a>' in page
    assert "rulebook has no `licenses` section" in page
    assert "组织的规则文件没有 `licenses` 部分" in eye.get("/admin/licenses?lang=zh").text
    assert "/admin/licenses/5" not in page
    assert "/files/" not in eye.get("/admin/licenses/4").text
    assert eye.get("/admin/licenses/5").status_code == 404


@pytest.mark.slow
def test_the_page_of_an_account_links_to_its_files_nights_and_repositories(eye):
    page = eye.get(AT).text

    for target in ("files/report.html", "files/all.zip", "nights/night", "repositories/93"):
        assert f'href="{AT}/{target}"' in page
    assert "<code>aaaaaaaaaaaa</code>" in page


@pytest.mark.parametrize(
    ("name", "kind"),
    [("report.html", "text/html"), ("report.json", "application/json"), ("LICENSE-COMPATIBILITY.md", "text/markdown")],
)
def test_the_files_are_downloads_and_never_pages(eye, name, kind):
    """The heat map carries its own script, which must not run under the portal's origin."""
    answer = eye.get(f"{AT}/files/{name}")

    assert answer.headers["Content-Disposition"] == f"attachment; filename={name}"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.mimetype == kind
    assert b"readline" in answer.data


def test_the_files_of_one_repository_come_as_a_zip(eye):
    answer = eye.get(f"{AT}/repositories/93")

    with zipfile.ZipFile(io.BytesIO(answer.data)) as archive:
        assert archive.namelist() == [
            f"org/work/{name}"
            for name in (
                "NOTICE",
                "THIRD-PARTY-LICENSES",
                "sbom.spdx.json",
                "bom.cdx.json",
                "dependency-licenses.json",
                "dependencies.csv",
                "licenses.sarif",
            )
        ]
        assert json.loads(archive.read("org/work/dependency-licenses.json"))["repository"] == "org/work"


def test_all_files_of_an_account_come_as_one_zip(eye):
    answer = eye.get(f"{AT}/files/all.zip")

    with zipfile.ZipFile(io.BytesIO(answer.data)) as archive:
        assert archive.testzip() is None
        assert {"report.html", "report.json", "LICENSE-COMPATIBILITY.md", "org/work/NOTICE"} < set(archive.namelist())


def test_the_page_of_a_night_has_fifty_changes(eye):
    first, second = eye.get(f"{AT}/nights/night").text, eye.get(f"{AT}/nights/night?page=2").text

    assert (first.count("<strong>readline</strong>"), second.count("<strong>readline</strong>")) == (50, 10)
    assert 'lang="en">' not in first.partition("<main")[2]


def test_a_night_is_told_in_chinese_and_one_of_an_older_release_in_english(eye, office):
    older = eye.get(f"{AT}/nights/night?lang=zh").text
    name, services = nights.name("night", "zh"), office.portal.services
    with services.sessions() as session:
        sealed.put(session, name, sealed_files.encrypt(services.vault, name, "- 新违规：hal：**readline**".encode()))
    newer = eye.get(f"{AT}/nights/night?lang=zh").text

    assert '<div lang="en"><ul>' in older
    assert "<div><ul>\n<li>新违规：hal：<strong>readline</strong></li>" in newer


@pytest.mark.parametrize(
    "path",
    [
        "/admin/licenses/4", f"/admin/licenses/{2**70}", f"{AT}/files/NOTICE", f"{AT}/files/org%2Fwork.zip", f"{AT}/nights/other",
        f"{AT}/repositories/94", f"{AT}/repositories/{2**70}", "/admin/licenses/4/files/all.zip", "/admin/licenses/4/nights/night",
        "/admin/licenses/4/repositories/93",
    ],
)  # fmt: skip
def test_an_unknown_file_night_or_repository_is_not_found(eye, path):
    assert eye.get(path).status_code == 404


def test_a_file_that_cannot_be_decrypted_is_not_found(eye, office):
    with office.portal.services.sessions() as session:
        for name in ("page/3/report.html", "night/night"):
            held = sealed.get(session, name)
            sealed.put(session, name, sealed.Sealed(held.sealed[::-1], held.wrapped_key, held.ring_key_id))

    assert eye.get(f"{AT}/files/report.html").status_code == 404
    assert eye.get(f"{AT}/nights/night").status_code == 404
    assert eye.get(f"{AT}/files/report.json").status_code == 200


@pytest.mark.parametrize(
    ("why", "said"),
    [
        ("the organisation has no rulebook", "最近一次夜间审计失败：组织没有规则文件。"),
        (
            "We could not read the rulebook in cann/.github. GitHub refused access to the App.",
            "最近一次夜间审计失败：无法读取 cann/.github 中的规则文件。GitHub 拒绝了 App 的访问。",
        ),
        ("GET /x <answered> 502", '最近一次夜间审计失败：<span lang="en">GET /x &lt;answered&gt; 502</span>。'),
    ],
)
def test_the_reason_of_a_failed_audit_is_told_in_chinese(eye, office, why, said):
    with office.portal.services.sessions() as session:
        account_states.failed(session, 3, why)

    assert said in eye.get(f"{AT}?lang=zh").text
