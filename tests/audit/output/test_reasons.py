"""The same reason in many repositories is told once."""

from audit.facts import LicenseVerdict, Usage
from audit.output.audit_run import build
from audit.output.reasons import group_row, groups, html
from tests.audit.runs import AT, audited, used, whole

GPL = used("readline", "GPL-3.0-or-later", Usage.STATIC_LINK)


def test_grouped_and_worst_first():
    """By dependency, usage, licences and judgement; numbered in order."""
    many = build([audited(GPL, used("a", "MIT", Usage.BUNDLED), name=f"o/{number}") for number in range(30)], AT)
    found = groups(many)

    assert [(one.number, one.first.judgement.verdict, one.rows) for one in found] == [
        (0, LicenseVerdict.INCOMPATIBLE, list(range(30))),
        (1, LicenseVerdict.COMPATIBLE, list(range(30))),
    ]
    row, few = (
        "".join(group_row(found[0], many)),
        build([audited(GPL, name=f"o/{number}") for number in range(20)], AT),
    )
    assert "<li>and 10 more, see report.json</li>" in row
    assert "more, see" not in "".join(group_row(groups(few)[0], few))
    assert row.startswith(
        '<tr class="reason v-incompatible" data-n="readline" data-l="GPL-3.0-or-later" data-u="static-link" data-v="incompatible" '
        f'data-r="{" ".join(map(str, range(30)))}" id="r0"><td><b class="tag">incompatible</b></td>'
        '<th scope="row"><bdi>readline</bdi></th><td><bdi>'
    )


def test_what_is_told():
    """Rule, basis, reason, what to do, waiver, and where each thing was learned."""
    page = "".join(group_row(groups(whole())[1], whole()))
    waived = next("".join(group_row(one, whole())) for one in groups(whole()) if one.first.waiver)

    worst = "".join(group_row(groups(whole())[0], whole()))
    assert '<p class="todo"><b>What to do:</b> Replace it' in worst.partition("<details>")[0]
    assert "<code>countersign license outbound</code> lists them." in worst
    assert "<dt>rule</dt><dd>license/none (docs/reference/license-rules.md)</dd>" in page
    assert "<dt>basis</dt><dd>none</dd>" in page
    assert "package-lock.json:10 (mystery)" in page
    assert "licence: lock-file package-lock.json:10" in page
    assert "is being replaced (Ada Example, until 2027-01-01)" in waived


def test_words_are_safe():
    """As text and in an attribute."""
    assert html("<b a='\">\n\x00&") == "&lt;b a=&#x27;&quot;&gt; &amp;"
