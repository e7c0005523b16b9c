"""Podfile.lock: pods with their parts, sources, commits."""

from tests.audit.ecosystems.brief import merged, origins

LOCK = """PODS:
  - AFNetworking (4.0.1):
    - AFNetworking/NSURLSession (= 4.0.1)
    - Util
  - AFNetworking/NSURLSession (4.0.1)
  - "Google+X (1.0)"
  - MyPod (0.1)
  - Other/Core (1.0):
    - Util (~> 2.0)
  - Priv (3.0)
  - Spec (5.0)
  - Util (2.0)

DEPENDENCIES:
  - AFNetworking (~> 4.0)
  - MyPod (from `../MyPod`)
  - Other/Core (from `https://github.com/o/other.git`, tag `1.0`)
  - Priv

SPEC REPOS:
  trunk:
    - AFNetworking
    - Util
  https://git.corp.example/specs.git:
    - Priv

EXTERNAL SOURCES:
  MyPod:
    :path: "../MyPod"
  Other:
    :git: https://github.com/o/other.git
    :tag: '1.0'
  Spec:
    :podspec: https://dl.example.org/Spec.podspec

CHECKOUT OPTIONS:
  Other:
    :commit: 00ff00ff
    :git: https://github.com/o/other.git

COCOAPODS: 1.11.3
"""


def test_lock():
    """Parts are one pod; a folder of the repository is none; whose specs a pod is from."""
    assert merged({"ios/Podfile.lock": LOCK}) == [
        "pkg:cocoapods/AFNetworking@4.0.1 static-link direct :2",
        "pkg:cocoapods/Google%2BX@1.0 static-link indirect :6",
        "pkg:github/o/other@00ff00ff static-link direct :8",
        "pkg:cocoapods/Priv@3.0?repository_url=git.corp.example static-link direct :10",
        "pkg:cocoapods/Spec@5.0?repository_url=no-registry static-link indirect :11",
        "pkg:cocoapods/Util@2.0 static-link indirect :12",
    ]


def test_needs():
    """Those of its parts are the pod's."""
    found = origins({"Podfile.lock": LOCK})
    assert "pkg:cocoapods/AFNetworking@4.0.1 brings pkg:cocoapods/Util@2.0" in found
    assert (
        "pkg:github/o/other@00ff00ff from git+https://github.com/o/other.git@00ff00ff brings pkg:cocoapods/Util@2.0"
        in found
    )
