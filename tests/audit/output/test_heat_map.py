"""The heat map: the worst of each square, within so many columns and rows."""

from audit.facts import LicenseVerdict, Usage
from audit.output.audit_run import build
from audit.output.heat_map import LEGEND, REST_COLUMN, grid
from tests.audit.runs import AT, audited, organisation, used, whole


def test_dependencies_are_columns_if_they_fit():
    found = grid(whole(), most_columns=8, most_rows=9)

    assert found.by_dependency
    assert ("UPX", "GPL-2.0-or-later") in found.columns
    assert ("mystery", "unknown") in found.columns
    assert [row[0] for row in found.rows] == ["org/empty", "org/free", "org/work"]
    assert found.rows[1][2]["mystery", "unknown"].waived
    assert not found.rows[2][2]["mystery", "unknown"].waived


def test_licence_and_usage_are_columns_if_dependencies_do_not_fit():
    found = grid(whole(), most_columns=3, most_rows=9)

    assert not found.by_dependency
    assert found.columns == (("GPL-3.0-or-later", "static-link"), ("unknown", "runtime-import"), REST_COLUMN)
    assert found.rows[2][2][REST_COLUMN].count == 6


def test_the_worst_rows_stay_and_the_others_are_counted():
    found = grid(whole(), most_columns=9, most_rows=1)

    assert [row[0] for row in found.rows] == ["org/work"]
    assert found.left_out == 2


def test_a_square_shows_the_worst_verdict_and_counts_all():
    two = audited(used("a", "MIT", Usage.BUNDLED), used("a", "GPL-3.0-only", Usage.BUNDLED, version="2"))
    mark = grid(build([two], AT), most_columns=5, most_rows=5).rows[0][2]["a", "GPL-3.0-only"]

    assert (mark.verdict, mark.count, mark.waived) == (LicenseVerdict.INCOMPATIBLE, 2, False)


def test_the_order_of_repositories_does_not_matter():
    turned = build(tuple(reversed(organisation())), AT)

    assert repr(grid(turned, most_columns=3, most_rows=2).rows) == repr(grid(whole(), most_columns=3, most_rows=2).rows)


def test_each_verdict_has_its_own_sign_meaning_and_chinese_word():
    assert list(LEGEND) == list(LicenseVerdict)
    for words in zip(*LEGEND.values(), strict=True):
        assert len(set(words)) == len(LicenseVerdict)
