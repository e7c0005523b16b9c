"""Of many archives the one of which something can be said."""

import pytest

from audit.ecosystems.python.archives import chosen

A, B, C = ("0a" * 32, "0b" * 32, "0c" * 32)
HOST = "https://files.pythonhosted.org/x"
SDIST = f'sdist = {{ url = "{HOST}/a-1.tar.gz", hash = "sha256:{A}", size = 1 }}\n'
WHEEL = f'    {{ url = "{HOST}/a-1-py3-none-any.whl", hash = "sha256:{B}" }},\n'
NATIVE = f'    {{ url = "{HOST}/a-1-cp313-cp313-linux.whl", hash = "sha256:{C}" }},\n'


@pytest.mark.parametrize(
    ("section", "address", "digest"),
    [
        (f"{SDIST}wheels = [\n{WHEEL}]\n", f"{HOST}/a-1-py3-none-any.whl", B),
        (f"{SDIST}wheels = [\n{NATIVE}]\n", f"{HOST}/a-1.tar.gz", A),
        (f"{SDIST}wheels = [\n{WHEEL}{WHEEL}]\n", f"{HOST}/a-1.tar.gz", A),
        (f"wheels = [\n{NATIVE}]\n", f"{HOST}/a-1-cp313-cp313-linux.whl", C),
        (f"wheels = [\n{NATIVE}{NATIVE}]\n", None, None),
        (f'files = [\n  {{file = "a-1.tar.gz", hash = "sha256:{A}"}},\n]\n', None, A),
        (f'source = {{ url = "{HOST}/a-1.zip" }}\nsdist = {{ hash = "sha256:{A}" }}\n', f"{HOST}/a-1.zip", A),
        (
            f'wheels = [{{ name = "a-1-py3-none-any.whl", url = "{HOST}/a-1-py3-none-any.whl", hashes = {{ sha256 = "{B}" }} }}]',
            f"{HOST}/a-1-py3-none-any.whl",
            B,
        ),
        (f'[package.dependencies]\nb = {{ url = "{HOST}/b.zip" }}\n', None, None),
        ("", None, None),
        ("{" * 100_000, None, None),
    ],
)
def test_chosen(section, address, digest):
    """The wheel for every system before the sources, and nothing where it depends on the machine."""
    found = chosen(section)
    assert found.get("download") == address
    assert [one.value for one in found.get("checksums", ())] == ([digest] if digest else [])
