"""Podfile.lock: pods with their parts, sources, commits."""

import pytest

from audit import ecosystems
from audit.ecosystems import includes
from audit.ecosystems.dependency_merge import DependencyFile, settle
from tests.audit.ecosystems.brief import dependency_lines, merged, origins

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


def test_parts_of_a_pod_are_one_pod_and_local_folders_none():
    assert merged({"ios/Podfile.lock": LOCK}) == [
        "pkg:cocoapods/AFNetworking@4.0.1 static-link direct :2",
        "pkg:cocoapods/Google%2BX@1.0 static-link indirect :6",
        "pkg:github/o/other@00ff00ff static-link direct :8",
        "pkg:cocoapods/Priv@3.0?repository_url=git.corp.example static-link direct :10",
        "pkg:cocoapods/Spec@5.0?repository_url=no-registry static-link indirect :11",
        "pkg:cocoapods/Util@2.0 static-link indirect :12",
    ]


def test_the_needs_of_a_pod_s_parts_are_the_pod_s():
    found = origins({"Podfile.lock": LOCK})
    assert "pkg:cocoapods/AFNetworking@4.0.1 brings pkg:cocoapods/Util@2.0" in found
    assert (
        "pkg:github/o/other@00ff00ff from git+https://github.com/o/other.git@00ff00ff brings pkg:cocoapods/Util@2.0"
        in found
    )


PODFILE = """source 'https://github.com/CocoaPods/Specs.git'
platform :ios, '15.0'
target 'App' do
  use_frameworks!
  pod 'AFNetworking', '4.0.1'
  pod 'Firebase/Core', '~> 10.0'
  pod "Git", :git => 'https://github.com/o/git.git', :tag => '1.2'
  pod 'Own', path: '../own'
  target 'AppTests' do
    inherit! :search_paths
    pod 'Quick'
  end
  pod 'Last'
end
"""


def test_a_podfile_without_a_lock_file_gives_pods_by_target():
    assert merged({"Podfile": PODFILE}) == [
        "pkg:cocoapods/AFNetworking@4.0.1 static-link direct :5",
        "pkg:cocoapods/Firebase static-link direct :6",
        "pkg:github/o/git@1.2 static-link direct :7",
        "pkg:cocoapods/Last static-link direct :13",
        "pkg:cocoapods/Quick test-only direct :11",
    ]
    found = merged({"Podfile": f"source 'https://specs.corp.example/x.git'\n{PODFILE}"})
    assert found[0].startswith("pkg:cocoapods/AFNetworking@4.0.1?repository_url=specs.corp.example ")


def test_a_lock_file_beside_a_podfile_gives_the_versions_once():
    lock = "PODS:\n  - AFNetworking (4.0.1)\n  - Firebase/Core (10.9.0)\nDEPENDENCIES:\n  - AFNetworking\n  - Firebase/Core\n"
    podfile = "pod 'AFNetworking', '~> 4'\npod 'Firebase/Core'\n"
    assert merged({"Podfile": podfile, "Podfile.lock": lock}) == [
        "pkg:cocoapods/AFNetworking@4.0.1 static-link direct :1",
        "pkg:cocoapods/Firebase@10.9.0 static-link direct :2",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "%w[a b].each { |name| pod name }", "names.each do |name| pod(name) end", "pod NAME, '1.0'", "pod *args",
        "config = use_our_pods!", "install_all_flutter_pods(flutter_application_path)", "shared_pods", "if x then shared_pods end",
    ],
)  # fmt: skip
def test_a_call_whose_pods_are_computed_is_told_once(line):
    assert dependency_lines("Podfile", f"target 'App' do\n{line}\n{line}\nend\n") == ["! file/unsupported :2"]
    lock = "PODS:\n  - A (1.0)\nDEPENDENCIES:\n  - A\n"
    both = [
        DependencyFile(path, "cocoapods", ecosystems.read(path, text))
        for path, text in (("Podfile", line), ("Podfile.lock", lock))
    ]
    assert [file.read.findings for file in settle(both)] == [(), ()]


QUIET = """require_relative '../node_modules/react-native/scripts/react_native_pods'
require Pod::Executable.execute_command('node', ['-p', 'x']).strip
ENV['COCOAPODS_DISABLE_STATS'] = 'true'
$static = true
platform :ios, min_ios_version_supported
install! 'cocoapods', :deterministic_uuids => false
linkage = ENV['USE_FRAMEWORKS']
def own_pods
  pod 'A'
end
project 'Runner', { 'Debug' => :debug }
target 'App' do
  use_frameworks! :linkage => :static
  use_modular_headers!
  inherit! :search_paths
  own_pods
  if linkage != nil
    Pod::UI.puts "Configuring".green
  end
  pod name, :path => '.'
  target 'AppTests' do
    if linkage
      pod 'B'
    end
  end
end
post_install do |installer|
  react_native_post_install(installer, config[:path], :mac => false)
  installer.pods_project.targets.each do |target|
    flutter_additional_ios_build_settings(target)
  end
end
"""


def test_an_ordinary_podfile_has_no_findings():
    assert dependency_lines("Podfile", QUIET) == [
        "pkg:cocoapods/A static-link direct :9",
        "pkg:cocoapods/B test-only direct :23",
    ]


FLUTTER = """ENV['COCOAPODS_DISABLE_STATS'] = 'true'
project 'Runner', {
  'Debug' => :debug,
  'Release' => :release,
}
def flutter_root
  generated = File.expand_path(File.join('..', 'Flutter', 'Generated.xcconfig'), __FILE__)
  unless File.exist?(generated)
    raise "#{generated} must exist. If you're running pod install manually, make sure flutter pub get is executed first"
  end
  File.foreach(generated) do |line|
    matches = line.match(/FLUTTER_ROOT\\=(.*)/)
    return matches[1].strip if matches
  end
  raise "FLUTTER_ROOT not found in #{generated}. Try deleting Generated.xcconfig, then run flutter pub get"
end
require File.expand_path(File.join('packages', 'flutter_tools', 'bin', 'podhelper'), flutter_root)
flutter_ios_podfile_setup
target 'Runner' do
  use_frameworks!
  use_modular_headers!
  flutter_install_all_ios_pods File.dirname(File.realpath(__FILE__))
  target 'RunnerTests' do
    inherit! :search_paths
  end
end
post_install do |installer|
  installer.pods_project.targets.each do |target|
    flutter_additional_ios_build_settings(target)
  end
end
"""
REACT_NATIVE = """require Pod::Executable.execute_command('node', ['-p',
  'require.resolve("react-native/scripts/react_native_pods.rb", {paths: [process.argv[1]]})', __dir__]).strip
platform :ios, min_ios_version_supported
prepare_react_native_project!
setup_permissions([
  'Camera',
])
target 'App' do
  config = use_native_modules!
  use_react_native!(
    :path => config[:reactNativePath],
    :app_path => "#{Pod::Config.instance.installation_root}/.."
  )
  use_flipper!
end
"""
EXPO = """require File.join(File.dirname(`node --print "require.resolve('expo/package.json')"`), "scripts/autolinking")
require 'json'
podfile_properties = JSON.parse(File.read(File.join(__dir__, 'Podfile.properties.json'))) rescue {}
ENV['RCT_NEW_ARCH_ENABLED'] ||= '0' if podfile_properties['newArchEnabled'] == 'false'
platform :ios, podfile_properties['ios.deploymentTarget'] || '15.1'
install! 'cocoapods',
  :deterministic_uuids => false
target 'App' do
  use_expo_modules!
  config_command = ['node', '--no-warnings']
  config = use_native_modules!(config_command)
  use_frameworks! :linkage => ENV['USE_FRAMEWORKS'].to_sym if ENV['USE_FRAMEWORKS']
end
"""
CAPACITOR = """require_relative '../node_modules/@capacitor/ios/scripts/pods_helpers'
platform :ios, '14.0'
def capacitor_pods
  node_modules_path = File.exist?(File.join(__dir__, 'node_modules')) ? 'node_modules' : '../../node_modules'
  pod 'Capacitor', :path => "#{node_modules_path}/@capacitor/ios"
  pod 'CapacitorApp', :path => '../node_modules/@capacitor/app'
end
target 'App' do
  capacitor_pods
end
post_install do |installer|
  assertDeploymentTarget(installer)
end
"""
CORDOVA = "target 'App' do\n\tproject 'App.xcodeproj'\nend\n"
TEST_APP = (
    "target 'App' do\n  use_test_app!\n  next if ENV['X']\n  maps = '../maps'\n  pod 'Maps', :path => maps\nend\n"
)
TOOLS = [
    (FLUTTER, "pubspec.yaml"), (FLUTTER.replace("_ios_", "_macos_"), "pubspec.yaml"), (REACT_NATIVE, "package.json"),
    (EXPO, "package.json"), (TEST_APP, "package.json"),
]  # fmt: skip


def missing(at, podfile, *others):
    """What is told of a Podfile's manifests, with these other files in the tree."""
    read = ecosystems.read(at, podfile)
    return [finding.message for finding in includes.findings({at: read}, frozenset({at, *others}))]


@pytest.mark.parametrize("podfile", [*(podfile for podfile, _ in TOOLS), CAPACITOR, CORDOVA])
def test_a_tool_s_own_podfile_has_no_findings_and_pods_beside_it_count(podfile):
    assert dependency_lines("app/ios/Podfile", podfile) == []
    line = podfile.count("\n") + 2
    more = f"{podfile}target 'Watch' do\n  pod 'Quick', '1.0'\n  other_pods\nend\n"
    assert dependency_lines("app/ios/Podfile", more) == [
        f"pkg:cocoapods/Quick@1.0 static-link direct :{line}",
        f"! file/unsupported :{line + 1}",
    ]


@pytest.mark.parametrize(("podfile", "manifest"), TOOLS)
def test_the_pods_of_a_tool_are_the_packages_of_its_manifest(podfile, manifest):
    assert missing("app/ios/Podfile", podfile, f"app/{manifest}") == []
    assert missing("ios/Podfile", podfile, manifest) == missing("Podfile", podfile, manifest) == []
    lost = f"installs what {manifest} lists, a file that is not in the repository"
    for at in ("app/ios/Podfile", "ios/Podfile", "Podfile"):
        assert [told.partition(":")[0] for told in missing(at, podfile, "other/x")] == [lost], at
    lock = "PODS:\n  - A (1.0)\nDEPENDENCIES:\n  - A\n"
    both = [
        DependencyFile(path, "cocoapods", ecosystems.read(path, said))
        for path, said in (("ios/Podfile", podfile), ("ios/Podfile.lock", lock))
    ]
    assert includes.findings({file.path: file.read for file in settle(both)}, frozenset()) == ()
