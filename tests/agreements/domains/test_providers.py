"""The lists of names that no company may hold."""

from pathlib import Path

import pytest
from publicsuffixlist import PSLFILE

from agreements.domains import providers
from agreements.domains.canonical_form import approvable

PROVIDERS = {
    "China": "qq.com vip.qq.com foxmail.com 163.com vip.163.com 126.com vip.126.com 188.com yeah.net 163.net tom.com sina.com sina.cn vip.sina.com sina.com.cn sohu.com vip.sohu.com 263.net 139.com 189.cn wo.cn x.wo.cn aliyun.com 88.com petalmail.com yahoo.com.cn hotmail.com",
    "Germany": "web.de gmx.de gmx.net gmx.at gmx.ch gmx.org email.de mail.de t-online.de freenet.de online.de posteo.de posteo.net posteo.org mailbox.org eclipso.de eclipso.eu systemli.org",
    "Russia": "yandex.ru yandex.com yandex.kz yandex.com.tr ya.ru narod.ru mail.ru inbox.ru list.ru bk.ru internet.ru xmail.ru vk.com rambler.ru",
    "Korea": "naver.com daum.net hanmail.net kakao.com nate.com", "Japan": "docomo.ne.jp softbank.ne.jp nifty.com goo.jp yahoo.co.jp outlook.jp",
    "private": "protonmail.com protonmail.ch proton.me pm.me tuta.com tuta.io tutanota.com tutanota.de tutamail.com keemail.me hey.com riseup.net disroot.org cock.li airmail.cc hushmail.com hushmail.me runbox.com startmail.com",
    "many suffixes": "fastmail.com fastmail.fm fastmail.org fastmail.co.uk fastmail.uk posteo.at zoho.com zoho.eu zohomail.com zohomail.in zohomail.cn sent.com messagingengine.fastmail.com",
    "forwarding": "duck.com mozmail.com relay.firefox.com privaterelay.appleid.com simplelogin.com slmail.me aleeas.com anonaddy.com x.anonaddy.me addymail.com passmail.net 33mail.com pobox.com users.noreply.github.com",
    "societies": "ieee.org computer.org acm.org linux.com member.fsf.org theiet.org alumni.ethz.ch alum.mit.edu alumnos.unam.mx alumni.cs.example.edu post.harvard.edu",
}  # fmt: skip


@pytest.mark.parametrize("names", PROVIDERS.values(), ids=PROVIDERS)
def test_mail_providers_and_their_subdomains_are_refused_even_if_no_public_list_has_them(names):
    assert [name for name in names.split() if providers.listed(name) != "free-mail"] == []


@pytest.mark.parametrize("name", ["21cn.com", "mailinator.com", "x.guerrillamail.com"])
def test_a_provider_on_both_lists_counts_as_disposable(name):
    assert providers.listed(name) == "disposable"


@pytest.mark.parametrize("name", [
    "ethz.ch", "notriseup.net", "alumnihub.com", "hisilicon.com", "fastmailteam.com", "yandex-team.ru", "fastmail.huawei.com", "alibaba.com",
    "linux.alibaba.com", "nus.edu.sg", "gmx.io", "mail.huawei.com", "firefox.com", "appleid.com", "harvard.edu", "fsf.org", "ams.org",
])  # fmt: skip
def test_a_name_that_only_resembles_a_listed_one_is_free(name):
    assert providers.listed(name) is None


def test_every_public_suffix_belongs_to_no_company():
    """The private part of the public suffix list counts too; an exception rule is a name like any other."""
    lines = Path(PSLFILE).read_text("utf-8").splitlines()
    rules = [line.split()[0] for line in lines if line and not line.startswith("//")]
    held = {
        rule for rule in rules if (approvable(rule.replace("*.", "x.").lstrip("!")) is None) is not rule.startswith("!")
    }
    assert len(rules) > 9000
    assert held == set()


@pytest.mark.parametrize("name", [
    "github.com", "gitlab.com", "gitee.com", "gitcode.com", "bitbucket.org", "codeberg.org", "sourceforge.net", "sr.ht", "launchpad.net",
    "user.noreply.gitee.com", "noreply.codeberg.org", "users.sourceforge.net", "users.noreply.cann.ghe.com", "salsa.debian.org",
])  # fmt: skip
def test_no_company_holds_the_name_of_a_code_host(name):
    """Each account at a code host may have an address there."""
    assert providers.listed(name) == "code-host"


@pytest.mark.parametrize(
    "name", ["notgithub.com", "debian.org", "gnu.org", "github.huawei.com", "gitee.com.example.com"]
)
def test_a_name_that_only_contains_a_code_host_s_is_free(name):
    assert providers.listed(name) is None
